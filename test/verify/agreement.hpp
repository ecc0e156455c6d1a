// That everything in a certificate agrees.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include <ulna/verify/verify.hpp>

namespace ulna::test {

/// Returns the ids of the rows that were compared in a quantity that depends on `influence`.
inline std::set<std::string> expect_agreement(const Certificate& c, bool Influences::*influence = &Influences::gravity) {
  std::set<std::string> compared;
  for (const FormulationCheck& f : c.formulations) {
    EXPECT_EQ(f.applies, f.why_not.empty()) << f.id;
    EXPECT_TRUE(!f.applies || f.agree) << f.id << " " << result_name(f.quantity) << ": " << f.max_relative_difference << " > " << f.tolerance;
    if (f.applies && row_of(f.quantity).influences.*influence) compared.insert(f.id);
  }
  for (const LawCheck& law : c.laws) EXPECT_TRUE(law.holds) << law.id << ": " << law.worst << " > " << law.tolerance;
  EXPECT_TRUE(c.agree());
  return compared;
}

}  // namespace ulna::test
