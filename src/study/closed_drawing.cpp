// A robot with loops as a drawing: links as lines between their joints, pins that close loops as rings, some moments of its motion behind.
#include <algorithm>
#include <cmath>
#include <limits>

#include <ulna/dynamics/on_plan.hpp>

#include "draw/svg_pen.hpp"
#include "study/closed_study.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

constexpr double kPlaneWidth = 760, kPlaneHeight = 480, kPlaneMargin = 40;  // pixels

struct Line {
  Vec3<double> from, to;
};
struct Skeleton {
  std::vector<Line> links;
  std::vector<Vec3<double>> driven, passive, pins;
};

Skeleton skeleton(const Mechanism& robot, const double* q) {
  const Model& model = robot.tree();
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const auto pose = [&](std::size_t link) { return link_pose(plan, ws, {q, model.nq()}, link); };
  Skeleton s;
  std::vector<Vec3<double>> root(model.links().size());  // where each link hangs
  std::vector<std::vector<Vec3<double>>> ends(model.links().size());
  for (const Joint& joint : model.joints()) {
    const Pose<double> X_WJ = pose(joint.parent) * joint.X_PF;
    ends[joint.parent].push_back(X_WJ.p);
    root[joint.child] = X_WJ.p;
  }
  for (std::size_t k = 0; k < model.independent().size(); ++k) {
    const Joint& joint = model.joints()[model.independent()[k]];
    const bool drives = std::find(robot.independent().begin(), robot.independent().end(), k) != robot.independent().end();
    (drives ? s.driven : s.passive).push_back(root[joint.child]);
  }
  for (const Loop& loop : robot.loops()) {
    const Vec3<double> A = (pose(loop.predecessor) * loop.X_PA).p, B = (pose(loop.successor) * loop.X_SB).p;
    ends[loop.predecessor].push_back(A);
    ends[loop.successor].push_back(B);
    s.pins.push_back(A);
  }
  for (std::size_t link = 0; link < ends.size(); ++link) {
    if (link == 0) continue;
    if (ends[link].empty()) ends[link].push_back(pose(link).p + pose(link).R * (2.0 * model.links()[link].com));
    for (const Vec3<double>& end : ends[link]) s.links.push_back({root[link], end});
  }
  return s;
}

/// Parallel rays along the direction in which the robot is thinnest, up being where gravity does not point.
struct PlaneView {
  Vec3<double> right, up;
  double left = 0, low = 0, wide = 0, high = 0, scale = 1;
  std::string x(const Vec3<double>& p) const { return draw::text_of(kPlaneMargin + (dot(right, p) - left) * scale); }
  std::string y(const Vec3<double>& p) const { return draw::text_of(kPlaneHeight - kPlaneMargin - (dot(up, p) - low) * scale); }
};

PlaneView view_of(const std::vector<Vec3<double>>& points) {
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto spread = [&](const Vec3<double>& axis) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vec3<double>& p : points) low = std::min(low, dot(axis, p)), high = std::max(high, dot(axis, p));
    return std::pair(low, high);
  };
  const auto size = [&](std::size_t k) { return spread(axes[k]).second - spread(axes[k]).first; };
  PlaneView view;
  const bool flat = size(2) < 1e-9;  // a plane robot that lies
  const double most = std::max({size(0), size(1), size(2)});
  if (flat)
    view.right = axes[0], view.up = axes[1];
  else if (size(1) < 0.05 * most)
    view.right = axes[0], view.up = axes[2];
  else
    view.right = {0.87, 0.5, 0}, view.up = {-0.17, 0.3, 0.94};
  view.left = spread(view.right).first, view.wide = spread(view.right).second - view.left;
  view.low = spread(view.up).first, view.high = spread(view.up).second - view.low;
  view.scale = std::min((kPlaneWidth - 2 * kPlaneMargin) / std::max(view.wide, 1e-9), (kPlaneHeight - 2 * kPlaneMargin) / std::max(view.high, 1e-9));
  return view;
}

}  // namespace

std::string closed_drawing(const Mechanism& robot, const sim::Trajectory& run) {
  const draw::Theme& theme = draw::page_theme();
  std::vector<Skeleton> moments;
  std::vector<Vec3<double>> all;
  constexpr std::size_t kGhosts = 5;
  for (std::size_t k = 0; k <= kGhosts; ++k) {
    const std::size_t row = (run.rows() - 1) * (kGhosts - k) / kGhosts;  // the first moment is drawn last
    moments.push_back(skeleton(robot, &run.q[row * run.positions]));
    for (const Line& line : moments.back().links) all.push_back(line.from), all.push_back(line.to);
  }
  std::vector<std::vector<Vec3<double>>> paths(robot.loops().size());
  for (std::size_t row = 0; row < run.rows(); row += std::max<std::size_t>(1, run.rows() / 60)) {
    const Skeleton s = skeleton(robot, &run.q[row * run.positions]);
    for (std::size_t l = 0; l < paths.size(); ++l) paths[l].push_back(s.pins[l]), all.push_back(s.pins[l]);
  }
  const PlaneView view = view_of(all);
  std::string out = draw::svg_begin(kPlaneWidth, kPlaneHeight, cat(robot.tree().name(), " and its loops"), theme);
  for (const std::vector<Vec3<double>>& path : paths) {
    out += "<polyline class=\"loop-path\" fill=\"none\" stroke-dasharray=\"3 3\" stroke=\"" + theme.muted + "\" points=\"";
    for (const Vec3<double>& p : path) out += cat(view.x(p), ",", view.y(p), " ");
    out += "\"/>\n";
  }
  for (std::size_t k = 0; k < moments.size(); ++k) {
    const bool now = k + 1 == moments.size();
    const Skeleton& s = moments[k];
    out += cat("<g opacity=\"", now ? "1" : "0.25", "\" stroke=\"", theme.ink, "\" stroke-width=\"", now ? "4" : "2", "\" stroke-linecap=\"round\">\n");
    for (const Line& line : s.links)
      out += cat("<line x1=\"", view.x(line.from), "\" y1=\"", view.y(line.from), "\" x2=\"", view.x(line.to), "\" y2=\"", view.y(line.to), "\"/>\n");
    out += "</g>\n";
    if (!now) continue;
    const auto dots = [&](const std::vector<Vec3<double>>& places, const char* kind, const char* radius, const std::string& fill) {
      for (const Vec3<double>& p : places)
        out += cat("<circle class=\"", kind, "\" cx=\"", view.x(p), "\" cy=\"", view.y(p), "\" r=\"", radius, "\" fill=\"", fill, "\" stroke=\"", theme.ink,
                   "\" stroke-width=\"2\"/>\n");
    };
    dots(s.passive, "passive", "4", theme.faint);
    dots(s.driven, "driven", "7", theme.colours.front());
    dots(s.pins, "loop-pin", "8", "none");
  }
  return out + "</svg>\n";
}

}  // namespace ulna::internal
