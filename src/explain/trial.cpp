#include "explain/trial.hpp"

namespace ulna::internal {

Edit make_edit(std::string kind, std::string where, CauseValue from, CauseValue to, std::string words, std::function<void(Trial&)> apply) {
  Edit e;
  e.cause.kind = std::move(kind);
  e.cause.where = std::move(where);
  e.cause.from = std::move(from);
  e.cause.to = std::move(to);
  e.cause.edit = std::move(words);
  e.apply = std::move(apply);
  return e;
}

}  // namespace ulna::internal
