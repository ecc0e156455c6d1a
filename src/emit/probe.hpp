// Whether a folder is writable, checked before the work that fills it.
#pragma once

#include <string>

namespace ulna::internal {

/// Empty when `folder`, or its nearest existing parent, is writable; else why not. Makes a folder there and removes it again: permissions alone do
/// not suffice, neither on a read-only disk nor to a superuser.
std::string why_no_folder(const std::string& folder);

}  // namespace ulna::internal
