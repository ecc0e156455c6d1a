#include "study/certificate_json.hpp"

#include <ulna/version.hpp>

namespace ulna::internal {

namespace {

Json& write_three(Json& json, const Vec3<double>& x) {
  const double numbers[] = {x.x, x.y, x.z};
  return json.numbers(numbers, 3);
}
Json& write_six(Json& json, const Vec3<double>& angular, const Vec3<double>& linear) {
  const double numbers[] = {angular.x, angular.y, angular.z, linear.x, linear.y, linear.z};
  return json.numbers(numbers, 6);
}

}  // namespace

void write_loads(Json& json, const Certificate& c) {
  json.begin_object().key("wrenches").begin_array();
  for (const auto& [link, wrench] : c.wrenches) {
    json.line().begin_object().key("link").value(link).key("axes").value(wrench.axes == Axes::world ? "world" : "link");
    write_three(json.key("force"), wrench.force);
    write_three(json.key("moment"), wrench.moment).end_object();
  }
  write_six(json.end_array().key("base_velocity"), c.base.angular_velocity, c.base.linear_velocity);
  write_six(json.key("base_acceleration"), c.base.angular_acceleration, c.base.linear_acceleration).end_object();
}

void write_certificate(Json& json, const Certificate& c, const std::vector<PeerCheck>& peers, bool agree) {
  json.begin_object();
  json.line().key("ulna").value(ULNA_VERSION);
  json.line().key("robot").value(c.robot);
  json.line().key("model_hash").value(c.model_hash);
  json.line().key("samples").value(c.samples);
  json.line().key("seed").value(std::to_string(c.seed));
  json.line().key("snap").value(c.snap);
  if (c.loops) {
    json.line().key("far").value(c.loops->far).key("elsewhere").value(c.loops->elsewhere);
    json.line().key("left_out").value(c.loops->left_out).key("not_sure").value(c.loops->not_sure).line().key("reference").value("multipliers");
  }
  if (c.loaded) {
    json.line().key("loads");
    write_loads(json, c);
  }
  json.line().key("agree").value(agree);
  json.line().key("formulations").begin_array();
  for (const FormulationCheck& f : c.formulations) {
    json.line().begin_object();
    json.key("id").value(f.id).key("quantity").value(result_name(f.quantity)).key("applies").value(f.applies).key("why_not").value(f.why_not);
    json.key("max_relative_difference").value(f.max_relative_difference).key("tolerance").value(f.tolerance).key("agree").value(f.agree);
    if (c.loops) json.key("difference").value(f.max_relative_difference).key("allowed").value(f.tolerance);
    if (!f.note.empty()) json.key("note").value(f.note);
    json.end_object();
  }
  json.end_array();
  json.line().key("laws").begin_array();
  for (const LawCheck& law : c.laws) {
    json.line().begin_object();
    json.key("id")
        .value(law.id)
        .key("statement")
        .value(law.statement)
        .key("worst")
        .value(law.worst)
        .key("tolerance")
        .value(law.tolerance)
        .key("holds")
        .value(law.holds);
    json.end_object();
  }
  json.end_array();
  json.line().key("peers").begin_array();
  for (const PeerCheck& peer : peers) {
    json.line().begin_object();
    json.key("name").value(peer.name).key("quantity").value(peer.quantity).key("applies").value(peer.why_not.empty()).key("why_not").value(peer.why_not);
    json.key("max_relative_difference").value(peer.max_relative_difference).key("tolerance").value(peer.tolerance).key("agree").value(peer.agree);
    if (!peer.causes.empty()) json.key("causes").strings(peer.causes);
    json.end_object();
  }
  json.end_array();
  json.line().key("witnesses").begin_array();
  for (const Witness& w : c.witnesses) {
    json.line().begin_object();
    json.key("q").numbers(w.q.data(), w.q.size()).key("v").numbers(w.v.data(), w.v.size());
    json.key("a").numbers(w.a.data(), w.a.size()).key("tau").numbers(w.tau.data(), w.tau.size());
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace ulna::internal
