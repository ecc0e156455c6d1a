#include "support/oracle.hpp"

#include <cmath>
#include <numeric>

namespace ulna::test {

namespace {

RealVector3 eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
RealMatrix3 eigen(const Mat3<double>& m) {
  RealMatrix3 out;
  out << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
  return out;
}
RealMatrix3 eigen(const Sym3<double>& s) {
  RealMatrix3 out;
  out << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return out;
}
Real sign_of(Real x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

Reals reals(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }
std::vector<double> doubles(const RealVector& numbers) {
  std::vector<double> out;
  for (const Real x : numbers) out.push_back(static_cast<double>(x));
  return out;
}
Eigen::MatrixXd doubles(const RealMatrix& numbers) { return numbers.cast<double>(); }

Oracle::Oracle(const Model& model, const Reals& q, const Reals& v, const Reals& a, const Effects& effects) : model_(model), effects_(effects) {
  const std::size_t njoints = model.joints().size();
  const auto nv = static_cast<Eigen::Index>(model.independent().size());
  rate_.assign(njoints, 0);
  acceleration_.assign(njoints, 0);
  ball_rate_.assign(njoints, RealVector3::Zero());
  ball_acceleration_ = ball_rate_;
  multiplier_.assign(njoints, 0);
  coordinate_.assign(njoints, kNone);
  Reals position(njoints, 0);
  std::vector<std::size_t> place(njoints, kNone);
  std::size_t coordinates = 0, places = 0;
  for (std::size_t j = 0; j < njoints; ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.type == JointType::fixed || joint.mimic) continue;
    const bool ball = joint.type == JointType::ball;
    coordinate_[j] = coordinates, place[j] = places;
    coordinates += ball ? 3 : 1, places += ball ? 4 : 1;
  }
  const auto three = [](const Reals& x, std::size_t k) { return RealVector3(x.at(k), x.at(k + 1), x.at(k + 2)); };
  for (std::size_t j = 0; j < njoints; ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.type == JointType::fixed) continue;
    multiplier_[j] = joint.mimic ? joint.mimic->multiplier : 1;
    if (joint.type == JointType::ball) {
      ball_rate_[j] = three(v, coordinate_[j]), ball_acceleration_[j] = three(a, coordinate_[j]);
      continue;
    }
    if (joint.mimic) coordinate_[j] = coordinate_[joint.mimic->leader], place[j] = place[joint.mimic->leader];
    const std::size_t k = coordinate_[j];
    position[j] = multiplier_[j] * q.at(place[j]) + (joint.mimic ? joint.mimic->offset : 0);
    rate_[j] = multiplier_[j] * v.at(k);
    acceleration_[j] = multiplier_[j] * a.at(k);
  }

  OracleLink root;
  root.R_WL.setIdentity();
  root.p_WL.setZero();
  root.w = eigen(effects.base.angular_velocity);
  root.alpha = eigen(effects.base.angular_acceleration);
  root.v = eigen(effects.base.linear_velocity);
  root.a = eigen(effects.base.linear_acceleration);
  root.J_angular = root.J_origin = RealMatrix::Zero(3, nv);
  root.w_size = root.w.norm();
  root.alpha_size = root.alpha.norm();
  root.a_size = root.a.norm() + eigen(model.gravity()).norm();
  links_.assign(model.links().size(), root);

  for (std::size_t j = 0; j < njoints; ++j) {
    const Joint& joint = model.joints()[j];
    const OracleLink& P = links_[joint.parent];
    OracleLink B = P;
    const RealMatrix3 R_WF = P.R_WL * eigen(joint.X_PF.R);
    const RealVector3 p_WF = P.p_WL + P.R_WL * eigen(joint.X_PF.p);
    const RealVector3 z = R_WF * eigen(joint.axis);
    const bool turns = joint.type == JointType::revolute || joint.type == JointType::continuous;
    const bool slides = joint.type == JointType::prismatic;
    const bool ball = joint.type == JointType::ball;
    const Real qd = rate_[j], qdd = acceleration_[j];

    // Frame M, first as a point of the parent, then with the joint's own motion.
    RealMatrix3 R_WM = R_WF;
    if (turns) R_WM = Eigen::AngleAxis<Real>(position[j], z.normalized()).toRotationMatrix() * R_WF;
    if (ball) {
      const Real* e = &q.at(place[j]);
      R_WM = R_WF * Eigen::Quaternion<Real>(e[3], e[0], e[1], e[2]).normalized().toRotationMatrix();
    }
    const RealVector3 p_WM = slides ? RealVector3(p_WF + position[j] * z) : p_WF;
    const RealVector3 r = p_WM - P.p_WL;
    RealVector3 v_M = P.v + P.w.cross(r);
    RealVector3 a_M = P.a + P.alpha.cross(r) + P.w.cross(P.w.cross(r));
    Real a_M_size = P.a_size + (P.alpha_size + P.w_size * P.w_size) * r.norm();
    RealMatrix J_M = P.J_origin;
    for (Eigen::Index k = 0; k < nv; ++k) J_M.col(k) += RealVector3(P.J_angular.col(k)).cross(r);
    if (slides) {
      v_M += qd * z;
      a_M += qdd * z + 2 * qd * P.w.cross(z);
      a_M_size += std::abs(qdd) + 2 * std::abs(qd) * P.w_size;
      J_M.col(coordinate_[j]) += multiplier_[j] * z;
    }
    if (turns) {
      B.w = P.w + qd * z;
      B.alpha = P.alpha + qdd * z + qd * P.w.cross(z);
      B.w_size = P.w_size + std::abs(qd);
      B.alpha_size = P.alpha_size + std::abs(qdd) + std::abs(qd) * P.w_size;
      B.J_angular.col(coordinate_[j]) += multiplier_[j] * z;
    }
    if (ball) {  // its angular velocity has the child's axes
      const RealVector3 w = R_WM * ball_rate_[j], alpha = R_WM * ball_acceleration_[j];
      B.w = P.w + w;
      B.alpha = P.alpha + alpha + P.w.cross(w);
      B.w_size = P.w_size + w.norm();
      B.alpha_size = P.alpha_size + alpha.norm() + w.norm() * P.w_size;
      B.J_angular.middleCols(static_cast<Eigen::Index>(coordinate_[j]), 3) += R_WM;
    }
    // From M to the link's frame, both on the child.
    const RealVector3 s = R_WM * eigen(joint.X_MB.p);
    B.R_WL = R_WM * eigen(joint.X_MB.R);
    B.p_WL = p_WM + s;
    B.v = v_M + B.w.cross(s);
    B.a = a_M + B.alpha.cross(s) + B.w.cross(B.w.cross(s));
    B.a_size = a_M_size + (B.alpha_size + B.w_size * B.w_size) * s.norm();
    B.J_origin = J_M;
    for (Eigen::Index k = 0; k < nv; ++k) B.J_origin.col(k) += RealVector3(B.J_angular.col(k)).cross(s);
    links_[joint.child] = B;
  }
}

RealVector3 Oracle::com_arm(std::size_t i) const { return links_[i].R_WL * eigen(model_.links()[i].com); }
RealMatrix3 Oracle::inertia_W(std::size_t i) const { return links_[i].R_WL * eigen(model_.links()[i].inertia) * links_[i].R_WL.transpose(); }
RealMatrix Oracle::J_com(std::size_t i) const {
  RealMatrix J = links_[i].J_origin;
  const RealVector3 c = com_arm(i);
  for (Eigen::Index k = 0; k < J.cols(); ++k) J.col(k) += RealVector3(links_[i].J_angular.col(k)).cross(c);
  return J;
}

Real side_of(const Friction& f, Real v) { return f.smoothing_speed > 0 ? std::tanh(v / f.smoothing_speed) : Real(sign_of(v)); }

/// Of the joint alone, as docs/dynamics.md has it: each direction has its own numbers, and loads are apart.
Real friction_of(const Friction& f, Real v) {
  const Real s = side_of(f, v);
  const Real ease = f.stribeck_speed > 0 ? std::exp(-std::pow(std::abs(v) / f.stribeck_speed, Real(f.stribeck_exponent))) : Real(0);
  const Real more = std::max(Real(f.static_level) - f.coulomb, Real(0));
  return f.offset + s * (f.coulomb + f.asymmetry * s + more * ease) + (f.viscous + f.viscous_asymmetry * s) * v + f.quadratic * s * v * v;
}

RealVector Oracle::torques() const {
  const auto nv = static_cast<Eigen::Index>(model_.independent().size());
  RealVector tau = RealVector::Zero(nv);
  const RealVector3 g = eigen(model_.gravity());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const OracleLink& l = links_[i];
    const RealVector3 c = com_arm(i);
    const RealMatrix3 I = inertia_W(i);
    const RealVector3 a_c = l.a + l.alpha.cross(c) + l.w.cross(l.w.cross(c));
    const RealVector3 force = Real(model_.links()[i].mass) * (a_c - g);
    const RealVector3 moment = I * l.alpha + l.w.cross(I * l.w);
    tau += J_com(i).transpose() * force + l.J_angular.transpose() * moment;
  }
  for (const Wrench& wrench : effects_.wrenches) {
    const OracleLink& l = links_.at(wrench.link);
    const RealMatrix3 R = wrench.axes == Axes::link ? l.R_WL : RealMatrix3(RealMatrix3::Identity());
    tau -= l.J_origin.transpose() * (R * eigen(wrench.force)) + l.J_angular.transpose() * (R * eigen(wrench.moment));
  }
  const RealVector links = tau;
  for (std::size_t j = 0; j < rate_.size(); ++j) {
    const Joint& joint = model_.joints()[j];
    if (joint.type == JointType::fixed) continue;
    for (Eigen::Index k = 0; joint.type == JointType::ball && k < 3; ++k) {
      Real& felt = tau(static_cast<Eigen::Index>(coordinate_[j]) + k);
      if (effects_.rotor) felt += Real(joint.gear) * joint.gear * joint.rotor * ball_acceleration_[j](k);
      if (effects_.friction) felt += friction_of(joint.friction, ball_rate_[j](k));
    }
    if (joint.type == JointType::ball) continue;
    if (effects_.friction && joint.friction.load != 0)
      tau(coordinate_[j]) += joint.friction.load * side_of(joint.friction, rate_[j]) * std::abs(links(coordinate_[j]));
    Real own = 0;
    if (effects_.rotor) own += Real(joint.gear) * joint.gear * joint.rotor * acceleration_[j];
    if (effects_.friction) own += friction_of(joint.friction, rate_[j]);
    tau(coordinate_[j]) += multiplier_[j] * own;
  }
  return tau;
}

double Oracle::torque_size() const {
  const auto nv = static_cast<Eigen::Index>(model_.independent().size());
  Real most = 0;
  for (Eigen::Index k = 0; k < nv; ++k) {
    Real sum = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const OracleLink& l = links_[i];
      const Real c = com_arm(i).norm(), turn = l.alpha_size + l.w_size * l.w_size;
      const Real force = Real(model_.links()[i].mass) * (l.a_size + turn * c);
      sum += J_com(i).col(k).norm() * force + l.J_angular.col(k).norm() * inertia_W(i).norm() * turn;
    }
    for (const Wrench& wrench : effects_.wrenches) {
      const OracleLink& l = links_[wrench.link];
      sum += l.J_origin.col(k).norm() * eigen(wrench.force).norm() + l.J_angular.col(k).norm() * eigen(wrench.moment).norm();
    }
    most = std::max(most, sum);
  }
  return static_cast<double>(std::max(most, Real(torques().size() > 0 ? torques().cwiseAbs().maxCoeff() : 0)));
}

RealMatrix Oracle::mass_matrix() const {
  const auto nv = static_cast<Eigen::Index>(model_.independent().size());
  RealMatrix M = RealMatrix::Zero(nv, nv);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const RealMatrix J = J_com(i);
    M += Real(model_.links()[i].mass) * J.transpose() * J + links_[i].J_angular.transpose() * inertia_W(i) * links_[i].J_angular;
  }
  for (std::size_t j = 0; j < rate_.size(); ++j) {
    const Joint& joint = model_.joints()[j];
    if (joint.type == JointType::fixed || !effects_.rotor) continue;
    const std::size_t coordinates = joint.type == JointType::ball ? 3 : 1;
    for (std::size_t k = coordinate_[j]; k < coordinate_[j] + coordinates; ++k)
      M(k, k) += multiplier_[j] * multiplier_[j] * Real(joint.gear) * joint.gear * joint.rotor;
  }
  return M;
}

Real Oracle::kinetic() const {
  Real twice = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const OracleLink& l = links_[i];
    const RealVector3 v_c = l.v + l.w.cross(com_arm(i));
    twice += Real(model_.links()[i].mass) * v_c.squaredNorm() + l.w.dot(inertia_W(i) * l.w);
  }
  for (std::size_t j = 0; j < rate_.size(); ++j) {
    const Joint& joint = model_.joints()[j];
    const Real square = joint.type == JointType::ball ? ball_rate_[j].squaredNorm() : rate_[j] * rate_[j];
    if (joint.type != JointType::fixed && effects_.rotor) twice += Real(joint.gear) * joint.gear * joint.rotor * square;
  }
  return twice / 2;
}

Real Oracle::potential() const { return -Real(model_.mass()) * eigen(model_.gravity()).dot(mass_centre()); }

RealVector3 Oracle::mass_centre() const {
  RealVector3 moment = RealVector3::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i) moment += Real(model_.links()[i].mass) * (links_[i].p_WL + com_arm(i));
  return moment / Real(model_.mass());
}

RealVector3 Oracle::linear_momentum() const {
  RealVector3 sum = RealVector3::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i) sum += Real(model_.links()[i].mass) * (links_[i].v + links_[i].w.cross(com_arm(i)));
  return sum;
}

RealVector3 Oracle::angular_momentum() const {
  RealVector3 sum = RealVector3::Zero();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const OracleLink& l = links_[i];
    const RealVector3 c = com_arm(i);
    sum += inertia_W(i) * l.w + (l.p_WL + c).cross(RealVector3(Real(model_.links()[i].mass) * (l.v + l.w.cross(c))));
  }
  return sum;
}

RealMatrix Oracle::jacobian(std::size_t link) const {
  RealMatrix J(6, links_[link].J_angular.cols());
  J << links_[link].J_angular, links_[link].J_origin;
  return J;
}

Eigen::MatrixXd coupling_matrix(const Model& model) {
  std::vector<std::size_t> moving;
  for (std::size_t j = 0; j < model.joints().size(); ++j)
    if (model.joints()[j].type != JointType::fixed) moving.push_back(j);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(moving.size()), model.nv());
  for (std::size_t row = 0; row < moving.size(); ++row) {
    const std::optional<Mimic>& mimic = model.joints()[moving[row]].mimic;
    const std::size_t of = mimic ? mimic->leader : moving[row];
    for (std::size_t k = 0; k < model.independent().size(); ++k)
      if (model.independent()[k] == of) G(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k)) = mimic ? mimic->multiplier : 1;
  }
  return G;
}

}  // namespace ulna::test
