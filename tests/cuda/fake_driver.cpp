// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes by the driver's soname, and has none of its functions but the one that one-shot calls ask.
#include <cuda.h>

extern "C" {

CUresult fake_answer = CUDA_SUCCESS;

CUresult CUDAAPI cuPointerGetAttributes(unsigned, CUpointer_attribute*, void**, CUdeviceptr) {
  return fake_answer;
}
}
