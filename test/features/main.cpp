// The suite; and, with
//   --write FILE     robots as JSON, with what their results must be: for the tests of the Python package
//   --counts FILE    the tests, then how many robots each cell has, a line each
//   --table FILE ...  no tests: what such files count, and those of python/tests/test_features.py, as Markdown
#include <cmath>
#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "features/expected.hpp"
#include "features/loops.hpp"
#include "features/meet.hpp"
#include "support/arm.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

class Json {
 public:
  explicit Json(std::ostream& out) : out_(out) {}
  void key(std::string_view name) { comma(), out_ << '"' << name << "\":", fresh_ = true; }
  void text(std::string_view x) {
    comma(), out_ << '"';
    for (const char c : x) c == '"' || c == '\\' ? out_ << '\\' << c : c == '\n' ? out_ << "\\n" : out_ << c;
    out_ << '"';
  }
  void number(double x) { comma(), out_ << cat(x); }
  void flag(bool x) { comma(), out_ << (x ? "true" : "false"); }
  void open(char c) { comma(), out_ << c, fresh_ = true; }
  void close(char c) { out_ << c, fresh_ = false; }
  template <class Numbers>
  void list(std::string_view name, const Numbers& x) {
    key(name), open('[');
    for (const auto y : x) number(static_cast<double>(y));
    close(']');
  }

 private:
  void comma() {
    if (!fresh_) out_ << ',';
    fresh_ = false;
  }
  std::ostream& out_;
  bool fresh_ = true;
};

std::vector<double> numbers(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
std::vector<double> numbers(const Vec3<double>& a, const Vec3<double>& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }

std::string origin(const Pose<double>& X) {
  const Mat3<double>& R = X.R;
  return cat("<origin xyz=\"", X.p.x, " ", X.p.y, " ", X.p.z, "\" rpy=\"", std::atan2(R.zy, R.zz), " ", std::atan2(-R.zx, std::hypot(R.xx, R.yx)), " ",
             std::atan2(R.yx, R.xx), "\"/>");
}

std::string urdf_of(const Drawn& drawn) {
  Diagnostics diagnostics;
  std::string text = write_urdf(build(drawn.description), diagnostics).value();
  std::string loops;
  for (const LoopDescription::Entry& entry : drawn.loops.loops)
    loops += cat("  <loop name=\"", entry.loop.name, "\" type=\"", to_string(entry.loop.type), "\"><predecessor link=\"", entry.predecessor, "\">",
                 origin(entry.loop.X_PA), "</predecessor><successor link=\"", entry.successor, "\">", origin(entry.loop.X_SB), "</successor><axis xyz=\"",
                 entry.loop.axis.x, " ", entry.loop.axis.y, " ", entry.loop.axis.z, "\"/></loop>\n");
  return text.insert(text.rfind("</robot>"), loops);
}

void write_robot(Json& json, const Drawn& drawn, Counts& counts) {
  const Model model = drawn.model();
  const bool loop = !drawn.loops.loops.empty();
  json.open('{');
  json.key("robot"), json.text(drawn.text());
  json.key("urdf"), json.text(urdf_of(drawn));
  json.key("features"), json.open('[');
  for (std::size_t k = 0; k < kFeatures; ++k)
    if (drawn.features[k]) json.number(static_cast<double>(k));
  json.close(']');
  json.key("base"), json.text(to_string(drawn.base));
  json.key("lock"), json.open('{');
  for (const Lock& lock : drawn.locks) json.key(lock.joint), json.number(lock.value);
  json.close('}');
  json.key("rotor"), json.flag(drawn.rotor);
  json.key("friction"), json.flag(drawn.friction);
  json.key("link"), json.text(model.links()[drawn.link].name);
  if (drawn.payload) {
    const Sym3<double>& J = drawn.payload->inertia;
    json.key("payload"), json.open('{');
    json.key("link"), json.text(drawn.payload_link);
    json.key("mass"), json.number(drawn.payload->mass);
    json.list("com", numbers(drawn.payload->com));
    json.list("inertia", std::vector<double>{J.xx, J.yy, J.zz, J.xy, J.xz, J.yz});
    json.close('}');
  }
  json.key("wrenches"), json.open('[');
  for (const Wrench& w : drawn.wrenches) {
    json.open('{');
    json.key("link"), json.text(model.links()[w.link].name);
    json.key("axes"), json.text(w.axes == Axes::link ? "link" : "world");
    json.list("force", numbers(w.force)), json.list("moment", numbers(w.moment));
    json.close('}');
  }
  json.close(']');
  if (has(drawn.features, Feature::base_motion)) {
    json.list("base_velocity", numbers(drawn.motion.angular_velocity, drawn.motion.linear_velocity));
    json.list("base_acceleration", numbers(drawn.motion.angular_acceleration, drawn.motion.linear_acceleration));
  }
  json.key("loop"), json.flag(loop);
  json.key("independent"), json.open('[');
  for (const std::string& name : drawn.loops.motors) json.text(name);
  json.close(']');
  json.key("states"), json.open('[');
  for (const State& s : drawn.states) {
    json.open('{');
    const auto write = [&](Quantity quantity, const std::vector<Real>& value, auto allowed) {
      json.key(to_string(quantity)), json.open('{');
      json.list("value", value);
      json.key("allowed"), json.open('[');
      for (std::size_t i = 0; i < value.size(); ++i) json.number(allowed(i));
      json.close(']'), json.close('}');
      if (&s == &drawn.states.front()) counts.add(Path::python, quantity, drawn.features);
    };
    if (loop) {
      const Mechanism mechanism = drawn.mechanism();
      const LoopTruth truth(drawn, mechanism, s.q);
      const ExpectedLoop expected(truth, drawn, s);
      std::vector<double> q;
      for (const std::size_t k : mechanism.independent()) q.push_back(s.q[k]);
      json.list("q", q), json.list("v", s.v), json.list("a", s.a), json.list("tau", expected.tau());
      json.key("results"), json.open('{');
      for (const Quantity quantity : kLoopQuantities)
        write(quantity, expected.value(quantity), [&](std::size_t i) { return verify_tolerance(s.q.size()) * expected.bound(quantity, i); });
    } else {
      const Expected expected(drawn, s);
      json.list("q", s.q), json.list("v", s.v), json.list("a", s.a), json.list("tau", expected.tau());
      json.key("results"), json.open('{');
      for (const QuantityRow& row : quantities()) {
        if (has(drawn.features, Feature::base_motion) && !does_not_exist(Path::python, row.quantity, Feature::base_motion).empty()) continue;
        write(row.quantity, expected.of(row.quantity).value, [&](std::size_t i) { return expected.allowed(row.quantity, i); });
      }
    }
    json.close('}'), json.close('}');
  }
  json.close(']'), json.close('}');
}

int write_robots(const std::string& file) {
  std::ofstream out(file);
  Json json(out);
  json.open('[');
  const std::string fault = compare({.path = Path::python, .drawing = {.most = 3, .file = true, .states = 2}, .check = [&](const Drawn& drawn, Counts& counts) {
                                       write_robot(json, drawn, counts);
                                       return std::string();
                                     }});
  json.close(']');
  out << "\n";
  std::fputs(fault.c_str(), stderr);
  return fault.empty() && out ? 0 : 1;
}

}  // namespace
}  // namespace ulna::test

int main(int argc, char** argv) {
  using namespace ulna::test;
  testing::InitGoogleTest(&argc, argv);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--write") return write_robots(arguments[1]);
  if (arguments.size() >= 2 && arguments[0] == "--table") {
    for (std::size_t k = 1; k < arguments.size(); ++k) {
      std::ifstream in(arguments[k]);
      counted().read(in);
    }
    std::puts(counted().tables().c_str());
    return 0;
  }
  const int status = RUN_ALL_TESTS();
  if (arguments.size() == 2 && arguments[0] == "--counts") {
    std::ofstream out(arguments[1]);
    counted().write(out);
  }
  return status;
}
