#include "base_state.hpp"

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

const Option kOptions[] = {
    {"--quaternion", "xyzw|wxyz", "order of quaternions in --q, of a free base and of ball joints (default xyzw)"},
    {"--base-axes", "local|world|mixed",
     "axes of a free base's entries in v, a and tau: local, the root link's (default); world; or mixed, the root link's for angular entries "
     "and the world's for linear ones"},
    {"--base-order", "angular|linear", "which three of a free base's six entries come first in --v, --a and --tau (default angular)"},
    {"--acceleration", "classical|spatial",
     "linear acceleration of a free base in a: classical, that of the root link's origin (default), or spatial, the rate of the velocity's "
     "entries in the root link's axes"},
};

}  // namespace

std::vector<Option> base_state_options(const StateParts& parts) {
  const bool moves = parts.size() > 1, accelerates = std::find(parts.begin(), parts.end(), "a") != parts.end();
  return {std::begin(kOptions), std::begin(kOptions) + (accelerates ? 4 : moves ? 3 : 1)};
}

BaseState::BaseState(const Arguments& arguments, const Model& model)
    : model_(model), free_(model.base() == RootJoint::free), quaternions_(model.quaternions()) {
  for (const Option& option : kOptions)
    if (!free_ && arguments.has(option.name) && !(model.has_balls() && std::string_view(option.name) == "--quaternion"))
      throw UsageError(cat("option ", option.name, " is about a free base, but that of robot ", in_quotes(model.name()), " is ", to_string(model.base()),
                           "; --base free frees it"));
  const std::string axes = arguments.choice("--base-axes", {"local", "world", "mixed"});
  using C = BaseConvention;
  convention_.quaternion = arguments.choice("--quaternion", {"xyzw", "wxyz"}) == "wxyz" ? C::Quaternion::wxyz : C::Quaternion::xyzw;
  convention_.axes = axes == "world" ? C::Axes::world : axes == "mixed" ? C::Axes::mixed : C::Axes::local;
  convention_.order = arguments.choice("--base-order", {"angular", "linear"}) == "linear" ? C::Order::linear : C::Order::angular;
  convention_.acceleration = arguments.choice("--acceleration", {"classical", "spatial"}) == "spatial" ? C::Acceleration::spatial : C::Acceleration::classical;
  if (convention_.acceleration == C::Acceleration::spatial && convention_.axes != C::Axes::local)
    throw UsageError("option --acceleration spatial is meant in the root link's axes; it cannot be combined with --base-axes world or mixed");
}

std::optional<StateProblem> BaseState::translate(const StateView& state, bool listed) const {
  if (quaternions_.empty()) return {};
  BaseConvention from = convention_;
  if (!listed) from.quaternion = BaseConvention::Quaternion::xyzw, from.order = BaseConvention::Order::angular;
  const auto writable = [](const double* x) { return const_cast<double*>(x); };  // blocks of states are the reader's own
  double* q = writable(state.q);
  for (const std::size_t at : quaternions_) {
    double* const numbers = q + at;
    if (from.quaternion == BaseConvention::Quaternion::wxyz) std::rotate(numbers, numbers + 1, numbers + 4);
    const double length = internal::quaternion_length(numbers), off = std::fabs(length - 1);
    if (internal::is_no_unit(length, internal::kWrittenQuaternion))
      return StateProblem{0, "", internal::quaternion_problem(length, internal::quaternion_owner(model_, at)),
                          cat(internal::kQuaternionCure, " (--quaternion xyzw|wxyz)")};
    if (off > kDirectionRounding) {
      ++normalised_;
      for (double worst = farthest_; off > worst && !farthest_.compare_exchange_weak(worst, off);) {
      }
      if (off == farthest_) whose_ = at;
    }
    if (off > 0)  // false for a gap, which makes every result nan
      for (std::size_t k = 0; k < 4; ++k) numbers[k] /= length;
  }
  from.quaternion = BaseConvention::Quaternion::xyzw;  // they are now
  if (free_) to_ulna(from, q, writable(state.v), writable(state.a), writable(state.tau));
  return {};
}

void BaseState::tell() const {
  if (normalised_ == 0) return;
  std::fprintf(stderr, "ulna: note: %s\n", internal::quaternion_normalised(farthest_, normalised_, internal::quaternion_owner(model_, whose_)).c_str());
}

}  // namespace ulna::cli
