#include <ulna/campaign/campaign.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/simulate.hpp>

#include "campaign/draw_states.hpp"
#include "campaign/spec.hpp"
#include "sim/for_each_set.hpp"
#include "sim/quantities.hpp"
#include "sim/random.hpp"
#include "sim/scenario_fields.hpp"
#include "source/source_text.hpp"
#include "source/yaml.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal::sim;

namespace {

// Local: g++ exports the dispatcher of a multiversioned function that has external linkage.
ULNA_FOR_EACH_SET void draw_two(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other) {
  const std::uint32_t key_low = static_cast<std::uint32_t>(seed), key_high = static_cast<std::uint32_t>(seed >> 32);
  const std::uint32_t k_low = static_cast<std::uint32_t>(k), k_high = static_cast<std::uint32_t>(k >> 32) ^ static_cast<std::uint32_t>(Stream::states) << 28;
  constexpr std::size_t kBlock = 256;
  double a[kBlock], b[kBlock];
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = count - begin < kBlock ? count - begin : kBlock;
    for (std::size_t r = 0; r < kBlock; ++r) {
      const std::uint64_t row = first + begin + r;
      const Words w = philox({k_low, k_high, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32)}, {key_low, key_high});
      a[r] = open_unit(w[0], w[1]);
      b[r] = open_unit(w[2], w[3]);
    }
    for (std::size_t r = 0; r < size; ++r) one.out[begin + r] = one.from + (one.to - one.from) * a[r];
    if (other == nullptr) continue;
    for (std::size_t r = 0; r < size; ++r) other->out[begin + r] = other->from + (other->to - other->from) * b[r];
  }
}

}  // namespace

void draw_pair(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other) {
  draw_two(seed, first, count, k, one, other);
}

}  // namespace ulna::internal::campaign

namespace ulna {
namespace campaign ULNA_API {

using namespace internal;
using namespace internal::campaign;
using namespace ulna::internal::sim;

namespace {

constexpr std::size_t kBlocks = 16;  // of lanes in a call
constexpr std::uint64_t kMostRows = 1'000'000'000'000;
constexpr double kFarthest = 1e12;  // in SI: beyond, fourth powers approach the range of doubles

}  // namespace

struct Dataset::Parts {
  /// An input of the quantities, number by number.
  struct Input {
    std::string name;  // "q", "v", "a", "tau"
    std::vector<double> from, to;
  };
  explicit Parts(Dynamics of) : dynamics(std::move(of)) {}

  Dynamics dynamics;
  std::uint64_t seed = 1, rows = 0;
  std::vector<Input> signals;  // q first
  std::vector<Quantity> quantities;
  std::vector<std::string> columns;
  std::string text;
};

std::uint64_t Dataset::rows() const { return parts_->rows; }
const std::vector<std::string>& Dataset::columns() const { return parts_->columns; }
const std::string& Dataset::text() const { return parts_->text; }
std::string_view Dataset::instruction_set() const { return to_string(parts_->dynamics.instruction_set()); }

namespace {

/// Positions of the joints that v lists, column by column, to closed configurations on the circuit of the reference assembly. Where there is none, the row
/// draws again, from its own random numbers; after some attempts it is NaN.
void close_drawn(const Dataset::Parts& p, std::uint64_t first, std::size_t count, const std::vector<double>& given, double* out) {
  constexpr std::uint64_t kAttempts = 100, kNext = std::uint64_t{1} << 20;  // apart in the stream
  const Dataset::Parts::Input& range = p.signals.front();
  const std::size_t few = range.from.size(), nq = p.dynamics.nq();
  std::vector<double> drawn(few), q(nq);
  for (std::size_t r = 0; r < count; ++r) {
    bool closed = false;
    for (std::uint64_t attempt = 0; attempt < kAttempts && !closed; ++attempt) {
      for (std::size_t i = 0; i < few; ++i) {
        const Pair u = unit_pair(p.seed, Stream::states, first + r, attempt * kNext + i / 2);
        drawn[i] = attempt == 0 ? given[i * count + r] : range.from[i] + (range.to[i] - range.from[i]) * (i % 2 == 0 ? u.first : u.second);
      }
      closed = p.dynamics.close_batch({drawn.data(), few, 1}, {q.data(), nq, 1}) == 1;
    }
    for (std::size_t i = 0; i < nq; ++i) out[i * count + r] = closed ? q[i] : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

void Dataset::make(std::uint64_t first, std::size_t count, double* out) const {
  const Parts& p = *parts_;
  const bool loops = p.dynamics.model().closed();
  std::vector<DrawnColumn> drawn;
  std::vector<const double*> begin;  // of each signal's columns
  std::vector<double> given(loops ? p.signals.front().from.size() * count : 0);
  double* to = out;
  for (const Dataset::Parts::Input& signal : p.signals) {
    begin.push_back(to);
    const bool draws_few = loops && begin.size() == 1;  // positions of the joints that v lists: the others follow
    for (std::size_t i = 0; i < signal.from.size(); ++i) drawn.push_back({signal.from[i], signal.to[i], (draws_few ? given.data() : to) + i * count});
    to += (begin.size() == 1 ? p.dynamics.nq() : signal.from.size()) * count;
  }
  for (std::size_t c = 0; c < drawn.size(); c += 2) draw_pair(p.seed, first, count, c / 2, drawn[c], c + 1 < drawn.size() ? &drawn[c + 1] : nullptr);
  if (loops) close_drawn(p, first, count, given, out);

  // Columns to lanes and back: as many rows as lanes lie side by side in both.
  const std::size_t W = p.dynamics.lanes(), rows = kBlocks * W;
  const Sizes sizes = p.dynamics.model().sizes();
  std::vector<std::vector<double>> states(p.signals.size());
  for (std::size_t s = 0; s < states.size(); ++s) states[s].resize((s == 0 ? sizes.nq : sizes.nv) * rows);
  std::vector<double> results;
  for (const Quantity quantity : p.quantities) {
    const QuantityRow& row = row_of(quantity);
    const std::size_t size = row.size(sizes);
    results.resize(size * rows);
    InputsOf<double> inputs{};
    std::vector<std::size_t> taken;
    for (std::size_t k = 0; k < row.inputs.size(); ++k)
      for (std::size_t s = 0; s < p.signals.size(); ++s)
        if (p.signals[s].name == row.inputs[k]) {
          taken.push_back(s);
          (k == 0 ? inputs.q : k == 1 ? inputs.v : inputs.last) = states[s].data();
        }
    for (std::size_t r = 0; r < count; r += rows) {
      const std::size_t here = std::min(rows, count - r), blocks = (here + W - 1) / W;
      for (const std::size_t s : taken) {
        const std::size_t n = s == 0 ? sizes.nq : sizes.nv;
        for (std::size_t b = 0; b < blocks; ++b)
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t l = 0; l < W; ++l)  // lanes behind the last row repeat it
              states[s][(b * n + i) * W + l] = begin[s][i * count + r + std::min(b * W + l, here - 1)];
      }
      p.dynamics.compute_lanes(quantity, inputs, results.data(), blocks);
      for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t i = 0; i < size; ++i)
          for (std::size_t l = 0; l < std::min(W, here - b * W); ++l) to[i * count + r + b * W + l] = results[(b * size + i) * W + l];
    }
    to += size * count;
  }
}

namespace {

class DatasetReader {
 public:
  DatasetReader(Diagnostics& diagnostics, const std::string& file, const ReadLimits& limits)
      : diagnostics_(diagnostics), folder_(std::filesystem::path(file).parent_path().string()), limits_(limits) {}

  std::shared_ptr<const Dataset::Parts> read(const YamlNode& root, std::string_view text, std::optional<std::uint64_t> rows) {
    YamlFields top(root, "", {"dataset", "description", "model", "seed", "rows", "quantities", "q", "v", "a", "tau"}, diagnostics_);
    const std::optional<Model> model = read_model(top);
    if (!rows) top.require("rows");
    std::vector<Quantity> wanted = read_quantities(top);
    if (!model || wanted.empty()) return {};
    if (model->base() == RootJoint::free) {
      top.error("model", "its base is free, and states of a free base are not drawn yet", "take a robot with a fixed base");
      return {};
    }
    if (model->has_balls()) {
      top.error("model", "it has ball joints, and their quaternions are not drawn yet", "take a robot whose joints turn about one axis or slide");
      return {};
    }
    std::vector<Dataset::Parts::Input> signals;
    for (const char* name : {"q", "v", "a", "tau"}) {
      const bool needed = *name == 'q' || std::any_of(wanted.begin(), wanted.end(), [&](Quantity quantity) { return row_of(quantity).takes(name); });
      if (needed)
        signals.push_back(read_signal(top, name, *model));
      else if (top.has(name))
        top.error(name, "none of the quantities takes it", "remove the key");
    }
    for (const Dataset::Parts::Input& signal : signals) refuse_far(top, signal, *model);
    const std::uint64_t count = rows ? *rows : internal::sim::whole(top, "rows", 1, 1, kMostRows);
    const std::uint64_t seed = internal::sim::whole(top, "seed", 1, 0, std::numeric_limits<std::uint32_t>::max());
    if (count < 1 || count > kMostRows) top.error("rows", cat(count, " is no whole number from 1 to ", kMostRows), "write one");
    if (diagnostics_.has_errors()) return {};
    auto parts = std::make_shared<Dataset::Parts>(Dynamics(*model, {.quantities = wanted, .threads = 1}));
    parts->seed = seed;
    parts->rows = count;
    parts->signals = std::move(signals);
    parts->quantities = std::move(wanted);
    parts->text = text;
    name_columns(*parts, *model);
    return parts;
  }
  const std::vector<Diagnostic>& of_model() const { return of_model_; }

 private:
  std::optional<Model> read_model(YamlFields& top) {
    LoadOptions options;
    options.limits = limits_;
    return internal::sim::named_model(top, folder_, options, of_model_);
  }

  std::vector<Quantity> read_quantities(YamlFields& top) {
    const YamlNode* node = top.require("quantities");
    std::vector<Quantity> wanted;
    if (node == nullptr) return wanted;
    if (node->kind != YamlNode::Kind::sequence || node->items.empty()) {
      top.error("quantities", cat("a list of names belongs here, not ", describe(*node)), "write [inverse]");
      return wanted;
    }
    std::vector<std::string> known;
    for (const QuantityRow& row : quantities())
      if (!row.of_link && row.quantity != Quantity::energy && row.quantity != Quantity::momentum && row.quantity != Quantity::closure &&
          row.quantity != Quantity::loop_motion)
        known.emplace_back(row.id);
    for (const YamlNode& item : node->items) {
      if (std::find(known.begin(), known.end(), item.text) == known.end())
        diagnostics_.error(item.line, top.label("quantities"), there_is_no("quantity", item.text, known), cat("they are ", joined(known)));
      else if (std::find(wanted.begin(), wanted.end(), find_quantity(item.text)->quantity) != wanted.end())
        diagnostics_.error(item.line, top.label("quantities"), cat(in_quotes(item.text), " stands there twice"), "remove one of them");
      else
        wanted.push_back(find_quantity(item.text)->quantity);
    }
    return diagnostics_.has_errors() ? std::vector<Quantity>{} : wanted;
  }

  /// Missing ranges are the joints' limits; without limits, one turn or one unit to either side.
  Dataset::Parts::Input read_signal(YamlFields& top, const std::string& name, const Model& model) {
    Dataset::Parts::Input signal{name, {}, {}};
    const std::size_t base = base_nv(model.base());
    for (std::size_t i = 0; i < model.nv(); ++i) {
      double from = -1, to = 1;
      if (i >= base) {
        const Joint& joint = model.joints()[model.driven()[i - base]];
        const auto take = [&](double limit) {
          if (std::isfinite(limit) && limit > 0) from = -limit, to = limit;
        };
        if (name == "q") {
          const PositionRange range = position_range(joint);
          from = range.from, to = range.to;
        } else if (name == "v") {
          take(joint.velocity);
        } else if (name == "tau") {
          take(joint.effort);
        } else {
          take(10);
        }
      }
      signal.from.push_back(from), signal.to.push_back(to);
    }
    const YamlNode* node = top.find(name);
    if (node == nullptr) return signal;
    const bool each = node->kind == YamlNode::Kind::sequence && node->items.size() == model.nv() &&
                      std::all_of(node->items.begin(), node->items.end(), [](const YamlNode& item) { return item.kind == YamlNode::Kind::sequence; });
    for (std::size_t i = 0; i < model.nv(); ++i) {
      const YamlNode& pair = each ? node->items[i] : *node;
      if (pair.kind != YamlNode::Kind::sequence || pair.items.size() != 2) {
        top.error(name, "it takes [from, to], or a list of that for every coordinate", cat("write '", name, ": [-1, 1]'"));
        return signal;
      }
      const std::string unit = name == "q"     ? (ulna::sim::effort_unit(model, i) == "N" ? "m" : "rad")
                               : name == "v"   ? ulna::sim::velocity_unit(model, i)
                               : name == "tau" ? (ulna::sim::effort_unit(model, i) == "N" ? "N" : "Nm")
                                               : ulna::sim::velocity_unit(model, i) + "2";
      const std::vector<double> range = internal::sim::list_of(top, name, pair, unit);
      if (range.empty()) return signal;
      if (!(range[0] < range[1]) || !std::isfinite(range[1] - range[0])) {
        top.error(name, cat("from ", rounded(range[0]), " to ", rounded(range[1]), " is no interval"), "write the smaller number first");
        return signal;
      }
      signal.from[i] = range[0], signal.to[i] = range[1];
    }
    return signal;
  }

  /// Results of such states are NaN, or beyond what doubles hold.
  static void refuse_far(YamlFields& top, const Dataset::Parts::Input& signal, const Model& model) {
    const bool angles = signal.name == "q";
    std::vector<double> rates(signal.from.size(), 0.0);
    const std::vector<double> of_all = turning_rates(make_plan(model));
    for (std::size_t i = 0; i < rates.size() && angles; ++i) rates[i] = of_all[model.order().independent[i]];
    const std::vector<std::string> names = model.velocity_names();
    for (std::size_t i = 0; i < signal.from.size(); ++i) {
      const double far = std::max(std::fabs(signal.from[i]), std::fabs(signal.to[i]));
      if (far <= kFarthest && rates[i] * far <= kLargestAngle) continue;
      top.error(signal.name,
                cat("the range of ", in_quotes(names[i]), " reaches ", rounded(far),
                    rates[i] > 0 ? cat(" rad, but sine and cosine are exact up to ", rounded(kLargestAngle / rates[i]), " rad")
                                 : cat(", but nothing is computed beyond ", rounded(kFarthest))),
                rates[i] > 0 ? "take off whole turns" : "write a range that a robot can have");
      return;
    }
  }

  static void name_columns(Dataset::Parts& parts, const Model& model) {
    const std::vector<std::string> v = model.velocity_names(), tau = model.effort_names(), q = model.position_names();
    for (const Dataset::Parts::Input& signal : parts.signals)
      for (std::size_t i = 0; i < (signal.name == "q" ? model.nq() : model.nv()); ++i) {
        const std::string rate = signal.name == "q" ? "" : ulna::sim::velocity_unit(model, i);
        const std::string unit = signal.name == "q"   ? ulna::sim::position_unit(model, i)
                                 : signal.name == "v" ? rate
                                 : signal.name == "a" ? rate + "2"
                                                      : ulna::sim::effort_unit(model, i);
        parts.columns.push_back(cat(signal.name, ".", (signal.name == "q" ? q : signal.name == "tau" ? tau : v)[i], " [", unit, "]"));
      }
    for (const Quantity quantity : parts.quantities) {
      const QuantityRow& row = row_of(quantity);
      const Sizes sizes = model.sizes();
      const std::size_t rows = row.rows.of(sizes), size = row.size(sizes);
      for (std::size_t k = 0; k < size; ++k) {
        if (rows == size && rows == model.nv()) {
          const std::string unit = quantity == Quantity::forward ? ulna::sim::velocity_unit(model, k) + "2" : ulna::sim::effort_unit(model, k);
          parts.columns.push_back(cat(row.id, ".", (quantity == Quantity::forward ? v : tau)[k], " [", unit, "]"));
        } else {
          parts.columns.push_back(cat(row.id, ".", k % rows, ".", k / rows));  // row and column of the matrix
        }
      }
    }
  }

  Diagnostics& diagnostics_;
  std::string folder_;
  const ReadLimits& limits_;
  std::vector<Diagnostic> of_model_;
};

}  // namespace

DatasetResult try_parse_dataset(std::string_view text, const std::string& file, std::optional<std::uint64_t> rows, const ReadLimits& limits) {
  Diagnostics diagnostics(file);
  DatasetResult result;
  DatasetReader reader(diagnostics, file, limits);
  if (const auto root = read_yaml_mapping(text, diagnostics, "a data set", "'model: ...' and 'rows: ...'", limits, "give a data set's description in YAML"))
    if (std::shared_ptr<const Dataset::Parts> parts = reader.read(*root, without_mark(text), rows); parts != nullptr && !diagnostics.has_errors())
      result.dataset.emplace(std::move(parts));
  diagnostics.sort_by_line();
  result.diagnostics = diagnostics.all();
  result.diagnostics.insert(result.diagnostics.end(), reader.of_model().begin(), reader.of_model().end());
  return result;
}

DatasetResult try_load_dataset(const std::string& path, std::optional<std::uint64_t> rows, const ReadLimits& limits) {
  Diagnostics problems(path);
  const std::optional<std::string> text = internal::campaign::read_spec(path, "dataset", limits, problems);
  return text ? try_parse_dataset(*text, path, rows, limits) : DatasetResult{{}, problems.all()};
}

}  // namespace ULNA_API
}  // namespace ulna
