// JSON and other text on its way to standard output or a file.
#pragma once

#include "programs/interface.hpp"

namespace ulna::cli {

/// The last thing that is done: `status`, or that of a failure when not everything that was printed could be written.
int close_standard_output(int status);

/// A buffer before standard output or a file. A full disk behind standard output ends the program with a message; behind a WholeFile, keep() reports it.
class Output : public TextSink {
 public:
  explicit Output(std::FILE* file = stdout) : file_(file) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() override { flush(); }
  void write(std::string_view text) override {
    buffer_ += text;
    if (buffer_.size() > kFull) flush();
  }
  void flush() override;

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 16;
  std::FILE* file_;
  std::string buffer_;
};

/// An object on its way there: begun; json.end() ends it.
class JsonOutput : private Output, public Json {
 public:
  explicit JsonOutput(std::FILE* file = stdout) : Output(file), Json(static_cast<TextSink&>(*this)) { begin_object(); }
};

}  // namespace ulna::cli
