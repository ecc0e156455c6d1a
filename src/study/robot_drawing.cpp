// The robot as a drawing: joints and links as a skeleton, the mass of each link as the ellipsoid of its inertia, some moments of the motion behind.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "draw/svg_pen.hpp"
#include "study/data.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal {

namespace {

using draw::text_of;

constexpr double kWidth = 760, kHeight = 560, kMargin = 36;                                         // pixels
constexpr double kAzimuth = 55 * std::numbers::pi / 180, kElevation = 20 * std::numbers::pi / 180;  // of the viewer

struct Point {
  double x, y;
};

/// Parallel rays, up being where gravity does not point.
class View {
 public:
  explicit View(const Vec3<double>& gravity) {
    const double g = std::sqrt(dot(gravity, gravity));
    const Vec3<double> up = g > 0 ? (-1 / g) * gravity : Vec3<double>{0, 0, 1};
    const Vec3<double> helper = std::abs(up.x) < 0.9 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    Vec3<double> e1 = helper - dot(helper, up) * up;
    e1 = (1 / std::sqrt(dot(e1, e1))) * e1;
    const Vec3<double> e2 = cross(up, e1);
    const Vec3<double> away = std::cos(kAzimuth) * e1 + std::sin(kAzimuth) * e2;
    right_ = std::sin(kAzimuth) * e1 - std::cos(kAzimuth) * e2;
    up_ = std::cos(kElevation) * up + std::sin(kElevation) * away;
    towards_ = cross(right_, up_);
  }
  double right(const Vec3<double>& p) const { return dot(right_, p); }
  double up(const Vec3<double>& p) const { return dot(up_, p); }
  double towards(const Vec3<double>& p) const { return dot(towards_, p); }

  void take(const Vec3<double>& p, double radius = 0) {
    left_ = std::min(left_, right(p) - radius);
    most_ = std::max(most_, right(p) + radius);
    low_ = std::min(low_, up(p) - radius);
    high_ = std::max(high_, up(p) + radius);
  }
  void fit() {
    const double wide = std::max(most_ - left_, 1e-6), tall = std::max(high_ - low_, 1e-6);
    scale_ = std::min((kWidth - 2 * kMargin) / wide, (kHeight - 2 * kMargin - 24) / tall);
  }
  double scale() const { return scale_; }
  Point operator()(const Vec3<double>& p) const {
    return {kWidth / 2 + scale_ * (right(p) - 0.5 * (left_ + most_)), (kHeight - 24) / 2 - scale_ * (up(p) - 0.5 * (low_ + high_))};
  }

 private:
  Vec3<double> right_, up_, towards_;
  double left_ = INFINITY, most_ = -INFINITY, low_ = INFINITY, high_ = -INFINITY, scale_ = 1;
};

double longest(const Vec3<double>& v) { return std::max({v.x, v.y, v.z}); }

/// Where the joints that close loops are, whose ends lie on two links.
std::vector<Vec3<double>> pins_of(const Model& model, const std::vector<Pose<double>>& poses) {
  std::vector<Vec3<double>> pins;
  for (const Loop& loop : model.loops()) pins.push_back((poses[loop.predecessor] * loop.X_PA).p);
  return pins;
}

/// The outline of an ellipsoid seen from far away is an ellipse: that of the matrix P R diag(a²) Rᵀ Pᵀ.
std::string outline(const View& view, const Pose<double>& pose, const Link& link, const Ellipsoid& e, const std::string& colour, double opacity) {
  const Mat3<double> R = pose.R * e.rotation;
  const Vec3<double> axes[3] = {e.axes.x * Vec3<double>{R.xx, R.yx, R.zx}, e.axes.y * Vec3<double>{R.xy, R.yy, R.zy}, e.axes.z * R.column_z()};
  double xx = 0, xy = 0, yy = 0;
  for (const Vec3<double>& a : axes) {
    xx += view.right(a) * view.right(a);
    xy += view.right(a) * view.up(a);
    yy += view.up(a) * view.up(a);
  }
  const double mean = 0.5 * (xx + yy), half = std::hypot(0.5 * (xx - yy), xy);
  const double major = std::sqrt(mean + half), minor = std::sqrt(std::max(0.0, mean - half)), angle = 0.5 * std::atan2(2 * xy, xx - yy);
  const Point c = view(pose.p + pose.R * link.com);
  constexpr double kLeast = 1.5;  // a thin body is still to be seen
  return cat("<ellipse cx=\"", text_of(c.x), "\" cy=\"", text_of(c.y), "\" rx=\"", text_of(std::max(kLeast, view.scale() * major)), "\" ry=\"",
             text_of(std::max(kLeast, view.scale() * minor)), "\" transform=\"rotate(", text_of(-angle * 180 / std::numbers::pi), " ", text_of(c.x), " ",
             text_of(c.y), ")\" fill=\"", colour, "\" fill-opacity=\"", opacity, "\" stroke=\"", colour, "\" stroke-width=\"1.2\"><title>", xml_text(link.name),
             ", ", rounded(link.mass), " kg</title></ellipse>\n");
}

std::string skeleton(const View& view, const Model& model, const std::vector<Pose<double>>& poses, double width, double opacity, bool joints) {
  std::string lines, marks;
  const std::vector<std::size_t> driven = model.driven();
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const Pose<double>& parent = poses[joint.parent];
    const Pose<double> before = parent * joint.X_PF;
    const Point a = view(parent.p), b = view(before.p), c = view(poses[joint.child].p);
    lines += cat("M", text_of(a.x), " ", text_of(a.y), "L", text_of(b.x), " ", text_of(b.y), "L", text_of(c.x), " ", text_of(c.y));
    if (!joints || joint.type == JointType::fixed) continue;
    const std::string name = cat("<title>", xml_text(joint.name), "</title>");
    const bool drives = std::find(driven.begin(), driven.end(), j) != driven.end();
    const std::string kind = !model.closed() ? "" : drives ? "class=\"driven\" " : "class=\"passive\" ";
    if (joint.type == JointType::prismatic)
      marks += cat("<rect ", kind, "x=\"", text_of(b.x - 5), "\" y=\"", text_of(b.y - 5),
                   "\" width=\"10\" height=\"10\" fill=\"var(--paper)\" stroke=\"var(--ink)\" stroke-width=\"2\">", name, "</rect>\n");
    else
      marks += cat("<circle ", kind, "cx=\"", text_of(b.x), "\" cy=\"", text_of(b.y),
                   "\" r=\"5\" fill=\"var(--paper)\" stroke=\"var(--ink)\" stroke-width=\"2\">", name, "</circle>\n");
  }
  const std::vector<Vec3<double>> pins = pins_of(model, poses);
  for (std::size_t l = 0; l < pins.size(); ++l) {
    const Loop& loop = model.loops()[l];
    const Point a = view(poses[loop.predecessor].p), b = view(pins[l]), c = view(poses[loop.successor].p);
    lines += cat("M", text_of(a.x), " ", text_of(a.y), "L", text_of(b.x), " ", text_of(b.y), "L", text_of(c.x), " ", text_of(c.y));
    if (joints)
      marks += cat("<circle class=\"loop-pin\" cx=\"", text_of(b.x), "\" cy=\"", text_of(b.y),
                   "\" r=\"7\" fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"2\"><title>", xml_text(loop.name), "</title></circle>\n");
  }
  return cat("<path d=\"", lines, "\" fill=\"none\" stroke=\"var(--ink)\" stroke-width=\"", text_of(width), "\" stroke-opacity=\"", opacity,
             "\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n", marks);
}

/// Links as thick lines from joint to joint, in the colours of the links.
std::string links(const View& view, const Model& model, const std::vector<Pose<double>>& poses) {
  constexpr double kThick = 14, kThin = 7;  // [pixels]: at the base, at the tips
  std::vector<std::size_t> depth(model.links().size(), 0);
  std::string out;
  for (const Joint& joint : model.joints()) depth[joint.child] = depth[joint.parent] + (joint.type == JointType::fixed ? 0 : 1);
  const double deepest = static_cast<double>(std::max<std::size_t>(1, *std::max_element(depth.begin(), depth.end())));
  const auto stroke = [&](std::size_t link, const Vec3<double>& from, const Vec3<double>& to) {
    const Point a = view(from), b = view(to);
    out +=
        cat("<path class=\"link\" d=\"M", text_of(a.x), " ", text_of(a.y), "L", text_of(b.x), " ", text_of(b.y), "\" stroke=\"",
            draw::look_of(link, draw::page_theme()).colour, "\" stroke-width=\"", text_of(std::lerp(kThick, kThin, static_cast<double>(depth[link]) / deepest)),
            "\" stroke-linecap=\"round\"><title>", xml_text(model.links()[link].name), "</title></path>\n");
  };
  for (const Joint& joint : model.joints()) {
    stroke(joint.parent, poses[joint.parent].p, (poses[joint.parent] * joint.X_PF).p);
    stroke(joint.child, (poses[joint.parent] * joint.X_PF).p, poses[joint.child].p);
  }
  for (const Loop& loop : model.loops())
    for (const std::size_t link : {loop.predecessor, loop.successor}) stroke(link, poses[link].p, (poses[loop.predecessor] * loop.X_PA).p);
  return out;
}

/// A length of one, two or five times a power of ten that suits the drawing.
std::string scale_bar(const View& view) {
  const double wanted = 120 / view.scale(), power = std::pow(10, std::floor(std::log10(wanted))), ratio = wanted / power;
  const double length = power * (ratio < 2 ? 1 : ratio < 5 ? 2 : 5), pixels = length * view.scale(), y = kHeight - 16;
  const std::string style = "stroke=\"var(--muted)\" stroke-width=\"1.5\"";
  return draw::line(kMargin, y, kMargin + pixels, y, style) + draw::line(kMargin, y - 4, kMargin, y + 4, style) +
         draw::line(kMargin + pixels, y - 4, kMargin + pixels, y + 4, style) +
         draw::words(kMargin + pixels + 8, y + 4, "fill=\"var(--muted)\"", length < 0.01 ? cat(rounded(1000 * length), " mm") : cat(rounded(length), " m"));
}

}  // namespace

std::string robot_drawing(const StudyData& data) {
  const Model& model = data.model;
  const auto n = model.nq();
  Moments moments, way;
  if (data.motion && data.motion->run.trajectory.rows() > 0) {
    const sim::Trajectory& t = data.motion->run.trajectory;
    for (const double share : {0.0, 0.24, 0.38, 1.0}) {
      const std::size_t row = static_cast<std::size_t>(std::lround(share * static_cast<double>(t.rows() - 1)));
      moments.push_back(poses_at(data.robot, n == 0 ? t.t.data() : &t.q[row * n]));
    }
    constexpr std::size_t kPlaces = 60;  // of the joints that close loops
    for (std::size_t row = 0; model.closed() && row < t.rows(); row += std::max<std::size_t>(1, t.rows() / kPlaces))
      way.push_back(poses_at(data.robot, &t.q[row * n]));
  } else {
    const EndPoses poses = end_poses(model);
    moments.push_back(poses_at(data.robot, with_joints(model, poses.to).data()));
  }
  return robot_drawing(model, moments, way);
}

std::string robot_drawing(const Model& model, const Moments& moments, const Moments& way) {
  std::vector<std::optional<Ellipsoid>> bodies;
  for (const Link& link : model.links()) bodies.push_back(equal_inertia_ellipsoid(link));

  View view(model.gravity());
  for (const std::vector<Pose<double>>& poses : moments)
    for (std::size_t k = 0; k < poses.size(); ++k) {
      view.take(poses[k].p);
      if (bodies[k] && &poses == &moments.back()) view.take(poses[k].p + poses[k].R * model.links()[k].com, longest(bodies[k]->axes));
    }
  std::vector<std::vector<Vec3<double>>> paths(way.empty() ? 0 : model.loops().size());
  for (const std::vector<Pose<double>>& poses : way)
    for (std::size_t l = 0; l < paths.size(); ++l) paths[l].push_back(pins_of(model, poses)[l]), view.take(paths[l].back());
  view.fit();

  const std::string title = cat("Robot ", model.name(), ": links, joints and inertia ellipsoids");
  std::string out = draw::svg_begin(kWidth, kHeight, title, draw::page_theme());
  out += "<desc>Thick lines are links; a circle is a revolute joint, a square a prismatic one. Each ellipsoid has the mass and inertia of its link.</desc>\n";
  for (const std::vector<Vec3<double>>& path : paths) {
    out += "<polyline class=\"loop-path\" fill=\"none\" stroke-dasharray=\"3 3\" stroke=\"var(--muted)\" points=\"";
    for (const Vec3<double>& p : path) out += cat(text_of(view(p).x), ",", text_of(view(p).y), " ");
    out += "\"/>\n";
  }
  for (std::size_t k = 0; k + 1 < moments.size(); ++k) out += skeleton(view, model, moments[k], 2, 0.18 + 0.1 * static_cast<double>(k), false);
  const std::vector<Pose<double>>& now = moments.back();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (bodies[k]) order.push_back(k);
  const auto depth = [&](std::size_t k) { return view.towards(now[k].p + now[k].R * model.links()[k].com); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depth(a) < depth(b); });
  for (const std::size_t k : order) out += outline(view, now[k], model.links()[k], *bodies[k], draw::look_of(k, draw::page_theme()).colour, 0.1);
  out += links(view, model, now) + skeleton(view, model, now, 1.5, 0.6, true) + scale_bar(view);
  return out + "</svg>\n";
}

}  // namespace ulna::internal
