#include <cmath>
#include <cstring>

#include <ulna/verify/verify.hpp>

namespace ulna ULNA_API {

namespace {

/// FNV-1a, 64 bits: not against forgery, but a changed digit is seen.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
    byte(0);
  }
  void add(double number) {
    number += 0.0;  // -0 and 0 are the same model
    unsigned char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    for (const unsigned char b : bytes) byte(b);
  }
  void add(const Vec3<double>& v) {
    for (const double x : {v.x, v.y, v.z}) add(x);
  }
  void add(const Pose<double>& X) {
    add(X.p);
    for (const double x : {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz}) add(x);
  }
  std::string hex() const {
    std::string out(16, '0');
    for (std::size_t i = 0; i < 16; ++i) out[i] = "0123456789abcdef"[(state_ >> (60 - 4 * i)) & 15];
    return out;
  }

 private:
  void byte(unsigned char b) { state_ = (state_ ^ b) * 0x100000001b3u; }
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace

std::string model_hash(const Model& model) {
  Hash hash;
  hash.add(model.name());
  hash.add(model.gravity());
  if (model.base() != RootJoint::fixed) hash.add(to_string(model.base()));
  for (const Link& link : model.links()) {
    hash.add(link.name);
    hash.add(link.mass);
    hash.add(link.com);
    for (const double x : {link.inertia.xx, link.inertia.yy, link.inertia.zz, link.inertia.xy, link.inertia.xz, link.inertia.yz}) hash.add(x);
  }
  for (const Joint& joint : model.joints()) {
    hash.add(joint.name);
    hash.add(to_string(joint.type));
    hash.add(static_cast<double>(joint.parent));
    hash.add(joint.X_PF);
    hash.add(joint.axis);
    hash.add(joint.X_MB);
    for (const double x : {joint.lower, joint.upper, joint.effort, joint.velocity, joint.rotor, joint.gear, joint.friction.viscous, joint.friction.coulomb})
      hash.add(x);
    if (joint.friction.static_level != 0) hash.add(joint.friction.static_level);
    for (const FrictionField& field : further_friction())
      if (field.given(joint.friction)) hash.add(field.name), hash.add(joint.friction.*field.number);
    for (const RateLimit& limit : kRateLimits)
      if (std::isfinite(joint.*limit.number)) hash.add(joint.*limit.number);
    if (joint.mimic)
      for (const double x : {static_cast<double>(joint.mimic->leader), joint.mimic->multiplier, joint.mimic->offset}) hash.add(x);
  }
  for (const Loop& loop : model.loops()) {
    hash.add(loop.name);
    hash.add(to_string(loop.type));
    for (const std::size_t link : {loop.predecessor, loop.successor}) hash.add(static_cast<double>(link));
    hash.add(loop.X_PA);
    hash.add(loop.X_SB);
    hash.add(loop.axis);
  }
  if (model.closed())
    for (const std::size_t k : model.order().independent) hash.add(static_cast<double>(k));
  return hash.hex();
}

}  // namespace ULNA_API
