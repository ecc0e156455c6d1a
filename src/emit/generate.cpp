#include <ulna/emit/generate.hpp>

#include <stdexcept>

#include "emit/languages.hpp"
#include "model/text.hpp"

namespace ulna {

const std::vector<Language>& languages() {
  static const std::vector<Language> all{
      {"c", "C99", &files_in_c},
      {"cpp", "C++11", &files_in_cpp},
      {"matlab", "MATLAB and Octave", &files_in_matlab},
      {"python", "Python with numpy", &files_in_python},
      {"rust", "Rust", &files_in_rust},
  };
  return all;
}

std::vector<std::string> generated_languages() {
  std::vector<std::string> ids;
  for (const Language& language : languages()) ids.emplace_back(language.id);
  return ids;
}

std::vector<GeneratedFile> generate(const Model& model, const GenerateOptions& options) {
  for (const Language& language : languages())
    if (options.language == language.id) return language.files(prepare(model, options));
  throw std::invalid_argument(cat("there is no language ", in_quotes(options.language), did_you_mean(options.language, generated_languages())));
}

}  // namespace ulna
