// The options that say which model is computed and what acts on it; shared by all commands that compute.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/formulation/speeds.hpp>
#include <ulna/ulna.hpp>

#include "command.hpp"

namespace ulna::cli {

/// --lock, --mimic, --loops, --independent, --gravity, --base, --unchecked, --xacro-arg, --package, --package-path, --limit
std::vector<Option> model_options();
/// --limit NAME=N: limits on files.
Option limit_option();
/// Throws UsageError for a name that there is not, or a value that is no whole number.
ReadLimits limits_of(const Arguments& arguments);
/// --snap
Option snap_option();
/// Its value, or the default of plans.
double snap_of(const Arguments& arguments);
/// --json and --csv
std::vector<Option> format_options();
std::vector<Option> operator+(std::vector<Option> a, const std::vector<Option>& b);

LoadOptions load_options(const Arguments& arguments);
/// --loops and --independent alone.
void read_loop_options(const Arguments& arguments, LoadOptions& options);

/// The same options for one of two models: --a-lock, --b-lock, …
std::vector<Option> side_options();
/// `side` is 'a' or 'b': options of both, and of this one.
LoadOptions load_options(const Arguments& arguments, char side);

/// A model ready to compute with, and messages about it.
struct Robot {
  Model model;
  std::vector<Diagnostic> diagnostics;  // all of loading it
  std::vector<Diagnostic> overridden;   // physical errors passed by --unchecked
  std::vector<Lock> locks;
  std::vector<std::string> mimics;  // joints of the file that mimic others
  bool mimics_honoured = true;
  bool maybe_free = false;  // the base is taken as fixed, and nobody has said so
};

/// --speeds: a choice of generalized speeds, for formulations that take them.
Option speeds_option();
/// Null where none is chosen. Throws UsageError without --formulation or with one that takes none.
std::shared_ptr<const Speeds> speeds_of(const Arguments& arguments, const Model& model);
/// Of one choice, by name, file or text; throws UsageError.
std::shared_ptr<const Speeds> speeds_named(const std::string& choice, const Model& model);

/// A row of the registry; throws UsageError with the nearest id.
const Formulation& formulation_named(const std::string& id);

/// The model's problems went to standard error; the program ends with status 2.
struct ModelRefused {};

/// Loads the MODEL argument. Warnings go to standard error; errors do, too, and then ModelRefused is thrown.
Robot load_robot(const Arguments& arguments, bool rotor);
/// The same for one of several.
Robot load_robot(const Arguments& arguments, const std::string& source, bool rotor);
/// The same by options that arguments do not have.
Robot load_robot(const std::string& source, const LoadOptions& options);

/// "2 loops, 8 equations of which 1 is redundant, 3 degrees of freedom; …"
std::string loops_in_words(const Model& model);
std::string how_closed(const Model& model);                    // "closed form", or "Newton's method"
std::vector<std::string> dependent_names(const Model& model);  // of joints whose speeds follow from the others
std::size_t redundant_conditions(const Model& model);          // of all loops: those that follow from the others

}  // namespace ulna::cli
