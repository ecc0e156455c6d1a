// What a formulation computes on the way, as text, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>

#include "json.hpp"

namespace ulna::cli {

/// A line for each, a matrix in as many as it has rows.
std::string intermediates_text(const std::vector<Intermediate>& lines);
/// symbol,link,equation,value: the entries of a vector with blanks between them, the rows of a matrix with semicolons.
std::string intermediates_csv(const std::vector<Intermediate>& lines);
/// The key `intermediates` of an object that the caller began.
void write_intermediates(Json& json, const std::vector<Intermediate>& lines);
/// One of them without what it is called: `value` is a number, a list or a list of rows.
void write_entries(Json& json, const Intermediate& shape, const std::vector<double>& value);

/// "(3.15)"; "(section 5)"; nothing for a result.
std::string in_brackets(const std::string& equation);

}  // namespace ulna::cli
