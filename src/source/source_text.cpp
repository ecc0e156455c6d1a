#include "source/source_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "text/message.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

std::string hex(char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

/// Closes itself.
class File {
 public:
  // Without O_NONBLOCK the call would wait for somebody to open the other end of a pipe.
  explicit File(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::string size_text(std::size_t bytes) { return bytes % (std::size_t{1} << 20) == 0 ? cat(bytes >> 20, " MiB") : cat(bytes, " bytes"); }

}  // namespace

LineIndex::LineIndex(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) newlines_.push_back(at);
}

int LineIndex::line(std::size_t offset) const { return 1 + static_cast<int>(std::lower_bound(newlines_.begin(), newlines_.end(), offset) - newlines_.begin()); }

std::string_view without_mark(std::string_view text) { return text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text; }

bool check_text(std::string_view text, Diagnostics& diagnostics, std::string_view cure) {
  const std::string_view start = text.substr(0, 2);
  if (start == "\xff\xfe" || start == "\xfe\xff") {
    diagnostics.error(1, "file", "it is stored as UTF-16", "save it as UTF-8");
    return false;
  }
  if (without_mark(text).find_first_not_of(" \t\r\n") == std::string_view::npos) {
    diagnostics.error(0, "file", "it is empty", std::string(cure));
    return false;
  }
  const auto line_at = [text](std::size_t offset) {
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  const auto control = std::find_if(text.begin(), text.end(), is_control);
  if (control != text.end()) {
    const auto count = std::count_if(control, text.end(), is_control);
    diagnostics.error(line_at(static_cast<std::size_t>(control - text.begin())), "file",
                      cat("control character ", hex(*control), count > 1 ? cat(" and ", count - 1, " more") : "", ": this is no text file"),
                      "give a text file, or remove the character");
    return false;
  }
  const std::size_t stray = first_not_utf8(text);
  if (stray < text.size()) diagnostics.warning(line_at(stray), "file", cat("byte ", hex(text[stray]), " is not UTF-8"), "save the file as UTF-8");
  return true;
}

bool too_many_problems(int line, Diagnostics& diagnostics) {
  const std::vector<Diagnostic>& all = diagnostics.all();
  if (all.size() < kMostProblems) return false;
  constexpr std::string_view kCure = "correct the problems above first";
  const auto said = [kCure](const Diagnostic& d) { return d.cure == kCure; };  // several loops may ask while they are left
  if (std::none_of(all.begin() + static_cast<std::ptrdiff_t>(kMostProblems), all.end(), said))
    diagnostics.error(line, "file", cat("more than ", kMostProblems - 1, " problems: the rest of the file was not read"), std::string(kCure));
  return true;
}

FileStamp stamp_of(int file) {
  struct stat info {};
  if (fstat(file, &info) != 0) return {-1, 0};
#ifdef __APPLE__
  const timespec& time = info.st_mtimespec;
#else
  const timespec& time = info.st_mtim;
#endif
  return {static_cast<long long>(info.st_size), static_cast<long long>(time.tv_sec) * 1'000'000'000 + time.tv_nsec};
}

std::optional<std::string> read_whole(const std::string& path, std::size_t ReadLimits::*most, const ReadLimits& limits, Diagnostics& diagnostics,
                                      const std::function<void()>& after_first) {
  const auto refuse = [&](std::string problem, std::string cure) {
    diagnostics.error(0, "file", std::move(problem), std::move(cure));
    return std::nullopt;
  };
  const File file(path);
  struct stat info {};
  if (file.number() < 0 || fstat(file.number(), &info) != 0)
    return refuse(cat("it cannot be opened (", std::strerror(errno), ")"), "check the path, and that you may read it");
  if (S_ISDIR(info.st_mode)) return refuse("this is a folder", "give a file in it");
  const bool pipe = S_ISFIFO(info.st_mode);
  if (!pipe && !S_ISREG(info.st_mode)) return refuse("this is a device, neither a file nor a pipe", "give a file");

  const FileStamp before = stamp_of(file.number());
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (true) {
    if (pipe) {
      pollfd wait{file.number(), POLLIN, 0};
      const int ready = poll(&wait, 1, static_cast<int>(std::min<std::size_t>(limits.pipe_seconds, INT_MAX / 1000) * 1000));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return refuse(cat("nothing came through this pipe for ", limits.pipe_seconds, " s"), how_to_raise(&ReadLimits::pipe_seconds));
    }
    const ssize_t got = read(file.number(), piece.data(), piece.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return refuse(cat("it could not be read to its end (", std::strerror(errno), ")"), "check the disk or the connection");
    if (got == 0) break;
    if (text.empty() && after_first) after_first();
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > limits.*most) return refuse(cat("it is larger than ", size_text(limits.*most)), how_to_raise(most));
  }
  if (!pipe && stamp_of(file.number()) != before) return refuse("it changed while it was read", "call again when nobody writes it");
  return text;
}

}  // namespace ulna::internal
