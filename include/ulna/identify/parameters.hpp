// The parameters that joint torques are linear in, and the sums of them that joint torques determine.
//
//   tau = Y(q, v, a) pi + drives,   pi: ten numbers of each moving body (Quantity::regressor)
//
// Many columns of Y are sums of others in every state: mass on a joint's axis moves as mass of the parent does. Base parameters are the sums of parameters that
// torques depend on, as few as there are; no experiment on joint torques tells more.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <ulna/dynamics/workspace.hpp>
#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/spatial/rounding.hpp>

namespace ulna ULNA_API {

enum class ParameterKind { body, rotor, viscous, coulomb, offset };  // What a parameter is.

struct Parameter {
  std::string name;  // "J_xx.forearm", "viscous.elbow"
  std::string unit;
  double value = 0;  // of the model
  ParameterKind kind = ParameterKind::body;
  std::size_t index = 0;  // of the body in a Plan, or of the number of v that an offset belongs to
};

/// m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each moving body, in the order of the regressor's columns: mass, first moments and inertia tensor in
/// the frame of the link behind its joint, about that link's origin. Links that are fixed to this one count to it, and the body bears its name. A free base
/// comes first.
std::vector<Parameter> body_parameters(const Model& model, double snap = kSnap);

/// Of the drives, in this order: rotor (gear² times the rotor's inertia, joint side), viscous and Coulomb friction of every moving joint, and the offset of
/// every coordinate's torque, which models do not have.
std::vector<Parameter> drive_parameters(const Model& model, double snap = kSnap);

/// What the drives' parameters are multiplied with: `out` has nv rows and one column for each of `drives`, which are drive_parameters(), column by column. q of
/// a robot with loops is closed; of others it is not read. Unchecked.
void drive_columns(const Plan& plan, Workspace& ws, std::span<const Parameter> drives, const double* q, const double* v, const double* a, double* out) noexcept;

/// Which of body_parameters() change no torque: columns of the regressor that are zero in every state.
std::vector<std::size_t> without_effect(const Model& model, double snap = kSnap);

/// One sum of body parameters that torques depend on.
struct BaseParameter {
  struct Term {                 // One parameter of a sum, with its factor.
    std::size_t parameter = 0;  // of body_parameters()
    double factor = 0;
  };
  std::string name;         // of its first term, whose factor is 1
  std::string expression;   // "J_xx.upper_arm - J_yy.upper_arm - 0.1849 m.forearm"
  double value = 0;         // of the model
  std::vector<Term> terms;  // the first is the one it is called by
};

struct BaseParameters {                   // The base parameters of a robot, and what has no effect.
  std::vector<Parameter> parameters;      // body_parameters()
  std::vector<BaseParameter> base;        // for each, the column of Y of its first term is a column of the base regressor
  std::vector<std::size_t> no_effect;     // parameters that change no torque
  std::vector<std::size_t> only_in_sums;  // parameters that no motion can tell from others: not the first of any sum, but in some

  /// Values of the base parameters for other values of the body parameters.
  std::vector<double> of(const std::vector<double>& values) const;
};

/// Which columns are sums of others is found on random states in extended precision: relations hold in all of them to 1e-12 of the terms, or are none. For each
/// revolute joint, mass and moments along its axis are expressed by others; for each prismatic one, the inertia tensor: as in the literature (Gautier & Khalil
/// 1990, IEEE Trans. Robotics and Automation 6(3)). Throws std::invalid_argument for robots of more than 120 moving bodies.
BaseParameters base_parameters(const Model& model, double snap = kSnap);

}  // namespace ULNA_API
