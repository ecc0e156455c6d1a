#include "states.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "limits.hpp"
#include "model/text.hpp"
#include "source/number.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;
constexpr std::size_t kMostProblems = 20;

struct Part {
  const char* name;
  const char* option;
  std::vector<double> State::*member;
  const char* what;
};

constexpr Part kParts[] = {
    {"q", "--q", &State::q, "joint positions, rad or m"},
    {"v", "--v", &State::v, "joint velocities, rad/s or m/s"},
    {"a", "--a", &State::a, "joint accelerations, rad/s² or m/s²"},
    {"tau", "--tau", &State::tau, "joint torques or forces, N m or N"},
};

/// The cells of one CSV line (RFC 4180: quotes around a cell, doubled inside). False when a quote is not closed.
bool split(const std::string& line, std::vector<std::string>& cells) {
  cells.clear();
  std::size_t i = 0;
  while (true) {
    std::string cell;
    if (i < line.size() && line[i] == '"') {
      ++i;
      while (true) {
        if (i >= line.size()) return false;
        if (line[i] == '"') {
          if (i + 1 < line.size() && line[i + 1] == '"') {
            cell += '"';
            i += 2;
            continue;
          }
          ++i;
          break;
        }
        cell += line[i++];
      }
    }
    while (i < line.size() && line[i] != ',') cell += line[i++];
    cells.push_back(std::move(cell));
    if (i >= line.size()) return true;
    ++i;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<Option> state_options(const StateParts& parts) {
  std::vector<Option> options;
  for (const Part& part : kParts)
    if (std::find(parts.begin(), parts.end(), part.name) != parts.end()) options.push_back({part.option, "x1,x2,…", part.what});
  options.push_back({"--states", "FILE", "one state a row from a CSV file with headers q.NAME, v.NAME, …; - is standard input"});
  return options;
}

States::States(const Arguments& arguments, const Model& model, const StateParts& parts) {
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  empty_ = {std::vector<double>(nq), std::vector<double>(nv), std::vector<double>(nv), std::vector<double>(nv)};
  const std::optional<std::string> path = arguments.value("--states");
  inline_ = empty_;
  for (const Part& part : kParts) {
    const std::optional<std::string> text = arguments.value(part.option);
    if (!text) continue;
    if (path) throw UsageError(cat("options ", part.option, " and --states exclude each other: give one state, or a file of them"));
    const std::vector<double> values = parse_numbers(*text, cat("option ", part.option), true);
    std::vector<double>& target = inline_.*part.member;
    if (values.size() != target.size()) {
      std::string names;
      for (const std::string& name : model.coordinate_names()) names += cat(names.empty() ? "" : ", ", name);
      throw UsageError(cat("option ", part.option, " has ", values.size(), " entries, but robot ", in_quotes(model.name()), " has ",
                           part.member == &State::q ? "nq" : "nv", " = ", target.size(), ": ", names));
    }
    target = values;
  }
  if (!path) return;
  limits_ = limits_of(arguments);
  open(*path);
  read_header(model, parts);
  check_all();
  progress_ = isatty(STDERR_FILENO) != 0;
  rewind();
}

void States::open(const std::string& path) {
  buffer_.resize(kBuffer);
  name_ = path == "-" ? "standard input" : path;
  int input = STDIN_FILENO;
  if (path != "-") {
    input = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);  // or it would wait for the other end of a pipe
    struct stat info {};
    if (input < 0 || fstat(input, &info) != 0) refuse(std::strerror(errno), "check the path of the file of states");
    file_.reset(fdopen(input, "rb"));
    if (S_ISDIR(info.st_mode)) refuse("this is a directory", "name a CSV file");
    if (S_ISREG(info.st_mode)) {
      stamp_ = stamp_of(fileno(file_.get()));
      return;
    }
    if (!S_ISFIFO(info.st_mode)) refuse("this is a device, neither a file nor a pipe", "name a CSV file");
  }
  copy_pipe(input, path != "-");
}

/// A pipe can be read once: keeps a copy that vanishes with the program and that nobody else can open.
void States::copy_pipe(int input, bool patient) {
  File copy(std::tmpfile());
  if (copy == nullptr) refuse(cat("cannot copy the states to a temporary file: ", std::strerror(errno)), "free some disk space, or pass a file");
  std::size_t bytes = 0;
  while (true) {
    pollfd wait{input, POLLIN, 0};
    const int seconds = static_cast<int>(std::min<std::size_t>(limits_.pipe_seconds, 1'000'000));
    if (patient && poll(&wait, 1, seconds * 1000) == 0)
      refuse(cat("nothing came through this pipe for ", seconds, " s"), how_to_raise(&ReadLimits::pipe_seconds));
    const ssize_t got = read(input, buffer_.data(), buffer_.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) refuse(std::strerror(errno), "check where the states come from");
    if (got == 0) break;
    bytes += static_cast<std::size_t>(got);
    if (bytes > limits_.pipe_bytes) refuse(cat("more than ", limits_.pipe_bytes, " bytes came through the pipe"), how_to_raise(&ReadLimits::pipe_bytes));
    if (std::fwrite(buffer_.data(), 1, static_cast<std::size_t>(got), copy.get()) != static_cast<std::size_t>(got))
      refuse(cat("cannot copy the states to a temporary file: ", std::strerror(errno)), "free some disk space, or pass a file");
  }
  file_ = std::move(copy);
  std::rewind(file_.get());
  stamp_ = stamp_of(fileno(file_.get()));
}

/// What was checked must be what is computed on.
void States::refuse_change() {
  if (stamp_of(fileno(file_.get())) == stamp_) return;
  refuse("the file changed while it was read; results so far are of what it was", "call again when nobody writes it");
}

void States::refuse(const std::string& what, const std::string& cure) {
  problem(0, "", what, cure);
  throw StatesRefused{};
}

void States::problem(std::size_t line, const std::string& element, const std::string& what, const std::string& cure) {
  if (++problems_ > kMostProblems) return;
  const Diagnostic d{Severity::error, Kind::structural, name_, static_cast<int>(line), element, what, cure, false};
  std::fprintf(stderr, "%s\n", to_string(d).c_str());
}

bool States::read_line() {
  line_.clear();
  bool any = false;
  while (true) {
    if (at_ == filled_) {
      filled_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
      at_ = 0;
      if (filled_ == 0) break;
    }
    any = true;
    const char* begin = buffer_.data() + at_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', filled_ - at_));
    const std::size_t length = end == nullptr ? filled_ - at_ : static_cast<std::size_t>(end - begin);
    line_.append(begin, length);
    at_ += length + (end == nullptr ? 0 : 1);
    if (line_.size() > limits_.line_bytes) {
      problem(line_number_ + 1, "", cat("this line is longer than ", limits_.line_bytes, " bytes"),
              cat("is this a CSV file with one state a row? If so, ", how_to_raise(&ReadLimits::line_bytes)));
      throw StatesRefused{};
    }
    if (end != nullptr) break;
  }
  if (!any) return false;
  ++line_number_;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return true;
}

void States::read_header(const Model& model, const StateParts& parts) {
  const auto refuse = [&](const std::string& element, const std::string& what, const std::string& cure) { problem(line_number_, element, what, cure); };
  const std::vector<std::string> names = model.coordinate_names();
  std::vector<std::string> known;
  for (const Part& part : kParts)
    for (const std::string& name : names) known.push_back(cat(part.name, ".", name));
  if (!read_line()) {
    problem(1, "", "the file is empty", "begin it with a header such as q.NAME,v.NAME");
    throw StatesRefused{};
  }
  if (line_.starts_with("\xef\xbb\xbf")) line_.erase(0, 3);
  std::vector<std::string> cells;
  if (!split(line_, cells)) refuse("header", "a quotation mark is not closed", "close it, or double it inside a name");
  bool useful = false;
  std::vector<std::string> seen;
  for (const std::string& cell : cells) {
    const std::string header(trimmed(cell));
    const auto found = std::find(known.begin(), known.end(), header);
    if (std::find(seen.begin(), seen.end(), header) != seen.end()) refuse(cat("column ", in_quotes(header)), "this column stands twice", "remove one");
    seen.push_back(header);
    if (header == "t") {  // time, as simulations write it
      columns_.push_back({header, nullptr, 0});
    } else if (found == known.end()) {
      refuse(cat("column ", in_quotes(header)), "no coordinate of this robot has that name",
             cat("headers are q.NAME, v.NAME, a.NAME, tau.NAME with the joints of 'ulna info'", did_you_mean(header, known)));
    } else {
      const auto k = static_cast<std::size_t>(found - known.begin());
      const Part& part = kParts[k / names.size()];
      const bool used = std::find(parts.begin(), parts.end(), part.name) != parts.end();
      useful = useful || used;
      columns_.push_back({header, used ? part.member : nullptr, k % names.size()});
    }
  }
  if (problems_ == 0 && !useful) {
    std::string wanted;
    for (const std::string& part : parts) wanted += cat(wanted.empty() ? "" : ", ", part, ".NAME");
    refuse("header", "no column says anything this command uses", cat("it reads ", wanted));
  }
  if (problems_ > 0) throw StatesRefused{};
}

bool States::parse_row(State& state) {
  // The common case, plain numbers between commas, without a copy of each cell.
  const char* at = line_.data();
  const char* const end = at + line_.size();
  std::size_t count = 0;
  const std::size_t before = problems_;
  while (true) {
    const char* comma = nullptr;
    std::string_view cell;
    if (at < end && *at == '"') {
      const char* close = static_cast<const char*>(std::memchr(at + 1, '"', static_cast<std::size_t>(end - at - 1)));
      if (close == nullptr) {
        problem(line_number_, "", "a quotation mark is not closed", "close it");
        return false;
      }
      cell = {at + 1, static_cast<std::size_t>(close - at - 1)};
      comma = static_cast<const char*>(std::memchr(close, ',', static_cast<std::size_t>(end - close)));
    } else {
      comma = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
      cell = {at, static_cast<std::size_t>((comma == nullptr ? end : comma) - at)};
    }
    cell = trimmed(cell);
    if (count < columns_.size()) {
      const Column& column = columns_[count];
      double value = 0;
      const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
      const bool plain = result.ec == std::errc{} && result.ptr == cell.data() + cell.size() && !cell.empty();
      if (!plain || !std::isfinite(value)) {
        NumberProblem why;
        const std::optional<double> number = cell == "nan" ? std::numeric_limits<double>::quiet_NaN() : parse_number(cell, why);
        if (!number)
          problem(line_number_, cat("column ", in_quotes(column.header)), cell.empty() ? "the cell is empty" : why.problem,
                  cell.empty() ? "write a number, or nan for a gap" : why.cure);
        else
          value = *number;
      }
      if (column.part != nullptr) (state.*column.part)[column.index] = value;
    }
    ++count;
    if (comma == nullptr) break;
    at = comma + 1;
  }
  if (count != columns_.size())
    problem(line_number_, "", cat("this row has ", count, count == 1 ? " cell" : " cells", ", but the header has ", columns_.size()),
            "give every row a cell for each column");
  return problems_ == before;
}

void States::check_all() {
  State scratch = empty_;
  while (read_line()) {
    if (trimmed(line_).empty()) continue;
    parse_row(scratch);
    ++total_rows_;
    if (problems_ > kMostProblems) break;
  }
  if (problems_ > kMostProblems) std::fprintf(stderr, "ulna: more than %zu problems; the rest of '%s' was not read\n", kMostProblems, name_.c_str());
  if (std::ferror(file_.get()) != 0) problem(line_number_, "", "the file cannot be read further", "check the disk");
  if (problems_ > 0) throw StatesRefused{};
}

void States::rewind() {
  rows_ = 0;
  inline_given_ = false;
  if (file_ == nullptr) return;
  refuse_change();
  std::rewind(file_.get());
  at_ = filled_ = 0;
  line_number_ = 0;
  read_line();  // the header
}

bool States::next(State& state) {
  if (file_ == nullptr) {
    if (inline_given_) return false;
    inline_given_ = true;
    state = inline_;
    return true;
  }
  do {
    if (!read_line()) {
      show_progress(true);
      refuse_change();
      return false;
    }
  } while (trimmed(line_).empty());
  state.q = empty_.q;
  state.v = empty_.v;
  state.a = empty_.a;
  state.tau = empty_.tau;
  if (!parse_row(state)) throw StatesRefused{};  // the file was changed after it was checked
  ++rows_;
  if (rows_ % 4096 == 0) show_progress(false);
  return true;
}

void States::show_progress(bool done) {
  if (!progress_) return;
  using Clock = std::chrono::steady_clock;
  const long long now = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
  constexpr long long kEvery = 200;  // ms
  if (last_shown_ == 0) last_shown_ = now;
  if (done) {
    if (rows_ >= 4096) std::fprintf(stderr, "\r\033[K");
    return;
  }
  if (now - last_shown_ < kEvery) return;
  last_shown_ = now;
  std::fprintf(stderr, "\r%zu of %zu states (%.0f %%)\033[K", rows_, total_rows_, 100.0 * static_cast<double>(rows_) / static_cast<double>(total_rows_));
}

}  // namespace ulna::cli
