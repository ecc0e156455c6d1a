// JSON and other text on its way to standard output or a file.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "draw/json.hpp"

namespace ulna::cli {

using draw::Json;

/// A buffer before standard output or a file that notices a full disk.
class Output : public draw::TextSink {
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

}  // namespace ulna::cli
