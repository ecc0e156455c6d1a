#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <thread>

#include <ulna/source/load.hpp>

#include "aligned.hpp"
#include "subject.hpp"

namespace ulna::bench {

/// Outside of C++, so that callgrind can be told its name.
extern "C" [[gnu::noinline]] void ulna_bench_sweep(const void* row, const void* span) {
  const Row& r = *static_cast<const Row*>(row);
  if (r.sweep)
    r.sweep(*static_cast<const Span<double>*>(span));
  else
    r.sweep_float(*static_cast<const Span<float>*>(span));
}

namespace {

constexpr int kDone = 0, kWrong = 2, kRefused = 3;

std::string whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return text.str();
}

/// Three 64-bit numbers, nq, nv and states; then q, v, a and tau of all states, in doubles, state by state.
States<double> read_states(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t sizes[3] = {0, 0, 0};
  file.read(reinterpret_cast<char*>(sizes), sizeof sizes);
  States<double> s{sizes[0], sizes[1], sizes[2], {}, {}, {}, {}};
  for (std::vector<double>* part : {&s.q, &s.v, &s.a, &s.tau}) {
    part->resize((part == &s.q ? s.nq : s.n) * s.count);
    file.read(reinterpret_cast<char*>(part->data()), static_cast<std::streamsize>(part->size() * sizeof(double)));
  }
  if (!file) throw std::runtime_error("the states are cut short");
  return s;
}

Inputs read_inputs(const std::string& folder) {
  LoadOptions options;
  Vec3<double> g{};
  std::istringstream(whole_text(folder + "/gravity")) >> g.x >> g.y >> g.z;
  options.gravity = g;
  options.unchecked = true;  // whether such a body can exist is for the library to say
  Inputs inputs{parse(whole_text(folder + "/robot.urdf"), "robot.urdf", options), whole_text(folder + "/original.urdf"), read_states(folder + "/states"),
                folder};
  std::istringstream tasks(whole_text(folder + "/tasks"));
  for (std::string task; tasks >> task;) inputs.tasks.push_back(task);
  if (inputs.model.nv() != inputs.states.n || inputs.model.nq() != inputs.states.nq) throw std::runtime_error("the states are not for this model");
  return inputs;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

template <class T>
class Runner {
 public:
  Runner(const Row& row, std::size_t n, std::size_t count) : row_(row), n_(n), size_(size_of(row.job, n)), out_(size_ * count), count_(count) {}

  double nanoseconds(double seconds) {
    using Clock = std::chrono::steady_clock;
    const Span<T> span{count_, out_.data(), row_.batch ? size_ : 0};
    double least = std::numeric_limits<double>::infinity();
    const Clock::time_point start = Clock::now();
    Clock::time_point before = start;
    do {
      ulna_bench_sweep(&row_, &span);
      const Clock::time_point after = Clock::now();
      least = std::min(least, std::chrono::duration<double, std::nano>(after - before).count());
      before = after;
    } while (std::chrono::duration<double>(before - start).count() < seconds);
    return least / static_cast<double>(count_) / (row_.job == Job::simulate ? kSimulatedSteps : 1);
  }

  void show(std::size_t samples, const Library& library) {
    std::vector<std::size_t> place = library.place;
    const Span<T> span{count_, out_.data(), size_};
    ulna_bench_sweep(&row_, &span);
    const bool matrix = row_.job == Job::mass;
    if (place.empty()) {
      place.resize(n_);
      std::iota(place.begin(), place.end(), std::size_t{0});
    }
    for (std::size_t s = 0; s < samples; ++s) {
      const std::size_t k = samples == 1 ? 0 : s * (count_ - 1) / (samples - 1);
      std::vector<double> result;
      const auto print = [&](std::size_t i) { result.push_back(static_cast<double>(out_[(k / row_.lanes * size_ + i) * row_.lanes + k % row_.lanes])); };
      if (is_derivative(row_.job)) {
        for (std::size_t part = 0; part < 3; ++part)
          for (const std::size_t j : place)
            for (const std::size_t i : place) print(i + (j + part * n_) * n_);
      } else {
        for (const std::size_t i : place) {
          if (!matrix) print(i);
          for (std::size_t j = 0; matrix && j < n_; ++j) print(i * n_ + place[j]);
        }
      }
      if (row_.job == Job::simulate)
        for (const std::size_t i : place) print(n_ + i);
      if (library.settle) library.settle(row_.job, k, result.data());
      for (const double x : result) std::printf("%.17g ", x);
      std::printf("\n");
    }
  }

  void sweep_once() {
    const Span<T> span{count_, out_.data(), row_.batch ? size_ : 0};
    if constexpr (std::is_same_v<T, double>)
      row_.sweep(span);
    else
      row_.sweep_float(span);
    ulna_bench_sweep(&row_, &span);
  }

 private:
  const Row& row_;
  std::size_t n_, size_;  // joints, numbers of a result
  std::vector<T, Aligned<T>> out_;
  std::size_t count_;
};

void introduce(const Library& library) {
  std::printf("library %s\nversion %s\ncompiler %s\nflags %s\n", library.name.c_str(), library.version.c_str(), library.compiler.c_str(),
              library.flags.c_str());
  for (const std::string& note : library.notes) std::printf("note %s\n", one_line(note).c_str());
  for (const auto& [word, rest] : library.facts) std::printf("fact %s %s\n", word.c_str(), rest.c_str());
  for (std::size_t k = 0; k < library.rows.size(); ++k) {
    const Row& r = library.rows[k];
    std::printf("row %zu %s %s %s %s %zu\n", k, r.path.c_str(), name_of(r.job), r.batch ? "batch" : "one", r.sweep ? "double" : "float", r.threads);
  }
  std::printf("ready\n");
}

template <class T>
void answer(const std::string& word, std::istringstream& rest, const Library& library, const Row& row, std::size_t n, std::size_t count) {
  Runner<T> runner(row, n, count);
  if (word == "check") {
    std::size_t samples = 0;
    rest >> samples;
    runner.show(samples, library);
  } else if (word == "time") {
    double seconds = 0;
    rest >> seconds;
    std::printf("%.6g\n", runner.nanoseconds(seconds));
  } else {
    runner.sweep_once();
    std::printf("done\n");
  }
}

}  // namespace

bool Inputs::worth_compiling(Job job) const {
  constexpr std::size_t kMostJoints = 20;  // whose derivatives a C compiler optimises in seconds
  if (is_derivative(job) && states.n > kMostJoints) return false;
  return tasks.empty() || std::find(tasks.begin(), tasks.end(), name_of(job)) != tasks.end();
}

Plan merged_plan(const Inputs& inputs, Library& library) {
  if (inputs.model.base() != RootJoint::fixed) throw Refused("this program takes robots with a fixed base only");
  PlanOptions options;
  options.snap = 0;
  options.lumping = Lumping::none;
  Plan plan = make_plan(inputs.model, options);
  if (plan.coupled) throw Refused("mimic joints");
  library.place.resize(inputs.states.n);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) library.place[plan.bodies[i].v] = i;
  return plan;
}

template <class T>
States<T> cast(const States<double>& from) {
  const auto converted = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
  return {from.nq, from.n, from.count, converted(from.q), converted(from.v), converted(from.a), converted(from.tau)};
}
template States<double> cast(const States<double>&);
template States<float> cast(const States<double>&);

States<double> placed(const States<double>& from, const std::vector<std::size_t>& place) {
  States<double> to = from;
  const std::size_t more = from.nq - from.n, base = more == 0 ? 0 : from.n - (from.nq - base_nq(RootJoint::free));  // of a free base
  for (std::size_t s = 0; s < from.count; ++s)
    for (std::size_t k = base; k < from.n; ++k) to.q[s * from.nq + place[k] + more] = from.q[s * from.nq + k + more];
  const std::pair<const std::vector<double>&, std::vector<double>&> parts[] = {{from.v, to.v}, {from.a, to.a}, {from.tau, to.tau}};
  for (const auto& [a, b] : parts)
    for (std::size_t s = 0; s < from.count; ++s)
      for (std::size_t k = 0; k < from.n; ++k) b[s * from.n + place[k]] = a[s * from.n + k];
  return to;
}

template <class T>
void add_rows(Library& library, const std::string& path, Job job, const std::function<std::unique_ptr<Worker<T>>()>& make) {
  const std::shared_ptr<Worker<T>> first = make(), second = make();
  const auto alone = [job, first](const Span<T>& s) { first->run(job, 0, s.count, s.out, s.stride); };
  const auto shared = [job, first, second](const Span<T>& s) {
    const std::size_t half = s.count / 2;
    std::thread helper([&] { second->run(job, half, s.count - half, s.out + half * s.stride, s.stride); });
    first->run(job, 0, half, s.out, s.stride);
    helper.join();
  };
  const auto add = [&](bool batch, std::size_t threads, const std::function<void(const Span<T>&)>& sweep) {
    library.rows.push_back({path, job, batch, threads});
    library.rows.back().sweep_of<T>() = sweep;
  };
  add(false, 1, alone);
  add(true, 1, alone);
  add(true, 2, shared);
}
template void add_rows(Library&, const std::string&, Job, const std::function<std::unique_ptr<Worker<double>>()>&);
template void add_rows(Library&, const std::string&, Job, const std::function<std::unique_ptr<Worker<float>>()>&);

int serve(int argc, char** argv, Library (*make)(const Inputs&)) {
  try {
    const bool single_calls = argc == 3 && std::string_view(argv[2]) == "single-calls";
    if (argc != 2 && !single_calls) throw std::runtime_error(std::string("usage: ") + argv[0] + " FOLDER [single-calls]; 'ulna bench' runs it");
    Inputs inputs = read_inputs(argv[1]);
    inputs.single_calls = single_calls;
    const Library library = make(inputs);
    introduce(library);
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream rest(line);
      std::string word;
      std::size_t row = 0, count = 0;
      rest >> word >> row >> count;
      if (!rest || row >= library.rows.size() || count < 2 || count > inputs.states.count || count % library.rows[row].lanes != 0)
        throw std::runtime_error("cannot do '" + line + "'");
      if (library.rows[row].sweep)
        answer<double>(word, rest, library, library.rows[row], inputs.states.n, count);
      else
        answer<float>(word, rest, library, library.rows[row], inputs.states.n, count);
      std::fflush(stdout);
    }
    return kDone;
  } catch (const Refused& refusal) {
    std::fprintf(stderr, "%s\n", one_line(refusal.what()).c_str());
    return kRefused;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", one_line(error.what()).c_str());
    return kWrong;
  }
}

}  // namespace ulna::bench
