// Another library, asked for the dynamics of one of our models.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna::peers {

/// The library does not take the model; what() says why, in one line.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Numbers are those of Model::position_names(), velocity_names() and effort_names(), in that order and in Ulna's conventions: a peer translates its own, those
/// of a free base among them. Constructors of peers throw Refused.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;
  virtual std::vector<double> torques(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) = 0;
  virtual std::vector<double> mass(const std::vector<double>& q) = 0;  // row by row
};

}  // namespace ulna::peers
