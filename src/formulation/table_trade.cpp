#include "formulation/table_trade.hpp"

#include "formulation/evaluator.hpp"
#include "text/message.hpp"

namespace ulna::internal {

Payload tenth_of(const Model& model) {
  Payload load;
  for (std::size_t l = 1; l < model.links().size(); ++l) load.mass += model.links()[l].mass / 10;
  load.com = model.links().back().com;
  return load;
}

std::vector<TableTrade> table_trades(const Prepared& prepared, const std::vector<int>& nodes, double most_bytes) {
  constexpr int kStates = 500;
  const Model& model = prepared.model;
  std::vector<TableTrade> all;
  std::optional<Prepared> loaded;
  for (const TableMethod* method : table_methods()) {
    TableTrade& trade = all.emplace_back();
    trade.method = method;
    trade.why_not = takes_chains(prepared);
    if (!trade.why_not.empty()) continue;
    trade.counts = formulation_named(method->id).count(Quantity::inverse, prepared).total;
    if (!loaded) loaded.emplace(with_payload(model, model.links().back().name, tenth_of(model)), prepared.snap);
    const DhChain<double>& chain = *prepared.forms().dh;
    for (const int k : nodes) {
      const double bytes = table_bytes(*method, prepared.size(), k);
      if (bytes > most_bytes) {
        trade.why_not = cat("with ", k, " nodes on each axis its table is too large to be filled here");
        continue;
      }
      TorqueTable table(*method, table_grid(*method, prepared, k), most_bytes);
      table.fill(chain);
      trade.at.push_back({k, bytes, table.fill_seconds(), table.worst_error(chain, kStates).relative,
                          table.worst_error(chain, kStates, 1, Reading::indexed).relative, table.worst_error(*loaded->forms().dh, kStates).relative});
    }
  }
  return all;
}

}  // namespace ulna::internal
