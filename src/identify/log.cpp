// Logs: storage of their rows, and reading from files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <ulna/identify/identify.hpp>

#include "model/require_fixed_base.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/words.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {
constexpr std::size_t kInMemory = std::size_t{64} << 20;  // bytes of a log; what is beyond goes to a temporary file
}

struct Log::Store {
  std::string name;
  std::size_t nv = 0, rows = 0, width = 0;
  Columns columns;
  double last = -HUGE_VAL;
  std::vector<double> memory;  // rows that are not in the file yet
  std::size_t in_file = 0;     // rows
  std::FILE* file = nullptr;   // unlinked: nobody else can open it, and it ends with the object

  ~Store() {
    if (file != nullptr) std::fclose(file);
  }
  void spill() {
    if (file == nullptr) file = std::tmpfile();
    if (file == nullptr || std::fwrite(memory.data(), sizeof(double), memory.size(), file) != memory.size() || std::fflush(file) != 0)
      throw std::runtime_error(cat("log ", in_quotes(name), " does not fit into a temporary file: ", std::strerror(errno)));
    in_file = rows;
    memory.clear();
  }
};

Log::Log(std::string name, std::size_t nv, Columns columns) : store_(std::make_shared<Store>()) {
  store_->name = std::move(name);
  store_->nv = nv;
  store_->columns = columns;
  store_->width = 1 + 4 * nv;
}

void Log::add(double t, const double* q, const double* v, const double* a, const double* tau) {
  Store& s = *store_;
  if (!(t > s.last)) throw std::invalid_argument(cat("log ", in_quotes(s.name), ", row ", s.rows + 1, ": time ", t, " s does not come after ", s.last, " s"));
  const auto finite = [&](const char* name, bool there, const double* numbers) {
    for (std::size_t k = 0; there && k < s.nv; ++k)
      if (!std::isfinite(numbers[k]))
        throw std::invalid_argument(
            cat("log ", in_quotes(s.name), ", row ", s.rows + 1, ": number ", k + 1, " of ", name, " is ", numbers[k], "; leave such rows out"));
  };
  finite("q", true, q), finite("v", s.columns.v, v), finite("a", s.columns.a, a), finite("tau", s.columns.tau, tau);
  s.last = t;
  if (s.memory.size() * sizeof(double) >= kInMemory) s.spill();
  s.memory.push_back(t);
  const auto part = [&](bool there, const double* numbers) {
    for (std::size_t k = 0; k < s.nv; ++k) s.memory.push_back(there ? numbers[k] : 0.0);
  };
  part(true, q);
  part(s.columns.v, v);
  part(s.columns.a, a);
  part(s.columns.tau, tau);
  ++s.rows;
}

const std::string& Log::name() const { return store_->name; }
std::size_t Log::nv() const { return store_->nv; }
std::size_t Log::rows() const { return store_->rows; }
Log::Columns Log::columns() const { return store_->columns; }

void Log::read(std::size_t first, std::size_t count, double* out) const {
  const Store& s = *store_;
  if (first + count > s.rows) throw std::invalid_argument(cat("log ", in_quotes(s.name), " has ", s.rows, " rows, not ", first + count));
  while (count > 0) {
    if (first >= s.in_file) {
      std::copy_n(s.memory.begin() + static_cast<long>((first - s.in_file) * s.width), count * s.width, out);
      return;
    }
    const std::size_t here = std::min(count, s.in_file - first);
    std::size_t done = 0, bytes = here * s.width * sizeof(double);
    while (done < bytes) {
      const ssize_t got = pread(fileno(s.file), reinterpret_cast<char*>(out) + done, bytes - done, static_cast<off_t>(first * s.width * sizeof(double) + done));
      if (got <= 0) throw std::runtime_error(cat("log ", in_quotes(s.name), ": its temporary file cannot be read: ", std::strerror(errno)));
      done += static_cast<std::size_t>(got);
    }
    first += here, count -= here, out += here * s.width;
  }
}

// Files.

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kMostProblems = 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class Reader {
 public:
  Reader(const Model& model, Diagnostics& diagnostics, const LogOptions& options)
      : names_(model.driven_names()), diagnostics_(diagnostics), options_(options), n_(names_.size()) {}

  std::optional<Log> read(const std::string& path) {
    const std::unique_ptr<std::FILE, Closer> file(open(path));
    if (file == nullptr) return {};
    std::string text;
    std::vector<char> chunk(kChunk);
    while (!stopped()) {
      const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get());
      text.append(chunk.data(), got);
      std::size_t at = 0;
      for (std::size_t end; !stopped() && (end = text.find('\n', at)) != std::string::npos; at = end + 1) line({text.data() + at, end - at});
      text.erase(0, at);
      if (text.size() > options_.limits.line_bytes) {
        diagnostics_.error(line_ + 1, {}, cat("this line is longer than ", options_.limits.line_bytes, " bytes"), how_to_raise(&ReadLimits::line_bytes));
        return {};
      }
      if (got < chunk.size()) {
        if (std::ferror(file.get()) != 0) diagnostics_.error(line_, {}, "the file cannot be read to its end", "check the disk");
        if (!text.empty() && !stopped()) line(text);
        break;
      }
    }
    if (!log_ && !stopped()) diagnostics_.error(0, "header", "the file is empty", "a log begins with a line of names: t,q.NAME,…,tau.NAME,…");
    if (problems_ > 0) return {};
    if (skipped_ > 0)
      diagnostics_.warning(first_skipped_, {}, cat(skipped_, skipped_ == 1 ? " row has" : " rows have", " an empty cell or nan, the first in this line"),
                           "they are left out; fill them in if they matter");
    return std::move(log_);
  }

 private:
  std::FILE* open(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    struct stat facts {};
    if (file != nullptr && (fstat(fileno(file), &facts) != 0 || S_ISDIR(facts.st_mode) || S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode))) {
      std::fclose(file);
      file = nullptr;
      errno = EISDIR;
    }
    if (file == nullptr) diagnostics_.error(0, {}, cat("the log cannot be read: ", std::strerror(errno)), "give the path of a CSV file");
    return file;
  }
  bool stopped() const { return problems_ > 0 && (problems_ > kMostProblems || !log_); }
  void problem(Element element, const std::string& what, const std::string& cure) {
    ++problems_;
    diagnostics_.error(line_, std::move(element), what, cure);
  }

  void line(std::string_view text) {
    ++line_;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (trimmed(text).empty() || text.front() == '#') return;
    if (!log_)
      header(text);
    else
      row(text);
  }

  /// Which part and coordinate a column is: numbers of a row stand as Log::read() gives them.
  void header(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    std::vector<std::string> cells;
    if (!read_csv_cells(text, cells)) return problem("header", "a quotation mark is not closed", "close it, or double it inside a name");
    const std::array parts{std::string("q"), std::string("v"), std::string("a"), std::string(options_.currents ? "i" : "tau")};
    std::vector<std::string> known{"t"};
    for (const std::string& part : parts)
      for (const std::string& name : names_) known.push_back(cat(part, ".", name));
    std::vector<int> count(known.size(), 0);
    for (const std::string& cell : cells) {
      const auto found = std::find(known.begin(), known.end(), cell);
      place_.push_back(found == known.end() ? kNone : static_cast<std::size_t>(found - known.begin()));
      if (place_.back() != kNone && ++count[place_.back()] == 2) problem(Element::column(cell), "this column stands twice", "remove one");
    }
    header_ = cells;
    const auto has = [&](std::size_t part) {
      return std::count(count.begin() + static_cast<long>(1 + part * n_), count.begin() + static_cast<long>(1 + (part + 1) * n_), 0) < static_cast<long>(n_);
    };
    const auto require = [&](std::size_t k) {
      if (count[k] > 0) return;
      std::vector<std::string> strangers;
      for (std::size_t c = 0; c < cells.size(); ++c)
        if (place_[c] == kNone) strangers.push_back(cells[c]);
      problem(Element::column(known[k]), "this column is missing",
              cat("a log has t, and q.NAME and ", parts[3], ".NAME of every joint of 'ulna info'; v.NAME and a.NAME may be there of all joints or of none",
                  did_you_mean(known[k], strangers)));
    };
    require(0);
    columns_ = {has(1), has(2), options_.torques || has(3)};
    const bool needed[] = {true, columns_.v, columns_.a, columns_.tau};
    for (std::size_t part = 0; part < 4; ++part)
      for (std::size_t k = 0; needed[part] && k < n_; ++k) require(1 + part * n_ + k);
    if (problems_ > 0) return;
    numbers_.assign(1 + 4 * n_, 0);
    log_.emplace(diagnostics_.file(), n_, columns_);
  }

  void row(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    std::size_t cell = 0;
    bool complete = true;
    for (;; ++cell) {
      double value = 0;
      auto plain = std::from_chars(at, end, value);
      const char* comma = plain.ptr;
      if (plain.ec != std::errc{} || (plain.ptr != end && *plain.ptr != ',') || !std::isfinite(value)) {
        comma = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
        if (comma == nullptr) comma = end;
        const std::string_view whole = trimmed({at, static_cast<std::size_t>(comma - at)});
        NumberProblem why;
        if (cell < place_.size() && place_[cell] != kNone) {
          if (whole.empty() || is_nan(whole))
            complete = false;
          else if (const std::optional<double> read = parse_number(whole, why))
            value = *read;
          else
            problem(Element::column(header_[cell]), why.problem, why.cure);
        }
      }
      if (cell < place_.size() && place_[cell] != kNone) numbers_[place_[cell]] = value;
      if (comma == end) break;
      at = comma + 1;
    }
    if (cell + 1 != place_.size())
      return problem({}, cat("this row has ", cell + 1, " cells, the header ", place_.size()), "give every row a cell for each column");
    if (!complete) {
      if (skipped_++ == 0) first_skipped_ = line_;
      return;
    }
    if (problems_ > 0) return;
    if (!(numbers_[0] > last_))
      return problem(
          Element::column("t"),
          cat("time ", numbers_[0], " s ", numbers_[0] == last_ ? "repeats" : "falls: the row before is at ", numbers_[0] == last_ ? "" : cat(last_, " s")),
          "sort the rows by time and remove duplicates");
    last_ = numbers_[0];
    const double* x = numbers_.data() + 1;
    log_->add(numbers_[0], x, x + n_, x + 2 * n_, x + 3 * n_);
  }

  std::vector<std::string> names_;
  Diagnostics& diagnostics_;
  const LogOptions& options_;
  std::size_t n_;
  int line_ = 0;
  std::size_t problems_ = 0, skipped_ = 0;
  int first_skipped_ = 0;
  double last_ = -std::numeric_limits<double>::infinity();
  std::vector<std::string> header_;
  std::vector<std::size_t> place_;
  std::vector<double> numbers_;
  Log::Columns columns_;
  std::optional<Log> log_;
};

}  // namespace

std::optional<Log> read_log(const std::string& path, const Model& model, Diagnostics& diagnostics, const LogOptions& options) {
  require_no_balls(model, "identification");
  Reader reader(model, diagnostics, options);
  return reader.read(path);
}

}  // namespace ULNA_API
