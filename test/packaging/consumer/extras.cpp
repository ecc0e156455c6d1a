// What the program is made of, from outside: source code and a simulation of a built-in robot.
#include <cstdio>

#include <ulna/emit/generate.hpp>
#include <ulna/sim/forward_model.hpp>
#include <ulna/source/load.hpp>

int main() {
  const ulna::Model model = ulna::load("scara");
  const std::vector<ulna::GeneratedFile> files = ulna::generate(model);
  if (files.size() == 2 && files[0].text.find("scara_inverse") != std::string::npos) return 0;
  std::fprintf(stderr, "%zu files\n", files.size());
  return 1;
}
