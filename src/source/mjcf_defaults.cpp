#include "source/mjcf_defaults.hpp"

#include <algorithm>
#include <cmath>

#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

bool same_kind(std::string_view a, std::string_view b) { return a == b || (is_actuator(a) && is_actuator(b)); }

struct Known {
  std::string_view kind, attributes, children = {};
};
constexpr std::string_view kInBody = "body frame inertial joint freejoint geom site camera light plugin composite flexcomp attach replicate";
constexpr std::string_view kActuators = "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor plugin";
constexpr Known kKnown[] = {
    {"worldbody", "", kInBody},
    {"default", "class", "default mesh texture material joint geom site camera light pair equality tendon"},  // and actuators
    {"<actuator>", "", kActuators},
    {"<equality>", "", "connect weld joint tendon flex flexvert flexstrain distance"},
    {"<tendon>", "", "spatial fixed"},
    {"<fixed>", "joint coef"},
    {"compiler",
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb eulerseq meshdir texturedir assetdir "
     "discardvisual convexhull usethread fusestatic passthrough savecanonical savecompiled inertiafromgeom inertiagrouprange exactmeshinertia "
     "alignfree saveinertial conflict",
     "lengthrange"},
    {"body", "name childclass mocap pos quat axisangle xyaxes zaxis euler gravcomp user sleep simple fuse", kInBody},
    {"frame", "name childclass pos quat axisangle xyaxes zaxis euler scale scaling massscale", kInBody},
    {"replicate", "count offset euler sep childclass", kInBody},
    {"attach", "model body frame prefix"},
    {"model", "name file content_type"},
    {"mesh", "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal maxhullvert inertia builtin params material",
     "plugin"},
    {"inertial", "pos mass quat axisangle xyaxes zaxis euler diaginertia fullinertia"},
    {"freejoint", "name group align"},
    {"joint",
     "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit stiffness range armature springyield "
     "actuatorfrcrange frictionloss actuatorgravcomp solreffriction solimpfriction margin ref damping springref user",
     "plugin"},
    {"geom",
     "name class type contype conaffinity condim group priority size material friction mass density solmix solref solimp margin gap "
     "surfacevel adhesion fromto pos quat axisangle xyaxes zaxis euler hfield mesh fitscale rgba user fluidshape fluidcoef castshadow "
     "shellinertia",
     "plugin"},
    {"equality",
     "name class active solref solimp body1 body2 site1 site2 anchor relpose torquescale joint1 joint2 tendon1 tendon2 polycoef flex cell "
     "geom1 geom2 distance"},
    {"tendon",
     "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit solreffriction solimpfriction "
     "frictionloss width springlength material springyield stiffness margin damping armature rgba user",
     "joint site geom pulley"},
    {"actuator",
     "name class group joint jointinparent tendon site refsite cranksite slidersite body ctrllimited ctrlrange gear forcerange "
     "forcelimited actrange actlimited cranklength armature damping lengthrange actdim actearly dyntype dynprm gaintype gainprm biastype "
     "biasprm delay interp nsample inheritrange input velrange ffrange posrange kp kv ki imax slewmax dampratio timeconst area bias "
     "diameter force scale lmin lmax vmax fpmax fvmax range tausmooth gain motorconst resistance nominal saturation inductance cogging "
     "controller thermal lugre plugin instance user",
     "config"},
    {"option",
     "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic density viscosity "
     "o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations ls_iterations noslip_iterations ccd_iterations "
     "apirate collision mpr_tolerance mpr_iterations sdf_iterations actuatorgroupdisable sdf_initpoints",
     "flag"},
    {"flag",
     "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent frictionloss fwdinv "
     "gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe sensor sensornoise sleep speculative "
     "spring warmstart"}};

/// Whether it is one of the words of a list.
bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos && !word.empty(); at = list.find(word, at + 1))
    if ((at == 0 || list[at - 1] == ' ') && (at + word.size() == list.size() || list[at + word.size()] == ' ')) return true;
  return false;
}

double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

Mat3<double> from_columns(const Vec3<double>& x, const Vec3<double>& y, const Vec3<double>& z) { return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}; }

}  // namespace

void MjcfDefaults::read(const MjcfNode& top, MjcfFiles& files) {
  struct Open {
    MjcfNode node;
    std::string parent;  // empty: the outermost
  };
  std::vector<Open> open{{top, ""}};
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    if (files.stop(next.node)) return;
    const XmlElement element = next.node.element("<default>");
    expect_known(element, "default");
    std::string name = next.node.node.attribute("class").value();
    if (next.parent.empty()) {
      if (!name.empty()) main_ = name;
      name = main_;
    } else if (name.empty()) {
      element.error("a class inside another needs a name", "write <default class=\"...\">");
      continue;
    } else if (classes_.count(name) > 0) {
      element.error_at("class", cat("there is a class ", in_quotes(name), " already"), "give every class a name of its own, and write it once");
      continue;
    }
    Class& here = classes_[name];
    if (!next.parent.empty()) here.parent = next.parent, here.inherited = classes_[next.parent].elements.size();
    const std::size_t waiting = open.size();
    for (const MjcfNode& child : files.children(next.node)) {
      if (child.name() == "default")
        open.push_back({child, name});
      else
        here.elements.push_back(child), expect_known(child.element(cat("<default> ", tag_text(child.name()))), child.name());
    }
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(waiting), open.end());
  }
}

std::vector<std::string> MjcfDefaults::names() const {
  std::vector<std::string> out;
  for (const auto& [name, unused] : classes_) out.push_back(name);
  return out;
}

std::vector<MjcfNode> MjcfDefaults::chain(const MjcfNode& node, const std::string& class_name, std::string_view kind) const {
  std::vector<MjcfNode> out{node};
  auto found = classes_.find(class_name.empty() ? main_ : class_name);
  std::size_t known = found == classes_.end() ? 0 : found->second.elements.size();
  while (found != classes_.end()) {
    const Class& here = found->second;
    for (std::size_t i = known; i-- > 0;)
      if (same_kind(here.elements[i].name(), kind)) out.push_back(here.elements[i]);
    known = here.inherited;
    found = here.parent.empty() ? classes_.end() : classes_.find(here.parent);
  }
  return out;
}

MjcfElement::MjcfElement(const MjcfNode& node, Element label, const MjcfDefaults& defaults, const std::string& class_name, std::string_view kind)
    : label_(std::move(label)) {
  const std::string named = node.node.attribute("class").value();
  if (!defaults.has(named))
    node.element(label_).error_at("class", cat("there is no default class ", in_quotes(named)), cat("correct the name", did_you_mean(named, defaults.names())));
  chain_ = defaults.chain(node, named.empty() ? class_name : named, kind.empty() ? node.name() : kind);
}

XmlElement MjcfElement::element_at(const MjcfNode& node) const {
  return node.node == chain_.front().node ? node.element(label_) : node.element(cat("<default> ", tag_text(node.name())));
}

XmlElement MjcfElement::holder(const char* attribute) const {
  for (const MjcfNode& node : chain_)
    if (node.node.attribute(attribute)) return element_at(node);
  return own();
}

std::vector<double> MjcfElement::merged(const char* attribute, std::vector<double> fallback) const {
  for (auto node = chain_.rbegin(); node != chain_.rend(); ++node) {
    const std::vector<double> numbers = element_at(*node).numbers(attribute, 1, fallback.size());
    std::copy(numbers.begin(), numbers.end(), fallback.begin());
  }
  return fallback;
}

bool MjcfElement::has(const char* attribute) const {
  return std::any_of(chain_.begin(), chain_.end(), [&](const MjcfNode& node) { return static_cast<bool>(node.node.attribute(attribute)); });
}

std::string MjcfElement::nearest_of(const std::vector<const char*>& attributes) const {
  for (const MjcfNode& node : chain_)
    for (const char* attribute : attributes)
      if (node.node.attribute(attribute)) return attribute;
  return {};
}

std::string MjcfElement::text(const char* attribute, std::string_view fallback) const {
  const pugi::xml_attribute found = holder(attribute).node().attribute(attribute);
  return found ? std::string(found.value()) : std::string(fallback);
}

std::string MjcfElement::word(const char* attribute, const std::vector<std::string>& known) const {
  const XmlElement element = holder(attribute);
  if (!element.has(attribute)) return known.front();
  std::string value = element.node().attribute(attribute).value();
  if (std::find(known.begin(), known.end(), value) != known.end()) return value;
  element.error_at(attribute, cat(attribute, " is ", in_quotes(value)), cat("write ", listed(known, "or"), did_you_mean(value, known)));
  return known.front();
}

bool is_actuator(std::string_view element) { return has_word(kActuators, element); }

std::vector<std::string_view> known_attributes(std::string_view kind) {
  for (const Known& known : kKnown)
    if (known.kind == kind) return words(known.attributes);
  return {};
}

void expect_known(const XmlElement& element, std::string_view kind) {
  for (const Known& known : kKnown) {
    if (known.kind != (is_actuator(kind) ? "actuator" : kind)) continue;
    const std::vector<std::string_view> attributes = words(known.attributes);
    std::vector<std::string_view> children = words(known.children);
    if (kind == "default")
      for (const std::string_view actuator : words(kActuators)) children.push_back(actuator);
    children.push_back("include");  // which MuJoCo replaces wherever it stands
    element.expect({attributes.begin(), attributes.end()}, {children.begin(), children.end()});
  }
}

std::optional<Mat3<double>> rotation_of_quaternion(const double* wxyz) {
  if (std::all_of(wxyz, wxyz + 4, [](double x) { return x == 0; })) return {};
  return rotation_of({wxyz[1], wxyz[2], wxyz[3], wxyz[0]});
}

Mat3<double> rotation_from_z(const Vec3<double>& v) {
  const Vec3<double> to = (1 / length(v)) * v;
  const Vec3<double> axis{-to.y, to.x, 0};  // z × to
  const double sine = length(axis);
  if (sine < 1e-15) return to.z > 0 ? Mat3<double>::identity() : Mat3<double>{1, 0, 0, 0, -1, 0, 0, 0, -1};
  return rotation_about((1 / sine) * axis, std::atan2(sine, to.z));
}

void MjcfSettings::read_compiler(const MjcfNode& node) {
  const MjcfDefaults none;
  const MjcfElement element(node, "<compiler>", none, "");
  const XmlElement own = element.own();
  expect_known(own, "compiler");
  if (own.has("angle")) angle = element.word("angle", {"degree", "radian"}) == "degree" ? 0.017453292519943295 : 1;
  if (own.has("autolimits")) autolimits = element.is("autolimits");
  if (own.has("balanceinertia")) balance = element.is("balanceinertia");
  if (own.has("fusestatic")) fusestatic = element.is("fusestatic"), fusestatic_line = node.main_line();
  if (own.has("strippath")) strippath = element.is("strippath");
  if (own.has("fitaabb")) fitaabb = element.is("fitaabb");
  if (own.has("conflict")) merge_options = element.word("conflict", {"warning", "merge", "error"}) != "warning";
  for (const char* folder : {"assetdir", "meshdir"})
    if (own.has(folder)) meshdir = own.node().attribute(folder).value();
  if (own.has("alignfree")) alignfree = element.is("alignfree");
  if (own.has("coordinate") && element.word("coordinate", {"local", "global"}) == "global")
    own.error_at("coordinate", "global coordinates are not read; MuJoCo has dropped them, too", "let MuJoCo 2.3.3 or older save the file in local coordinates");
  if (own.has("inertiafromgeom")) {
    const std::string word = element.word("inertiafromgeom", {"auto", "true", "false"});
    from_geoms = word == "auto" ? FromGeoms::automatic : word == "true" ? FromGeoms::always : FromGeoms::never;
  }
  boundmass = element.not_negative("boundmass", boundmass);
  boundinertia = element.not_negative("boundinertia", boundinertia);
  if (const std::vector<double> range = element.numbers("inertiagrouprange", 2, 2); !range.empty()) least_group = range[0], most_group = range[1];
  if (own.has("settotalmass")) {
    const double total = element.number("settotalmass", -1);
    total_mass = total > 0 ? std::optional<double>(total) : std::nullopt;
    total_mass_line = node.main_line();
  }
  if (own.has("eulerseq")) {
    const std::string sequence = element.text("eulerseq", "xyz");
    if (sequence.size() == 3 && sequence.find_first_not_of("xyzXYZ") == std::string::npos)
      eulerseq = sequence;
    else
      own.error_at("eulerseq", cat("eulerseq is ", in_quotes(sequence)),
                   "write three letters: x, y, z for axes that turn with the body, X, Y, Z for axes that stay");
  }
}

void MjcfSettings::read_option(const MjcfNode& node, MjcfFiles& files) {
  const XmlElement element = node.element("<option>");
  expect_known(element, "option");
  gravity = element.vector("gravity", gravity);
  if (element.has("gravity")) options = node;
  for (const char* fluid : {"density", "viscosity"})
    if (element.number(fluid, 0) != 0) node.file->context.unused.add(cat("<option>, attribute '", fluid, "' (forces of a fluid)"), node.line());
  for (const MjcfNode& child : files.children(node)) {
    if (child.name() != "flag") continue;
    const MjcfDefaults none;
    const MjcfElement flag(child, "<option> <flag>", none, "");
    expect_known(flag.own(), "flag");
    const auto read = [&](const char* name, bool& off) {
      if (flag.has(name)) options = node, off = flag.word(name, {"enable", "disable"}) == "disable";
    };
    read("gravity", no_gravity);
    if (flag.has("gravity")) gravity_flag = child;
    read("constraint", no_constraints);
    read("equality", no_equalities);
  }
}

Mat3<double> MjcfSettings::rotation_of_angles(const Vec3<double>& angles) const {
  const double v[] = {angles.x, angles.y, angles.z};
  Mat3<double> R = Mat3<double>::identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = eulerseq[i];
    const bool stays = letter >= 'X' && letter <= 'Z';
    const char axis = static_cast<char>(stays ? letter - 'X' + 'x' : letter);
    const double turn = angle * v[i];
    const Mat3<double> step = axis == 'x' ? rotation_x(turn) : axis == 'y' ? rotation_y(turn) : rotation_z(turn);
    R = stays ? step * R : R * step;
  }
  return R;
}

Mat3<double> MjcfSettings::orientation(const MjcfElement& element) const {
  const XmlElement own = element.own();
  std::vector<std::string> given;
  for (const char* name : kMjcfOrientations)
    if (own.has(name)) given.emplace_back(name);
  if (given.size() > 1) {
    own.error(cat("it has several orientations: ", joined(given)), "keep one of them");
    return Mat3<double>::identity();
  }
  const auto zero = [&](const char* attribute) {
    element.holder(attribute).error_at(attribute, cat(attribute, " gives no direction: its vectors are zero or parallel"), "correct the numbers");
    return Mat3<double>::identity();
  };
  const std::string form = element.nearest_of(kMjcfOrientations);
  if (form == "axisangle") {
    const std::vector<double> v = element.numbers("axisangle", 4, 4);
    if (v.empty()) return Mat3<double>::identity();
    const Vec3<double> axis{v[0], v[1], v[2]};
    return length(axis) > 0 ? rotation_about((1 / length(axis)) * axis, angle * v[3]) : zero("axisangle");
  }
  if (form == "xyaxes") {
    const std::vector<double> v = element.numbers("xyaxes", 6, 6);
    if (v.empty()) return Mat3<double>::identity();
    Vec3<double> x{v[0], v[1], v[2]}, y{v[3], v[4], v[5]};
    if (length(x) == 0) return zero("xyaxes");
    x = (1 / length(x)) * x;
    y = y - dot(x, y) * x;
    if (length(y) < 1e-12 * std::hypot(v[3], v[4], v[5]) || length(y) == 0) return zero("xyaxes");
    y = (1 / length(y)) * y;
    return from_columns(x, y, cross(x, y));
  }
  if (form == "zaxis") {
    const Vec3<double> z = element.vector("zaxis", {0, 0, 1});
    return length(z) > 0 ? rotation_from_z(z) : zero("zaxis");
  }
  if (form == "euler") {
    const std::vector<double> v = element.numbers("euler", 3, 3);
    return v.empty() ? Mat3<double>::identity() : rotation_of_angles({v[0], v[1], v[2]});
  }
  const std::vector<double> q = element.numbers("quat", 4, 4);
  if (q.empty()) return Mat3<double>::identity();
  const std::optional<Mat3<double>> R = rotation_of_quaternion(q.data());
  return R ? *R : zero("quat");
}

Pose<double> MjcfSettings::pose(const MjcfElement& element) const { return {orientation(element), element.vector("pos", {})}; }

}  // namespace ulna::internal
