// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_UNIT_EXPECT_HPP
#define UPSWEEP_TESTS_UNIT_EXPECT_HPP

// What the unit tests share: refusals in words, environment variables, the backends at hand.

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/tested.hpp"
#include "upsweep/error.hpp"

namespace upsweep::testing {

// `f` must throw upsweep::error with this code and with all of these words in its message.
template <class F>
void expect_error(errc code, const std::vector<std::string>& words, F&& f) {
  try {
    f();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    const std::string message = e.what();
    for (const std::string& w : words)
      EXPECT_NE(message.find(w), std::string::npos) << "no \"" << w << "\" in: " << message;
    return;
  }
  ADD_FAILURE() << "nothing was thrown; wanted: " << ::testing::PrintToString(words);
}

// An environment variable for as long as it lives.
class scoped_environment {
 public:
  scoped_environment(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) saved_ = old, had_ = true;
    set(value);
  }
  ~scoped_environment() { set(had_ ? saved_.c_str() : nullptr); }
  scoped_environment(const scoped_environment&) = delete;
  scoped_environment& operator=(const scoped_environment&) = delete;

 private:
  void set(const char* value) {
    if (value != nullptr)
      setenv(name_.c_str(), value, 1);
    else
      unsetenv(name_.c_str());
  }
  std::string name_, saved_;
  bool had_ = false;
};

}  // namespace upsweep::testing

#endif
