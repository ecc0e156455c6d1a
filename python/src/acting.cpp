#include "acting.hpp"

#include <stdexcept>

#include "programs/interface.hpp"

namespace ulna::python {

namespace {

void require_six(const char* what, const std::vector<double>& numbers) {
  if (numbers.size() != 6) throw std::invalid_argument(cat(what, " has ", numbers.size(), " numbers, but must have 6"));
}
Vec3<double> three(const std::vector<double>& numbers, std::size_t first) { return {numbers[first], numbers[first + 1], numbers[first + 2]}; }

}  // namespace

std::vector<Wrench> wrenches_of(const Model& model, const std::vector<WrenchRow>& rows) {
  std::vector<Wrench> wrenches;
  for (const auto& [link, world, numbers] : rows) {
    require_six("a wrench, force and moment,", numbers);
    wrenches.push_back({link_named(model, link), world ? Axes::world : Axes::link, three(numbers, 0), three(numbers, 3)});
  }
  return wrenches;
}

BaseMotion base_of(const std::vector<double>& velocity, const std::vector<double>& acceleration) {
  BaseMotion base;
  if (!velocity.empty()) {
    require_six("base_velocity", velocity);
    base.angular_velocity = three(velocity, 0);
    base.linear_velocity = three(velocity, 3);
  }
  if (!acceleration.empty()) {
    require_six("base_acceleration", acceleration);
    base.angular_acceleration = three(acceleration, 0);
    base.linear_acceleration = three(acceleration, 3);
  }
  return base;
}

}  // namespace ulna::python
