// Text from a file inside a message: one line, and nothing that a terminal obeys.
#pragma once

#include <string>
#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal {

/// Control characters as \xNN.
std::string visible(std::string_view text);

/// 'name', made visible and cut where it is over-long.
std::string in_quotes(std::string_view name);

/// Line ends and tabs, too: names have none.
bool has_control_character(std::string_view text);

}  // namespace ulna::internal
