// What all commands that compute share: load, plan, run over the states, print as text, CSV or JSON.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/formulation/on_model.hpp>
#include <ulna/ulna.hpp>

#include "features.hpp"
#include "states.hpp"

namespace ulna::cli {

/// Everything one evaluation needs, made once.
struct Setup {
  Robot robot;
  Plan plan;
  Workspace workspace;
  Effects effects;
  std::vector<Wrench> wrenches;    // effects.wrenches views this
  std::vector<std::string> names;  // of the coordinates
};

/// One entry of the JSON object: `count` numbers of a result from `first` on, in nested lists of the given shape. {} is a number, {n} a list,
/// {n, m} a list of rows.
struct Field {
  std::string key;
  std::size_t first = 0;
  std::vector<std::size_t> shape;
};

/// A command's result for one state: a row of numbers, and how to show it.
struct Result {
  std::vector<std::string> headers;  // one per number, for CSV
  std::vector<Field> fields;
  std::function<void(const State&, double*)> compute;
  std::function<std::string(const double*)> text;                            // for people; one state
  std::vector<std::pair<std::string, std::vector<std::string>>> lists = {};  // further JSON entries: names
  std::vector<std::pair<std::string, std::string>> labels = {};              // and single words
};

struct Computation {
  StateParts parts;  // of the state that it reads
  Relevance relevance;
  bool wrench = false;  // takes --wrench
  bool base = false;    // takes --base-velocity and --base-acceleration
  Result (*prepare)(Setup&, const Arguments&);
  std::optional<Quantity> quantity = {};  // takes --formulation for this quantity
};

std::vector<Option> evaluation_options(const Computation& computation);
int evaluate(const Arguments& arguments, const Computation& computation);

/// N m for a turning, N for a sliding coordinate; likewise with other endings.
std::string effort_unit(const Setup& setup, std::size_t coordinate);
std::string acceleration_unit(const Setup& setup, std::size_t coordinate);

/// The result of a command that yields one number per coordinate.
Result per_coordinate(const Setup& setup, const std::string& key, const std::string& prefix, std::string (*unit)(const Setup&, std::size_t),
                      std::function<void(const State&, double*)> compute);

/// The formulation that --formulation names, ready to run; null when none is named.
std::shared_ptr<FormulationOnModel> chosen_formulation(const Setup& setup, const Arguments& arguments, Quantity quantity);

/// The link that --link names, or all of them.
std::vector<int> chosen_links(const Setup& setup, const Arguments& arguments);

}  // namespace ulna::cli
