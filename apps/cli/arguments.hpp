// The command line, read against a table of options. Mistakes name the nearest right word.
#pragma once

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ulna::cli {

struct Option {
  std::string_view name;   // "--gravity"
  std::string_view value;  // "x,y,z"; empty for a flag
  std::string_view description;
  bool repeatable = false;
};

/// The call is wrong: a message and exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Arguments {
 public:
  /// Throws UsageError. `--name value` and `--name=value` are the same; `--` ends the options.
  static Arguments parse(std::string_view command, const std::vector<std::string>& words, const std::vector<Option>& options);

  const std::string& command() const { return command_; }
  const std::vector<std::string>& positional() const { return positional_; }
  /// The only positional argument, called `what` in the message when it is missing or not alone.
  const std::string& only(std::string_view what) const;

  bool has(std::string_view option) const;
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> values(std::string_view option) const;

  /// Throws UsageError for those of `options` that are given: they have no effect `where`, "with --list", and `cure` says what to do.
  void refuse(std::initializer_list<std::string_view> options, std::string_view where, std::string_view cure = "leave it out") const;
  /// The same for every option that is given and not among `used`.
  void refuse_all_but(std::initializer_list<std::string_view> used, std::string_view where) const;

  // Typed values; the message names the option and says what it takes.
  bool on_off(std::string_view option, bool otherwise) const;
  std::optional<double> number(std::string_view option) const;
  /// A whole number from `least` to 1000000000.
  std::size_t whole_number(std::string_view option, std::size_t otherwise, std::size_t least) const;
  /// Comma-separated; `count` of them, or any number when it is 0.
  std::optional<std::vector<double>> numbers(std::string_view option, std::size_t count) const;
  /// One of `choices`, the first when absent.
  std::string choice(std::string_view option, const std::vector<std::string>& choices) const;

 private:
  std::string command_;
  std::vector<std::string> positional_;
  std::vector<std::pair<std::string, std::string>> options_;
};

/// What stands between commas.
std::vector<std::string> split(std::string_view list);

/// "0.1, -pi/2, 3" to numbers; throws UsageError that begins with `what`. `nan` is let through only where `gaps` are allowed.
std::vector<double> parse_numbers(std::string_view text, const std::string& what, bool gaps = false);

}  // namespace ulna::cli
