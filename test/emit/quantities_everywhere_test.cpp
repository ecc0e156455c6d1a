// Every row of the table of quantities is known wherever people look for it: on the command line, as equations and code, in C++, in Python and in the docs.
// docs/cli.md is what the program prints; a test of its own holds it to that.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <ulna/emit/equations.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "text/message.hpp"

namespace ulna::test {
namespace {

std::string file(const std::string& name) {
  std::ifstream in(ULNA_MODELS_DIR "/../" + name);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// A command's page, from its name to the next one's.
std::string page(const std::string& pages, const std::string& command) {
  const std::size_t from = pages.find(cat("    ulna ", command, " - "));
  return from == std::string::npos ? "" : pages.substr(from, pages.find("\nNAME\n", from) - from);
}

/// Whether a command's page describes an option, or lists it among the shared ones.
bool takes(const std::string& own, const std::string& option) {
  if (has(own, cat("\n    --", option, " "))) return true;
  const std::size_t shared = own.find("\n    shared: ");
  return shared != std::string::npos && has(own.substr(shared, own.find("\n\n", shared) - shared), cat("--", option, ","));
}

TEST(Quantities, HaveACommandThatTakesWhatTheyTake) {
  const std::string pages = file("docs/cli.md"), states = file("docs/states.md");
  for (const QuantityRow& row : quantities()) {
    if (row.quantity == Quantity::mass_inverse || row.quantity == Quantity::centroidal_matrix) continue;  // for programs; `centroidal` prints A, too
    SCOPED_TRACE(row.id);
    const bool derivatives = !row.parts.empty();  // one command for both, by --of
    const std::string command = derivatives ? "derivatives" : std::string(row.id), own = page(pages, command);
    ASSERT_FALSE(own.empty());
    for (const char* part : {"q", "v", "a", "tau"}) EXPECT_EQ(takes(own, part), row.takes(part) || derivatives) << part;
    EXPECT_EQ(takes(own, "rotor"), row.influences.rotor);
    EXPECT_EQ(takes(own, "friction"), row.influences.friction);
    EXPECT_EQ(takes(own, "wrench"), row.influences.wrenches);
    EXPECT_EQ(takes(own, "base-velocity"), row.influences.base);
    EXPECT_EQ(takes(own, "link"), row.of_link || derivatives);  // --of pose and --of jacobian
    EXPECT_TRUE(has(states, cat("| `", command, "` |")));
  }
}

TEST(Quantities, AreWrittenAsEquationsAndCode) {
  const Model model = load("planar-2r");
  const std::string generate_page = file("docs/generate.md"), equations_page = file("docs/equations.md"), pages = file("docs/cli.md");
  for (const QuantityRow& row : quantities()) {
    SCOPED_TRACE(row.id);
    EXPECT_EQ(has(generate_page, cat("| `", row.id, "` |")), row.written);
    EXPECT_EQ(has(equations_page, cat("`", row.id, "`")), row.written && row.read);
    if (!row.written) continue;
    EXPECT_TRUE(has(page(pages, "generate"), std::string(row.id)));
    if (row.read) {
      EXPECT_TRUE(has(write_equations(model, std::vector{make_equations(model, row.quantity)}, EquationFormat::text), std::string(row.heading)));
    }
    // The signature in C follows from the row.
    std::string signature = cat("void planar_2r_", row.id, "(");
    for (const std::string_view input : row.inputs) signature += cat("const double ", input, "[2], ");
    EXPECT_TRUE(has(generate(model, {.what = {std::string(row.id)}})[0].text + generate(model, {.what = {std::string(row.id)}})[1].text,
                    cat(signature, "double ", row.symbol, "[", row.size({2, 2, 2}), "])")))
        << signature;
  }
}

TEST(Quantities, AreFunctionsInCppAndPython) {
  const std::string header = file("include/ulna/robot/dynamics.hpp"), dynamics = file("docs/dynamics.md"), module = file("python/ulna/_dynamics.py"),
                    python = file("docs/python.md");
  for (const QuantityRow& row : quantities()) {
    if (row.quantity == Quantity::energy || row.quantity == Quantity::momentum) continue;  // these go by compute()
    SCOPED_TRACE(row.id);
    EXPECT_TRUE(has(header, cat(" ", row.id, "(")));  // batches and lanes take any row: compute_batch, compute_lanes
    EXPECT_TRUE(has(dynamics, cat("`", row.id, "`")));
    EXPECT_TRUE(has(module, cat("    def ", row.id, "(")));
    EXPECT_TRUE(has(python, cat("`", row.id, "(")));
  }
}

}  // namespace
}  // namespace ulna::test
