// Random robots through the generator and a C compiler.
#include <gtest/gtest.h>

#include <ulna/source/load.hpp>

#include "property/comparison.hpp"
#include "property/compiled_robots.hpp"
#include "property/whole_robot.hpp"

namespace ulna::test {
namespace {

/// By way of a file, as a user's robot comes; none when nothing of it moves.
std::optional<Model> sample(std::uint64_t seed) {
  const WholeRobot spec = whole_robot(10)(rc::Random(seed), 100).value();
  Diagnostics diagnostics("random");
  const std::optional<Model> built = build(random_description(spec), diagnostics);
  const std::optional<std::string> text = built ? write_urdf(*built, diagnostics) : std::nullopt;
  if (!text) return std::nullopt;
  LoadResult read = try_parse(*text, "random.urdf");
  return read.model && read.model->nv() > 0 ? std::move(read.model) : std::nullopt;
}

/// Checks `count` robots; `edit` may spoil the source of one, to see that this is seen. The faults found.
template <class Edit>
std::vector<std::string> faults(std::size_t count, Edit edit) {
  std::vector<Model> models;
  for (std::uint64_t seed = 1; models.size() < count && seed < 10 * count; ++seed)
    if (std::optional<Model> model = sample(seed)) models.push_back(*std::move(model));
  if (models.size() < count) return {cat("only ", models.size(), " robots")};

  CompiledRobots compiled;
  for (std::size_t k = 0; k < count; ++k) {
    GenerateOptions options;
    options.what = {"inverse", "mass", "forward"};
    options.name = cat("r", k);
    options.test_states = 1;
    std::vector<GeneratedFile> files = generate(models[k], options);
    for (GeneratedFile& file : files) edit(k, file);
    compiled.add(options.name, files);
  }
  if (const std::string fault = compiled.compile(); !fault.empty()) return {fault};
  std::vector<std::string> found;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = cat("r", k);
    auto* inverse = compiled.function<Comparison::Inverse>(name, "inverse");
    auto* forward = compiled.function<Comparison::Inverse>(name, "forward");
    auto* mass = compiled.function<Comparison::Mass>(name, "mass");
    auto* selftest = compiled.function<CompiledRobots::Selftest>(name, "selftest");
    if (inverse == nullptr || forward == nullptr || mass == nullptr || selftest == nullptr) return {cat("robot ", k, " lacks a function")};
    if (const std::string fault = Comparison(models[k]).generated(inverse, mass, forward); !fault.empty()) found.push_back(cat("robot ", k, ": ", fault));
    if (selftest() != 0) found.push_back(cat("robot ", k, ": its own test fails"));
  }
  return found;
}

// 20 robots in the usual run, 200 in long ones.
TEST(RandomRobots, AgreeAsGeneratedC) {
  const std::size_t count = robots() >= 100000 ? 200 : 20;
  const std::vector<std::string> found = faults(count, [](std::size_t, GeneratedFile&) {});
  EXPECT_TRUE(found.empty()) << found.size() << " faults, the first: " << found.front();
}

// The comparison sees one constant of one robot that is off in its tenth digit.
TEST(RandomRobots, SpoiltInOneNumberDisagreeAsGeneratedC) {
  const std::vector<std::string> found = faults(2, [](std::size_t k, GeneratedFile& file) {
    const std::size_t at = k == 1 ? file.text.find("  tau[0] = ") : std::string::npos;
    if (at != std::string::npos) file.text.insert(at + 11, "(1 + 1e-10) * ");
  });
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().substr(0, 7), "robot 1");
}

}  // namespace
}  // namespace ulna::test
