#include "peers.hpp"

#include <sys/wait.h>

#include <charconv>
#include <sstream>

#include "programs/interface.hpp"

#include "beside.hpp"

namespace ulna::cli {

namespace {

/// A program ulna-peer-<program>. Its protocol is in apps/peers/answer.hpp.
struct Peer {
  const char* program;
  const char* name;
  bool rotors;     // counts rotor inertia
  bool one_point;  // takes all inertias about one point (MuJoCo: the robot's mass centre); a light hand's own are then small differences of large numbers
};

constexpr Peer kPeers[] = {
    {"kdl", "KDL", false, false},
    {"mujoco", "MuJoCo", true, true},
    {"pinocchio", "Pinocchio", false, false},
};

constexpr std::size_t kMostStates = 100;
constexpr std::chrono::seconds kTimeLimit{60};
constexpr int kRefused = 3;  // exit status of a peer that does not take the model

struct Sample {
  std::vector<double> q, v, a;
};

std::vector<Sample> sample_states(const Model& model, const VerifyOptions& options) {
  StateSampler sampler(model, options.seed);
  std::vector<Sample> all(std::min(options.samples, kMostStates));
  for (Sample& s : all) sampler.next(s.q, s.v, s.a);
  return all;
}

std::string states_text(const Model& model, const std::vector<Sample>& states) {
  std::string text = cat(model.independent().size(), "\n");
  for (const std::string& name : model.coordinate_names()) text += name + "\n";
  for (const Sample& s : states) {
    const char* blank = "";
    for (const std::vector<double>* part : {&s.q, &s.v, &s.a})
      for (const double x : *part) {
        text += cat(blank, x);
        blank = " ";
      }
    text += "\n";
  }
  return text;
}

/// What a peer printed. Empty when it is not of the form agreed on.
struct Answer {
  std::vector<std::size_t> place;         // where it keeps each number of the model's v
  std::vector<std::vector<double>> rows;  // torques and inertia matrix of each state, in its own order
};

std::optional<std::vector<double>> parse_numbers(std::string_view line, std::size_t count) {
  std::vector<double> out;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return {};
    out.push_back(number);
    line.remove_prefix(std::min(line.size(), word.size() + 1));
  }
  if (out.size() != count) return {};
  return out;
}

std::optional<Answer> parse_answer(const std::string& text, const Model& model, std::size_t states) {
  std::istringstream lines(text);
  std::string line;
  const std::vector<std::string> names = model.coordinate_names();
  const std::size_t n = names.size(), base = model.nv() - n, all = base + n;
  std::getline(lines, line);  // name and version
  if (!std::getline(lines, line) || line != std::to_string(n)) return {};
  std::vector<std::string> theirs(n);
  for (std::string& name : theirs)
    if (!std::getline(lines, name)) return {};
  Answer answer;
  for (std::size_t i = 0; i < base; ++i) answer.place.push_back(i);  // first, in our order
  for (const std::string& name : names) {
    const auto found = std::find(theirs.begin(), theirs.end(), name);
    if (found == theirs.end()) return {};
    answer.place.push_back(base + static_cast<std::size_t>(found - theirs.begin()));
  }
  for (std::size_t k = 0; k < states; ++k) {
    if (!std::getline(lines, line)) return {};
    std::optional<std::vector<double>> row = parse_numbers(line, all + all * all);
    if (!row) return {};
    answer.rows.push_back(std::move(*row));
  }
  return answer;
}

/// The larger of the two; what is not a number is a difference without end.
void worsen(double& worst, long double difference, double bound) {
  if (difference == 0) return;
  const double relative = static_cast<double>(std::abs(difference)) / bound;
  worst = std::isnan(relative) ? std::numeric_limits<double>::infinity() : std::max(worst, relative);
}

void compare(const Peer& peer, const Answer& answer, const Model& model, const std::vector<Sample>& states, PeerCheck& torque, PeerCheck& mass) {
  const Reference reference(model);  // rotations as they are written, which is how the peer reads them
  const std::size_t n = answer.place.size();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const Bounds exact(reference, model, states[k].q, states[k].v, states[k].a);
    const std::vector<double>& mass_bound = peer.one_point ? exact.mass_bound_base : exact.mass_bound;
    const std::vector<double>& row = answer.rows[k];
    for (std::size_t i = 0; i < n; ++i) {
      worsen(torque.max_relative_difference, row[answer.place[i]] - exact.tau[i], exact.torque_bound[i]);
      for (std::size_t j = 0; j < n; ++j)
        worsen(mass.max_relative_difference, row[n + answer.place[i] * n + answer.place[j]] - exact.M[i * n + j], mass_bound[i * n + j]);
    }
  }
  for (PeerCheck* check : {&torque, &mass}) check->agree = check->max_relative_difference <= check->tolerance;
}

/// A peer that differs is explained at once. Friction is in none of them.
std::vector<std::string> causes_of(const Answer& answer, const Model& model, const std::vector<Sample>& states) {
  Description without_friction = describe(model);
  for (Description::JointEntry& entry : without_friction.joints) entry.joint.friction = {};
  Diagnostics ignored;
  const std::optional<Model> compared = build(without_friction, ignored);
  if (!compared) return {};
  const std::size_t n = answer.place.size();
  Numbers numbers;
  numbers.states = states.size();
  for (std::size_t k = 0; k < states.size(); ++k) {
    numbers.q.insert(numbers.q.end(), states[k].q.begin(), states[k].q.end());
    numbers.v.insert(numbers.v.end(), states[k].v.begin(), states[k].v.end());
    numbers.a.insert(numbers.a.end(), states[k].a.begin(), states[k].a.end());
    const std::vector<double>& row = answer.rows[k];
    for (std::size_t i = 0; i < n; ++i) numbers.tau.push_back(row[answer.place[i]]);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) numbers.mass.push_back(row[n + answer.place[i] * n + answer.place[j]]);
  }
  const Explanation explanation = explain(*compared, numbers);
  std::vector<std::string> causes;
  for (const Cause& cause : explanation.causes)
    if (cause.share > 0) causes.push_back(cat(cause.kind, " of ", cause.where, " (", rounded(100 * cause.share), " %): ", cause.edit));
  if (!explanation.agree) causes.push_back(cat(rounded(explanation.residual), " of the largest torques is left after that"));
  return causes;
}

/// Why there is nothing to compare: as the peer says, or as it ended. Empty when it ended well.
std::string why_not(const ProgramRun& run) {
  if (!run.status) return cat("it took more than ", kTimeLimit.count(), " s");
  if (WIFSIGNALED(*run.status)) return cat("it was ended by signal ", WTERMSIG(*run.status));
  const int status = WEXITSTATUS(*run.status);
  if (status == kRefused) return first_line(run.err);
  return status == 0 ? "" : cat("it ended with status ", status, run.err.empty() ? "" : ": ", first_line(run.err));
}

/// Rows for torque and mass; none when the program is there but its library is not.
std::vector<PeerCheck> ask(const Peer& peer, const std::string& program, const Model& asked, const Model& model, const VerifyOptions& options) {
  const double tolerance = verify_tolerance(std::max<std::size_t>(1, model.nv()));
  PeerCheck torque{peer.name, "torque", "", 0, tolerance, false, {}}, mass{peer.name, "mass", "", 0, tolerance, false, {}};
  const auto rows = [&](const std::string& reason) {
    torque.why_not = mass.why_not = reason;
    return std::vector<PeerCheck>{torque, mass};
  };
  if (model.nv() == 0) return rows("no joint moves");
  if (model.has_balls()) return rows("URDF, which it reads, has no ball joints");
  Diagnostics told;
  const std::optional<std::string> urdf = write_urdf(model, told);
  if (!urdf) return rows("a name of the model cannot stand in URDF");
  const PrivateFolder folder;
  const std::vector<Sample> states = sample_states(model, options);
  write_file(folder.file("robot.urdf"), *urdf);
  write_file(folder.file("states"), states_text(model, states));
  const Vec3<double>& g = model.gravity();
  const ProgramRun result = run_program({program, folder.file("robot.urdf"), cat(g.x, ",", g.y, ",", g.z), folder.file("states")}, folder, kTimeLimit);
  const std::string reason = why_not(result);
  if (reason == "not installed") return {};
  if (!result.out.empty()) torque.name = mass.name = cat(first_line(result.out), !peer.rotors && has_rotors(asked) ? ", rotors left out" : "");
  if (!reason.empty()) return rows(reason);
  const std::optional<Answer> answer = parse_answer(result.out, model, states.size());
  if (!answer) return rows("its answer is not of the form agreed on");
  compare(peer, *answer, model, states, torque, mass);
  if (!torque.agree || !mass.agree) (torque.agree ? mass : torque).causes = causes_of(*answer, model, states);
  return {torque, mass};
}

}  // namespace

std::vector<PeerCheck> ask_peers(const Model& model, const VerifyOptions& options) {
  std::vector<PeerCheck> checks;
  for (const Peer& peer : kPeers) {
    const std::optional<std::string> program = program_beside(cat("ulna-peer-", peer.program));
    if (!program) continue;
    const std::vector<PeerCheck> rows = ask(peer, *program, model, peer.rotors ? model : without_rotors(model), options);
    checks.insert(checks.end(), rows.begin(), rows.end());
  }
  return checks;
}

}  // namespace ulna::cli
