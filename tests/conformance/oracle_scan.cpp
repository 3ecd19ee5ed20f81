// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oracle_scan TYPE OPERATOR < elements > results: an inclusive scan of raw elements by the oracle.
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/support/oracle.hpp"

using namespace upsweep;

namespace {

std::vector<char> read_all(std::FILE* f) {
  std::vector<char> bytes;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, f))
    bytes.insert(bytes.end(), block, block + n);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  spec what;
  for (int t = 0; argc == 3 && t < static_cast<int>(type::user); ++t)
    if (name_of(static_cast<type>(t)) == argv[1]) what.in = what.out = static_cast<type>(t);
  what.op = sum{};
  if (argc == 3 && std::strcmp(argv[2], "affine") == 0) what.op = affine{};

  const std::vector<char> in = read_all(stdin);
  std::vector<char> out(in.size());
  const std::size_t element = size_of(what.in) * (what.op.id == builtin::affine ? 2 : 1);
  testing::run_oracle(what, {.in = in.data(),
                             .out = out.data(),
                             .length = static_cast<std::int64_t>(in.size() / element)});
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
