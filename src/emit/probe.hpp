// Whether a folder can be written, found out before the work that fills it.
#pragma once

#include <string>

namespace ulna::internal {

/// Empty when `folder`, or the nearest one above it that is there, takes files; else why not. Makes a folder there and removes it again: permissions alone do
/// not tell, neither on a read-only disk nor to a superuser.
std::string why_no_folder(const std::string& folder);

}  // namespace ulna::internal
