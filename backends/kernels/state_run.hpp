// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef UPSWEEP_KERNELS_STATE_RUN_HPP
#define UPSWEEP_KERNELS_STATE_RUN_HPP

// A run or an aggregate that begins at a state and leaves one, for backends/cuda and backends/simt
// alike. The kernels tell the totals of its groups and supers; the host, which keeps the state,
// takes these, and combines the last elements, a super at most, itself.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grid/single_pass/flat.hpp"
#include "runner.hpp"
#include "upsweep/detail/progress.hpp"
#include "upsweep/error.hpp"
#include "upsweep/order.hpp"

namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels {

// The kernels of a backend that serves states.
inline state_kernels& states_of(runner& r, std::string_view backend) {
  if (state_kernels* const s = r.states()) return *s;
  throw error(errc::unsupported,
              "state: " + std::string(backend) + " neither resumes scans nor joins their states");
}

class state_run {
 public:
  // Throws upsweep::error for what the backend does not serve.
  state_run(std::string_view backend, const spec& what, const detail::request& r,
            bool writes_output, runner& by)
      : by_(by),
        kernels_(states_of(by, backend)),
        request_(r),
        writes_output_(writes_output),
        now_(detail::progress_of(what)),
        bytes_(detail::accumulator_bytes(what)),
        in_bytes_(element_bytes(what, what.in)),
        reverse_(what.direction == direction::reverse) {
    detail::refuse_init_device(r, std::string(backend) + " beside a state");
    now_->begin(r, writes_output);
    const std::int64_t group = order1::group(bytes_), super = order1::super(bytes_);
    skipped_ = now_->position() % group;
    if (skipped_ != 0 && !kernels_.go_on_inside_groups())
      throw error(errc::unsupported, "state: position " + std::to_string(now_->position()) +
                                         " is no border of a group (" + std::to_string(group) +
                                         " elements), which " + std::string(backend) +
                                         " needs for products of complex numbers");
    const std::int64_t n = r.args.length;
    // Followed by an element at least: a super that is alone is left to the host.
    if (n > 0) supers_ = (skipped_ + n - 1) / super;
    passes_supers_ = supers_ > skipped_ / super;
    last_.length = std::min(n, skipped_ + n - supers_ * super);
  }

  // Queues all of it, of one element at least. `c` has the arrays as the device sees them.
  void queue(stream on, call c, void* workspace) {
    c.init = now_->carry();
    c.leaves_totals = passes_supers_;
    if (skipped_ > 0) {
      given_.resize(bytes_ * open_totals);
      c.skipped = skipped_;
      c.given = given_.data();
      now_->visit_open(now_->position(), [&](std::int64_t elements, const void* total) {
        const auto vecs = static_cast<std::uint64_t>(elements / order1::vec(bytes_));
        std::byte* const to = &given_[bytes_ * static_cast<std::size_t>(std::bit_width(vecs))];
        std::memcpy(to, total, bytes_);
        kernels_.translate(to);
      });
    }
    // Before the scan, which may be in place.
    last_.in = fetch(on, c.in, last_in_);
    if (c.coefficients != nullptr)
      last_.coefficients = fetch(on, c.coefficients, last_coefficients_);
    if (passes_supers_)
      totals_.resize(bytes_ * static_cast<std::size_t>(supers_ / order1::supers_per_group +
                                                       supers_ % order1::supers_per_group));
    if (writes_output_) by_.run(on, c, workspace);
    if (passes_supers_)
      kernels_.fetch_totals(on, c, workspace, writes_output_, supers_, totals_.data());
  }

  // Once the stream has been waited for: leaves the state, and calls store_total(total) with the
  // total that is asked for, where no kernel has stored it.
  template <class Store>
  void finish(Store&& store_total) {
    if (passes_supers_) {
      for (std::size_t i = 0; i < totals_.size(); i += bytes_) kernels_.translate(&totals_[i]);
      const std::int64_t groups = supers_ / order1::supers_per_group;
      now_->push_groups(totals_.data(), groups);
      // Not of supers that the state had passed, which it keeps in other blocks.
      const std::int64_t first = now_->position() % order1::group(bytes_) / order1::super(bytes_);
      now_->push_supers(totals_.data() + bytes_ * static_cast<std::size_t>(groups + first),
                        supers_ % order1::supers_per_group - first);
    }
    now_->push(last_);
    if (request_.args.total != nullptr && (!writes_output_ || request_.args.length == 0)) {
      alignas(16) std::byte total[16] = {};
      now_->write_total(total);
      store_total(total);
    }
    now_->save(*request_.state);
  }

 private:
  // The last elements in an array of the device's.
  const void* fetch(stream on, const void* array, std::vector<std::byte>& to) const {
    const std::int64_t first = reverse_ ? 0 : request_.args.length - last_.length;
    to.resize(in_bytes_ * static_cast<std::size_t>(last_.length));
    copy_to_host(on, to.data(),
                 static_cast<const std::byte*>(array) + in_bytes_ * static_cast<std::size_t>(first),
                 to.size());
    return to.data();
  }

  runner& by_;
  state_kernels& kernels_;
  const detail::request& request_;
  bool writes_output_;
  std::unique_ptr<detail::progress> now_;
  std::size_t bytes_, in_bytes_;  // of an accumulator, of an element
  bool reverse_;
  std::int64_t skipped_ = 0;    // elements of the group that is open at first
  std::int64_t supers_ = 0;     // from its border on, whose totals the kernels tell
  bool passes_supers_ = false;  // some that the state had not passed
  arguments last_;              // the elements behind them
  // What copies read and write until the stream has been waited for.
  std::vector<std::byte> given_, last_in_, last_coefficients_, totals_;
};

}  // namespace upsweep::inline UPSWEEP_KERNELS_READER::kernels

#endif
