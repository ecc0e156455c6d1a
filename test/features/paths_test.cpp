// Trees and loops through the library itself: templates and machine code, one state, lanes and columns, doubles and floats.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "features/expected.hpp"
#include "features/loops.hpp"
#include "features/meet.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

enum class Form { one, lanes, columns };

double used = 0;  // the largest difference, as a share of what is allowed

bool needs_accelerations(Quantity quantity) {
  return quantity == Quantity::forward || quantity == Quantity::mass_inverse || quantity == Quantity::forward_derivatives;
}

template <class T>
std::vector<T> in(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}
template <class T>
Vec3<T> in(const Vec3<double>& x) {
  return x.cast<T>();
}

template <class T>
struct ActingOn {
  std::vector<WrenchOf<T>> wrenches;
  EffectsOf<T> effects;
  explicit ActingOn(const Drawn& drawn) {
    for (const Wrench& w : drawn.wrenches) wrenches.push_back({w.link, w.axes, in<T>(w.force), in<T>(w.moment)});
    effects = {drawn.rotor,
               drawn.friction,
               {in<T>(drawn.motion.angular_velocity), in<T>(drawn.motion.linear_velocity), in<T>(drawn.motion.angular_acceleration),
                in<T>(drawn.motion.linear_acceleration)},
               wrenches};
  }
};

/// The load as a part of the model, or put into the hand of robots that are compiled already.
template <class T>
DynamicsOf<T> dynamics_of(const Drawn& drawn, InstructionSet most) {
  DynamicsOptions options = drawn.options();
  options.most = most;
  if (drawn.payload && drawn.seed % 2 == 0) return DynamicsOf<T>(drawn.model(), options).with_payload(drawn.payload_link, *drawn.payload);
  return DynamicsOf<T>(drawn.loaded(), options);
}

/// Results of `count` states, column by column; state k is `states[k % states.size()]`, but for `poison` in input `at` of state `spoilt`.
template <class T, class E>
struct Call {
  const DynamicsOf<T>& dynamics;
  const Drawn& drawn;
  const ActingOn<T>& acting;
  const std::vector<E>& expected;
  Quantity quantity;
  std::size_t spoilt = kNone, input = 0, entry = 0;
  T poison{};

  std::vector<T> run(Form form, std::size_t count) const {
    const QuantityRow& row = row_of(quantity);
    const std::size_t size = row.size(dynamics.model().sizes());
    std::vector<std::vector<T>> columns(row.inputs.size());
    for (std::size_t k = 0; k < count; ++k) {
      const auto inputs = expected[k % expected.size()].inputs(quantity);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::vector<T> x = in<T>(*inputs[i]);
        if (k == spoilt && i == input) x[entry] = poison;
        columns[i].insert(columns[i].end(), x.begin(), x.end());
      }
    }
    const auto length = [&](std::size_t i) { return columns[i].size() / count; };
    std::vector<T> out(size * count, T(0));
    const auto pointers = [&](const std::vector<std::vector<T>>& from, std::size_t k) {
      InputsOf<T> at;
      at.q = from[0].data() + k * length(0);
      if (from.size() > 1) at.v = from[1].data() + k * length(1);
      if (from.size() > 2) at.last = from[2].data() + k * length(2);
      if (row.of_link) at.link = drawn.link;
      return at;
    };
    if (form == Form::one)
      for (std::size_t k = 0; k < count; ++k) {
        if (drawn.acts())
          dynamics.compute(quantity, pointers(columns, k), &out[k * size], acting.effects);
        else
          dynamics.compute(quantity, pointers(columns, k), &out[k * size]);
      }
    if (form == Form::columns) {
      std::vector<MatrixView<const T>> views;
      for (std::size_t i = 0; i < columns.size(); ++i) views.push_back({columns[i].data(), length(i), count});
      dynamics.compute_batch(quantity, views, {out.data(), size, count}, row.of_link ? drawn.link : kNone);
    }
    if (form == Form::lanes) {
      const std::size_t width = dynamics.lanes(), blocks = count / width;
      std::vector<std::vector<T>> side = columns;
      const auto turned = [&](const std::vector<T>& from, std::vector<T>& to, std::size_t n, bool back) {
        for (std::size_t b = 0; b < blocks; ++b)
          for (std::size_t l = 0; l < width; ++l)
            for (std::size_t i = 0; i < n; ++i) {
              const std::size_t column = (b * width + l) * n + i, lane = (b * n + i) * width + l;
              back ? to[column] = from[lane] : to[lane] = from[column];
            }
      };
      for (std::size_t i = 0; i < side.size(); ++i) turned(columns[i], side[i], length(i), false);
      std::vector<T> beside(out.size(), T(0));
      dynamics.compute_lanes(quantity, pointers(side, 0), beside.data(), blocks);
      turned(beside, out, size, true);
    }
    return out;
  }
};

template <class T, class E>
std::string agree(const Drawn& drawn, const DynamicsOf<T>& dynamics, const std::vector<E>& expected, const std::vector<Quantity>& list, bool machine_code,
                  Path path, Form form, InstructionSet most, Counts& counts) {
  if (!dynamics.refused().empty()) return "refused: " + to_string(dynamics.refused().front());
  const ActingOn<T> acting(drawn);
  Random random(drawn.seed);
  for (const Quantity one : list) {
    const QuantityRow& row = row_of(one);
    if (form == Form::lanes && row.of_link) continue;
    const Quantity quantity = row.quantity;
    if (needs_accelerations(quantity) && !std::all_of(expected.begin(), expected.end(), [](const E& e) { return e.holds(sizeof(T) == 4); })) continue;
    const bool by_templates =
        quantity == Quantity::energy || quantity == Quantity::momentum || quantity == Quantity::centroidal || quantity == Quantity::centroidal_matrix;
    if (most != InstructionSet::none && !by_templates && machine_code && dynamics.instruction_set() != InstructionSet::none &&
        !dynamics.compiled(quantity, row.of_link ? drawn.link : kNone))
      return cat("there is no machine code of ", row.id, ": ", dynamics.why_not_compiled(quantity, row.of_link ? drawn.link : kNone));
    Call<T, E> call{dynamics, drawn, acting, expected, quantity};
    const std::size_t size = row.size(dynamics.model().sizes());
    const std::size_t count = form == Form::one ? expected.size() : form == Form::lanes ? 2 * dynamics.lanes() : 2 * dynamics.lanes() + 3;
    const std::vector<T> got = call.run(form, count);
    for (std::size_t k = 0; k < count; ++k)
      if (std::string fault = expected[k % expected.size()].differs(quantity, &got[k * size], &used); !fault.empty()) return cat("state ", k, ": ", fault);
    // One input that is no number, infinite or beyond the range of sines: every result of its state is NaN, and no other state's changes.
    const auto inputs = expected[0].inputs(quantity);
    call.spoilt = random.below(count);
    call.input = random.below(inputs.size());
    call.entry = random.below(inputs[call.input]->size());
    constexpr T kPoison[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()};
    call.poison = kPoison[random.below(3)];
    const std::vector<T> spoilt = call.run(form, count);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < size; ++i) {
        const T now = spoilt[k * size + i], before = got[k * size + i];
        if (k == call.spoilt ? !std::isnan(now) : now != before)
          return cat(row.id, ": with ", static_cast<double>(call.poison), " in ", row.inputs[call.input], "[", call.entry, "] of state ", call.spoilt, " of ",
                     count, ", number ", i, " of state ", k, " is ", static_cast<double>(now),
                     k == call.spoilt ? ", not NaN" : cat(", and was ", static_cast<double>(before)));
      }
    counts.add(path, quantity, drawn.features);
  }
  return {};
}

template <class T>
std::string tree(const Drawn& drawn, Path path, Form form, InstructionSet most, Counts& counts) {
  std::vector<Expected> expected;
  for (State s : drawn.states) {
    for (double& x : s.q) x = static_cast<T>(x);  // a quaternion of floats has unit length but for their rounding
    expected.emplace_back(drawn, s);
  }
  std::vector<Quantity> all;
  for (const QuantityRow& row : quantities()) all.push_back(row.quantity);
  return agree<T>(drawn, dynamics_of<T>(drawn, most), expected, all, true, path, form, most, counts);
}

template <class T>
std::string loop(const Drawn& drawn, Path path, Form form, InstructionSet most, Counts& counts) {
  const Mechanism mechanism = drawn.mechanism();
  DynamicsOptions options = drawn.options();
  options.most = most;
  const DynamicsOf<T> dynamics = drawn.payload && drawn.seed % 2 == 0
                                     ? DynamicsOf<T>(with_loops(drawn.model(), drawn.loops), options).with_payload(drawn.payload_link, *drawn.payload)
                                     : DynamicsOf<T>(drawn.closed(), options);
  std::vector<ExpectedLoop> expected;
  for (State s : drawn.states) {
    for (const std::size_t k : mechanism.independent()) s.q[k] = static_cast<T>(s.q[k]);
    const LoopTruth truth(drawn, mechanism, s.q);
    expected.emplace_back(truth, drawn, s);
    // Closed from the reference, however far the state is from it: on the same circuit, whole turns apart.
    std::vector<T> few, q(mechanism.nv());
    for (const std::size_t k : mechanism.independent()) few.push_back(static_cast<T>(s.q[k]));
    Closure worst;
    if (dynamics.close_batch({few.data(), few.size(), 1}, {q.data(), q.size(), 1}, &worst) != 1) return cat("it is not closed: ", worst.residual);
    for (const std::size_t k : mechanism.dependent()) {
      const bool slides = mechanism.tree().joints()[mechanism.tree().independent()[k]].type == JointType::prismatic;
      const Real off = static_cast<Real>(q[k]) - expected.back().q()[k];
      const Real apart = slides ? off : std::remainder(off, 2 * std::numbers::pi_v<Real>);
      if (!(std::abs(apart) < (sizeof(T) == 4 ? 1e-3L : 1e-9L)))
        return cat("dependent position ", k, " is ", q[k], " for ", static_cast<double>(expected.back().q()[k]));
    }
  }
  const bool friction = drawn.friction && (has(drawn.features, Feature::viscous) || has(drawn.features, Feature::coulomb));
  return agree<T>(drawn, dynamics, expected, {std::begin(kLoopQuantities), std::end(kLoopQuantities)}, !friction, path, form, most, counts);
}

template <class T>
std::string either(const Drawn& drawn, Path path, Form form, InstructionSet most, Counts& counts) {
  return drawn.loops.loops.empty() ? tree<T>(drawn, path, form, most, counts) : loop<T>(drawn, path, form, most, counts);
}

void expect_agreement(const Comparing& comparing) {
  used = 0;
  EXPECT_EQ(compare(comparing), "");
  std::printf("largest difference: %.2f of what is allowed\n", used);
  EXPECT_GT(used, 0.002);  // a bound that rounding never comes near would show nothing
}

std::string only_drives(const Features& features) {
  if (has(features, Feature::wrench) || has(features, Feature::base_motion)) return "what acts besides the drives goes with one state";
  return "";
}

TEST(Features, MeetInTemplates) {
  expect_agreement({.path = Path::templates, .drawing = {.states = 2}, .check = [](const Drawn& drawn, Counts& counts) {
                      return either<double>(drawn, Path::templates, Form::one, InstructionSet::none, counts);
                    }});
}

TEST(Features, MeetInMachineCodeOfOneState) {
  expect_agreement({.path = Path::one, .drawing = {.states = 2}, .check = [](const Drawn& drawn, Counts& counts) {
                      return either<double>(drawn, Path::one, Form::one, InstructionSet::avx512, counts);
                    }});
}

// Next to right angles, and not snapped, whole columns of the regressor may be nothing but the rounding of pi. They are no measure for a kernel, which was
// refused.
TEST(Features, RegressorsWithColumnsOfRoundingsAreMachineCode) {
  Features features;
  for (const Feature f : {Feature::coulomb, Feature::prismatic, Feature::wrench}) features.set(static_cast<std::size_t>(f));
  const std::optional<Drawn> drawn = draw(5000476, features, {.states = 3});
  ASSERT_TRUE(drawn);
  ASSERT_EQ(drawn->snap, 0);
  Counts ignored;
  EXPECT_EQ(tree<float>(*drawn, Path::single, Form::one, InstructionSet::avx512, ignored), "");
}

// A quaternion that is a billionth too long or too short, as integrators leave them: results are off by no more than some billionths of their terms.
TEST(Features, QuaternionsNextToUnitLengthGiveWhatUnitOnesGive) {
  Features features;
  features.set(static_cast<std::size_t>(Feature::free_base));
  for (std::uint64_t seed = 1; seed <= so_many<std::uint64_t>(4, 100); ++seed) {
    const std::optional<Drawn> drawn = draw(seed, features, {});
    if (!drawn) continue;
    SCOPED_TRACE(drawn->text());
    const Expected expected(*drawn, drawn->states[0]);
    const double longer = seed % 2 == 0 ? 1e-9 : -1e-9;
    std::vector<double> q = expected.q();
    for (std::size_t k = 3; k < 7; ++k) q[k] *= 1 + longer;
    for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
      const Dynamics dynamics = dynamics_of<double>(*drawn, most);
      for (const QuantityRow& row : quantities()) {
        std::vector<double> got(row.size(drawn->model().sizes()));
        dynamics.compute(row.quantity, {q.data(), expected.v().data(), row.takes("tau") ? expected.tau().data() : expected.a().data(), drawn->link},
                         got.data());
        const Expected::Number& wanted = expected.of(row.quantity);
        const double steep = needs_accelerations(row.quantity) ? 100 : 1;  // M is rounded, too
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_LE(std::abs(static_cast<double>(got[i] - wanted.value[i])), 8 * steep * 1e-9 * wanted.bound[i] + 1e-12) << row.id << " " << i;
      }
    }
  }
}

TEST(Features, MeetInLanes) {
  expect_agreement({.path = Path::lanes, .drawing = {.states = 3}, .refuses = only_drives, .check = [](const Drawn& drawn, Counts& counts) {
                      return either<double>(drawn, Path::lanes, Form::lanes, InstructionSet::avx512, counts);
                    }});
}

TEST(Features, MeetInColumns) {
  expect_agreement({.path = Path::columns, .drawing = {.states = 3}, .refuses = only_drives, .check = [](const Drawn& drawn, Counts& counts) {
                      return either<double>(drawn, Path::columns, Form::columns, InstructionSet::avx512, counts);
                    }});
}

TEST(Features, MeetInFloats) {
  expect_agreement({.path = Path::single, .drawing = {.states = 3}, .check = [](const Drawn& drawn, Counts& counts) {
                      const Form form = drawn.acts() ? Form::one : static_cast<Form>(drawn.seed % 3);
                      return either<float>(drawn, Path::single, form, InstructionSet::avx512, counts);
                    }});
}

}  // namespace
}  // namespace ulna::test
