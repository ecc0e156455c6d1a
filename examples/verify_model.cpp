// Does every way of computing this robot's dynamics agree? The question to ask before trusting a file.
//   verify_model [MODEL]
#include <cstdio>

#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

int main(int argc, char** argv) {
  const ulna::LoadResult loaded = ulna::try_load(argc > 1 ? argv[1] : "panda");
  for (const ulna::Diagnostic& problem : loaded.diagnostics) std::printf("%s\n", to_string(problem).c_str());  // every one, with its line
  if (!loaded.model) return 2;

  ulna::VerifyOptions options;
  options.samples = 50;
  const ulna::Certificate certificate = ulna::verify(*loaded.model, options);
  for (const ulna::FormulationCheck& check : certificate.formulations)
    if (check.applies && !check.agree) std::printf("%s differs by %g\n", check.id.c_str(), check.max_relative_difference);
  for (const ulna::LawCheck& law : certificate.laws)
    if (!law.holds) std::printf("broken: %s\n", law.statement.c_str());
  std::printf("%s: %s\n", certificate.robot.c_str(), certificate.agree() ? "all agree" : "they do not agree");
  return certificate.agree() ? 0 : 1;
}
