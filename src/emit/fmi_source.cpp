#include "emit/fmi.hpp"

#include <utility>

namespace ulna::internal {

namespace {

// Names and numbers of the interface are those of the FMI standard 2.0.4, sections 2.1, 2.2 and 4.2, or 3.0.1; its headers are not used. Lines of robots with
// loops, or of trees, are marked; so are those of units with a law, or without, and of versions 2 and 3 of the standard.
constexpr std::string_view kBegin = R"C(
@fmi2/* --- FMI 2.0 for co-simulation --------------------------------------------------------------------------------------------------- */
@fmi3/* --- FMI 3.0 for co-simulation --------------------------------------------------------------------------------------------------- */
@fmi3#include <stdbool.h>
#include <stddef.h>
@fmi3#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define ULNA_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define ULNA_EXPORT __attribute__((visibility("default")))
#else
#define ULNA_EXPORT
#endif
@fmi2#ifdef FMI2_FUNCTION_PREFIX
@fmi3#ifdef FMI3_FUNCTION_PREFIX
#define ULNA_JOIN(a, b) a##b
#define ULNA_JOINED(a, b) ULNA_JOIN(a, b)
@fmi2#define ULNA_FMI(name) ULNA_JOINED(FMI2_FUNCTION_PREFIX, name)
@fmi3#define ULNA_FMI(name) ULNA_JOINED(FMI3_FUNCTION_PREFIX, name)
#else
#define ULNA_FMI(name) name
#endif

typedef enum { fmi_ok, fmi_warning, fmi_discard, fmi_error, fmi_fatal, fmi_pending } fmi_status;
@fmi2typedef struct {
@fmi2  void (*logger)(void *environment, const char *instance, fmi_status status, const char *category, const char *message, ...);
@fmi2  void *(*allocate)(size_t count, size_t size);
@fmi2  void (*release)(void *memory);
@fmi2  void (*finished)(void *environment, fmi_status status);
@fmi2  void *environment;
@fmi2} fmi_callbacks;
@fmi3typedef void (*fmi_logger)(void *environment, fmi_status status, const char *category, const char *message);

enum { unit_made, unit_initialising, unit_running, unit_ended };
#define UNIT_STATES (UNIT_NQ + UNIT_NV)
@law#define UNIT_ALL (UNIT_STATES + UNIT_MEMORY)

/* All that a state of the unit is made of. */
typedef struct {
  double x[UNIT_VARIABLES]; /* by value reference */
  double table[UNIT_TABLE + 1];
@plain  double step; /* the next one to be tried [s] */
@law  double memory[UNIT_MEMORY + 1]; /* of the law */
  double time;
  int phase;
  int changed; /* a does not belong to the other numbers yet */
} unit_numbers;

typedef struct {
  unit_numbers now;
@plain  double y[UNIT_STATES], end[UNIT_STATES], k[7][UNIT_STATES]; /* of one step */
@law  double y[UNIT_ALL], point[UNIT_ALL], k[4][UNIT_ALL]; /* of one step */
@fmi2  const fmi_callbacks *callbacks;
@fmi2  char *name;
@fmi3  fmi_logger logger;
@fmi3  void *environment;
} unit;

static void unit_say(const unit *u, fmi_status status, const char *message)
{
  const char *const category = status == fmi_error ? "logStatusError" : "logStatusWarning";
@fmi2  if (u->callbacks && u->callbacks->logger) u->callbacks->logger(u->callbacks->environment, u->name, status, category, "%s", message);
@fmi3  if (u->logger) u->logger(u->environment, status, category, message);
}
static fmi_status unit_refuse(const unit *u, const char *message)
{
  unit_say(u, fmi_error, message);
  return fmi_error;
}

#if UNIT_FREE
static double unit_length(const double *q) { return sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]); }
#endif
static void unit_unit_length(double *q)
{
#if UNIT_FREE
  const double length = unit_length(q);
  int i;
  for (i = 3; i < 7 && length > 0; ++i) q[i] /= length;
#else
  (void)q;
#endif
}

@plain/* Rates of y = (q, v), torques held. The quaternion of a free base need not have unit length: its rate is linear in it. */
@plainstatic void unit_rates(const unit_numbers *n, const double *y, double *rate)
@law/* Rates of y = (q, v, memory of the law). The quaternion of a free base need not have unit length: its rate is linear in it. */
@lawstatic void unit_rates(const unit_numbers *n, int k, double t, const double *y, double *rate)
{
  const double *v = y + UNIT_NQ;
  double q[UNIT_NQ], tau[UNIT_NV], *a = rate + UNIT_NQ;
  memcpy(q, y, sizeof q);
@plain  memcpy(tau, n->x + UNIT_INPUTS, sizeof tau);
  unit_unit_length(q);
@law  unit_law(n->x, unit_inside(k, t), q, v, y + UNIT_STATES, tau, rate + UNIT_STATES);
@law  for (k = 0; k < UNIT_NV; ++k) tau[k] += n->x[UNIT_INPUTS + k];
@tree  unit_friction(n->x, v, tau);
@loops  unit_friction(n->x, q, v, tau);
  unit_forward(n->x, n->table, q, v, tau, a);
#if UNIT_FREE
  {
    const double tx = 2 * (q[4] * v[5] - q[5] * v[4]), ty = 2 * (q[5] * v[3] - q[3] * v[5]), tz = 2 * (q[3] * v[4] - q[4] * v[3]);
    rate[0] = v[3] + q[6] * tx + q[4] * tz - q[5] * ty;
    rate[1] = v[4] + q[6] * ty + q[5] * tx - q[3] * tz;
    rate[2] = v[5] + q[6] * tz + q[3] * ty - q[4] * tx;
    rate[3] = 0.5 * (y[6] * v[0] + y[4] * v[2] - y[5] * v[1]);
    rate[4] = 0.5 * (y[6] * v[1] + y[5] * v[0] - y[3] * v[2]);
    rate[5] = 0.5 * (y[6] * v[2] + y[3] * v[1] - y[4] * v[0]);
    rate[6] = -0.5 * (y[3] * v[0] + y[4] * v[1] + y[5] * v[2]);
@tree    memcpy(rate + 7, v + 6, (UNIT_NV - 6) * sizeof *v);
@loops    double speeds[UNIT_NQ - 1];
@loops    unit_speeds(q, v, speeds);
@loops    memcpy(rate + 7, speeds + 6, (UNIT_NQ - 7) * sizeof *v);
    /* from the classical acceleration to the rate of the numbers of v */
    a[3] -= v[1] * v[5] - v[2] * v[4];
    a[4] -= v[2] * v[3] - v[0] * v[5];
    a[5] -= v[0] * v[4] - v[1] * v[3];
  }
#else
@tree  memcpy(rate, v, UNIT_NV * sizeof *v);
@loops  unit_speeds(q, v, rate);
#endif
}

static void unit_accelerations(unit *u)
{
  unit_numbers *n = &u->now;
  double tau[UNIT_NV];
  if (!n->changed) return;
@plain  memcpy(tau, n->x + UNIT_INPUTS, sizeof tau);
@law  double unused[UNIT_MEMORY + 1];
@law  int i;
@law  unit_law(n->x, unit_inside(unit_stretch(n->time), n->time), n->x + UNIT_Q, n->x + UNIT_Q + UNIT_NQ, n->memory, tau, unused);
@law  memcpy(n->x + UNIT_Q + UNIT_STATES + UNIT_NV, tau, sizeof tau);
@law  for (i = 0; i < UNIT_NV; ++i) tau[i] += n->x[UNIT_INPUTS + i];
  unit_fold(n->x, n->table);
@tree  unit_friction(n->x, n->x + UNIT_Q + UNIT_NQ, tau);
@loops  unit_friction(n->x, n->x + UNIT_Q, n->x + UNIT_Q + UNIT_NQ, tau);
  unit_forward(n->x, n->table, n->x + UNIT_Q, n->x + UNIT_Q + UNIT_NQ, tau, n->x + UNIT_Q + UNIT_NQ + UNIT_NV);
  n->changed = 0;
}

)C";

// Coefficients: Hairer, Nørsett & Wanner 1993, table II.5.2.
constexpr std::string_view kDormandPrince =
    R"C(/* One step of the pair of orders 5 and 4 by Dormand and Prince from y, whose rates are k[0], to `end`, whose rates are k[6]. Returns the largest error in
 * parts of the tolerance. */
static double unit_try(unit *u, double h)
{
  static const double weight[6][6] = {{1.0 / 5, 0, 0, 0, 0, 0},
                                      {3.0 / 40, 9.0 / 40, 0, 0, 0, 0},
                                      {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0},
                                      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0},
                                      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0},
                                      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static const double error[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  const double tolerance = u->now.x[UNIT_TOLERANCE];
  double largest = 0;
  int i, j, s;
  for (s = 0; s < 6; ++s) {
    for (i = 0; i < UNIT_STATES; ++i) {
      double sum = 0;
      for (j = 0; j <= s; ++j) sum += weight[s][j] * u->k[j][i];
      u->end[i] = u->y[i] + h * sum;
    }
    unit_rates(&u->now, u->end, u->k[s + 1]);
  }
  for (i = 0; i < UNIT_STATES; ++i) {
    const double size = fabs(u->y[i]) > fabs(u->end[i]) ? fabs(u->y[i]) : fabs(u->end[i]);
    double sum = 0;
    for (j = 0; j < 7; ++j) sum += error[j] * u->k[j][i];
    sum = fabs(h * sum) / (tolerance * (1 + size));
    if (!(sum <= largest)) largest = sum; /* a NaN stays */
  }
  return largest;
}

static int unit_advance(unit *u, double length)
{
  unit_numbers *n = &u->now;
  const double shortest = 1e-13 * length;
  double done = 0;
  memcpy(u->y, n->x + UNIT_Q, sizeof u->y);
  unit_rates(n, u->y, u->k[0]);
  if (!(n->step > 0)) n->step = length;
  while (done < length) {
    const double left = length - done;
    const int last = n->step >= left * (1 - 1e-12);
    const double h = last ? left : n->step;
    const double error = unit_try(u, h);
    double factor = 0.2;
    if (error <= 1) {
      factor = error > 3.4e-4 ? 0.9 * pow(error, -0.2) : 4.5;
      done = last ? length : done + h;
      memcpy(u->y, u->end, sizeof u->y);
@tree      memcpy(u->k[0], u->k[6], sizeof u->k[0]);
@loops      /* what integration opens is closed again */
@loops      if (!(unit_close(u->y, 2) <= UNIT_CLOSED)) return 0;
@loops      unit_rates(n, u->y, u->k[0]);
      if (!last || h * factor > n->step) n->step = h * factor;
    } else {
      if (error < 1e6) factor = 0.9 * pow(error, -0.2) > 0.2 ? 0.9 * pow(error, -0.2) : 0.2;
      n->step = h * factor;
      if (!(n->step > shortest)) return 0;
    }
  }
  unit_unit_length(u->y);
  memcpy(n->x + UNIT_Q, u->y, sizeof u->y);
  n->changed = 1;
  return 1;
}

)C";

// As simulate() with rk4.
constexpr std::string_view kClassic = R"C(/* One step of the classic four points from y at t, within stretch k. */
static void unit_step(unit *u, int k, double t, double h)
{
  static const double part[4] = {0.0, 0.5, 0.5, 1.0};
  int i, s;
  for (s = 0; s < 4; ++s) {
    for (i = 0; i < UNIT_ALL; ++i) u->point[i] = s == 0 ? u->y[i] : u->y[i] + part[s] * h * u->k[s - 1][i];
    unit_rates(&u->now, k, t + part[s] * h, u->point, u->k[s]);
  }
  for (i = 0; i < UNIT_ALL; ++i) u->y[i] += h / 6 * (u->k[0][i] + 2 * u->k[1][i] + 2 * u->k[2][i] + u->k[3][i]);
  unit_unit_length(u->y);
}

/* Steps end at multiples of the step, at breaks and where the simulator wants to see the unit. */
static int unit_advance(unit *u, double length)
{
  unit_numbers *n = &u->now;
  const double step = n->x[UNIT_STEP], end = n->time + length;
  double t = n->time;
  int i;
  memcpy(u->y, n->x + UNIT_Q, UNIT_STATES * sizeof *u->y);
  memcpy(u->y + UNIT_STATES, n->memory, UNIT_MEMORY * sizeof *u->y);
  while (t < end) {
    const int k = unit_stretch(t);
    double to = step * (floor(t / step + 1e-9) + 1);
    if (k + 1 < UNIT_BREAKS && unit_breaks[k + 1] < to) to = unit_breaks[k + 1];
    if (to > end - 1e-9 * step) to = end;
    if (!(to > t)) return 0;
    unit_step(u, k, t, to - t);
    t = to;
    for (i = 0; i < UNIT_STATES; ++i)
      if (!(fabs(u->y[i]) < 1e9)) return 0;
  }
  memcpy(n->x + UNIT_Q, u->y, UNIT_STATES * sizeof *u->y);
  memcpy(n->memory, u->y + UNIT_STATES, UNIT_MEMORY * sizeof *u->y);
  n->changed = 1;
  return 1;
}

)C";

// Required by both versions of the standard.
constexpr std::string_view kUnit = R"C(static void unit_reset(unit *u)
{
  unit_start(u->now.x);
@plain  u->now.step = 0;
@law  memset(u->now.memory, 0, sizeof u->now.memory);
  u->now.time = 0;
  u->now.phase = unit_made;
  u->now.changed = 1;
}
static void unit_setup(unit *u, int tolerance_defined, double tolerance, double start)
{
@plain  if (tolerance_defined && tolerance > 0) u->now.x[UNIT_TOLERANCE] = tolerance;
@law  (void)tolerance_defined; (void)tolerance;
  u->now.time = start;
}
static fmi_status unit_initialise(unit *u)
{
  if (u->now.phase != unit_made) return unit_refuse(u, "the unit has been initialised already");
  u->now.phase = unit_initialising;
  return fmi_ok;
}
static fmi_status unit_run(unit *u)
{
  if (u->now.phase != unit_initialising) return unit_refuse(u, "the unit is not being initialised");
@plain  if (!(u->now.x[UNIT_TOLERANCE] > 0)) return unit_refuse(u, "the tolerance must be positive");
@law  if (!(u->now.x[UNIT_STEP] > 0)) return unit_refuse(u, "the step must be positive");
#if UNIT_SMOOTH >= 0
  if (!(u->now.x[UNIT_SMOOTH] > 0)) return unit_refuse(u, "friction.smooth must be positive");
#endif
#if UNIT_FREE
  const double off = fabs(unit_length(u->now.x + UNIT_Q) - 1);
  if (!(off <= 1e-6)) return unit_refuse(u, "the quaternion of the base does not have length 1: divide it by its length, or check its order");
  if (off > 1e-14) unit_say(u, fmi_warning, "the quaternion of the base was given unit length");
#endif
  unit_unit_length(u->now.x + UNIT_Q);
@loops  if (!(unit_close(u->now.x + UNIT_Q, 30) <= UNIT_CLOSED))
@loops    return unit_refuse(u, "the loops do not close near these positions: give dependent ones that nearly do, away from singular assemblies");
  u->now.phase = unit_running;
  u->now.changed = 1;
  return fmi_ok;
}

static fmi_status unit_get(unit *u, const unsigned int reference[], size_t count, double value[])
{
  size_t i;
  for (i = 0; i < count; ++i) {
@fmi3    if (reference[i] == UNIT_VARIABLES) {
@fmi3      value[i] = u->now.time;
@fmi3      continue;
@fmi3    }
    if (reference[i] >= UNIT_VARIABLES) return unit_refuse(u, "there is no real variable of this value reference");
    if (reference[i] >= UNIT_Q + UNIT_STATES) unit_accelerations(u);
    value[i] = u->now.x[reference[i]];
  }
  return fmi_ok;
}
static fmi_status unit_set(unit *u, const unsigned int reference[], size_t count, const double value[])
{
  size_t i;
  for (i = 0; i < count; ++i) {
    const unsigned int r = reference[i];
    if (r >= UNIT_Q + UNIT_STATES) return unit_refuse(u, "there is no real variable of this value reference that can be set");
    if ((r < UNIT_FIXED || r >= UNIT_Q) && u->now.phase != unit_made && u->now.phase != unit_initialising)
      return unit_refuse(u, "tolerance, step, friction.smooth, q and v are set before the unit has been initialised");
    u->now.x[r] = value[i];
  }
  u->now.changed = 1;
  return fmi_ok;
}
static fmi_status unit_do_step(unit *u, double time, double length)
{
  if (u->now.phase != unit_running) return unit_refuse(u, "the unit has not been initialised, or has ended");
  if (!(length >= 0)) return unit_refuse(u, "the length of a step must not be negative");
  if (length == 0) return fmi_ok;
  u->now.time = time;
  unit_fold(u->now.x, u->now.table);
  if (!unit_advance(u, length)) {
    u->now.phase = unit_ended;
@tree    return unit_refuse(u, "the motion cannot be followed: its numbers grow without bound or are not finite, or the tolerance asks for more digits than there are");
@loops    return unit_refuse(u, "the motion cannot be followed: the loops come to a singular assembly, numbers grow without bound or are not finite, or the tolerance asks for more digits than there are");
  }
  u->now.time = time + length;
  return fmi_ok;
}

static void *unit_allocate(const unit *u, size_t size)
{
@fmi2  return u->callbacks && u->callbacks->allocate ? u->callbacks->allocate(1, size) : calloc(1, size);
@fmi3  (void)u;
@fmi3  return calloc(1, size);
}
static fmi_status unit_keep(const unit *u, const void *numbers, void **state)
{
  if (!*state) *state = unit_allocate(u, sizeof(unit_numbers));
  if (!*state) return unit_refuse(u, "there is no memory for a state");
  memcpy(*state, numbers, sizeof(unit_numbers));
  return fmi_ok;
}
static fmi_status unit_forget(const unit *u, void **state)
{
  if (!state || !*state) return fmi_ok;
@fmi2  if (u->callbacks && u->callbacks->release)
@fmi2    u->callbacks->release(*state);
@fmi2  else
@fmi2    free(*state);
@fmi3  (void)u;
@fmi3  free(*state);
  *state = NULL;
  return fmi_ok;
}

/* Every call that has a unit as its first argument, in its two versions. */
#define ULNA_UNIT(name, arguments, body) \
  ULNA_EXPORT fmi_status ULNA_FMI(name) arguments \
  { \
    unit *const u = (unit *)c; \
    (void)u; \
    body \
  }
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define ULNA_LACKS(name, arguments, reason) ULNA_UNIT(name, arguments, return unit_refuse(u, reason);)
)C";

}  // namespace

std::string fmi_source(int version, bool loops, bool law) {
  std::string out;
  for (const std::string_view part : {kBegin, law ? kClassic : kDormandPrince, kUnit, fmi_interface(version)})
    for (std::size_t at = 0; at < part.size();) {
      const std::size_t end = part.find('\n', at) + 1;
      std::string_view line = part.substr(at, end - at);
      at = end;
      for (const auto& [mark, wanted] : {std::pair<std::string_view, bool>{"@tree", !loops},
                                         {"@loops", loops},
                                         {"@plain", !law},
                                         {"@law", law},
                                         {"@fmi2", version == 2},
                                         {"@fmi3", version == 3}})
        if (line.starts_with(mark)) line = wanted ? line.substr(mark.size()) : std::string_view{};
      out += line;
    }
  return out;
}

}  // namespace ulna::internal
