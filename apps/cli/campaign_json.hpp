// Reports as JSON: what the command line prints and Python returns.
#pragma once

#include "programs/interface.hpp"

namespace ulna::cli {

/// What makes one of the campaign's runs again, up to the run's number. A file that is read again by its own name finds the files that it names.
std::string alone_command(const std::string& file, const std::optional<std::string>& runs);
void write_json(ulna::internal::Json& json, const campaign::Report& report, const std::string& folder, const std::string& command);
void write_json(ulna::internal::Json& json, const campaign::Estimate& estimate);

}  // namespace ulna::cli
