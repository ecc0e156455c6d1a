// What the program is made of, from outside: source code and a simulation of a built-in robot.
#include <cstdio>

#include <ulna/emit/generate.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

int main() {
  const ulna::Model model = ulna::load("scara");
  const std::vector<ulna::GeneratedFile> files = ulna::generate(model);
  ulna::sim::Scenario scenario(model);
  scenario.duration = 0.1;
  const ulna::sim::Outcome outcome = ulna::sim::simulate(scenario);
  if (files.size() == 2 && files[0].text.find("scara_inverse") != std::string::npos && outcome.ending == ulna::sim::Ending::done) return 0;
  std::fprintf(stderr, "%zu files, %g s\n", files.size(), outcome.end);
  return 1;
}
