// What one formulation costs on one robot when it is carried out as its paper writes it, nothing shared or left out that the paper does not.
//
// The rules are the papers': a paper's initialisation costs nothing (those numbers have the parameter type), everything assigned after it counts, even
// where it is constant, and only literal 0 and ±1 of the structure are skipped. In the 4x4 forms of Hollerbach's paper not even those are. Each
// formulation's header says what it takes as given. Sines and cosines are counted apart.
#pragma once

#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna ULNA_API {

/// A piece of the work under a name of its own: either inside the total, or something the paper leaves out of it or counts another way.
struct CountedPart {
  std::string_view label;
  OperationCounts counts;
  bool in_total = false;
};

struct AsWritten {        // Operations of one run, as the paper writes it.
  OperationCounts total;  // `sincos` has all sines of the run, also where the entries made of them are outside the total
  std::vector<CountedPart> parts;

  /// Null when there is no part of that name.
  const CountedPart* find(std::string_view label) const;
};

// Labels of parts.
inline constexpr std::string_view kRotationEntries = "entries of the rotations";              // outside for an inertia matrix alone, inside for Lin's bias
inline constexpr std::string_view kJointOffsets = "theta + q and d + q";                      // outside: the papers' theta and d are the joint variables
inline constexpr std::string_view kBeyondMass = "bias beyond the inertia matrix";             // Lin, Table II: what b costs more when H is formed anyway
inline constexpr std::string_view kMassAndBias = "inertia matrix and bias together";          // Lin
inline constexpr std::string_view kInEndEffector = "all forces in the end-effector's frame";  // fijany-bejczy, outside
inline constexpr std::string_view kFromLastFrame = "seen from the origin of the last frame";  // Lin, outside: other reference points
inline constexpr std::string_view kFromLastCentre = "seen from the last mass centre";         // Lin, outside
inline constexpr std::string_view kSavedByFrames = "saved by driving-axis frames";            // walker-orin, outside
inline constexpr std::string_view kAsPrinted = "equations as printed, uncorrected";           // hollerbach-3x3
inline constexpr std::string_view kStanfordZ = "C, Z";                                        // kane-stanford
inline constexpr std::string_view kStanfordX = "X";
inline constexpr std::string_view kStanfordForces = "X du/dt, tau";
inline constexpr std::string_view kStanfordSolution = "du/dt by elimination";
inline constexpr std::string_view kStanfordSpeeds = "u from q, v";             // outside
inline constexpr std::string_view kStanfordSpeedRates = "du/dt from q, v, a";  // outside
inline constexpr std::string_view kStanfordJointRates = "a from du/dt";        // outside

/// Runs the formulation once on numbers that count. The numbers themselves do not matter: no formulation branches on them. O(the formulation).
/// Throws std::invalid_argument with the reason when the formulation does not give the quantity or does not take the robot.
AsWritten count_as_written(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

}  // namespace ULNA_API
