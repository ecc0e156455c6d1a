// A robot's equations as C source, made by a program: for build scripts that have no command line at hand.
//   ship_c MODEL DIR
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: ship_c MODEL DIR\n");
    return 2;
  }
  try {
    ulna::GenerateOptions options;
    options.what = {"inverse", "mass"};
    std::filesystem::create_directories(argv[2]);
    for (const ulna::GeneratedFile& file : ulna::generate(ulna::load(argv[1]), options)) {
      std::ofstream(std::filesystem::path(argv[2]) / file.name, std::ios::binary) << file.text;
      std::printf("%s\n", file.name.c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
