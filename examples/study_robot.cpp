// Everything about one robot in one folder: open DIR/index.html.
//   study_robot MODEL DIR
#include <cstdio>
#include <exception>

#include <ulna/source/load.hpp>
#include <ulna/study/study.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: study_robot MODEL DIR\n");
    return 2;
  }
  try {
    ulna::StudyOptions options;
    options.source = argv[1];
    options.done = [](const ulna::StudyStep& step) { std::printf("%-10s %s\n", step.name.c_str(), step.result.c_str()); };
    const ulna::Study study = ulna::study(ulna::load(argv[1]), options);
    ulna::write_study(study, argv[2]);
    return study.good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
