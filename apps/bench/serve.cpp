#include <algorithm>
#include <chrono>
#include <cmath>
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
  if (inputs.model.nv() != inputs.states.n || inputs.model.nq() != inputs.states.nq) throw std::runtime_error("the states are not for this model");
  return inputs;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// R of the unit quaternion x, y, z, w in q[3] to q[6], or its transpose, times three numbers in place.
void turn(const double* q, bool back, double* x) {
  const Vec3<double> u = (back ? -1.0 : 1.0) * Vec3<double>{q[3], q[4], q[5]}, v{x[0], x[1], x[2]}, twice = 2.0 * cross(u, v);
  const Vec3<double> turned = v + q[6] * twice + cross(u, twice);
  x[0] = turned.x, x[1] = turned.y, x[2] = turned.z;
}

/// A result for a free base as the library has it, in our order, to our convention. `q` and `v` are ours.
void from_convention(const BaseConvention& base, Job job, const double* q, const double* v, std::vector<double>& result) {
  const bool world = base.axes == BaseConvention::Axes::mixed;
  if (job == Job::mass) {
    const std::size_t n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(result.size()))));
    if (!world) return;
    for (std::size_t k = 0; k < n; ++k) turn(q, true, &result[k * n + 3]);
    for (std::size_t j = 0; j < n; ++j) {
      double column[] = {result[3 * n + j], result[4 * n + j], result[5 * n + j]};
      turn(q, true, column);
      for (std::size_t i = 0; i < 3; ++i) result[(3 + i) * n + j] = column[i];
    }
    return;
  }
  if (world) turn(q, true, &result[3]);
  if (job == Job::forward && base.acceleration == BaseConvention::Acceleration::spatial) {
    const Vec3<double> more = cross(Vec3<double>{v[0], v[1], v[2]}, Vec3<double>{v[3], v[4], v[5]});
    result[3] += more.x, result[4] += more.y, result[5] += more.z;
  }
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

  void show(std::size_t samples, const Library& library, const States<double>& states) {
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
      const auto number = [&](std::size_t i) { return static_cast<double>(out_[(k / row_.lanes * size_ + i) * row_.lanes + k % row_.lanes]); };
      std::vector<double> result;
      for (const std::size_t i : place) {
        if (!matrix) result.push_back(number(i));
        for (std::size_t j = 0; matrix && j < n_; ++j) result.push_back(number(i * n_ + place[j]));
      }
      if (row_.job == Job::simulate)
        for (const std::size_t i : place) result.push_back(number(n_ + i));
      if (states.nq > states.n) from_convention(library.base, row_.job, &states.q[k * states.nq], &states.v[k * n_], result);
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
void answer(const std::string& word, std::istringstream& rest, const Library& library, const Row& row, const States<double>& states, std::size_t count) {
  Runner<T> runner(row, states.n, count);
  if (word == "check") {
    std::size_t samples = 0;
    rest >> samples;
    runner.show(samples, library, states);
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

template <class T>
States<T> cast(const States<double>& from) {
  const auto converted = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
  return {from.nq, from.n, from.count, converted(from.q), converted(from.v), converted(from.a), converted(from.tau)};
}
template States<double> cast(const States<double>&);
template States<float> cast(const States<double>&);

States<double> placed(const States<double>& from, const std::vector<std::size_t>& place, const BaseConvention& base) {
  States<double> to = from;
  const std::size_t n = from.n, nq = from.nq, more = nq - n, base_v = more == 0 ? 0 : base_nv(RootJoint::free);
  for (std::size_t s = 0; s < from.count; ++s) {
    double *q = &to.q[s * nq], *v = &to.v[s * n], *a = &to.a[s * n], *tau = &to.tau[s * n];
    const auto copied = [&](const double* x, std::size_t size) { return std::vector<double>(x, x + size); };
    if (more != 0) {
      const Vec3<double> turns = cross(Vec3<double>{v[0], v[1], v[2]}, Vec3<double>{v[3], v[4], v[5]});
      if (base.acceleration == BaseConvention::Acceleration::spatial) a[3] -= turns.x, a[4] -= turns.y, a[5] -= turns.z;
      if (base.axes == BaseConvention::Axes::mixed)
        for (double* x : {v, a, tau}) turn(q, false, x + 3);
    }
    const std::vector<double> own_q = copied(q, nq), own_v = copied(v, n), own_a = copied(a, n), own_tau = copied(tau, n);
    for (std::size_t k = base_v; k < n; ++k) q[place[k] + more] = own_q[k + more];
    if (more != 0 && base.quaternion == BaseConvention::Quaternion::wxyz) std::rotate(q + 3, q + 6, q + 7);
    for (std::size_t k = 0; k < n; ++k) {
      v[place[k]] = own_v[k];
      a[place[k]] = own_a[k];
      tau[place[k]] = own_tau[k];
    }
  }
  return to;
}

void require_bolted(const Model& model) {
  if (model.base() != RootJoint::fixed) throw Refused("it is timed with robots that are bolted down only");
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
    Row row{path, job, batch, threads};
    if constexpr (std::is_same_v<T, double>)
      row.sweep = sweep;
    else
      row.sweep_float = sweep;
    library.rows.push_back(std::move(row));
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
        answer<double>(word, rest, library, library.rows[row], inputs.states, count);
      else
        answer<float>(word, rest, library, library.rows[row], inputs.states, count);
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
