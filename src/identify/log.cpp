#include <ulna/identify/identify.hpp>

#include <unistd.h>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "text/cat.hpp"
#include "text/quote.hpp"

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
  std::FILE* file = nullptr;   // nobody else can open it, and it is gone with the object

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

}  // namespace ULNA_API
