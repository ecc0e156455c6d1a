#include "verify/certificate_json.hpp"

#include <ulna/version.hpp>

namespace ulna::internal {

void write_loads(Json& json, const Certificate& c) {
  const auto list = [](std::initializer_list<Vec3<double>> vectors) {
    std::vector<double> out;
    for (const Vec3<double>& x : vectors) out.insert(out.end(), {x.x, x.y, x.z});
    return out;
  };
  json.begin_object().key("wrenches").lines(c.wrenches, [&](const auto& one) {
    const auto& [link, wrench] = one;
    json.object("link", link, "axes", wrench.axes == Axes::world ? "world" : "link", "force", list({wrench.force}), "moment", list({wrench.moment}));
  });
  json.fields("base_velocity", list({c.base.angular_velocity, c.base.linear_velocity}), "base_acceleration",
              list({c.base.angular_acceleration, c.base.linear_acceleration}));
  json.end_object();
}

void write_certificate(Json& json, const Certificate& c, const std::vector<PeerCheck>& peers, bool agree) {
  json.begin_object().line().fields("ulna", ULNA_VERSION).line().fields("robot", c.robot).line().fields("model_hash", c.model_hash);
  json.line().fields("samples", c.samples).line().fields("seed", std::to_string(c.seed)).line().fields("snap", c.snap);
  if (c.loops) {
    json.line().fields("far", c.loops->far, "elsewhere", c.loops->elsewhere);
    json.line().fields("left_out", c.loops->left_out, "not_sure", c.loops->not_sure).line().fields("reference", "multipliers");
  }
  if (c.loaded) json.line().fields("loads", [&] { write_loads(json, c); });
  json.line().fields("agree", agree).line().key("formulations").lines(c.formulations, [&](const FormulationCheck& f) {
    json.begin_object().fields("id", f.id, "quantity", result_name(f.quantity), "applies", f.applies, "why_not", f.why_not, "max_relative_difference",
                               f.max_relative_difference, "tolerance", f.tolerance, "agree", f.agree);
    if (c.loops) json.fields("difference", f.max_relative_difference, "allowed", f.tolerance);
    if (!f.note.empty()) json.fields("note", f.note);
    json.end_object();
  });
  json.line().key("laws").lines(c.laws, [&](const LawCheck& law) {
    json.object("id", law.id, "statement", law.statement, "worst", law.worst, "tolerance", law.tolerance, "holds", law.holds);
  });
  if (!c.exact.empty())
    json.line().key("exact").lines(
        c.exact, [&](const ExactCheck& row) { json.object("name", row.name, "holds", row.holds, "trials", row.trials, "probability", row.probability); });
  json.line().key("peers").lines(peers, [&](const PeerCheck& peer) {
    json.begin_object().fields("name", peer.name, "quantity", peer.quantity, "applies", peer.why_not.empty(), "why_not", peer.why_not,
                               "max_relative_difference", peer.max_relative_difference, "tolerance", peer.tolerance, "agree", peer.agree);
    if (!peer.causes.empty()) json.fields("causes", peer.causes);
    json.end_object();
  });
  json.line().key("witnesses").lines(c.witnesses, [&](const Witness& w) { json.object("q", w.q, "v", w.v, "a", w.a, "tau", w.tau); }).end_object();
}

}  // namespace ulna::internal
