// The report of `ulna bench` as text, as JSON and as a drawing.
#pragma once

#include <string>

#include "cli/json.hpp"
#include "run.hpp"

namespace ulna::cli {

std::string bench_text(const BenchReport& report);
void write_bench(Json& json, Output& out, const BenchReport& report, const BenchOptions& options);
/// An SVG file: one row of panels a robot, one panel a task, one bar a library; times on a logarithmic axis.
std::string bench_chart(const BenchReport& report);

}  // namespace ulna::cli
