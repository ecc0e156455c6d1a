// The commands that compute a quantity by its row: a number for each coordinate, a matrix of them, or a few numbers.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "command.hpp"
#include "effects.hpp"
#include "evaluate.hpp"

namespace ulna::cli {

namespace {

Compute compute_by(Setup& setup, const Arguments& arguments, Quantity quantity, ForwardMethod method) {
  if (const auto other = chosen_formulation(setup, arguments, quantity))
    return one_by_one(row_of(quantity).size(setup.plan.sizes()),
                      [&setup, other, quantity](const StateView& state, double* out) { other->compute(quantity, inputs(state), out, setup.effects); });
  return by_dynamics(setup, quantity, method);
}

Result by_row(Setup& setup, const Arguments& arguments, Quantity quantity, ForwardMethod method = ForwardMethod::automatic) {
  const QuantityRow& row = row_of(quantity);
  const std::string symbol(row.symbol);
  const bool forward = quantity == Quantity::forward;
  Result result;
  if (row.is_matrix())
    result.show_matrix(symbol, setup.robot.model.velocity_names(), setup.robot.model.velocity_names());
  else
    result = per_coordinate(setup, {symbol, forward ? "base_acceleration" : "base", forward ? &Model::velocity_names : &Model::effort_names,
                                    forward ? acceleration_unit : effort_unit});
  if (given_by_papers(quantity)) result.make_check = formulation_check(setup, arguments, quantity);
  result.make = [&setup, &arguments, quantity, method] { return compute_by(setup, arguments, quantity, method); };
  result.make_errors = roundings(setup, {{quantity}});
  if (row.is_matrix() && !row.symmetric) result.arrange(by_rows(0, nv(setup), nv(setup)));
  return result;
}

template <Quantity quantity>
Result by_row(Setup& setup, const Arguments& arguments) {
  return by_row(setup, arguments, quantity);
}

/// The same with the wrenches that joints transmit, on request.
Result with_reactions(Setup& setup, const Arguments& arguments, Quantity quantity, Result result) {
  if (!arguments.has("--reactions")) {
    arguments.refuse({"--control"}, "without --reactions: it changes only those", "add --reactions, or leave it out");
    return result;
  }
  const Model& model = setup.robot.model;
  const std::size_t own = result.size();
  Column column{"reactions", {0, 2, 3}, {}};
  Sheet sheet{{"joint transmits", "fx [N]", "fy", "fz", "nx [N m]", "ny", "nz", ""}, {}};
  for (const Joint& joint : model.joints()) {
    if (joint.type == JointType::fixed) continue;
    Sheet::Line line{{joint.name}, {}};
    for (const char* part : {"fx", "fy", "fz", "nx", "ny", "nz"}) {
      line.numbers.push_back(own + column.headers.size());
      column.headers.push_back(cat("reactions.", joint.name, ".", part));
    }
    sheet.lines.push_back(std::move(line));
    StringSink text;
    const Vec3<double> axis = joint.type == JointType::ball ? Vec3<double>{} : joint.axis;
    Json(text).begin_object().fields("joint", joint.name, "axes", "joint", "axis", std::vector<double>{axis.x, axis.y, axis.z});
    column.objects.push_back(text.text());
  }
  column.shape[0] = column.objects.size();
  column.keys = {"force", "moment"};
  result.add(std::move(column));
  if (!sheet.lines.empty()) result.sheets.push_back(std::move(sheet));
  const auto make = [&setup, &arguments, quantity, control = controls_of(arguments, model)] {
    Prepared prepared(setup.robot.model, snap_of(arguments));
    const Formulation& row = formulation_named(arguments.value("--formulation").value_or(std::string(production_path().id)));
    auto reactions = std::make_shared<JointReactions>(prepared, quantity, row);
    return [reactions, control, &setup](const StateView& state) { return reactions->compute(inputs(state), setup.effects, control); };
  };
  try {  // what is wrong with the options is wrong in every state
    const std::vector<double> q = model.reference(), rest(model.nv(), 0.0);
    make()({q.data(), rest.data(), rest.data(), rest.data()});
  } catch (const std::invalid_argument& error) {
    throw UsageError(cat("option --reactions: ", error.what()));
  }
  const std::size_t size = result.size();
  result.make = [make, own, size, first = result.make]() -> Compute {
    return [compute = first(), reactions = make(), own, size, part = std::vector<double>()](const StateBlock& states, double* rows) mutable {
      part.resize(own * states.count);
      compute(states, part.data());
      for (std::size_t k = 0; k < states.count; ++k) {
        double* out = std::copy_n(part.data() + k * own, own, rows + k * size);
        for (const JointReaction& one : reactions(states.at(k)))
          for (const Vec3<double>* x : {&one.force, &one.moment}) *out++ = x->x, *out++ = x->y, *out++ = x->z;
      }
    };
  };
  if (!result.make_errors) return result;
  // Loads are carried from the tips to the base, each with a few roundings of the largest.
  constexpr double kLost = 1e-14;
  result.make_errors = [make, own, size, first = result.make_errors]() -> Compute {
    return [compute = first(), reactions = make(), own, size, part = std::vector<double>()](const StateBlock& states, double* rows) mutable {
      part.resize(own * states.count);
      compute(states, part.data());
      for (std::size_t k = 0; k < states.count; ++k) {
        double* out = std::copy_n(part.data() + k * own, own, rows + k * size);
        double largest[2] = {0, 0};  // of forces and of moments
        for (const JointReaction& one : reactions(states.at(k)))
          for (const int of : {0, 1})
            for (const double x : {(of == 0 ? one.force : one.moment).x, (of == 0 ? one.force : one.moment).y, (of == 0 ? one.force : one.moment).z})
              largest[of] = std::max(largest[of], std::abs(x));
        for (std::size_t i = own; i < size; ++i) *out++ = kLost * largest[(i - own) / 3 % 2];
      }
    };
  };
  return result;
}

template <Quantity quantity>
Result by_row_with_reactions(Setup& setup, const Arguments& arguments) {
  return with_reactions(setup, arguments, quantity, by_row(setup, arguments, quantity));
}

/// Torques, each with an error bound, of a formulation that interpolates.
Result inverse(Setup& setup, const Arguments& arguments) {
  Result result = by_row(setup, arguments, Quantity::inverse);
  if (!arguments.has("--accept-interpolation")) return with_reactions(setup, arguments, Quantity::inverse, std::move(result));
  const std::size_t n = setup.names.size(), bounds = result.add_list("error_bound", "error_bound", setup.names);
  Sheet& sheet = result.sheets.front();
  sheet.head = {"joint", "tau", "off by at most", ""};
  for (std::size_t i = 0; i < n; ++i) sheet.lines[i].numbers.push_back(bounds + i);
  result.make_errors = {};  // bounds say more
  result.make = [&setup, &arguments, n]() -> Compute {
    return one_by_one(2 * n, [&setup, n, other = chosen_formulation(setup, arguments, Quantity::inverse)](const StateView& state, double* tau) {
      other->compute(Quantity::inverse, inputs(state), tau, setup.effects);
      other->error_bound(state.q, state.v, state.a, tau + n);
    });
  };
  return result;
}

Result energies(Setup& setup, const Arguments&) {
  Result result;
  for (const char* kind : {"kinetic", "potential"}) result.add({kind, {}, {kind}});
  result.sheets = {{{}, {{{"kinetic"}, {0}, "J"}, {{"potential"}, {1}, "J"}}}};
  result.make = [&setup] { return by_dynamics(setup, Quantity::energy); };
  result.make_errors = roundings(setup, {{Quantity::energy}});
  return result;
}

Result momenta(Setup& setup, const Arguments&) {
  Result result;
  for (const char* kind : {"angular", "linear"}) result.add_list(kind, kind, {"x", "y", "z"});
  result.sheets = {{{}, {{{"angular"}, {0, 1, 2}, "N m s"}, {{"linear"}, {3, 4, 5}, "N s"}}}};
  result.make = [&setup] { return by_dynamics(setup, Quantity::momentum); };
  result.make_errors = roundings(setup, {{Quantity::momentum}});
  return result;
}

Result forward(Setup& setup, const Arguments& arguments) {
  const std::string name = arguments.choice("--method", {"auto", "mass", "articulated"});
  const ForwardMethod method = name == "mass" ? ForwardMethod::mass_matrix : name == "articulated" ? ForwardMethod::articulated : ForwardMethod::automatic;
  if (method == ForwardMethod::articulated && setup.plan.coupled)
    throw UsageError("option --method articulated does not take mimic joints; use --method mass, or --mimic ignore");
  if (arguments.has("--formulation") && arguments.has("--method")) throw UsageError("options --formulation and --method exclude each other");
  return with_reactions(setup, arguments, Quantity::forward, by_row(setup, arguments, Quantity::forward, method));
}

constexpr const char* kRows[] = {"angular.x", "angular.y", "angular.z", "linear.x", "linear.y", "linear.z"};
constexpr std::size_t kNumbers = 18;  // of the quantity without its matrices

Result prepare_centroidal(Setup& setup, const Arguments&) {
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  const double mass = setup.robot.model.mass();
  if (!(mass > 0)) throw UsageError("the robot has no mass, and so no mass centre");
  Result result;
  const std::vector<std::string> axes{"x", "y", "z"}, rows{std::begin(kRows), std::end(kRows)};
  result.add_list("com", "com", axes);
  result.add_list("com_velocity", "velocity", axes);
  result.add_list("angular", "angular", axes);
  result.add_list("linear", "linear", axes);
  result.add_list("A_rate_v", "A_rate_v", rows);
  const Sheet A = matrix_sheet("A", rows, names, result.add_matrix("A", rows, names));
  result.add_matrix("com_jacobian", axes, names);
  result.lists = {{"rows", rows}, {"columns", names}};
  const std::size_t size = kNumbers + 9 * n;
  result.make = [&setup, size, n, mass]() -> Compute {
    return one_by_one(size, [&setup, n, mass, A = std::vector<double>(6 * n)](const StateView& state, double* row) mutable {
      setup.dynamics->compute(Quantity::centroidal, inputs(state), row);
      setup.dynamics->compute(Quantity::centroidal_matrix, inputs(state), A.data());
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t c = 0; c < n; ++c) row[kNumbers + r * n + c] = A[c * 6 + r];
      for (std::size_t k = 0; k < 3 * n; ++k) row[kNumbers + 6 * n + k] = row[kNumbers + 3 * n + k] / mass;
    });
  };
  std::vector<std::size_t> from = by_rows(kNumbers, 6, n);  // the mass centre's Jacobian is not shown
  from.insert(from.begin(), kNumbers, 0);
  std::iota(from.begin(), from.begin() + kNumbers, 0);
  from.resize(size, kNone);
  result.make_errors = gathered(roundings(setup, {{Quantity::centroidal}, {Quantity::centroidal_matrix}}), kNumbers + 6 * n, from);
  result.sheets = {{{},
                    {{{"mass centre"}, {0, 1, 2}, "m"},
                     {{"its velocity"}, {3, 4, 5}, "m/s"},
                     {{"angular momentum"}, {6, 7, 8}, "N m s"},
                     {{"linear momentum"}, {9, 10, 11}, "N s"},
                     {{"dA/dt v, angular"}, {12, 13, 14}, "N m"},
                     {{"dA/dt v, linear"}, {15, 16, 17}, "N"}}},
                   A};
  return result;
}

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

Result prepare_jacobian(Setup& setup, const Arguments& arguments) {
  if (!arguments.has("--link")) throw UsageError(cat("'ulna jacobian' needs --link NAME; 'ulna info ", arguments.positional().front(), "' lists the links"));
  const std::size_t link = chosen_links(setup, arguments).front();
  const std::vector<std::string> names = setup.robot.model.velocity_names();
  const std::size_t n = names.size();
  const std::vector<std::string> rows{"wx", "wy", "wz", "vx", "vy", "vz"};
  Result result;
  result.show_matrix("J", rows, names);
  result.lists = {{"rows", rows}};
  result.labels = {{"link", setup.robot.model.links()[link].name}};
  result.links = {link};
  result.make = [&setup, link, n]() -> Compute {
    return [&setup, link, n](const StateBlock& s, double* J) {
      setup.dynamics->compute_batch(Quantity::jacobian, {s.columns(&StateBlock::q)}, {J, 6 * n, s.count}, link);
    };
  };
  result.make_errors = roundings(setup, {{Quantity::jacobian, link}});
  result.arrange(by_rows(0, 6, n));
  return result;
}

struct QuantityPage {
  Computation computation;
  const char *summary, *text, *example;
  std::vector<Option> more = {};
  const char* synopsis = "MODEL [options]";
};

const QuantityPage kPages[] = {
    {{Quantity::inverse, inverse},
     "joint torques from positions, velocities and accelerations",
     "Computes tau = M(q) a + bias(q, v): the torques (forces, for prismatic joints) that produce the accelerations a in the\n"
     "state q, v. Vectors are in the joint order that 'ulna info' prints; a vector that is not given is zero.",
     "ulna inverse stanford --q 0,pi/2,0.1,0,0,0 --a 1,0,0,0,0,0\n"
     "    torques that hold the Stanford arm against gravity and accelerate its first joint by 1 rad/s²"},
    {{Quantity::forward, forward},
     "joint accelerations from positions, velocities and torques",
     "Computes a = M(q)^-1 (tau - bias(q, v)): how the robot moves when the torques tau act in the state q, v. Two methods\n"
     "give the same answer: by the inertia matrix and its factors, or by articulated bodies.",
     "ulna forward planar-2r --q 0.3,0.4\n"
     "    how a planar arm begins to fall from rest",
     {{"--method", "auto|mass|articulated", "method (default auto: the cheaper one)"}}},
    {{Quantity::mass, by_row<Quantity::mass>},
     "the joint-space inertia matrix M(q)",
     "Computes M(q), full and symmetric: kg m² between revolute joints, kg between prismatic ones, kg m between the two.\n"
     "Rotor inertia is on the diagonal unless switched off.",
     "ulna mass stanford --q 0,pi/2,0.1,0,0,0\n"
     "    the 6 x 6 inertia matrix of the Stanford arm"},
    {{Quantity::bias, by_row_with_reactions<Quantity::bias>},
     "torques at zero acceleration: Coriolis, centrifugal and gravity",
     "Computes bias(q, v) = inverse(q, v, 0). It includes gravity, and the options add friction and wrenches.",
     "ulna bias panda --q 0,0.5,0,-1.5,0,1.8,0 --v 0.1,0.2,0.1,0,0,0,0 --gravity 0,0,0\n"
     "    the velocity-dependent torques alone"},
    {{Quantity::gravity, by_row<Quantity::gravity>},
     "torques that hold the robot still",
     "Computes g(q) = inverse(q, 0, 0): the joint torques that balance the weight of the links, and nothing else.",
     "ulna gravity puma560 --q 0,0.8,0,0,0,0 --json\n"
     "    as one JSON object"},
    {{Quantity::coriolis, by_row<Quantity::coriolis>},
     "the Coriolis matrix C(q, v) of Christoffel symbols",
     "Computes C(q, v): C v = bias(q, v) - gravity(q) are the Coriolis and centrifugal torques, and dM/dt - 2 C is\n"
     "skew-symmetric, which adaptive and passivity-based controllers rely on. Rotors and friction are not included.",
     "ulna coriolis planar-2r --q 0.3,0.4 --v 1,-2\n"
     "    the 2 x 2 matrix of a planar arm"},
    {{Quantity::energy, energies},
     "kinetic and potential energy",
     "Computes the energy of all links. The kinetic energy includes the rotors. The potential energy is zero if all mass\n"
     "is at the origin of the root link.",
     "ulna energy planar-2r --q 0.3,0.4 --v 1,0"},
    {{Quantity::momentum, momenta},
     "angular and linear momentum about the base",
     "Computes the momentum of all links about the origin of the root link, in its axes. Rotors are not included, because\n"
     "the model has their inertia about the joint axis only.",
     "ulna momentum space-arm --v 0.01,0.02,0,0,0,0,0"},
    {{Quantity::centroidal, prepare_centroidal},
     "mass centre, and momentum about it",
     "Computes, in the world's axes: the mass centre of all links, its velocity and its Jacobian; the momentum about it;\n"
     "the matrix A that maps velocities to this momentum (angular rows first); and dA/dt v. The rate of the momentum is A\n"
     "dv/dt + dA/dt v; for a free base, dv/dt is the spatial acceleration. The world's axes are those of a fixed root\n"
     "link.",
     "ulna centroidal space-arm --base free --v 0,0,0.1,0,0,0,0.01,0.02,0,0,0,0,0"},
    {{Quantity::pose, prepare_pose},
     "where the links are",
     "Computes the frames of the links in the root link's frame: the origin, and the orientation as a unit quaternion\n"
     "x, y, z, w with w >= 0. The frames are those of the file: the link's in a URDF, the DH frame in a DH table.",
     "ulna pose iiwa14 --q pi/3,pi/6,pi/3,pi/6,pi/3,pi/6,pi/3 --link link7",
     {{"--link", "NAME", "this link only; may be repeated", true}}},
    {{Quantity::jacobian, prepare_jacobian},
     "the geometric Jacobian of a link",
     "Computes the 6 x nv matrix that maps joint velocities to the velocity of a link: angular velocity first, then the\n"
     "velocity of the link's origin, both in the world's axes, which are those of a fixed root link. The columns of a free\n"
     "base belong to its velocities in its own axes, angular first.",
     "ulna jacobian panda --link hand --q 0,0.5,0,-1.5,0,1.8,0",
     {{"--link", "NAME", "the link"}},
     "MODEL --link NAME [options]"},
};

}  // namespace

std::vector<Command> quantity_commands() {
  std::vector<Command> commands;
  for (const QuantityPage& page : kPages)
    commands.push_back({row_of(page.computation.quantity).id, page.summary, page.synopsis, page.text, evaluation_options(page.computation) + page.more,
                        page.example, [&page](const Arguments& arguments) { return evaluate(arguments, page.computation); }});
  return commands;
}

}  // namespace ulna::cli
