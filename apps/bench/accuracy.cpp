// ulna-accuracy MODEL [STATES [WITHIN]]: how far results are from the same computed in extended precision, as JSON. STATES random states over the joint limits
// (1000), or, with WITHIN, with every joint that near to 0. The worst state counts, so the answer does not depend on the number of threads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "programs/interface.hpp"

namespace {

using namespace ulna;
using namespace ulna::internal;

/// The worst so far: in roundings (2^-52) of the terms that enter a result, and of the largest number of the result itself.
struct Worst {
  double terms = 0, result = 0;

  void add(const std::vector<double>& got, const std::vector<long double>& wanted, const std::vector<double>& bound) {
    constexpr double kUnit = std::numeric_limits<double>::epsilon();
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double off = static_cast<double>(std::abs(got[i] - wanted[i]));
      largest = std::max(largest, static_cast<double>(std::abs(wanted[i])));
      difference = std::max(difference, off);
      if (off != 0) worsen(terms, off / (kUnit * bound[i]));
    }
    if (difference != 0) worsen(result, difference / (kUnit * largest));
  }
  void add(const Worst& other) { worsen(terms, other.terms), worsen(result, other.result); }

 private:
  static void worsen(double& worst, double x) { worst = std::isnan(x) ? std::numeric_limits<double>::infinity() : std::max(worst, x); }
};

struct All {
  Worst torque, mass, acceleration;
  void add(const All& other) { torque.add(other.torque), mass.add(other.mass), acceleration.add(other.acceleration); }
};

struct Both {
  All templates, machine;
};

/// States k, k + threads, k + 2 threads, … of the one sequence that the seed gives.
Both part(const Model& model, long states, double within, int k, int threads) {
  const Model merged = snapped_model(model, kSnap);
  const Reference reference(merged);
  const Terms terms(merged);
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const Dynamics dynamics(model, {.threads = 1});
  StateSampler sampler(model, 1);
  const std::size_t n = model.nv();
  std::vector<double> q, v, a, tau(n), x(n), M(n * n);
  Both worst;
  for (long state = 0; state < states; ++state) {
    sampler.next(q, v, a);
    if (state % threads != k) continue;
    if (within > 0)
      for (double& angle : q) angle = within * std::sin(angle);
    const Bounds exact(reference, terms, q, v, a);
    for (std::size_t i = 0; i < n; ++i) tau[i] = static_cast<double>(exact.tau[i]);
    const std::vector<long double> wanted(a.begin(), a.end());
    inverse_dynamics(plan, ws, q, v, a, x);
    worst.templates.torque.add(x, exact.tau, exact.torque_bound);
    mass_matrix(plan, ws, q.data(), M.data());
    worst.templates.mass.add(M, exact.M, exact.mass_bound);
    forward_dynamics(plan, ws, q, v, tau, x);
    worst.templates.acceleration.add(x, wanted, exact.acceleration_bound);
    dynamics.inverse(q.data(), v.data(), a.data(), x.data());
    worst.machine.torque.add(x, exact.tau, exact.torque_bound);
    dynamics.mass(q.data(), M.data());
    worst.machine.mass.add(M, exact.M, exact.mass_bound);
    dynamics.forward(q.data(), v.data(), tau.data(), x.data());
    worst.machine.acceleration.add(x, wanted, exact.acceleration_bound);
  }
  return worst;
}

auto written(Json& json, const All& all) {
  const auto both = [](const Worst& worst) { return std::vector<double>{worst.terms, worst.result}; };
  return [&json, &all, both] { json.object("torque", both(all.torque), "mass", both(all.mass), "acceleration", both(all.acceleration)); };
}

}  // namespace

int main(int argc, char** argv) {
  char *end_of_states = nullptr, *end_of_within = nullptr;
  const long states = argc > 2 ? std::strtol(argv[2], &end_of_states, 10) : 1000;
  const double within = argc > 3 ? std::strtod(argv[3], &end_of_within) : 0;
  const bool read = (argc <= 2 || (states > 0 && *end_of_states == 0)) && (argc <= 3 || (within > 0 && *end_of_within == 0));
  if (argc < 2 || argc > 4 || !read) {
    std::fprintf(stderr, "usage: ulna-accuracy MODEL [STATES [WITHIN]], both larger than 0\n");
    return 2;
  }
  try {
    const Model model = load(argv[1]);
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<Both> parts(static_cast<std::size_t>(threads));
    std::vector<std::thread> running;
    for (int k = 0; k < threads; ++k) running.emplace_back([&, k] { parts[static_cast<std::size_t>(k)] = part(model, states, within, k, threads); });
    for (std::thread& thread : running) thread.join();
    Both worst;
    for (const Both& p : parts) worst.templates.add(p.templates), worst.machine.add(p.machine);
    StringSink out;
    Json json(out);
    json.object("states", static_cast<double>(states), "templates", written(json, worst.templates), "machine", written(json, worst.machine)).finish();
    std::fputs(out.text().c_str(), stdout);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
