#include "source/mjcf_schema.hpp"

#include "text/words.hpp"

namespace ulna::internal {

namespace {

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

}  // namespace

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

}  // namespace ulna::internal
