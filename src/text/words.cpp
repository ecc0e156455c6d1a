#include "text/words.hpp"

namespace ulna::internal {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    result.push_back(text.substr(begin, at - begin));
  }
  return result;
}

}  // namespace ulna::internal
