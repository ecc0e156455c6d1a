#include "command.hpp"
#include "model_options.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

int convert_main(const Arguments& arguments) {
  if (!arguments.has("--to")) throw UsageError("option --to is missing: --to dh, --to mdh, --to urdf, --to sdf or --to mjcf");
  const std::string to = arguments.choice("--to", {"dh", "mdh", "urdf", "sdf", "mjcf"});
  if (to != "dh" && to != "mdh") arguments.refuse({"--snap"}, cat("with --to ", to, ": it is about the frames of a DH table"));
  const double snap = snap_of(arguments);
  const Robot robot = load_robot(arguments, true);
  Diagnostics diagnostics(robot.model.file());
  const Model& model = robot.model;
  const std::optional<std::string> text = to == "urdf"   ? write_urdf(model, diagnostics)
                                          : to == "sdf"  ? write_sdf(model, diagnostics)
                                          : to == "mjcf" ? write_mjcf(model, diagnostics)
                                                         : write_dh(model, to == "dh" ? DhConvention::standard : DhConvention::modified, diagnostics, snap);
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity != Severity::note) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!text) return kWrong;
  std::fputs(text->c_str(), stdout);
  return kDone;
}

}  // namespace

Command convert_command() {
  return {"convert",
          "write a model as URDF, SDFormat, MJCF, or a DH table, standard or modified",
          "MODEL --to dh|mdh|urdf|sdf|mjcf [options]",
          "Prints a file from which Ulna loads a robot with the same motion: torques agree to rounding. A DH table is built\n"
          "from common normals, whatever frames the model has; frames that already follow the convention are kept. DH tables\n"
          "take chains only, and fixed joints are merged. Warnings on standard error name what the target format cannot hold.",
          std::vector<Option>{
              {"--to", "dh|mdh|urdf|sdf|mjcf",
               "dh: standard DH table; mdh: modified DH table; urdf: URDF with rotors as Drake writes them; sdf: SDFormat, likewise; mjcf: MuJoCo's XML"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna convert panda --to mdh > panda.yaml",
          convert_main};
}

}  // namespace ulna::cli
