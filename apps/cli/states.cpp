#include "states.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "in_order.hpp"
#include "model_options.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;
constexpr std::size_t kMostPiece = std::size_t{1} << 17, kLeastPiece = std::size_t{1} << 12;
constexpr std::size_t kMostProblems = 20;

/// Pieces are large enough that handing them out costs nothing, and so small that their numbers and results, with their text, stay within some megabytes.
std::size_t bytes_of_a_piece(std::size_t columns, std::size_t numbers, std::size_t results) {
  constexpr std::size_t kMemory = std::size_t{4} << 20, kTextOfANumber = 26, kShortestCell = 2;
  const std::size_t states = kMemory / (sizeof(double) * (numbers + results) + kTextOfANumber * results);
  return std::clamp(states * columns * kShortestCell, kLeastPiece, kMostPiece);
}

std::string line_cure() { return cat("is this a CSV file with one state a row? If so, ", how_to_raise(&ReadLimits::line_bytes)); }

}  // namespace

std::vector<Option> state_options(const StateParts& parts) {
  std::vector<Option> options;
  for (const StatePart& part : state_parts())
    if (std::find(parts.begin(), parts.end(), part.name) != parts.end()) options.push_back({part.option, "x1,x2,…", part.what});
  options.push_back({"--states", "FILE", "read one state per row from a CSV file with headers q.NAME, v.NAME, …; - is standard input"});
  const std::vector<Option> base = base_state_options(parts);
  options.insert(options.end(), base.begin(), base.end());
  return options;
}

States::States(const Arguments& arguments, const Model& model, const Needs& needs) : base_(arguments, model) {
  empty_.nq = model.nq();
  empty_.nv = model.nv();
  empty_.count = 1;
  for (const StatePart& part : state_parts())
    if (std::find(needs.parts.begin(), needs.parts.end(), part.name) != needs.parts.end()) (empty_.*part.member).resize(empty_.size(part.member));
  if (!empty_.q.empty()) empty_.q = neutral(model);
  if (needs.dependents != nullptr && !empty_.q.empty())
    for (const std::size_t k : needs.dependents->dependent) empty_.q[k + empty_.nq - empty_.nv] = needs.dependents->reference[k + empty_.nq - empty_.nv];
  const std::optional<std::string> path = arguments.value("--states");
  inline_ = empty_;
  for (const StatePart& part : state_parts()) {
    const std::optional<std::string> text = arguments.value(part.option);
    if (!text) continue;
    if (path) throw UsageError(cat("options ", part.option, " and --states exclude each other: give one state, or a file of them"));
    const std::vector<double> values = parse_numbers(*text, cat("option ", part.option), true);
    std::vector<double>& target = inline_.*part.member;
    const std::size_t joints = model.coordinate_names().size();
    if (part.member == &StateBlock::tau && values.size() == joints &&
        (needs.dependents == nullptr || values.size() != needs.dependents->independent.size())) {  // no drive acts on the base
      std::copy(values.begin(), values.end(), target.end() - static_cast<std::ptrdiff_t>(joints));
      continue;
    }
    if (needs.dependents != nullptr && values.size() != target.size()) {
      std::vector<std::size_t> few = part.member == &StateBlock::q ? needs.dependents->positions : needs.dependents->independent;
      if (part.member == &StateBlock::tau && values.size() + base_nv(model.base()) == few.size())
        few.erase(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(base_nv(model.base())));
      if (values.size() == few.size()) {
        for (std::size_t k = 0; k < values.size(); ++k) target[few[k]] = values[k];
        continue;
      }
    }
    if (needs.dependents != nullptr && part.member == &StateBlock::q) needs.dependents->given = true;
    if (values.size() != target.size() && needs.dependents != nullptr) {
      std::vector<std::string> names;
      for (const std::size_t k : needs.dependents->independent) names.push_back((model.*part.names)()[k]);
      throw UsageError(cat("option ", part.option, " has ", values.size(), " entries, but robot ", in_quotes(model.name()), " has ", names.size(),
                           " independent joints: ", joined(names), " (or one number for each of its ", target.size(), " joints)"));
    }
    if (values.size() != target.size())
      throw UsageError(cat("option ", part.option, " has ", values.size(), " entries, but robot ", in_quotes(model.name()), " has ",
                           part.member == &StateBlock::q ? "nq" : "nv", " = ", target.size(), ": ", joined((model.*part.names)())));
    target = values;
  }
  if (!path) {
    before_.push_back(1);
    if (const std::optional<StateProblem> bad = base_.translate(inline_.at(0), true)) throw UsageError(cat("option --q: ", bad->what, "; ", bad->cure));
    base_.tell();
    const StateCheck check = needs.make_check ? needs.make_check() : StateCheck{};
    if (!check) return;
    if (const std::optional<StateProblem> own = check(inline_.at(0))) throw UsageError(cat(own->what, "; ", own->cure));
    return;
  }
  limits_ = limits_of(arguments);
  open(*path);
  read_header(model, needs.parts);
  if (needs.dependents != nullptr)
    for (const StateColumn& column : columns_)
      if (column.part == &StateBlock::q &&
          std::find(needs.dependents->positions.begin(), needs.dependents->positions.end(), column.index) == needs.dependents->positions.end())
        needs.dependents->given = true;
  piece_bytes_ = bytes_of_a_piece(columns_.size(), needs.parts.size() * empty_.nq, needs.results);
  check_all(needs.make_check);
}

States::~States() {
  if (file_ >= 0) close(file_);
}

void States::open(const std::string& path) {
  name_ = path == "-" ? "standard input" : path;
  if (path == "-") return copy_pipe(STDIN_FILENO, false);
  file_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);  // or it would wait for the other end of a pipe
  struct stat info {};
  if (file_ < 0 || fstat(file_, &info) != 0) refuse(std::strerror(errno), "check the path of the file of states");
  if (S_ISDIR(info.st_mode)) refuse("this is a directory", "name a CSV file");
  if (S_ISREG(info.st_mode)) {
    stamp_ = stamp_of(file_);
    return;
  }
  if (!S_ISFIFO(info.st_mode)) refuse("this is a device, neither a file nor a pipe", "name a CSV file");
  const int pipe = file_;
  copy_pipe(pipe, true);
  close(pipe);
}

/// A pipe can be read once: keeps a copy that vanishes with the program and that nobody else can open.
void States::copy_pipe(int input, bool patient) {
  const auto no_copy = [&] { refuse(cat("cannot copy the states to a temporary file: ", std::strerror(errno)), "free some disk space, or pass a file"); };
  std::FILE* copy = std::tmpfile();
  if (copy == nullptr) no_copy();
  const int kept = dup(fileno(copy));
  std::fclose(copy);
  if (kept < 0) no_copy();
  std::vector<char> buffer(kBuffer);
  std::size_t bytes = 0;
  while (true) {
    pollfd wait{input, POLLIN, 0};
    const int seconds = static_cast<int>(std::min<std::size_t>(limits_.pipe_seconds, 1'000'000));
    if (patient && poll(&wait, 1, seconds * 1000) == 0)
      refuse(cat("nothing came through this pipe for ", seconds, " s"), how_to_raise(&ReadLimits::pipe_seconds));
    const ssize_t got = read(input, buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) refuse(std::strerror(errno), "check where the states come from");
    if (got == 0) break;
    bytes += static_cast<std::size_t>(got);
    if (bytes > limits_.pipe_bytes) refuse(cat("more than ", limits_.pipe_bytes, " bytes came through the pipe"), how_to_raise(&ReadLimits::pipe_bytes));
    for (ssize_t done = 0; done < got;) {
      const ssize_t wrote = write(kept, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) no_copy();
      done += wrote;
    }
  }
  file_ = kept;
  stamp_ = stamp_of(file_);
}

/// What was checked must be what is computed on.
void States::refuse_change() const {
  if (single() || stamp_of(file_) == stamp_) return;
  refuse("the file changed while it was read; results so far are of its old content", "call again when nobody writes it");
}

void States::refuse(const std::string& what, const std::string& cure) const { throw StatesRefused{message({0, "", what, cure}, 0)}; }

std::string States::message(const StateProblem& problem, std::size_t line) const {
  const Diagnostic d{Severity::error, Kind::structural, name_, static_cast<int>(line), problem.element, problem.what, problem.cure, false};
  return cat(to_string(d), "\n");
}

void States::print(const StateProblem& problem, std::size_t line) const { std::fputs(message(problem, line).c_str(), stderr); }

/// Fewer bytes than requested at the end of the file only.
std::size_t States::read_at(std::size_t offset, char* to, std::size_t most) const {
  std::size_t got = 0;
  while (got < most) {
    const ssize_t n = pread(file_, to + got, most - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse("the file cannot be read further", "check the disk");
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

/// The lines that begin in a piece, whole; of the last one no more than shows that it is too long.
std::string_view States::lines(std::size_t piece, std::string& buffer) const {
  const std::size_t from = begin_ + piece * piece_bytes_, to = std::min(from + piece_bytes_, end_);
  // The byte before decides whether a line begins here.
  const std::size_t first = piece == 0 ? from : from - 1;
  buffer.resize(to - first);
  buffer.resize(read_at(first, buffer.data(), buffer.size()));
  std::size_t start = 0;
  if (piece > 0) {
    const std::size_t newline = buffer.find('\n');
    if (newline == std::string::npos || newline + 1 == buffer.size()) return {};
    start = newline + 1;
  }
  while (!buffer.empty() && buffer.back() != '\n' && first + buffer.size() < end_) {
    const std::size_t last = buffer.rfind('\n');  // before the line that is not whole
    if (buffer.size() - (last == std::string::npos ? start : last + 1) > limits_.line_bytes) break;
    const std::size_t had = buffer.size(), more = std::min(kLeastPiece + had, end_ - first - had);
    buffer.resize(had + more);
    buffer.resize(had + read_at(first + had, buffer.data() + had, more));
    if (buffer.size() == had) break;
    if (const std::size_t newline = buffer.find('\n', had); newline != std::string::npos) buffer.resize(newline + 1);
  }
  return std::string_view(buffer).substr(start);
}

void States::read_header(const Model& model, const StateParts& parts) {
  end_ = static_cast<std::size_t>(stamp_.size);
  piece_bytes_ = kLeastPiece;
  std::string buffer;
  std::string_view text;
  while (is_blank(text) && begin_ < end_) {
    std::string_view rest = lines(0, buffer);
    if (rest.empty()) break;
    while (is_blank(text) && !rest.empty()) {
      const std::size_t length = std::min(rest.find('\n'), rest.size() - 1) + 1;
      text = rest.substr(0, length);
      rest.remove_prefix(length);
      if (text.ends_with('\n')) text.remove_suffix(1);
      if (begin_ == 0 && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
      begin_ += length;
      ++header_line_;
    }
  }
  StateProblems problems;
  if (is_blank(text)) problems.push_back({0, "", "the file is empty", "begin it with a header such as q.NAME,v.NAME"});
  if (text.size() > limits_.line_bytes) problems.push_back({0, "", cat("this line is longer than ", limits_.line_bytes, " bytes"), line_cure()});
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (problems.empty()) columns_ = read_state_header(text, model, parts, problems);
  for (std::size_t k = 0; k < std::min(problems.size(), kMostProblems); ++k) print(problems[k], std::max<std::size_t>(header_line_, 1));
  if (!problems.empty()) throw StatesRefused{};
}

States::Reader::Reader(const States& states)
    : states_(states),
      rows_(states.columns_, states.empty_, states.limits_.line_bytes, line_cure(),
            states.base_.turns() ? StateCheck([&states](const StateView& state) { return states.base_.translate(state, false); }) : StateCheck{}) {}

const StateBlock& States::Reader::read(std::size_t piece) {
  if (states_.single()) return states_.inline_;
  rows_.read(states_.lines(piece, buffer_), 0, {});
  if (!rows_.problems().empty() || rows_.states() != states_.before(piece + 1) - states_.before(piece)) {
    states_.refuse_change();
    states_.refuse("the file changed after it was checked", "call again when nobody writes it");
  }
  return rows_.block();
}

void States::check_all(const std::function<StateCheck()>& make_check) {
  std::size_t line = header_line_ + 1, problems = 0;
  before_.reserve(pieces() + 1);
  struct Checker {
    States& states;
    Reader reader;
    StateCheck own;
    std::size_t &line, &problems;

    void work(std::size_t piece) { reader.rows_.check(states.lines(piece, reader.buffer_), kMostProblems, own); }
    bool take(std::size_t) {
      const StateRows& rows = reader.rows_;
      for (const StateProblem& problem : rows.problems())
        if (++problems <= kMostProblems) states.print(problem, line + problem.line);
      line += rows.lines();
      states.before_.push_back(states.count() + rows.states());
      return problems <= kMostProblems && !rows.too_long();
    }
  };
  in_order(pieces(), [&] { return Checker{*this, Reader(*this), make_check ? make_check() : StateCheck{}, line, problems}; });
  if (problems > kMostProblems) std::fprintf(stderr, "ulna: more than %zu problems; the rest of '%s' was not read\n", kMostProblems, name_.c_str());
  if (problems > 0) throw StatesRefused{};
  base_.tell();
  refuse_change();
}

}  // namespace ulna::cli
