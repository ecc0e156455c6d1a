#include <algorithm>

#include "command.hpp"
#include "evaluate.hpp"
#include "table.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kPerLink = 7;  // x, y, z and the quaternion

Result prepare_pose(Setup& setup, const Arguments& arguments) {
  const std::vector<std::size_t> links = chosen_links(setup, arguments);
  std::vector<std::string> names;
  for (const std::size_t link : links) names.push_back(setup.robot.model.links()[link].name);
  Result result;
  for (const std::string& name : names)
    for (const char* part : {"x", "y", "z", "qx", "qy", "qz", "qw"}) result.headers.push_back(cat(part, ".", name));
  const std::size_t n = links.size();
  result.fields = {{"pose", 0, {n, kPerLink}}};
  result.lists = {{"links", names}};
  result.links = links;
  result.make = [&setup, links]() -> Compute {
    const std::size_t size = kPerLink * links.size();
    const auto write = [](const Pose<double>& X_WL, double* to) {
      const Quaternion r = quaternion(X_WL.R);
      for (const double value : {X_WL.p.x, X_WL.p.y, X_WL.p.z, r.x, r.y, r.z, r.w}) *to++ = value;
    };
    if (std::all_of(links.begin(), links.end(), [&](std::size_t link) { return setup.dynamics->compiled(Quantity::pose, link); }))
      return [&setup, links, size, write, X = std::vector<double>()](const StateBlock& s, double* rows) mutable {
        X.resize(12 * s.count);
        for (std::size_t l = 0; l < links.size(); ++l) {
          setup.dynamics->compute_batch(Quantity::pose, {s.columns(&StateBlock::q)}, {X.data(), 12, s.count}, links[l]);
          for (std::size_t k = 0; k < s.count; ++k) {
            const double* x = &X[12 * k];
            write({{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}}, rows + k * size + l * kPerLink);
          }
        }
      };
    // The templates place all links at once.
    return one_by_one(size, [&setup, links, write, poses = std::vector<Pose<double>>(setup.plan.links.size())](const StateView& state, double* row) mutable {
      setup.dynamics->poses({state.q, setup.robot.model.nq()}, poses);
      for (std::size_t l = 0; l < links.size(); ++l) write(poses[links[l]], row + l * kPerLink);
    });
  };
  result.text = [names](const double* row) {
    Table table("lrrrrrrr");
    table.row({"link", "x [m]", "y [m]", "z [m]", "qx", "qy", "qz", "qw"});
    for (const std::string& name : names) {
      std::vector<std::string> cells{name};
      for (std::size_t k = 0; k < kPerLink; ++k) cells.push_back(brief(*row++));
      table.row(cells);
    }
    return table.text();
  };
  return result;
}

const Computation kPose{Quantity::pose, prepare_pose};

}  // namespace

Command pose_command() {
  return {"pose",
          "where the links are",
          "MODEL [options]",
          "Computes the frames of the links in the root link's frame: the origin, and the orientation as a unit quaternion\n"
          "x, y, z, w with w >= 0. The frames are those of the file: the link's in a URDF, the DH frame in a DH table.",
          evaluation_options(kPose) + std::vector<Option>{{"--link", "NAME", "this link only; may be repeated", true}},
          "ulna pose iiwa14 --q pi/3,pi/6,pi/3,pi/6,pi/3,pi/6,pi/3 --link link7",
          [](const Arguments& arguments) { return evaluate(arguments, kPose); }};
}

}  // namespace ulna::cli
