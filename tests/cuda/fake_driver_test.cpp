// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one-shot calls do with the driver's answers, without a GPU. In the fake driver a runtime
// call would fail, so that these also show that there is none.
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/expect.hpp"
#include "upsweep/scan.hpp"

namespace upsweep::testing {

namespace {

CUresult& answer() {
  static void* const driver = dlopen(UPSWEEP_FAKE_DRIVER, RTLD_NOW);
  return *static_cast<CUresult*>(dlsym(driver, "fake_answer"));
}

std::vector<std::int32_t> scanned() {
  const std::vector<std::int32_t> x{1, 2, 3};
  std::vector<std::int32_t> out(3);
  inclusive_scan(x, out);
  return out;
}

const std::vector<std::int32_t> sums{1, 3, 6};

// Zeros mean memory that CUDA does not know.
TEST(fake_driver, arrays_are_the_hosts_where_there_can_be_no_other) {
  for (const CUresult status :
       {CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED}) {
    answer() = status;
    EXPECT_EQ(scanned(), sums) << status;
  }
}

TEST(fake_driver, other_errors_are_told_in_the_drivers_words) {
  answer() = CUDA_ERROR_ILLEGAL_ADDRESS;
  expect_error(errc::device, {"where the arrays live: cudaErrorIllegalAddress: "}, scanned);
}

}  // namespace

}  // namespace upsweep::testing
