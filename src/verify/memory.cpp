#include "verify/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

#include "formulation/frames.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

// Measured on chains of 50 to 200 joints and on trees of 100 to 400: bytes, and seconds a state.
constexpr double kBytesOfMatrices = 800;                                  // n²: inertia matrices and their bounds, in three sets of frames
constexpr double kBytesOfOldMethods = 220;                                // n³: Lagrange's equations on 4 x 4 matrices keep the derivatives of all by all
constexpr double kSecondsOfMatrices = 2e-7, kSecondsOfOldMethods = 3e-8;  // n³, n⁴
constexpr double kMostSeconds = 3600;

struct Limit {
  double bytes;
  const char* whose;
};

Limit memory_limit() {
  const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)), size = static_cast<double>(sysconf(_SC_PAGE_SIZE));
  const Limit computer{pages > 0 && size > 0 ? pages * size : INFINITY, "this computer has"};
  rlimit process{};
  if (getrlimit(RLIMIT_AS, &process) == 0 && process.rlim_cur != RLIM_INFINITY && static_cast<double>(process.rlim_cur) < computer.bytes)
    return {static_cast<double>(process.rlim_cur), "this process may have (ulimit -v)"};
  return computer;
}

std::string gigabytes(double bytes) { return cat(rounded(bytes / 1e9), " GB"); }

}  // namespace

std::string why_too_large(const Model& model, const Prepared& prepared) {
  const double n = static_cast<double>(model.nv());
  const bool old_methods = prepared.forms().dh.has_value();  // which take chains alone
  const double bytes = n * n * (kBytesOfMatrices + (old_methods ? kBytesOfOldMethods * n : 0));
  const double seconds = n * n * n * (kSecondsOfMatrices + (old_methods ? kSecondsOfOldMethods * n : 0));
  const Limit limit = memory_limit();
  if (bytes <= limit.bytes && seconds <= kMostSeconds) return {};
  const std::string memory = cat("the formulations need some ", gigabytes(bytes), " of memory, and ", limit.whose, " ", gigabytes(limit.bytes));
  const std::string time = cat("one state takes some ", rounded(std::ceil(seconds / 60)), " minutes, and the limit is ", rounded(kMostSeconds / 60));
  return cat("robot ", in_quotes(model.name()), " is too large to verify: with ", model.nv(), " joints that move, ", bytes > limit.bytes ? memory : time,
             "; verify a part of it, with the other joints locked (--lock)");
}

}  // namespace ulna::internal
