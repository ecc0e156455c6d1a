#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include <ulna/model/model.hpp>
#include <ulna/sim/simulate.hpp>

#include "campaign/draw_states.hpp"
#include "campaign/spec.hpp"
#include "model/describe.hpp"
#include "sim/random.hpp"
#include "source/source_text.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;
using namespace ulna::internal::sim;

namespace {

constexpr double kAny = -std::numeric_limits<double>::infinity();
using Numbers = std::vector<double>;

std::vector<double*> all_of(Numbers& numbers) {
  std::vector<double*> pointers;
  for (double& x : numbers) pointers.push_back(&x);
  return pointers;
}

double& axis_of(Vec3<double>& v, std::size_t axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
constexpr std::string_view kAxes = "xyz";

/// Numbers about the link's origin, which torques are linear in. The result need not be a body: only sums of such numbers were measured.
void add_to(Link& link, const std::array<double, 10>& more) {
  if (more == std::array<double, 10>{}) return;
  const auto about = [](double m, const Vec3<double>& c) {  // of a point mass
    return m * Sym3<double>{c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y, -c.x * c.y, -c.x * c.z, -c.y * c.z};
  };
  const Sym3<double> J = link.inertia + about(link.mass, link.com) + Sym3<double>{more[4], more[5], more[6], more[7], more[8], more[9]};
  const Vec3<double> h = link.mass * link.com + Vec3<double>{more[1], more[2], more[3]};
  link.mass += more[0];
  if (!(link.mass > 0)) throw std::invalid_argument(cat("the mass of link '", link.name, "' is ", link.mass, " kg"));
  link.com = (1 / link.mass) * h;
  link.inertia = J + about(-link.mass, link.com);
}

}  // namespace

std::vector<std::size_t> rubbing_joints(const Model& model) {
  std::vector<std::size_t> joints = model.independent();
  for (const std::size_t leader : model.independent())
    for (std::size_t j = 0; j < model.joints().size(); ++j)
      if (const std::optional<Mimic>& mimic = model.joints()[j].mimic; mimic && mimic->leader == leader) joints.push_back(j);
  return joints;
}

std::vector<Parameter> parameters_of(const RunNumbers& nominal) {
  std::vector<Parameter> list;
  const sim::Scenario& s = nominal.scenario;
  const Model& model = s.model;
  const std::vector<std::size_t> driven = model.driven();
  const auto add = [&](std::string name, std::string unit, double least, std::optional<Use> only, std::function<std::vector<double*>(RunNumbers&)> numbers) {
    list.push_back({std::move(name), std::move(unit), least, only, std::move(numbers)});
  };
  const auto add_one = [&](std::string name, std::string unit, double least, std::function<double*(RunNumbers&)> number) {
    add(std::move(name), std::move(unit), least, {}, [number = std::move(number)](RunNumbers& r) { return std::vector<double*>{number(r)}; });
  };
  const auto add_three = [&](const std::string& name, const std::string& unit, const std::function<Vec3<double>*(RunNumbers&)>& vector) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      add_one(cat(name, ".", kAxes.substr(axis, 1)), unit, kAny, [vector, axis](RunNumbers& r) { return &axis_of(*vector(r), axis); });
  };
  for (std::size_t i = 0; i < model.position_names().size(); ++i)
    add_one("q." + model.position_names()[i], sim::position_unit(model, i), kAny, [i](RunNumbers& r) { return &r.scenario.q[i]; });
  for (std::size_t i = 0; i < model.velocity_names().size(); ++i)
    add_one("v." + model.velocity_names()[i], sim::velocity_unit(model, i), kAny, [i](RunNumbers& r) { return &r.scenario.v[i]; });
  const auto add_gains = [&](const char* name, Numbers sim::LawSettings::*gains) {
    if ((s.law.*gains).empty()) return;
    add(name, "1", 0, Use::factor, [gains](RunNumbers& r) { return all_of(r.scenario.law.*gains); });
    for (std::size_t i = 0; i < driven.size(); ++i)
      add_one(cat(name, ".", model.joints()[driven[i]].name), "1", 0, [gains, i](RunNumbers& r) { return &(r.scenario.law.*gains)[i]; });
  };
  add_gains("kp", &sim::LawSettings::kp);
  add_gains("kd", &sim::LawSettings::kd);
  add_gains("ki", &sim::LawSettings::ki);
  if (s.law.kind == sim::LawKind::computed_torque || s.law.kind == sim::LawKind::feedforward) {
    add_one("law.coriolis", "1", 0, [](RunNumbers& r) { return &r.scenario.law.coriolis; });
    add_one("law.inertia", "1", 0, [](RunNumbers& r) { return &r.scenario.law.inertia; });
  }
  if (s.law.payload) {
    add_one("law.payload.mass", "kg", 0, [](RunNumbers& r) { return &r.scenario.law.payload->body.mass; });
    add_three("law.payload.com", "m", [](RunNumbers& r) { return &r.scenario.law.payload->body.com; });
  }
  add_one("delay", "s", 0, [](RunNumbers& r) { return &r.scenario.control.delay; });
  add("noise.q", "1", 0, Use::factor, [](RunNumbers& r) { return all_of(r.scenario.control.noise_q); });
  add("noise.v", "1", 0, Use::factor, [](RunNumbers& r) { return all_of(r.scenario.control.noise_v); });
  const auto all_friction = [](Friction* first, std::size_t count) {
    std::vector<double*> all;
    for (std::size_t i = 0; i < count; ++i)
      for (const FrictionField& field : kFrictionFields)
        if (field.scales()) all.push_back(&(first[i].*field.number));
    return all;
  };
  add("friction", "1", 0, Use::factor, [all_friction](RunNumbers& r) { return all_friction(r.friction.data(), r.friction.size()); });
  for (std::size_t i = 0; i < model.independent().size(); ++i) {
    const Joint& joint = model.joints()[model.independent()[i]];
    const bool slides = joint.type == JointType::prismatic;
    add("friction." + joint.name, "1", 0, Use::factor, [i, all_friction](RunNumbers& r) { return all_friction(&r.friction[i], 1); });
    for (const FrictionField& field : kFrictionFields) {
      if (&field >= further_friction().data() && !field.given(nominal.friction[i])) continue;
      std::string unit = slides ? field.sliding : field.turning;
      std::erase(unit, ' ');
      add_one(cat(field.name, ".", joint.name), unit, field.any ? kAny : 0, [i, number = field.number](RunNumbers& r) { return &(r.friction[i].*number); });
    }
  }
  add("mass", "1", 0, Use::factor, [](RunNumbers& r) { return all_of(r.mass); });
  for (std::size_t k = 0; k < model.links().size(); ++k) {
    if (!(model.links()[k].mass > 0)) continue;
    add_one("mass." + model.links()[k].name, "kg", 0, [k](RunNumbers& r) { return &r.mass[k]; });
    add_three("com." + model.links()[k].name, "m", [k](RunNumbers& r) { return &r.com[k]; });
  }
  // What identify() finds: a body's parameters are called by the link behind its joint, about that link's origin.
  constexpr std::array<std::string_view, 10> kBody{"m", "h_x", "h_y", "h_z", "J_xx", "J_yy", "J_zz", "J_xy", "J_xz", "J_yz"};
  for (std::size_t k = 0; k < model.links().size(); ++k)
    for (std::size_t i = 0; i < kBody.size(); ++i)
      add(cat(kBody[i], ".", model.links()[k].name),
          i == 0  ? "kg"
          : i < 4 ? "kg m"
                  : "kg m2",
          kAny, Use::offset, [k, i](RunNumbers& r) { return std::vector<double*>{&r.more[k][i]}; });
  for (std::size_t k = 0; k < s.payloads.size(); ++k) {
    const std::string name = k == 0 ? "payload" : cat("payload", k + 1);
    add_one(name + ".mass", "kg", 0, [k](RunNumbers& r) { return &r.scenario.payloads[k].mass; });
    add_three(name + ".com", "m", [k](RunNumbers& r) { return &r.scenario.payloads[k].com; });
  }
  add_three("gravity", "m/s2", [](RunNumbers& r) { return &r.gravity; });
  if (!s.disturbances.empty()) add("disturbances", "1", kAny, Use::factor, [](RunNumbers& r) { return std::vector<double*>{&r.pushes}; });
  for (std::size_t k = 0; k < s.disturbances.size(); ++k) {
    const std::string name = k == 0 ? "disturbance" : cat("disturbance", k + 1);
    add_three(name + ".force", "N", [k](RunNumbers& r) { return &r.scenario.disturbances[k].wrench.force; });
    add_three(name + ".moment", "Nm", [k](RunNumbers& r) { return &r.scenario.disturbances[k].wrench.moment; });
    add_one(name + ".from", "s", 0, [k](RunNumbers& r) { return &r.scenario.disturbances[k].from; });
    add_one(name + ".to", "s", 0, [k](RunNumbers& r) { return &r.scenario.disturbances[k].to; });
  }
  if (s.base.moves) {
    add_three("base.angular_velocity", "rad/s", [](RunNumbers& r) { return &r.scenario.base.angular_velocity; });
    add_three("base.linear_acceleration", "m/s2", [](RunNumbers& r) { return &r.scenario.base.linear_acceleration; });
    add_three("base.shake", "m", [](RunNumbers& r) { return &r.scenario.base.shake; });
    add_three("base.rock", "rad", [](RunNumbers& r) { return &r.scenario.base.rock; });
    add_one("base.frequency", "Hz", 0, [](RunNumbers& r) { return &r.scenario.base.frequency; });
  }
  return list;
}

std::pair<double, double> Variation::reach() const {
  switch (kind) {
    case VariationKind::uniform: return {a, b};
    case VariationKind::normal: return {a - 6 * b, a + 6 * b};
    case VariationKind::grid: return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
    case VariationKind::identified: break;
  }
  return {0, 0};
}

namespace {

/// Number j of a run, above 0 and below 1.
double unit_of(const Spec& spec, std::uint64_t run, std::size_t j) {
  if (spec.sobol) {
    const Words w = philox({static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(Stream::shift) << 28, 0, 0},
                           {static_cast<std::uint32_t>(spec.seed), static_cast<std::uint32_t>(spec.seed >> 32)});
    return shifted_sobol(run, j, w[0]);
  }
  const Pair pair = unit_pair(spec.seed, Stream::variations, run, j / 2);
  return j % 2 == 0 ? pair.first : pair.second;
}

}  // namespace

std::vector<double> drawn(const Spec& spec, std::uint64_t run) {
  std::vector<double> values, independent;
  std::uint64_t rest = run;  // of the grid: its first variation changes fastest
  for (std::size_t j = 0; j < spec.variations.size(); ++j) {
    const Variation& v = spec.variations[j];
    switch (v.kind) {
      case VariationKind::uniform: values.push_back(v.a + (v.b - v.a) * unit_of(spec, run, j)); break;
      case VariationKind::normal: values.push_back(v.a + v.b * normal_quantile(unit_of(spec, run, j))); break;
      case VariationKind::grid:
        values.push_back(v.values[rest % v.values.size()]);
        rest /= v.values.size();
        break;
      case VariationKind::identified: {  // they stand together: L z, row by row
        independent.push_back(normal_quantile(unit_of(spec, run, j)));
        double sum = 0;
        for (std::size_t k = 0; k < independent.size(); ++k) sum += v.values[k] * independent[k];
        values.push_back(sum);
      }
    }
  }
  return values;
}

RunNumbers numbers_of(const Spec& spec, const std::vector<double>& values) {
  RunNumbers run = spec.nominal;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Variation& v = spec.variations[j];
    for (double* number : v.parameter.numbers(run))
      *number = v.use == Use::value ? values[j] : v.use == Use::factor ? *number * values[j] : *number + values[j];
  }
  sim::Scenario& s = run.scenario;
  const RunNumbers& nominal = spec.nominal;
  if (run.mass != nominal.mass || run.com != nominal.com || run.more != nominal.more) {
    Description d = describe(s.model);
    for (std::size_t k = 0; k < d.links.size(); ++k) {
      Link& link = d.links[k];
      if (link.mass > 0) link.inertia = (run.mass[k] / link.mass) * link.inertia;
      link.mass = run.mass[k];
      link.com = run.com[k];
      add_to(link, run.more[k]);
    }
    Diagnostics problems;
    std::optional<Model> model = build(d, problems);
    if (!model) throw std::invalid_argument(problems.all().empty() ? "no robot has these masses" : problems.all().front().problem);
    s.model = s.model.closed() ? with_closed(*model, {s.model.loops(), s.model.order(), s.model.reference(), s.model.singularity()}) : *std::move(model);
  }
  if (!(run.gravity == nominal.gravity)) s.model = with_gravity(s.model, run.gravity);
  for (const sim::Payload& p : s.payloads)
    if (p.mass < 0) throw std::invalid_argument(cat("the payload's mass is ", p.mass, " kg"));
  if (s.friction.on) {
    std::vector<Friction> friction;
    for (const Joint& joint : s.model.joints()) friction.push_back(joint.friction);
    const std::vector<std::size_t> rubbing = rubbing_joints(s.model);
    for (std::size_t i = 0; i < rubbing.size(); ++i) friction[rubbing[i]] = run.friction[i];
    s.model = with_friction(s.model, friction);
  }
  for (sim::Disturbance& d : s.disturbances) {
    d.wrench.force = run.pushes * d.wrench.force;
    d.wrench.moment = run.pushes * d.wrench.moment;
  }
  return run;
}

std::optional<std::string> read_spec(const std::string& path, const char* element, const ReadLimits& limits, Diagnostics& problems) {
  std::error_code ignored;
  if (!path.empty() && path.find('\0') == std::string::npos && std::filesystem::exists(path, ignored))
    return read_whole(path, &ReadLimits::yaml_bytes, limits, problems);
  problems.error(0, element, "the file cannot be opened", "check the path; examples are in campaigns/");
  return {};
}

}  // namespace ulna::internal::campaign
