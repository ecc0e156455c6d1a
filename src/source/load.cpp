#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "check/stands_free.hpp"
#include "source/in_series.hpp"
#include "source/readers.hpp"
#include "source/source_text.hpp"
#include "source/xacro.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

namespace fs = std::filesystem;

// Names to files.

std::vector<std::string> builtin_ids() { return names_of(builtin_robots(), &BuiltinRobot::id); }

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

/// The whole file, or nothing after an error.
std::optional<std::string> read_file(const std::string& path, const ReadLimits& limits, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (fs::status(path, ignored).type() == fs::file_type::not_found) {
    const std::string stem = fs::path(path).stem().string();
    const std::string id = nearest(stem, builtin_ids());
    diagnostics.error(0, "file", "there is no such file",
                      !id.empty() && id == stem ? cat("the built-in robot is called ", in_quotes(id))
                                                : std::string("check the path, or see 'ulna models' for the built-in robots"));
    return {};
  }
  return read_whole(path, &ReadLimits::file_bytes, limits, diagnostics);
}

// Formats.

bool ends_in(std::string_view file, std::string_view ending) {
  if (file.size() < ending.size()) return false;
  const std::string_view tail = file.substr(file.size() - ending.size());
  for (std::size_t i = 0; i < tail.size(); ++i)
    if ((tail[i] >= 'A' && tail[i] <= 'Z' ? tail[i] - 'A' + 'a' : tail[i]) != ending[i]) return false;
  return true;
}

bool is_xml(std::string_view text, std::string_view file) {
  if (ends_in(file, ".urdf") || ends_in(file, ".xml") || ends_in(file, ".mjcf") || ends_in(file, ".xacro") || ends_in(file, ".sdf")) return true;
  if (ends_in(file, ".yaml") || ends_in(file, ".yml")) return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");  // the last three: a byte order mark
  return first != std::string_view::npos && text[first] == '<';
}

// From what was read to a model.

/// When the reader found errors, the rest is checked for more of them, though no model will be returned. Links whose numbers could not be read get
/// valid ones, so that they cause no further messages.
void patch_unreadable_links(Description& description, const Diagnostics& diagnostics) {
  std::unordered_set<std::string_view> unreadable;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::error && d.element.kind == ElementKind::link) unreadable.insert(d.element.name);
  for (Link& link : description.links) {
    if (!unreadable.contains(link.name)) continue;
    if (!(link.mass < 0)) link.mass = 1;  // a negative one was read, and is a problem of its own
    link.com = {};
    link.inertia = {1, 1, 1, 0, 0, 0};
  }
}

/// Programs that move a tensor to the mass centre subtract m c² from it. Of a point that leaves rounding, with any sign, which no body can have.
void clear_residues(Description& description, Diagnostics& diagnostics) {
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  const auto length = [](const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); };
  std::unordered_map<std::string_view, double> reach;  // of each link: its mass centre, its joints
  double mass = 0;
  for (const Link& link : description.links) {
    reach.try_emplace(link.name, length(link.com));
    mass = std::max(mass, link.mass);
  }
  const auto extend = [&](const std::string& link, const Vec3<double>& p) {
    if (const auto found = reach.find(link); found != reach.end()) found->second = std::max(found->second, length(p));
  };
  for (const Description::JointEntry& entry : description.joints) {
    extend(entry.parent, entry.joint.X_PF.p);
    extend(entry.child, entry.joint.X_MB.p);
  }
  for (Link& link : description.links) {
    const Sym3<double>& I = link.inertia;
    const double largest = std::max({std::abs(I.xx), std::abs(I.yy), std::abs(I.zz), std::abs(I.xy), std::abs(I.xz), std::abs(I.yz)});
    const double felt = std::sqrt(link.mass > 0 ? link.mass : mass) * reach[link.name];  // its square is m c², which might overflow
    if (largest == 0 || !(std::sqrt(largest) <= std::sqrt(kRounding) * felt)) continue;
    diagnostics.note(link.line, Element::link(link.name),
                     cat("its moments of inertia, ", rounded(largest), " kg m² at most, are negligible compared with its mass times its size squared"),
                     "they are taken as 0; write 0, or the real moments");
    link.inertia = {};
  }
}

/// What is ignored cannot be wrong: no leader has to be there, and no chain has to end. Returns the joints that are free now. A leader's name that no joint
/// bears is reported all the same.
std::unordered_set<std::string> free_mimics(Description& description, Diagnostics& diagnostics) {
  std::unordered_set<std::string_view> names;
  for (const Description::JointEntry& entry : description.joints) names.insert(entry.joint.name);
  clear_residues(description, diagnostics);
  std::unordered_set<std::string> freed;
  for (Description::JointEntry& entry : description.joints) {
    if (!entry.joint.mimic) continue;
    if (!names.count(entry.leader))
      diagnostics.warning(entry.joint.line, Element::joint(entry.joint.name), cat("it mimics joint ", in_quotes(entry.leader), ", which does not exist"),
                          "mimics are ignored, so the model loads all the same; correct the name before you honour them");
    if (entry.joint.type != JointType::fixed) freed.insert(entry.joint.name);
    entry.joint.mimic.reset();
    entry.leader.clear();
  }
  return freed;
}

std::vector<const Joint*> mimic_joints(const Model& model, const std::unordered_set<std::string>& freed) {
  std::vector<const Joint*> mimics;
  for (const Joint& joint : model.joints())
    if (joint.mimic || freed.count(joint.name)) mimics.push_back(&joint);
  return mimics;
}

/// Whether couplings are honoured or not changes every result, so it is never left unsaid; nor that other programs differ. `model`: null where its coordinates
/// are not known.
void announce_mimics(const std::vector<std::string>& mimics, int line, MimicPolicy policy, const Model* model, Diagnostics& diagnostics) {
  if (mimics.empty()) return;
  constexpr std::size_t kShown = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(mimics.size(), kShown); ++i) list += cat(i == 0 ? "" : ", ", in_quotes(mimics[i]));
  if (mimics.size() > kShown) list += cat(" and ", mimics.size() - kShown, " more");
  const bool one = mimics.size() == 1;
  const Element element = one ? Element::joint(mimics.front()) : Element(cat("joints ", list));
  const std::string_view what = one ? "it mimics another joint" : "they mimic other joints";
  if (policy == MimicPolicy::ignore)
    return diagnostics.warning(line, element, cat(what, one ? ": ignored, it is a free joint here" : ": ignored, they are free joints here"),
                               cat("honour mimics to couple ", one ? "it" : "them", " (--mimic honour, LoadOptions::mimic)"));
  std::string numbers;
  if (model != nullptr) {
    numbers = cat("; the robot has ", model->nv(), model->nv() == 1 ? " coordinate" : " coordinates", ", and ", model->nv() + mimics.size(),
                  " in programs that leave it out, as Pinocchio does by default");
  }
  diagnostics.warning(line, element, cat(what, one ? ": honoured as a linear coupling" : ": honoured as linear couplings", numbers),
                      cat("ignore mimics to make ", one ? "it a free joint" : "them free joints", " (--mimic ignore, LoadOptions::mimic)"));
}

bool is_finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

std::optional<Model> apply(const LoadOptions& options, Model model, Diagnostics& diagnostics) {
  if (options.gravity && !is_finite(*options.gravity)) diagnostics.error(0, "gravity", "it is not finite", "give three finite numbers");
  if (options.gravity) model = with_gravity(model, *options.gravity);
  if (options.base) model = with_base(model, *options.base);
  return options.locks.empty() ? std::optional<Model>(std::move(model)) : with_locked(model, options.locks, diagnostics);
}

/// The check of M takes a time that grows with the number of joints alone, but for robots with couplings, where it is the cube of the coordinates; so does
/// the closing of loops.
bool too_many_coupled(const Model& model, bool has_loops, const ReadLimits& limits, Diagnostics& diagnostics) {
  const std::size_t nv = model.nv();
  const bool coupled = std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.mimic.has_value(); });
  if (!(coupled || has_loops) || nv <= limits.coupled) return false;
  diagnostics.error(0, "robot", cat("it has ", has_loops ? "loops" : "mimic joints", " and ", nv, " coordinates, more than ", limits.coupled),
                    cat(has_loops ? "open the loops (--loops ignore), or " : "ignore mimics, or ", how_to_raise(&ReadLimits::coupled)));
  return true;
}

/// Loops of a file in addition to the robot's, and the caller's choice of coordinates.
void add_loops(const LoadOptions& options, LoopDescription& loops, Diagnostics& diagnostics) {
  if (!options.loop_file.empty()) {
    Diagnostics own(options.loop_file);
    if (const std::optional<std::string> text = read_whole(options.loop_file, &ReadLimits::yaml_bytes, options.limits, own))
      read_loops(*text, own, options.limits, loops);
    diagnostics.append(own);
  }
  if (!options.independent.empty()) loops.motors = options.independent;
}

/// The laws of a tree, but for its inertia matrix, of which the loops leave a part: a rotor at every joint makes it regular. with_loops() tests what is left.
void check_but_singularity(Description description, Diagnostics& diagnostics) {
  Diagnostics unused;
  for (Description::JointEntry& entry : description.joints) entry.joint.rotor = 1 + std::abs(entry.joint.rotor);
  if (const std::optional<Model> model = build(description, unused)) check(*model, diagnostics);
}

/// The robot with its loops. `actuators`: marks are joints that a file has actuators for, which is a wish; where loops tie some of them together, it is left
/// out.
std::optional<Model> closed(const Model& tree, LoopDescription loops, bool actuators, Diagnostics& diagnostics) {
  if (actuators && !loops.marks.empty() && loops.motors.empty() && !loops.loops.empty()) {
    Diagnostics tried(diagnostics.file());
    if (std::optional<Model> robot = with_loops(tree, loops, tried)) return diagnostics.append(tried), robot;
    loops.marks.clear();
    diagnostics.note(0, Element::robot(tree.name()), "its loops tie joints together that have actuators each, so that other joints may be the independent ones",
                     "name them (--independent, LoadOptions::independent)");
  }
  return with_loops(tree, loops, diagnostics);
}

/// Joints that follow from others by loops transmit no torque.
void check_loads(const Model& model, Diagnostics& diagnostics) {
  const std::vector<std::size_t> driven = model.driven();
  for (const std::size_t j : model.independent()) {
    const Joint& joint = model.joints()[j];
    if (joint.friction.load != 0 && std::find(driven.begin(), driven.end(), j) == driven.end())
      diagnostics.error(joint.line, Element::joint(joint.name), "it follows from others by a loop and transmits no torque: no friction depends on its load",
                        "give the load to the joint that is driven");
  }
}

/// Loops are closed by coordinates, of which a ball joint has none: hinges about x, y and z stand in its place. Where a rotor is in it, they cannot.
void hinge_balls(Description& description, Diagnostics& diagnostics) {
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const Description::JointEntry entry = description.joints[j];
    const Joint& ball = entry.joint;
    if (ball.type != JointType::ball || ball.rotor != 0) continue;
    const std::vector<Joint> parts{part_of_series(ball, "_x", JointType::continuous, {1, 0, 0}), part_of_series(ball, "_y", JointType::continuous, {0, 1, 0}),
                                   part_of_series(ball, "_z", JointType::continuous, {0, 0, 1})};
    diagnostics.warning(ball.line, Element::joint(ball.name),
                        cat("a ball joint in a robot with loops: ", listed(names_of(parts, &Joint::name), "and"),
                            " stand in its place, one after the other, and get stuck at a quarter turn of the second",
                            ball.friction.rubs(false) || ball.stiffness != 0 ? "; its friction and its spring are left out" : ""),
                        "pass --loops ignore (LoadOptions::loops) to keep the ball joint and open all loops");
    const std::vector<Description::JointEntry> series = in_series(entry, parts, description.links);
    const auto place = description.joints.erase(description.joints.begin() + static_cast<std::ptrdiff_t>(j));
    description.joints.insert(place, series.begin(), series.end());
  }
}

LoadResult finish(Description description, Diagnostics& diagnostics, const LoadOptions& options, LoopDescription loops, std::vector<RotorAxis> rotors,
                  bool actuators) {
  LoadResult result;
  if (options.loops == LoopPolicy::honour) add_loops(options, loops, diagnostics);
  if (options.loops == LoopPolicy::ignore) loops = {};
  if (!options.friction_file.empty()) {
    Diagnostics own(options.friction_file);
    if (const std::optional<std::string> text = read_whole(options.friction_file, &ReadLimits::yaml_bytes, options.limits, own))
      read_friction_file(*text, own, options.limits, description, rotors);
    diagnostics.append(own);
  }
  const bool has_loops = !loops.loops.empty();
  if (has_loops) hinge_balls(description, diagnostics);
  if (diagnostics.has_errors()) patch_unreadable_links(description, diagnostics);
  const bool read_to_end = diagnostics.all().size() < kMostProblems;  // else links are missing that joints refer to
  clear_residues(description, diagnostics);
  std::unordered_set<std::string> freed;
  if (options.mimic == MimicPolicy::ignore) freed = free_mimics(description, diagnostics);
  const std::size_t of_the_file = description.joints.size();
  if (options.rotor) turn_rotors(rotors, description, options.base.value_or(description.base) == RootJoint::fixed, diagnostics);
  std::unordered_set<std::string> spinning;
  for (std::size_t j = of_the_file; j < description.joints.size(); ++j) spinning.insert(description.joints[j].joint.name);
  if (read_to_end && !description.links.empty()) result.model = build(description, diagnostics);
  if (read_to_end && !result.model)  // what moves together is not known, but a negative mass is wrong in any robot
    for (const Link& link : description.links) check_mass(link, diagnostics);
  if (result.model) {
    std::vector<const Joint*> mimics = mimic_joints(*result.model, freed);
    std::erase_if(mimics, [&](const Joint* joint) { return spinning.count(joint->name) > 0; });
    for (const Joint* joint : mimics) result.mimics.push_back(joint->name);
    const int line = mimics.empty() ? 0 : mimics.front()->line;
    result.model = apply(options, *std::move(result.model), diagnostics);
    announce_mimics(result.mimics, line, options.mimic, has_loops || !result.model ? nullptr : &*result.model, diagnostics);
  }
  if (result.model && too_many_coupled(*result.model, has_loops, options.limits, diagnostics)) result.model.reset();
  if (result.model && !has_loops) check(*result.model, diagnostics, {options.rotor});
  if (result.model && has_loops) check_but_singularity(description, diagnostics);
  if (options.unchecked) result.overridden = diagnostics.override_physical_errors();
  if (result.model && options.loops == LoopPolicy::honour && !diagnostics.has_errors())
    if (std::optional<Model> whole = closed(*result.model, loops, actuators, diagnostics)) result.model = std::move(whole);
  if (result.model) check_loads(*result.model, diagnostics);
  if (result.model && options.advise) advise(*result.model, diagnostics);
  if (result.model && !options.base && may_stand_free(*result.model)) {
    result.maybe_free = true;
    if (options.advise) diagnostics.note(result.model->links().front().line, Element::robot(result.model->name()), kTakenAsFixed, kHowToFree);
  }
  if (diagnostics.has_errors()) result.model.reset();
  diagnostics.sort_by_line();
  result.diagnostics = diagnostics.all();
  return result;
}

LoadResult failure(const Diagnostics& diagnostics, bool found) {
  LoadResult result;
  result.diagnostics = diagnostics.all();
  result.found = found;
  return result;
}

Model model_or_throw(LoadResult result) {
  if (!result.model) throw SourceError(std::move(result.diagnostics));
  return *std::move(result.model);
}

/// By its root element; a file called .mjcf without any is taken for what its name says.
bool is_mjcf(std::string_view text, std::string_view file) {
  const std::string_view root = root_name(text);
  return root == kMjcf.root || root == kMjcf.part || (ends_in(file, ".mjcf") && root != kUrdf.root);
}

bool is_sdf(std::string_view text, std::string_view file) { return root_name(text) == kSdf.root || (ends_in(file, ".sdf") && root_name(text) != kUrdf.root); }

/// A file in which nothing is left to expand.
LoadResult parse_plain(std::string_view text, const std::string& file, const LoadOptions& options, const ReadIncluded& read_included) {
  Diagnostics diagnostics(file);
  const ReadLimits& limits = options.limits;
  LoopDescription loops;
  std::vector<RotorAxis> rotors;
  const bool xml = is_xml(text, file), mjcf = xml && is_mjcf(text, file), sdf = xml && is_sdf(text, file);
  Description description = !xml   ? read_dh(text, diagnostics, limits, &loops, &rotors)
                            : mjcf ? read_mjcf(text, diagnostics, limits, options.loops, read_included, &loops)
                            : sdf  ? read_sdf(text, diagnostics, options, read_included)
                                   : read_urdf(text, diagnostics, limits, &loops, &rotors);
  return finish(std::move(description), diagnostics, options, std::move(loops), std::move(rotors), mjcf);
}

LoadResult parse_text(std::string_view text, const std::string& file, const LoadOptions& options, const ReadIncluded& read_included) {
  Diagnostics diagnostics(file);
  const ReadLimits& limits = options.limits;
  if (text.size() > limits.file_bytes) {
    diagnostics.error(0, "file", cat("it has ", text.size(), " bytes, more than ", limits.file_bytes), how_to_raise(&ReadLimits::file_bytes));
    return failure(diagnostics, true);
  }
  if (!is_xml(text, file) || !is_xacro(text, file)) return parse_plain(text, file, options, read_included);
  const std::optional<XacroExpansion> expanded = expand_xacro(text, file, options, read_included, diagnostics);
  if (!expanded) return failure(diagnostics, true);
  LoadResult result = parse_plain(expanded->text, file, options, read_included);
  for (Diagnostic& d : result.diagnostics)
    if (d.file == file) {
      expanded->point(d);
      if (d.problem == "it has no links") d.cure = "give the file that calls its macros, or add <link name=\"...\"/> elements";
    }
  result.diagnostics.insert(result.diagnostics.begin(), diagnostics.all().begin(), diagnostics.all().end());
  if (result.model) result.model = with_lines(*result.model, [&](int line) { return expanded->main_line(line); });
  return result;
}

}  // namespace

const std::vector<NamedLimit>& named_limits() {
  static const std::vector<NamedLimit> limits{
      {"file-bytes", &ReadLimits::file_bytes, "bytes of a URDF file"},
      {"yaml-bytes", &ReadLimits::yaml_bytes, "bytes of a DH table or a scenario"},
      {"csv-bytes", &ReadLimits::csv_bytes, "bytes of a table of runs or torques"},
      {"line-bytes", &ReadLimits::line_bytes, "bytes of a line of a file of states"},
      {"elements", &ReadLimits::elements, "elements of a URDF file"},
      {"xml-depth", &ReadLimits::xml_depth, "levels of elements in elements"},
      {"yaml-depth", &ReadLimits::yaml_depth, "levels of lists and mappings"},
      {"joints", &ReadLimits::joints, "joints of a robot"},
      {"coupled", &ReadLimits::coupled, "coordinates of a robot with mimic joints or loops"},
      {"entries", &ReadLimits::entries, "entries of an inertia matrix of which code is generated"},
      {"name-bytes", &ReadLimits::name_bytes, "bytes of a name"},
      {"pipe-seconds", &ReadLimits::pipe_seconds, "seconds to wait for a pipe"},
      {"pipe-bytes", &ReadLimits::pipe_bytes, "bytes of states through a pipe"},
  };
  return limits;
}

std::string how_to_raise(std::size_t ReadLimits::*limit) {
  const auto found = std::find_if(named_limits().begin(), named_limits().end(), [limit](const NamedLimit& row) { return row.value == limit; });
  std::string member(found->name);
  std::replace(member.begin(), member.end(), '-', '_');
  return cat("raise the limit if it is meant: --limit ", found->name, "=N, or ReadLimits::", member, " in a program");
}

LoadResult try_parse(std::string_view text, const std::string& file, const LoadOptions& options) { return parse_text(text, file, options, {}); }

LoadResult try_load(const std::string& source, const LoadOptions& options) {
  Diagnostics diagnostics(source);
  const bool is_name = !source.empty() && source.find_first_of(std::string_view("/.\0", 3)) == std::string::npos;
  if (is_name && !is_file(source)) {
    for (const BuiltinRobot& robot : builtin_robots())
      if (robot.id == source) return parse_text(robot.text, std::string(robot.file), options, {});
    if (const std::optional<std::string> table = general_robot(source)) return parse_text(*table, source + ".yaml", options, {});
    const std::string hint = nearest(source, builtin_ids());
    const bool general = source.rfind("general-", 0) == 0;
    diagnostics.error(0, "model", "there is no such file and no built-in robot of this name",
                      general         ? std::string("write general- and 1 to 64 letters R (revolute) or P (prismatic), such as general-RRPR")
                      : !hint.empty() ? cat("did you mean ", in_quotes(hint), "? 'ulna models' lists the built-in robots")
                                      : std::string("'ulna models' lists the built-in robots"));
    return failure(diagnostics, false);
  }
  if (source.empty() || source.find('\0') != std::string::npos) {
    diagnostics.error(0, "model", source.empty() ? "the name is empty" : "the name holds a NUL byte",
                      "give a file or a built-in robot; 'ulna models' lists them");
    return failure(diagnostics, false);
  }
  const std::optional<std::string> text = read_file(source, options.limits, diagnostics);
  if (!text) return failure(diagnostics, false);
  const ReadIncluded read_included = [&](const std::string& included, Diagnostics& problems) { return read_file(included, options.limits, problems); };
  return parse_text(*text, source, options, read_included);
}

Model load(const std::string& source, const LoadOptions& options) { return model_or_throw(try_load(source, options)); }

Model parse(std::string_view text, const std::string& file, const LoadOptions& options) { return model_or_throw(try_parse(text, file, options)); }

}  // namespace ULNA_API
