#include "sim/drives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "source/yaml.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"

namespace ulna::internal::sim {

namespace {

constexpr const char* kCurve = "write 'curve: [[0, 3.5], [400, 3.5], [600, 0]]': speed of the motor [rad/s] and its largest torque [N m], speeds rising from 0";

void read_curve(YamlFields& fields, Drive& drive) {
  const YamlNode* node = fields.find("curve");
  if (node == nullptr || node->kind == YamlNode::Kind::faulty) return;
  if (node->kind != YamlNode::Kind::sequence) return fields.error("curve", cat("a list of points belongs here, not ", describe(*node)), kCurve);
  for (const YamlNode& point : node->items) {
    double x[2];
    bool good = point.kind == YamlNode::Kind::sequence && point.items.size() == 2;
    for (std::size_t k = 0; k < 2 && good; ++k) {
      NumberProblem problem;
      const std::optional<double> number = point.items[k].kind == YamlNode::Kind::scalar ? parse_number(point.items[k].text, problem) : std::nullopt;
      good = number && *number >= 0;
      if (good) x[k] = *number;
    }
    good = good && (drive.curve.empty() ? x[0] == 0 : x[0] > drive.curve.back().first);
    if (!good) return fields.error("curve", cat("point ", drive.curve.size() + 1, " is none"), kCurve);
    drive.curve.emplace_back(x[0], x[1]);
  }
}

}  // namespace

double Drive::available(double speed) const {
  const auto after = std::find_if(curve.begin(), curve.end(), [&](const auto& point) { return point.first >= speed; });
  if (after == curve.end()) return 0;
  if (after == curve.begin()) return after->second;
  const auto& before = *(after - 1);
  return before.second + (after->second - before.second) * (speed - before.first) / (after->first - before.first);
}

std::vector<Drive> read_drives(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, const Model& model) {
  constexpr const char* kBegin = "drives: {joint: {constant: 0.09, resistance: 0.3, continuous: 12, peak: 40}}";
  const std::optional<YamlNode> root = read_yaml_mapping(text, diagnostics, "a file of drives", kBegin, limits, "a file that begins with 'drives:'");
  std::vector<Drive> drives;
  if (!root) return drives;
  YamlFields top(*root, Element("the file"), {"drives"}, diagnostics);
  const YamlNode* joints = top.require("drives");
  if (joints == nullptr || joints->kind == YamlNode::Kind::faulty) return drives;
  if (joints->kind != YamlNode::Kind::mapping) {
    top.error("drives", cat("a mapping from joints to their drives belongs here, not ", describe(*joints)), cat("write '", kBegin, "'"));
    return drives;
  }
  const std::vector<std::string> names = model.driven_names();
  for (const YamlNode::Entry& given : joints->entries) {
    const Element element = Element::joint(given.key);
    const auto at = std::find(names.begin(), names.end(), given.key);
    if (at == names.end()) {
      diagnostics.error(given.line, element, "the robot has no such joint that is driven", hint(given.key, names, cat("there are ", joined(names))));
      continue;
    }
    if (given.value.kind != YamlNode::Kind::mapping) {
      if (given.value.kind != YamlNode::Kind::faulty)
        diagnostics.error(given.line, element, cat("numbers of its drive belong here, not ", describe(given.value)), cat("write '", kBegin, "'"));
      continue;
    }
    YamlFields fields(given.value, element, {"constant", "resistance", "continuous", "peak", "curve"}, diagnostics);
    Drive drive;
    drive.joint = static_cast<std::size_t>(at - names.begin());
    constexpr double kNoLimit = std::numeric_limits<double>::infinity();
    drive.constant = fields.not_negative("constant", 0), drive.resistance = fields.not_negative("resistance", 0);
    drive.continuous = fields.not_negative("continuous", kNoLimit), drive.peak = fields.not_negative("peak", kNoLimit);
    for (const char* key : {"resistance", "continuous", "peak"})
      if (fields.has(key) && drive.constant == 0) fields.error(key, "currents are not known without the torque that they make", "add 'constant', N m/A");
    read_curve(fields, drive);
    drives.push_back(drive);
  }
  return drives;
}

DriveUse use_of(const Drive& drive, const Model& model, const Trajectory& run) {
  DriveUse use;
  const double gear = model.joints()[model.driven()[drive.joint]].gear;
  const std::size_t n = model.nv(), at = base_nv(model.base()) + drive.joint;
  double squares = 0;
  for (std::size_t row = 0; row < run.rows(); ++row) {
    const double torque = std::fabs(run.tau[row * n + at] / gear), speed = std::fabs(run.v[row * n + at] * gear);
    use.torque.peak = std::max(use.torque.peak, torque);
    squares += torque * torque;
    if (drive.curve.empty() || torque == 0) continue;
    const double share = torque / drive.available(speed);
    if (share > use.share) use.share = share, use.time = run.t[row], use.at_speed = speed, use.at_torque = torque;
  }
  use.torque.rms = run.rows() == 0 ? 0 : std::sqrt(squares / static_cast<double>(run.rows()));
  if (drive.constant == 0) return use;
  use.current = {use.torque.peak / drive.constant, use.torque.rms / drive.constant};
  use.heat = drive.resistance * use.current.rms * use.current.rms;
  return use;
}

}  // namespace ulna::internal::sim
