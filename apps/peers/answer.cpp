#include "answer.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <ulna/source/load.hpp>

namespace ulna::peers {

namespace {

constexpr int kDone = 0, kWrong = 2, kRefused = 3;

class WrongCall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Every number of a text that holds nothing else.
std::vector<double> numbers(const std::string& text, char separator) {
  std::vector<double> out;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, separator);) {
    char* end = nullptr;
    out.push_back(std::strtod(word.c_str(), &end));
    if (word.empty() || *end != '\0') throw WrongCall("'" + word + "' is not a number");
  }
  return out;
}

Model read_model(const char* file, const char* gravity) {
  const std::vector<double> g = numbers(gravity, ',');
  if (g.size() != 3) throw WrongCall("gravity is three numbers: gx,gy,gz");
  LoadOptions options;
  options.gravity = Vec3<double>{g[0], g[1], g[2]};
  options.unchecked = true;  // whether such a body can exist is for the library to say
  return load(file, options);
}

/// States, put into the order of the model's coordinates; numbers of a base that moves come first and stay as they are.
class States {
 public:
  States(const char* path, const Model& model) : file_(path), base_q_(base_nq(model.base())), base_v_(base_nv(model.base())) {
    const std::vector<std::string> coordinates = model.coordinate_names();
    std::string line;
    std::size_t count = 0;
    if (!std::getline(file_, line) || (count = static_cast<std::size_t>(numbers(line, ' ').at(0))) != coordinates.size())
      throw WrongCall("the states are not for the joints of the model");
    for (std::size_t k = 0; k < count && std::getline(file_, line); ++k) {
      const auto found = std::find(coordinates.begin(), coordinates.end(), line);
      if (found == coordinates.end()) throw WrongCall("there is no joint '" + line + "'");
      place_.push_back(static_cast<std::size_t>(found - coordinates.begin()));
    }
    if (place_.size() != count) throw WrongCall("joint names are missing");
  }

  bool next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
    std::string line;
    if (!std::getline(file_, line)) return false;
    const std::size_t n = place_.size();
    const std::vector<double> all = numbers(line, ' ');
    if (all.size() != 3 * n + base_q_ + 2 * base_v_) throw WrongCall("a state is q, v and a of the base, if it moves, and of every joint");
    const double* from = all.data();
    for (std::vector<double>* part : {&q, &v, &a}) {
      const std::size_t base = part == &q ? base_q_ : base_v_;
      part->assign(from, from + base + n);
      from += base;
      for (std::size_t k = 0; k < n; ++k) (*part)[base + place_[k]] = from[k];
      from += n;
    }
    return true;
  }

 private:
  std::ifstream file_;
  std::size_t base_q_, base_v_;
  std::vector<std::size_t> place_;
};

void print(const std::vector<double>& values, const char* end) {
  for (std::size_t k = 0; k < values.size(); ++k) std::printf("%s%.17g", k == 0 ? "" : " ", values[k]);
  std::fputs(end, stdout);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

int answer(int argc, char** argv, const std::string& library, std::unique_ptr<Peer> (*make)(const Model&)) {
  try {
    if (argc != 4) throw WrongCall(std::string("usage: ") + argv[0] + " FILE.urdf gx,gy,gz STATES");
    std::printf("%s\n", library.c_str());
    const Model model = read_model(argv[1], argv[2]);
    const std::unique_ptr<Peer> peer = make(model);
    const std::vector<std::string> names = model.coordinate_names();
    States states(argv[3], model);
    std::printf("%zu\n", names.size());
    for (const std::string& name : names) std::printf("%s\n", name.c_str());
    std::vector<double> q, v, a;
    while (states.next(q, v, a)) {
      print(peer->torques(q, v, a), " ");
      print(peer->mass(q), "\n");
    }
    return std::fflush(stdout) == 0 ? kDone : kWrong;
  } catch (const Refused& refusal) {
    std::fprintf(stderr, "%s\n", one_line(refusal.what()).c_str());
    return kRefused;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", one_line(error.what()).c_str());
    return kWrong;
  }
}

}  // namespace ulna::peers
