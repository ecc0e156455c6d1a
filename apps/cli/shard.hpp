// Options of what is made in many rows: --runs or --rows, --shard, --format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <ulna/campaign/campaign.hpp>

#include "arguments.hpp"

namespace ulna::cli {

/// A whole number from 1 to 1e12.
std::optional<std::uint64_t> count_of(const Arguments& arguments, std::string_view option);
/// i/n; the whole where the option is missing.
campaign::Shard shard_of(const Arguments& arguments);
/// Parquet is written by `function` in Python.
campaign::Format format_of(const Arguments& arguments, campaign::Format fallback, std::string_view function);

}  // namespace ulna::cli
