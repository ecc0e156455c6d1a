#include "property/whole_robot.hpp"

#include <cstdlib>
#include <ostream>

namespace ulna::test {

rc::Gen<WholeRobot> whole_robot(std::size_t most) {
  using rc::gen::inRange;
  using rc::gen::set;
  const auto joint = rc::gen::build<WholeJoint>(
      set(&WholeJoint::type, rc::gen::weightedElement<int>({{6, 0}, {3, 1}, {2, 2}, {2, 3}})), set(&WholeJoint::branch, inRange(0, 3)),
      set(&WholeJoint::axis, inRange(0, 8)), set(&WholeJoint::turn, inRange(0, 12)), set(&WholeJoint::tilt, inRange(0, 12)), set(&WholeJoint::x, inRange(0, 9)),
      set(&WholeJoint::y, inRange(0, 9)), set(&WholeJoint::z, inRange(0, 9)), set(&WholeJoint::mass, inRange(0, 9)), set(&WholeJoint::com_x, inRange(0, 5)),
      set(&WholeJoint::com_z, inRange(0, 5)), set(&WholeJoint::width, inRange(0, 5)), set(&WholeJoint::height, inRange(0, 5)),
      set(&WholeJoint::rotor, inRange(0, 3)), set(&WholeJoint::follows, rc::gen::weightedElement<int>({{12, 0}, {1, 1}, {1, 2}})));
  return rc::gen::mapcat(inRange<std::size_t>(1, most + 1), [joint](std::size_t count) {
    return rc::gen::build<WholeRobot>(set(&WholeRobot::joints, rc::gen::container<std::vector<WholeJoint>>(count, joint)),
                                      set(&WholeRobot::length, inRange(0, 7)), set(&WholeRobot::mass, inRange(0, 13)),
                                      set(&WholeRobot::order, inRange(0, 100)));
  });
}

std::ostream& operator<<(std::ostream& out, const WholeRobot& robot) {
  return out << robot.joints.size() << " joints, lengths times 1e" << zigzag(robot.length) << ", masses times 1e" << zigzag(robot.mass) << ", order "
             << robot.order;
}

int robots() {
  const char* text = std::getenv("ULNA_ROBOTS");
  return text == nullptr ? 2000 : std::atoi(text);
}

}  // namespace ulna::test
