#include <ulna/source/load.hpp>

#include <array>
#include <cstdint>

#include "source/embedded_models.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

struct Row {
  std::string_view id;
  std::string_view summary;
};

constexpr std::array kRows{
    Row{"planar-2r", "two-link arm in a vertical plane, the textbook example"},
    Row{"planar-3r", "three-link arm in a vertical plane, one joint to spare"},
    Row{"stanford", "Stanford arm: five revolute joints and a prismatic one (Kane & Levinson 1983)"},
    Row{"puma560", "Unimation PUMA 560, standard DH, with rotors and friction (Corke & Armstrong-Helouvry 1994)"},
    Row{"puma560-mdh", "Unimation PUMA 560, modified DH (Craig's convention)"},
    Row{"ur5", "Universal Robots UR5, six revolute joints"},
    Row{"panda", "Franka Emika Panda with hand, seven revolute joints"},
    Row{"iiwa14", "KUKA LBR iiwa 14 R820, seven revolute joints"},
    Row{"scara", "SCARA arm: three revolute joints and a prismatic one"},
    Row{"space-arm", "Space-Station-class arm in orbit: seven revolute joints, no gravity"},
    Row{"shuttle-arm", "the Space Shuttle's arm (SRMS) in orbit: six revolute joints, no gravity"},
    Row{"servicer", "servicing satellite of 500 kg with a six-joint arm, no gravity; --base free lets it fly"},
    Row{"torso", "two-armed torso with head on a pedestal: a tree of 18 joints"},
    Row{"mini-cheetah", "MIT Mini Cheetah: a quadruped of twelve joints, with rotors and friction; --base free frees it"},
    Row{"humanoid-32", "humanoid of 32 joints on its pelvis; --base free frees it"},
    Row{"humanoid-38", "humanoid with its free base as six joints: a tree of 38 joints"},
    Row{"four-bar", "crank and rocker in a vertical plane: a loop of three joints, one degree of freedom"},
    Row{"five-bar", "five-bar in a horizontal plane with both motors on the ground"},
    Row{"delta", "Delta robot after Clavel: three motors, two loops, a platform that stays level"},
    Row{"palletizer", "palletizing robot of four axes with two parallelograms that keep its hand level"},
};

/// A robot whose file did not come with this build is not offered.
std::vector<BuiltinRobot> offered() {
  std::vector<BuiltinRobot> list;
  for (const Row& row : kRows)
    for (const EmbeddedModel& model : embedded_models())
      if (model.file.substr(0, model.file.rfind('.')) == row.id) list.push_back({row.id, row.summary, model.file, model.text});
  return list;
}

constexpr std::size_t kMostJoints = 64;

/// splitmix64 (Steele, Lea & Flood 2014). Integers only: the same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// low..high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1)); }
  std::int64_t either_sign(std::int64_t low, std::int64_t high) {
    const std::int64_t size = between(low, high);
    return next() % 2 == 0 ? size : -size;
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

/// `value` counts units of the last of `places` decimals.
std::string decimal(std::int64_t value, std::size_t places) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  const std::size_t width = places + 1;
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  return value < 0 ? "-" + digits : digits;
}

/// Nearest integer to a / b, b > 0.
std::int64_t quotient(std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b / 2) / b : -((-a + b / 2) / b); }

struct Body {
  std::int64_t grams = 0;
  std::array<std::int64_t, 6> inertia{};  // xx, yy, zz, xy, xz, yz about the mass centre [1e-6 kg m²]
};

/// Five point masses: for any masses, their inertia is one that a body can have. All in grams and millimetres.
Body cloud(Random& random) {
  std::int64_t m = 0;
  std::array<std::int64_t, 3> first{};
  std::array<std::int64_t, 6> second{};  // of r rᵀ
  for (int point = 0; point < 5; ++point) {
    const std::int64_t mass = random.between(200, 999);
    const std::array<std::int64_t, 3> r{random.between(-150, 150), random.between(-150, 150), random.between(-150, 150)};
    m += mass;
    for (std::size_t k = 0; k < 3; ++k) first[k] += mass * r[k];
    const std::array<std::int64_t, 6> products{r[0] * r[0], r[1] * r[1], r[2] * r[2], r[0] * r[1], r[0] * r[2], r[1] * r[2]};
    for (std::size_t k = 0; k < 6; ++k) second[k] += mass * products[k];
  }
  // m times the second moments about the mass centre, still whole numbers (below 1e13).
  const auto central = [&](std::size_t k, std::size_t i, std::size_t j) { return m * second[k] - first[i] * first[j]; };
  const std::int64_t xx = central(0, 0, 0), yy = central(1, 1, 1), zz = central(2, 2, 2);
  const std::int64_t xy = central(3, 0, 1), xz = central(4, 0, 2), yz = central(5, 1, 2);
  Body body{m, {yy + zz, xx + zz, xx + yy, -xy, -xz, -yz}};
  for (std::int64_t& entry : body.inertia) entry = quotient(entry, 1000 * m);  // g mm² = 1e-9 kg m²
  return body;
}

/// Row `index` depends on its index and type alone, so a longer arm begins like a shorter one of the same types.
std::string row(std::size_t index, char type) {
  constexpr std::uint64_t kSeed = 0x756c6e61;  // "ulna"
  Random random(kSeed + 0x10001u * index);
  const bool revolute = type == 'R';
  const auto length = [&] { return random.either_sign(101, 599); };    // mm
  const auto angle = [&] { return random.either_sign(3001, 12999); };  // 1e-4 rad
  const std::int64_t a = length(), alpha = angle(), d = length(), theta = angle();
  const bool first = index == 0;
  std::string out = cat("  - joint: ", revolute ? "revolute" : "prismatic", "\n    name: q", index + 1, "\n");
  out += cat("    a: ", first ? "0" : decimal(a, 3), "\n    alpha: ", first ? "0" : decimal(alpha, 4), "\n");
  // What q adds to stays 0: it would only shift q.
  out += cat("    d: ", first || !revolute ? "0" : decimal(d, 3), "\n    theta: ", first || revolute ? "0" : decimal(theta, 4), "\n");
  const Body body = cloud(random);
  const auto offset = [&] { return decimal(random.either_sign(21, 199), 3); };
  const std::string x = offset(), y = offset(), z = offset();
  out += cat("    mass: ", decimal(body.grams, 3), "\n    com: [", x, ", ", y, ", ", z, "]\n    inertia: {");
  constexpr std::array<std::string_view, 6> kNames{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  for (std::size_t k = 0; k < 6; ++k) out += cat(k == 0 ? "" : ", ", kNames[k], ": ", decimal(body.inertia[k], 6));
  out += cat("}\n    lower: ", revolute ? "-2.5" : "0", "\n    upper: ", revolute ? "2.5" : "0.5", "\n");
  return out;
}

}  // namespace

const std::vector<BuiltinRobot>& builtin_robots() {
  static const std::vector<BuiltinRobot> robots = offered();
  return robots;
}

/// The family general-<types>: made-up arms in which no parameter is 0, 1 or a right angle, so that nothing simplifies by accident.
std::optional<std::string> general_robot(std::string_view id) {
  constexpr std::string_view kPrefix = "general-";
  if (id.substr(0, kPrefix.size()) != kPrefix) return {};
  const std::string_view types = id.substr(kPrefix.size());
  if (types.empty() || types.size() > kMostJoints || types.find_first_not_of("RP") != std::string_view::npos) return {};
  std::string out =
      cat("# A made-up arm without special parameters: R revolute, P prismatic, from the base to the tip.\nrobot: ", id, "\nconvention: modified\nlinks:\n");
  for (std::size_t i = 0; i < types.size(); ++i) out += row(i, types[i]);
  return out;
}

}  // namespace ULNA_API
