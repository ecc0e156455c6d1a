#include "emit/fmi.hpp"

namespace ulna::internal {

namespace {

constexpr std::string_view kFmi2 = R"C(
ULNA_EXPORT const char *ULNA_FMI(fmi2GetTypesPlatform)(void) { return "default"; }
ULNA_EXPORT const char *ULNA_FMI(fmi2GetVersion)(void) { return "2.0"; }
ULNA_UNIT(fmi2SetDebugLogging, (void *c, int on, size_t count, const char *const *categories), return fmi_ok;)

ULNA_EXPORT void *ULNA_FMI(fmi2Instantiate)(const char *name, int type, const char *guid, const char *resources, const fmi_callbacks *callbacks, int visible,
                                            int logging)
{
  void *(*const allocate)(size_t, size_t) = callbacks && callbacks->allocate ? callbacks->allocate : calloc;
  const char *const called = name ? name : "";
  unit *u;
  if (type != 1 || !guid || strcmp(guid, UNIT_GUID) != 0) {
    if (callbacks && callbacks->logger)
      callbacks->logger(callbacks->environment, called, fmi_error, "logStatusError", "%s",
                        type != 1 ? "this unit is for co-simulation" : "the GUID is not that of modelDescription.xml");
    return NULL;
  }
  u = (unit *)allocate(1, sizeof *u);
  if (!u) return NULL;
  u->callbacks = callbacks;
  u->name = (char *)allocate(strlen(called) + 1, 1);
  if (u->name) memcpy(u->name, called, strlen(called) + 1);
  unit_reset(u);
  return u;
}
ULNA_EXPORT void ULNA_FMI(fmi2FreeInstance)(void *c)
{
  unit *u = (unit *)c;
  void (*release)(void *);
  if (!u) return;
  release = u->callbacks && u->callbacks->release ? u->callbacks->release : free;
  if (u->name) release(u->name);
  release(u);
}
ULNA_UNIT(fmi2SetupExperiment, (void *c, int tolerance_defined, double tolerance, double start, int stop_defined, double stop),
          unit_setup(u, tolerance_defined, tolerance, start); return fmi_ok;)
ULNA_UNIT(fmi2EnterInitializationMode, (void *c), return unit_initialise(u);)
ULNA_UNIT(fmi2ExitInitializationMode, (void *c), return unit_run(u);)
ULNA_UNIT(fmi2Terminate, (void *c), u->now.phase = unit_ended; return fmi_ok;)
ULNA_UNIT(fmi2Reset, (void *c), unit_reset(u); return fmi_ok;)
ULNA_UNIT(fmi2GetReal, (void *c, const unsigned int reference[], size_t count, double value[]), return unit_get(u, reference, count, value);)
ULNA_UNIT(fmi2SetReal, (void *c, const unsigned int reference[], size_t count, const double value[]), return unit_set(u, reference, count, value);)
#define ULNA_NONE(name, type) \
  ULNA_UNIT(fmi2Get##name, (void *c, const unsigned int reference[], size_t count, type value[]), \
            return count == 0 ? fmi_ok : unit_refuse(u, "all variables of this unit are real");) \
  ULNA_UNIT(fmi2Set##name, (void *c, const unsigned int reference[], size_t count, const type value[]), \
            return count == 0 ? fmi_ok : unit_refuse(u, "all variables of this unit are real");)
typedef const char *ulna_text;
ULNA_NONE(Integer, int)
ULNA_NONE(Boolean, int)
ULNA_NONE(String, ulna_text)
ULNA_UNIT(fmi2DoStep, (void *c, double time, double length, int no_return), return unit_do_step(u, time, length);)
ULNA_LACKS(fmi2CancelStep, (void *c), "steps end before they return: there is none to cancel")

ULNA_UNIT(fmi2GetFMUstate, (void *c, void **state), return unit_keep(u, &u->now, state);)
ULNA_UNIT(fmi2SetFMUstate, (void *c, void *state), memcpy(&u->now, state, sizeof u->now); return fmi_ok;)
ULNA_UNIT(fmi2FreeFMUstate, (void *c, void **state), return unit_forget(u, state);)
ULNA_UNIT(fmi2SerializedFMUstateSize, (void *c, void *state, size_t *size), *size = sizeof u->now; return fmi_ok;)
ULNA_UNIT(fmi2SerializeFMUstate, (void *c, void *state, char bytes[], size_t size),
          if (size < sizeof u->now) return unit_refuse(u, "the memory is too small for a state"); memcpy(bytes, state, sizeof u->now); return fmi_ok;)
ULNA_UNIT(fmi2DeSerializeFMUstate, (void *c, const char bytes[], size_t size, void **state),
          if (size != sizeof u->now) return unit_refuse(u, "these are not the bytes of a state of this unit"); return unit_keep(u, bytes, state);)

ULNA_LACKS(fmi2GetDirectionalDerivative, (void *c, const unsigned int of[], size_t count, const unsigned int by[], size_t by_count, const double along[],
           double value[]), "this unit has no directional derivatives")
ULNA_LACKS(fmi2SetRealInputDerivatives, (void *c, const unsigned int reference[], size_t count, const int order[], const double value[]),
           "inputs of this unit are held within a step")
ULNA_LACKS(fmi2GetRealOutputDerivatives, (void *c, const unsigned int reference[], size_t count, const int order[], double value[]),
           "this unit has no derivatives of outputs but v and a")
/* No step goes on in the background. */
#define ULNA_STATUS(name, type) ULNA_UNIT(fmi2Get##name##Status, (void *c, int kind, type *value), return fmi_discard;)
ULNA_STATUS(Real, double)
ULNA_STATUS(Integer, int)
ULNA_STATUS(Boolean, int)
ULNA_STATUS(String, ulna_text)
ULNA_UNIT(fmi2GetStatus, (void *c, int kind, fmi_status *value), return fmi_discard;)
)C";

// Version 3.0.1 of the standard, sections 2 and 4. All of its functions must exist; a unit for co-simulation without events answers the others with an error.
constexpr std::string_view kFmi3 = R"C(
ULNA_EXPORT const char *ULNA_FMI(fmi3GetVersion)(void) { return "3.0"; }
ULNA_UNIT(fmi3SetDebugLogging, (void *c, bool on, size_t count, const char *const *categories), return fmi_ok;)
ULNA_EXPORT void *ULNA_FMI(fmi3InstantiateCoSimulation)(const char *name, const char *token, const char *resources, bool visible, bool logging, bool events,
                                                        bool early, const unsigned int intermediate[], size_t count, void *environment, fmi_logger logger,
                                                        void (*update)(void *, double, bool, bool, bool, bool, bool *, double *))
{
  unit *u;
  if (!token || strcmp(token, UNIT_GUID) != 0) {
    if (logger) logger(environment, fmi_error, "logStatusError", "the token is not that of modelDescription.xml");
    return NULL;
  }
  u = (unit *)calloc(1, sizeof *u);
  if (!u) return NULL;
  u->logger = logger;
  u->environment = environment;
  unit_reset(u);
  return u;
}
ULNA_EXPORT void *ULNA_FMI(fmi3InstantiateModelExchange)(const char *name, const char *token, const char *resources, bool visible, bool logging,
                                                         void *environment, fmi_logger logger)
{
  return NULL;
}
ULNA_EXPORT void *ULNA_FMI(fmi3InstantiateScheduledExecution)(const char *name, const char *token, const char *resources, bool visible, bool logging,
                                                              void *environment, fmi_logger logger, void (*clock)(void *), void (*lock)(void),
                                                              void (*unlock)(void))
{
  return NULL;
}
ULNA_EXPORT void ULNA_FMI(fmi3FreeInstance)(void *c) { free(c); }
ULNA_UNIT(fmi3EnterInitializationMode, (void *c, bool tolerance_defined, double tolerance, double start, bool stop_defined, double stop),
          if (u->now.phase == unit_made) unit_setup(u, tolerance_defined, tolerance, start); return unit_initialise(u);)
ULNA_UNIT(fmi3ExitInitializationMode, (void *c), return unit_run(u);)
ULNA_UNIT(fmi3Terminate, (void *c), u->now.phase = unit_ended; return fmi_ok;)
ULNA_UNIT(fmi3Reset, (void *c), unit_reset(u); return fmi_ok;)
ULNA_UNIT(fmi3GetFloat64, (void *c, const unsigned int reference[], size_t count, double value[], size_t values),
          return values == count ? unit_get(u, reference, count, value) : unit_refuse(u, "all variables of this unit are scalars");)
ULNA_UNIT(fmi3SetFloat64, (void *c, const unsigned int reference[], size_t count, const double value[], size_t values),
          return values == count ? unit_set(u, reference, count, value) : unit_refuse(u, "all variables of this unit are scalars");)
#define ULNA_NONE(name, type) \
  ULNA_UNIT(fmi3Get##name, (void *c, const unsigned int reference[], size_t count, type value[], size_t values), \
            return count == 0 ? fmi_ok : unit_refuse(u, "all variables of this unit are of type Float64");) \
  ULNA_UNIT(fmi3Set##name, (void *c, const unsigned int reference[], size_t count, const type value[], size_t values), \
            return count == 0 ? fmi_ok : unit_refuse(u, "all variables of this unit are of type Float64");)
typedef const char *ulna_text;
typedef const uint8_t *ulna_bytes;
ULNA_NONE(Float32, float)
ULNA_NONE(Int8, int8_t)
ULNA_NONE(UInt8, uint8_t)
ULNA_NONE(Int16, int16_t)
ULNA_NONE(UInt16, uint16_t)
ULNA_NONE(Int32, int32_t)
ULNA_NONE(UInt32, uint32_t)
ULNA_NONE(Int64, int64_t)
ULNA_NONE(UInt64, uint64_t)
ULNA_NONE(Boolean, bool)
ULNA_NONE(String, ulna_text)
ULNA_UNIT(fmi3DoStep, (void *c, double time, double length, bool no_return, bool *event, bool *ends, bool *early, double *last),
          const fmi_status status = unit_do_step(u, time, length); *event = *early = false; *ends = status != fmi_ok; *last = u->now.time; return status;)

ULNA_UNIT(fmi3GetFMUState, (void *c, void **state), return unit_keep(u, &u->now, state);)
ULNA_UNIT(fmi3SetFMUState, (void *c, void *state), memcpy(&u->now, state, sizeof u->now); return fmi_ok;)
ULNA_UNIT(fmi3FreeFMUState, (void *c, void **state), return unit_forget(u, state);)
ULNA_UNIT(fmi3SerializedFMUStateSize, (void *c, void *state, size_t *size), *size = sizeof u->now; return fmi_ok;)
ULNA_UNIT(fmi3SerializeFMUState, (void *c, void *state, uint8_t bytes[], size_t size),
          if (size < sizeof u->now) return unit_refuse(u, "the memory is too small for a state"); memcpy(bytes, state, sizeof u->now); return fmi_ok;)
ULNA_UNIT(fmi3DeserializeFMUState, (void *c, const uint8_t bytes[], size_t size, void **state),
          if (size != sizeof u->now) return unit_refuse(u, "these are not the bytes of a state of this unit"); return unit_keep(u, bytes, state);)

#define ULNA_NO(name, arguments) ULNA_LACKS(name, arguments, "this unit is for co-simulation, without events, clocks and derivatives")
#define ULNA_WHICH void *c, const unsigned int reference[], size_t count
#define ULNA_DERIVATIVE (ULNA_WHICH, const unsigned int by[], size_t by_count, const double seed[], size_t seeds, double value[], size_t values)
ULNA_NO(fmi3GetBinary, (ULNA_WHICH, size_t size[], ulna_bytes value[], size_t values))
ULNA_NO(fmi3SetBinary, (ULNA_WHICH, const size_t size[], const ulna_bytes value[], size_t values))
ULNA_NO(fmi3GetClock, (ULNA_WHICH, bool value[]))
ULNA_NO(fmi3SetClock, (ULNA_WHICH, const bool value[]))
ULNA_NO(fmi3GetNumberOfVariableDependencies, (void *c, unsigned int reference, size_t *count))
ULNA_NO(fmi3GetVariableDependencies, (void *c, unsigned int dependent, size_t of[], unsigned int by[], size_t of_by[], int kind[], size_t count))
ULNA_NO(fmi3GetDirectionalDerivative, ULNA_DERIVATIVE)
ULNA_NO(fmi3GetAdjointDerivative, ULNA_DERIVATIVE)
ULNA_NO(fmi3EnterEventMode, (void *c))
ULNA_NO(fmi3EnterStepMode, (void *c))
ULNA_NO(fmi3EnterConfigurationMode, (void *c))
ULNA_NO(fmi3ExitConfigurationMode, (void *c))
ULNA_NO(fmi3GetIntervalDecimal, (ULNA_WHICH, double interval[], int qualifier[]))
ULNA_NO(fmi3GetIntervalFraction, (ULNA_WHICH, uint64_t counter[], uint64_t resolution[], int qualifier[]))
ULNA_NO(fmi3GetShiftDecimal, (ULNA_WHICH, double shift[]))
ULNA_NO(fmi3GetShiftFraction, (ULNA_WHICH, uint64_t counter[], uint64_t resolution[]))
ULNA_NO(fmi3SetIntervalDecimal, (ULNA_WHICH, const double interval[]))
ULNA_NO(fmi3SetIntervalFraction, (ULNA_WHICH, const uint64_t counter[], const uint64_t resolution[]))
ULNA_NO(fmi3SetShiftDecimal, (ULNA_WHICH, const double shift[]))
ULNA_NO(fmi3SetShiftFraction, (ULNA_WHICH, const uint64_t counter[], const uint64_t resolution[]))
ULNA_NO(fmi3EvaluateDiscreteStates, (void *c))
ULNA_NO(fmi3UpdateDiscreteStates, (void *c, bool *more, bool *ends, bool *nominals, bool *values, bool *next, double *time))
ULNA_NO(fmi3EnterContinuousTimeMode, (void *c))
ULNA_NO(fmi3CompletedIntegratorStep, (void *c, bool no_return, bool *event, bool *ends))
ULNA_NO(fmi3SetTime, (void *c, double time))
ULNA_NO(fmi3SetContinuousStates, (void *c, const double state[], size_t count))
ULNA_NO(fmi3GetContinuousStateDerivatives, (void *c, double rate[], size_t count))
ULNA_NO(fmi3GetEventIndicators, (void *c, double indicator[], size_t count))
ULNA_NO(fmi3GetContinuousStates, (void *c, double state[], size_t count))
ULNA_NO(fmi3GetNominalsOfContinuousStates, (void *c, double nominal[], size_t count))
ULNA_NO(fmi3GetNumberOfEventIndicators, (void *c, size_t *count))
ULNA_NO(fmi3GetNumberOfContinuousStates, (void *c, size_t *count))
ULNA_NO(fmi3GetOutputDerivatives, (ULNA_WHICH, const int32_t order[], double value[], size_t values))
ULNA_NO(fmi3ActivateModelPartition, (void *c, unsigned int clock, double time))
)C";

}  // namespace

std::string_view fmi_interface(int version) { return version == 3 ? kFmi3 : kFmi2; }

}  // namespace ulna::internal
