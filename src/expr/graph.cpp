#include <bit>
#include <stdexcept>
#include <string_view>

#include <ulna/expr/expr.hpp>

namespace ulna ULNA_API {

namespace {

constexpr int kFirstLogarithm = 11;
constexpr std::size_t kMostNodes = std::size_t{1} << 29;  // so that an operation and two operands make one key
constexpr std::uint64_t kConstant = std::uint64_t{1} << 63;

/// Identifies a node in one word: the table is searched without reading the nodes.
std::uint64_t key_of(Operation operation, std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(operation) << 59 | static_cast<std::uint64_t>(a) << 30 | static_cast<std::uint64_t>(b + 1);
}
/// Constants are identified by their bits. They are positive, so a set sign bit separates their keys from those of other nodes.
std::uint64_t key_of(double value) { return std::bit_cast<std::uint64_t>(value) | kConstant; }

/// Multiplicative hashing: the upper bits of a product with an odd number.
std::uint64_t mixed(std::uint64_t key) { return (key ^ key >> 30) * 0x9e3779b97f4a7c15u; }

}  // namespace

Graph::Graph() : table_(std::size_t{1} << kFirstLogarithm), shift_(64 - kFirstLogarithm) {}

void Graph::clear() {
  nodes_.clear();
  constants_.clear();
  if (++generation_ == 0) {  // after four thousand million times
    table_.assign(table_.size(), {});
    generation_ = 1;
  }
  inputs_.clear();
  parameters_.clear();
  names_.clear();
  input_count_ = parameter_count_ = 0;
}

void Graph::rehash() {
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  --shift_;
  const std::size_t mask = table_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.generation != generation_) continue;
    std::size_t at = mixed(slot.key) >> shift_;
    while (table_[at].generation == generation_) at = (at + 1) & mask;
    table_[at] = slot;
  }
}

std::uint32_t Graph::find_or_add(std::uint64_t key, const Node& node) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = mixed(key) >> shift_;
  for (; table_[at].generation == generation_; at = (at + 1) & mask)
    if (table_[at].key == key) return table_[at].node;
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  if (index >= kMostNodes) throw std::length_error("an expression graph cannot have more than 2^29 nodes");
  table_[at] = {key, generation_, index};
  nodes_.push_back(node);
  if (2 * nodes_.size() > table_.size()) rehash();
  return index;
}

std::uint32_t Graph::node(Operation operation, bool fixed, std::uint32_t a, std::uint32_t b, bool scaled) {
  return find_or_add(key_of(operation, a, b), {operation, fixed, scaled, a, b});
}

std::uint32_t Graph::constant(double value) {
  const std::size_t before = nodes_.size();
  const std::uint32_t index = find_or_add(key_of(value), {Operation::constant, true, false, static_cast<std::uint32_t>(constants_.size()), kNoValue});
  if (nodes_.size() > before) constants_.push_back(value);
  return index;
}

std::string_view to_string(Component component) {
  static constexpr std::string_view kTexts[] = {"", "x", "y", "z", "xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  return kTexts[static_cast<std::size_t>(component)];
}

std::string to_string(const NodeName& name) {
  std::string out = name.letter;
  if (name.body > 0) out += std::to_string(name.body);
  if (name.component != Component::none) out.append("_").append(to_string(name.component));
  return name.opposite ? out + "_neg" : out;
}

void Graph::name(const Expr& x, NodeName name) {
  if (x.is_number() || nodes_[x.node()].operation < Operation::add) return;
  name.opposite = name.opposite != x.negative();
  names_.try_emplace(x.node(), std::move(name));
}

const NodeName& Graph::name_of(std::size_t node) const {
  static const NodeName none;
  const auto found = names_.find(node);
  return found == names_.end() ? none : found->second;
}

std::vector<Expr> Graph::inputs(std::string name, std::size_t size) {
  std::vector<Expr> all;
  for (std::size_t k = 0; k < size; ++k) all.emplace_back(*this, node(Operation::input, false, input_count_++, kNoValue), false);
  inputs_.push_back({std::move(name), size});
  return all;
}

std::vector<Expr> Graph::parameters(std::string name, std::size_t size) {
  std::vector<Expr> all;
  for (std::size_t k = 0; k < size; ++k) all.emplace_back(*this, node(Operation::parameter, true, parameter_count_++, kNoValue), false);
  parameters_.push_back({std::move(name), size});
  return all;
}

}  // namespace ULNA_API
