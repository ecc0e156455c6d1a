#include <ulna/emit/generate.hpp>

#include <stdexcept>

#include "emit/languages.hpp"
#include "emit/taken_names.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

const std::vector<Language>& internal::languages() {
  static const std::vector<Language> all{
      {"c", "C99", &files_in_c, &taken_in_c},
      {"cpp", "C++11", &files_in_cpp, &taken_in_cpp},
      {"matlab", "MATLAB and Octave", &files_in_matlab, &taken_nowhere},
      {"python", "Python with numpy", &files_in_python, &taken_in_python},
      {"rust", "Rust", &files_in_rust, &taken_in_rust},
  };
  return all;
}

std::vector<std::string> generated_languages() {
  std::vector<std::string> ids;
  for (const Language& language : languages()) ids.emplace_back(language.id);
  return ids;
}

std::vector<std::string> generated_targets() { return {"casadi", "fmi"}; }

std::vector<GeneratedFile> generate(const Analysis& analysis, const GenerateOptions& options) {
  if (options.misra && (options.language != "c" || options.batch || !options.target.empty()))
    throw std::invalid_argument("the MISRA subset is for plain C: generate it without batch entries and without a target such as CasADi or FMI");
  if (options.target == "casadi") return files_for_casadi(analysis, options);
  if (options.target == "fmi") return files_for_fmi(analysis, options);
  if (!options.target.empty()) throw std::invalid_argument(there_is_no("target", options.target, generated_targets()));
  for (const Language& language : languages()) {
    if (options.language != language.id) continue;
    if (options.single_file && options.language == "matlab")
      throw std::invalid_argument("MATLAB needs one file for each function: generate it without the option for a single file");
    if (options.batch && options.language != "c")
      throw std::invalid_argument(cat("batch entries are written in C only: generate ", language.title, " without them"));
    GeneratedRobot robot = prepare(analysis, options);
    if (language.taken(robot.name)) robot.name += "_robot";  // an ending that nothing has
    return language.files(robot);
  }
  throw std::invalid_argument(there_is_no("language", options.language, generated_languages()));
}

}  // namespace ULNA_API
