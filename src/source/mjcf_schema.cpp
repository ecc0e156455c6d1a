#include "source/mjcf_schema.hpp"

#include <algorithm>

#include "text/words.hpp"

namespace ulna::internal {

namespace {

struct Known {
  std::string_view kind, attributes, children = {};
};
constexpr std::string_view kInBody = "body frame inertial joint freejoint geom site camera light plugin composite flexcomp attach replicate include";
constexpr Known kKnown[] = {
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
     "joint site geom pulley include"},
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
     "flag include"},
    {"flag",
     "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp filterparent frictionloss fwdinv "
     "gravity invdiscrete ipc island limit midphase multiccd nativeccd override passive refsafe sensor sensornoise sleep speculative "
     "spring warmstart"}};

}  // namespace

bool is_actuator(std::string_view element) {
  constexpr std::string_view kActuators[] = {"general", "motor",    "position", "velocity", "intvelocity", "orientation", "pid",
                                             "damper",  "cylinder", "muscle",   "adhesion", "dcmotor",     "plugin"};
  return std::find(std::begin(kActuators), std::end(kActuators), element) != std::end(kActuators);
}

std::vector<std::string_view> known_attributes(std::string_view kind) {
  for (const Known& known : kKnown)
    if (known.kind == kind) return words(known.attributes);
  return {};
}

void expect_known(const XmlElement& element, std::string_view kind) {
  for (const Known& known : kKnown) {
    if (known.kind != (is_actuator(kind) ? "actuator" : kind)) continue;
    const std::vector<std::string_view> attributes = words(known.attributes), children = words(known.children);
    element.expect({attributes.begin(), attributes.end()}, {children.begin(), children.end()});
  }
}

}  // namespace ulna::internal
