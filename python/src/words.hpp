// Messages of the library in Python's words.
#pragma once

#include <string>
#include <string_view>

namespace ulna::python {

/// Options of the command line become arguments: "--loops ignore" is "loops='ignore'"; names of C++ in brackets behind them go.
std::string python_words(std::string_view message);

}  // namespace ulna::python
