// Logs that commands are given, and what is odd about them.
#pragma once

#include "arguments.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

/// Problems go to standard error; the program ends with status 2 when there are errors.
std::vector<Log> read_logs(const std::vector<std::string>& paths, const Model& model, const LogOptions& options);

/// The first of them, to standard error.
void tell(const std::vector<Diagnostic>& problems);
/// All of them, likewise.
void tell(const std::vector<Finding>& findings);

/// "12.34 %", or "-" for what is no number.
std::string percent(double part);

}  // namespace ulna::cli
