// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_TESTS_UNIT_SCOPED_FOLDER_HPP
#define UPSWEEP_TESTS_UNIT_SCOPED_FOLDER_HPP

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace upsweep::testing {

// An empty folder for as long as it lives.
class scoped_folder {
 public:
  scoped_folder() : root_((std::filesystem::temp_directory_path() / "upsweep-XXXXXX").string()) {
    if (mkdtemp(root_.data()) == nullptr) throw std::runtime_error(root_ + ": mkdtemp failed");
  }
  ~scoped_folder() { std::filesystem::remove_all(root_); }
  scoped_folder(const scoped_folder&) = delete;
  scoped_folder& operator=(const scoped_folder&) = delete;

  std::filesystem::path path(const std::string& name) const {
    return std::filesystem::path(root_) / name;
  }

 private:
  std::string root_;
};

}  // namespace upsweep::testing

#endif
