// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_SIMT_FIBER_HPP
#define UPSWEEP_SIMT_FIBER_HPP

// Fibers on Boost.Context, told to the sanitizers. A fiber is resumed by its owner, and suspends
// back to it.

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <new>
#include <vector>

#if defined(UPSWEEP_SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(UPSWEEP_SIMT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace upsweep::simt {

// Stacks of one size, kept for the next fiber. Untouched pages of a stack cost address space only.
class stack_pool {
 public:
  static constexpr std::size_t bytes = std::size_t{128} << 10;

  stack_pool() = default;
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;
  ~stack_pool() {
    for (void* s : all_) munmap(s, bytes);
  }

  void* take() {
    if (free_.empty()) {
      free_.reserve(all_.size() + 1);
      all_.reserve(all_.size() + 1);
      void* s = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
      if (s == MAP_FAILED) throw std::bad_alloc();
      all_.push_back(s);
      return s;
    }
    void* s = free_.back();
    free_.pop_back();
    return s;
  }
  void put_back(void* s) noexcept { free_.push_back(s); }

 private:
  std::vector<void*> all_, free_;
};

class fiber {
 public:
  using body = void (*)(void*);

  fiber() = default;
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  void start(void* stack, body run, void* argument) {
    stack_ = stack;
    run_ = run;
    argument_ = argument;
    context_ = boost::context::detail::make_fcontext(static_cast<char*>(stack) + stack_pool::bytes,
                                                     stack_pool::bytes, enter);
#if defined(UPSWEEP_SIMT_TSAN)
    tsan_ = __tsan_create_fiber(0);
#endif
  }

  // Of the owner: runs the fiber until it suspends.
  void resume() {
#if defined(UPSWEEP_SIMT_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, stack_, stack_pool::bytes);
#elif defined(UPSWEEP_SIMT_TSAN)
    tsan_owner_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(tsan_, __tsan_switch_to_fiber_no_sync);
#endif
    context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
#if defined(UPSWEEP_SIMT_ASAN)
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  }

  // Of the fiber: back to the owner.
  void suspend() {
#if defined(UPSWEEP_SIMT_ASAN)
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, owner_stack_, owner_bytes_);
#elif defined(UPSWEEP_SIMT_TSAN)
    __tsan_switch_to_fiber(tsan_owner_, __tsan_switch_to_fiber_no_sync);
#endif
    owner_ = boost::context::detail::jump_fcontext(owner_, nullptr).fctx;
#if defined(UPSWEEP_SIMT_ASAN)
    __sanitizer_finish_switch_fiber(fake, &owner_stack_, &owner_bytes_);
#endif
  }

  // Of the owner: the fiber will not run again. Its stack is the caller's again.
  void* finish() {
#if defined(UPSWEEP_SIMT_ASAN)
    // Frames that it never left are poisoned still, and arguments of the next fiber may lie there.
    __asan_unpoison_memory_region(stack_, stack_pool::bytes);
#elif defined(UPSWEEP_SIMT_TSAN)
    __tsan_destroy_fiber(tsan_);
#endif
    return stack_;
  }

 private:
  static void enter(boost::context::detail::transfer_t from) {
    auto* self = static_cast<fiber*>(from.data);
    self->owner_ = from.fctx;
#if defined(UPSWEEP_SIMT_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &self->owner_stack_, &self->owner_bytes_);
#endif
    self->run_(self->argument_);
    self->suspend();
  }

  void* stack_ = nullptr;
  body run_ = nullptr;
  void* argument_ = nullptr;
  boost::context::detail::fcontext_t context_ = nullptr;
  boost::context::detail::fcontext_t owner_ = nullptr;
#if defined(UPSWEEP_SIMT_ASAN)
  const void* owner_stack_ = nullptr;
  std::size_t owner_bytes_ = 0;
#elif defined(UPSWEEP_SIMT_TSAN)
  void* tsan_ = nullptr;
  void* tsan_owner_ = nullptr;
#endif
};

}  // namespace upsweep::simt

#endif
