#include <algorithm>
#include <limits>

#include "command.hpp"
#include "evaluate.hpp"
#include "text/cat.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kPerLink = 7;  // x, y, z and the quaternion

Result prepare_pose(Setup& setup, const Arguments& arguments) {
  const std::vector<std::size_t> links = chosen_links(setup, arguments);
  std::vector<std::string> names;
  for (const std::size_t link : links) names.push_back(setup.robot.model.links()[link].name);
  Result result;
  const std::vector<std::string> parts{"x", "y", "z", "qx", "qy", "qz", "qw"};
  Column column{"pose", {names.size(), kPerLink}, {}};
  for (const std::string& name : names)
    for (const std::string& part : parts) column.headers.push_back(cat(part, ".", name));
  result.add(std::move(column));
  result.sheets = {matrix_sheet("link", names, {"x [m]", "y [m]", "z [m]", "qx", "qy", "qz", "qw"}, 0)};
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
          setup.dynamics->pose_batch(s.columns(&StateBlock::q), links[l], {X.data(), 12, s.count});
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
  result.make_errors = [&setup, links]() -> Compute {
    std::vector<RoundedQuantity> poses;
    for (const std::size_t link : links) poses.push_back({Quantity::pose, link});
    return [compute = roundings(setup, poses)(), count = links.size(), errors = std::vector<double>()](const StateBlock& s, double* rows) mutable {
      errors.resize(s.count * count * 12);
      compute(s, errors.data());
      for (std::size_t k = 0; k < s.count * count; ++k) {
        const double* e = &errors[12 * k];
        // A quaternion's entry is a quarter of a sum of entries of R, over an entry that is at least 1/2: half of what two of them lose, and its own roundings.
        const double turn = *std::max_element(e, e + 9) + 2 * std::numeric_limits<double>::epsilon();
        for (const double error : {e[9], e[10], e[11], turn, turn, turn, turn}) *rows++ = error;
      }
    };
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
