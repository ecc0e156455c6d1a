#include <cmath>
#include <stdexcept>

#include <ulna/model/model.hpp>
#include <ulna/sim/scenario.hpp>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

Model with_payload(const Model& model, const Payload& payload) {
  if (payload.link >= model.links().size())
    throw std::invalid_argument(
        cat("payload: link index ", payload.link, " is out of range: robot ", in_quotes(model.name()), " has ", model.links().size(), " links"));
  if (!(payload.mass > 0) || !std::isfinite(payload.mass)) throw std::invalid_argument(cat("payload: its mass must be positive, but it is ", payload.mass));
  return ulna::with_payload(model, model.links()[payload.link].name, {payload.mass, payload.com, payload.inertia});
}

}  // namespace ULNA_API
}  // namespace ulna
