# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that the tests must find: (name, file, text that occurs once, its replacement)."""

MUTANTS = [
    ("carry lost at a unit border", "src/upsweep/detail/odometer.hpp",
     "for (; b < bits && (count_ >> b & 1) != 0; ++b) total = Op::combine(part_[b], total);",
     "for (; b < bits && (count_ >> b & 1) != 0; ++b)\n"
     "      if (b != 3) total = Op::combine(part_[b], total);"),
    ("prefixes combined in the wrong order", "src/upsweep/detail/odometer.hpp",
     "if ((count_ >> b & 1) != 0) p = Op::combine(part_[b], p);",
     "if ((count_ >> b & 1) != 0) p = Op::combine(p, part_[b]);"),
    ("exclusive one element early", "backends/cpu/simd_kernel-inl.hpp",
     "emit(g, bases, exclusive, out);",
     "emit(g, bases, false, out);"),
    ("init applied twice", "backends/cpu/engine.hpp",
     "const odometer<Op> start = at;",
     "odometer<Op> start = at;\n    if (at.carry()) start.fold_group(*at.carry());"),
    ("NaN swallowed by maximum", "backends/cpu/simd_kernel-inl.hpp",
     "hn::IfThenElse(hn::Gt(b, a), b, tie)",
     "b"),
    ("total off by one element", "backends/cpu/simd_kernel-inl.hpp",
     "for (std::int64_t i = runs * run; i < count; ++i) at.push(in[i]);",
     "for (std::int64_t i = runs * run; i + 1 < count; ++i) at.push(in[i]);"),
    ("a block waits for none of its predecessors", "backends/cpu/engine.hpp",
     "while (flag.load(std::memory_order_acquire) != epoch_) std::this_thread::yield();",
     "static_cast<void>(flag);"),
    ("the caller's rounding mode reaches the threads", "src/upsweep/detail/fp_environment.hpp",
     "if (_mm_getcsr() != mode) _mm_setcsr(mode);",
     "static_cast<void>(mode);"),
]
