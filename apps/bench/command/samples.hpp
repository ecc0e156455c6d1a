// The states that all libraries are timed at, and what must come out there.
#pragma once

#include "programs/interface.hpp"

namespace ulna::cli {

/// Random states of a robot; torques belong to the accelerations, so that forward dynamics is inverse dynamics the other way.
class Samples {
 public:
  Samples(const Model& model, std::size_t count);

  /// As read_states() of the programs reads them.
  void write(const std::string& path) const;
  /// How far a result at state k is off, in parts of the terms that it is made of; of simulations, in parts of the largest position and speed.
  double difference(const std::string& task, std::size_t k, const std::vector<double>& result);
  std::size_t numbers(const std::string& task) const { return quantity_of(task) ? row_of(*quantity_of(task)).size({n_, n_}) : 2 * n_; }
  /// What a task computes; none for simulations.
  static std::optional<Quantity> quantity_of(const std::string& task);

 private:
  std::vector<double> at(const std::vector<double>& x, std::size_t k) const;
  const Bounds& bounds(std::size_t k);
  /// Where a simulation from state k ends.
  const std::vector<double>& end_of(std::size_t k);

  Model model_;
  Plan plan_;
  Reference reference_;
  std::size_t n_, count_;
  std::vector<double> q_, v_, a_, tau_;
  std::map<std::size_t, std::unique_ptr<Bounds>> bounds_;
  std::map<std::size_t, std::vector<double>> ends_;
};

}  // namespace ulna::cli
