// One run of a campaign as a scenario file.
#include <algorithm>
#include <filesystem>

#include <ulna/campaign/campaign.hpp>

#include "campaign/block.hpp"
#include "sim/quantities.hpp"
#include "sim/scenario_fields.hpp"
#include "sim/system.hpp"
#include "source/source_text.hpp"
#include "text/message.hpp"

namespace ulna {
namespace campaign ULNA_API {

using namespace internal;
using namespace internal::campaign;
using namespace ulna::internal::sim;
namespace fs = std::filesystem;

namespace {

/// A word of YAML.
std::string quoted(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 2)) text.insert(at, "'");
  return cat("'", text, "'");
}

std::optional<YamlNode> mapping_of(const std::string& path, Diagnostics& diagnostics, const ReadLimits& limits) {
  const std::optional<std::string> text = read_whole(path, &ReadLimits::yaml_bytes, limits, diagnostics);
  return text ? read_yaml(without_mark(*text), diagnostics, "a run of a campaign", limits) : std::nullopt;
}

}  // namespace

std::string run_file(const Campaign& campaign, const std::string& path, std::uint64_t run, const std::string& file) {
  const Spec& spec = campaign.spec();
  if (run >= spec.runs) throw std::invalid_argument(cat("run ", run, " does not exist: the last is ", spec.runs - 1));
  std::error_code problem;
  std::string name = spec.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < ' '; }, ' ');
  const fs::path from = fs::absolute(file, problem).parent_path();
  const fs::path named = fs::relative(fs::absolute(path, problem), from, problem);
  std::string text =
      cat("# Run ", run, " of the campaign ", name, ": 'ulna simulate' makes it, bit for bit. Values may be changed; units are those of SI.\n",
          "campaign: ", quoted(named.empty() ? path : named.generic_string()), "\nrun: ", run, "\nruns: ", spec.runs, "\nhash: ", quoted(spec.hash), "\n");
  const std::vector<double> values = drawn(spec, run);
  for (std::size_t j = 0; j < values.size(); ++j)
    text += cat(j == 0 ? "values:\n" : "", "  ", quoted(spec.variations[j].parameter.name), ": ", ulna::internal::to_text(values[j]), "\n");
  return text;
}

bool is_run_file(const std::string& path) {
  std::error_code ignored;
  Diagnostics unused(path);
  if (!fs::is_regular_file(path, ignored)) return false;
  const std::optional<YamlNode> root = mapping_of(path, unused, {});
  if (!root || root->kind != YamlNode::Kind::mapping) return false;
  const auto has = [&](std::string_view key) {
    return std::any_of(root->entries.begin(), root->entries.end(), [&](const YamlNode::Entry& entry) { return entry.key == key; });
  };
  return has("campaign") && has("run");
}

ulna::sim::ScenarioResult try_load_run(const std::string& path, const ReadLimits& limits) {
  Diagnostics diagnostics(path);
  ulna::sim::ScenarioResult result;
  const auto ended = [&] {
    std::vector<Diagnostic> all = diagnostics.all();
    result.diagnostics.insert(result.diagnostics.begin(), all.begin(), all.end());
    return std::move(result);
  };
  const std::optional<YamlNode> root = mapping_of(path, diagnostics, limits);
  if (!root) return ended();
  YamlFields top(*root, "", {"campaign", "run", "runs", "hash", "values"}, diagnostics);
  fs::path named = top.word("campaign", "");
  if (named.is_relative()) named = fs::path(path).parent_path() / named;
  std::optional<std::uint64_t> runs;
  if (top.has("runs")) runs = whole(top, "runs", 1, 1, 1'000'000'000'000);
  // The number of runs is a part of the hash only where it is not the file's.
  CampaignResult loaded = try_load_campaign(named.string(), {}, limits);
  const std::string hash = top.word("hash", "");
  if (runs && (!loaded.campaign || (loaded.campaign->hash() != hash || loaded.campaign->runs() != *runs)))
    loaded = try_load_campaign(named.string(), runs, limits);
  result.diagnostics = std::move(loaded.diagnostics);
  if (!loaded.campaign) top.error("campaign", cat("the campaign ", in_quotes(named.string()), " cannot be read"), "correct what is listed below");
  if (!loaded.campaign || diagnostics.has_errors()) return ended();
  const Spec& spec = loaded.campaign->spec();
  if (!hash.empty() && hash != spec.hash)
    top.error("hash", cat("the campaign was ", hash, " when this file was written, and is ", spec.hash, " now"),
              "write the file again by 'ulna campaign SPEC --only K --scenario FILE', or remove the hash");
  const std::uint64_t run = whole(top, "run", 0, 0, spec.runs - 1);
  std::vector<double> values = drawn(spec, run);
  if (const YamlNode* node = mapping(top, "values", "{payload.mass: 1.5}")) {
    const std::vector<std::string> names = names_of(spec.variations, [](const Variation& v) { return v.parameter.name; });
    YamlFields given(*node, "values", names, diagnostics);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const Variation& v = spec.variations[j];
      values[j] = given.number(names[j], values[j]);
      const double least = v.use == Use::value ? v.parameter.least : v.use == Use::factor && v.parameter.least >= 0 ? 0.0 : -HUGE_VAL;
      if (!(values[j] >= least)) given.error(names[j], cat(rounded(values[j]), " is below ", rounded(least)), "write a larger number");
    }
  }
  if (diagnostics.has_errors()) return ended();
  const auto machinery = std::make_unique<const Machinery>(spec);
  check_by_making(top, top.has("values") ? "values" : "run", "see docs/campaign.md", [&] {
    ulna::sim::Scenario scenario = scenario_of(*machinery, run, values);
    scenario.name = cat(spec.name, "-", run);
    internal::sim::check(scenario);
    result.scenario = std::move(scenario);
  });
  return ended();
}

}  // namespace ULNA_API
}  // namespace ulna
