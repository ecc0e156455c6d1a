#include <algorithm>

#include "draw/panels.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

using html::text, html::whole;

namespace {

std::string capital(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::string title_of(Quantity quantity) { return capital(std::string(row_of(quantity).title)); }

/// Adds four cells, of dashes where there are no counts.
void add_counts(std::vector<std::string>& row, const std::optional<OperationCounts>& c) {
  if (c)
    row.insert(row.end(), {whole(c->mul), whole(c->add), whole(c->div), whole(c->sincos)});
  else
    row.insert(row.end(), 4, "–");
}

/// What a paper prints for the formulation on such a robot, the first of them; 0 where none does.
double printed_cost(const CountReport& counts, Quantity quantity, const Formulation* formulation) {
  for (const PrintedCount& p : counts.published)
    if (p.of == quantity && p.formulation == formulation) return p.mul + p.add;
  return 0;
}

std::string counts_figure(const CountReport& counts) {
  std::vector<html::View> quantities;
  std::string numbers;
  bool marked = false;
  for (const Quantity quantity : formulated_quantities()) {
    draw::BarPanel panel{title_of(quantity), {}};
    html::Rows rows;
    for (const CountRow& row : counts.rows) {
      if (row.quantity != quantity || !row.why_not.empty()) continue;
      panel.rows.push_back({std::string(row.formulation->id),
                            {static_cast<double>(cost(row.as_written.total)), row.minimal ? static_cast<double>(cost(*row.minimal)) : 0.0},
                            false,
                            printed_cost(counts, quantity, row.formulation)});
      rows.push_back({std::string(row.formulation->id), text(row.formulation->title)});
      add_counts(rows.back(), row.as_written.total);
      add_counts(rows.back(), row.minimal);
    }
    if (const auto best = counts.best.find(quantity); best != counts.best.end()) {
      panel.rows.push_back({"best found", {0.0, static_cast<double>(cost(best->second.counts))}, true});
      rows.push_back({"<strong>best found</strong>", "by search over frames and parameters that give the same results"});
      add_counts(rows.back(), {});
      add_counts(rows.back(), best->second.counts);
    }
    for (const PrintedCount& p : counts.published)
      if (p.of == quantity && p.formulation == nullptr) panel.rows.push_back({p.entry, {0.0, 0.0}, false, p.mul + p.add});
    if (panel.rows.empty()) continue;
    const bool has_marks = std::any_of(panel.rows.begin(), panel.rows.end(), [](const draw::BarRow& row) { return row.mark > 0; });
    marked = marked || has_marks;
    const std::string id(to_string(quantity));
    std::vector<html::View> scales;
    for (const auto& [name, scale] : {std::pair{"logarithmic", draw::BarScale::logarithmic}, std::pair{"linear", draw::BarScale::linear}})
      scales.push_back({name, bars(cat("Operations of every formulation: ", panel.title, ", ", name), {"as written", "reduced"}, {panel}, scale,
                                   has_marks ? "published" : "")});
    quantities.push_back({panel.title, html::choice("scale-" + id, "Scale", scales)});
    numbers +=
        html::table("llrrrrrrrr", {"formulation", "title", "mul", "add", "div", "sincos", "reduced: mul", "reduced: add", "reduced: div", "reduced: sincos"},
                    rows, title_of(quantity));
  }
  const std::string caption = cat(
      "Each bar counts multiplications, additions and divisions. <em>As written</em>: the equations as the paper writes them. <em>Reduced</em>: with equal "
      "expressions shared, constants folded, and terms left out that are zero for this robot. <em>Best found</em>: the program in <code>c/</code>.",
      marked ? " A <em>published</em> mark is the count that the paper prints for such a robot (multiplications and additions). A row with a mark and no bar "
               "is a method that Ulna does not have."
             : "",
      counts.rotor ? " The best programs include rotor inertias; the formulations do not." : "");
  return html::figure("figure-counts", html::choice("quantity-counts", "Quantity", quantities), caption, numbers);
}

std::string published_table(const CountReport& counts) {
  if (counts.published.empty())
    return "<p>The papers print no counts for a robot of this kind: theirs are for arms of revolute joints, and for the Stanford arm.</p>\n";
  html::Rows rows;
  for (const PrintedCount& p : counts.published)
    rows.push_back({text(p.entry), p.quantity, html::count(p.mul), html::count(p.add), text(p.source), text(p.polynomials)});
  return html::table("llrrll", {"method", "quantity", "mul", "add", "printed in", "as functions of n (mul ; add)"}, rows,
                     "What the papers print for such a robot");
}

std::string search_steps(const CountReport& counts) {
  std::string out;
  for (const Quantity quantity : formulated_quantities()) {
    const auto best = counts.best.find(quantity);
    if (best == counts.best.end()) continue;
    html::Rows rows;
    for (const SearchStep& step : best->second.steps) rows.push_back({text(step.what), whole(step.counts.mul), whole(step.counts.add), whole(step.counts.div)});
    out += html::table("lrrr", {"step", "mul", "add", "div"}, rows, title_of(quantity));
  }
  return html::details("How the search found the best programs, step by step", out);
}

std::string growth_figure(const std::vector<Growth>& growth) {
  if (growth.empty()) return {};
  int most = 0;
  for (const Growth& g : growth)
    for (const CountAt& c : g.counts) most = std::max(most, c.joints);
  std::string numbers;
  for (const Quantity quantity : formulated_quantities()) {
    std::vector<std::string> head{"n ="};
    for (int n = 1; n <= most; ++n) head.push_back(std::to_string(n));
    html::Rows rows;
    for (const Growth& g : growth) {
      if (g.quantity != quantity || g.counts.empty()) continue;
      rows.push_back({g.id});
      for (int n = 1; n <= most; ++n) {
        const std::optional<OperationCounts> c = g.at(n);
        rows.back().push_back(c ? whole(cost(*c)) : "–");
      }
    }
    numbers += html::table("l" + std::string(static_cast<std::size_t>(most), 'r'), head, rows, title_of(quantity));
  }
  return "<h3>Growth with the number of joints</h3>\n" +
         html::figure("figure-growth", html::charts(draw::growth_charts("Operations by number of joints", draw::growth_panels(growth), draw::page_theme())),
                      cat("Arms of 1 to ", most,
                          " revolute joints in general positions, by each formulation as its paper writes it. Both axes are logarithmic. <em>best</em> is the "
                          "program that the search finds for the arm."),
                      numbers);
}

}  // namespace

std::string counts_part(const StudyData& data) {
  return html::section("counts", "What each formulation costs",
                       counts_figure(data.counts) + published_table(data.counts) + search_steps(data.counts) + growth_figure(data.growth));
}

std::string certificate_part(const StudyData& data) {
  const Certificate& c = data.certificate;
  html::Rows rows, laws, peers, not_for, summary;
  const auto verdict = [](bool agrees) { return agrees ? html::good("agrees") : html::bad("DIFFERS"); };
  struct Worst {
    std::string quantity;
    std::size_t ways, differ;
    double difference, tolerance;  // of the way that is nearest to its tolerance
  };
  std::vector<Worst> by_quantity;
  for (const FormulationCheck& f : c.formulations) {
    const Formulation* known = find_formulation(f.id);
    if (!f.applies) {
      not_for.push_back({f.id, std::string(result_name(f.quantity)), text(f.why_not)});
      continue;
    }
    const std::string quantity(result_name(f.quantity));
    if (by_quantity.empty() || by_quantity.back().quantity != quantity) by_quantity.push_back({quantity, 0, 0, 0, f.tolerance});
    Worst& worst = by_quantity.back();
    ++worst.ways;
    worst.differ += f.agree ? 0 : 1;
    if (f.max_relative_difference * worst.tolerance > worst.difference * f.tolerance)
      worst.difference = f.max_relative_difference, worst.tolerance = f.tolerance;
    rows.push_back({quantity, cat(f.id, known == nullptr ? "" : cat("<br/><small>", text(known->title), "</small>")), verdict(f.agree),
                    html::small(f.max_relative_difference), html::small(f.tolerance), text(f.note)});
  }
  for (const LawCheck& law : c.laws)
    laws.push_back({text(law.statement), law.holds ? html::good("holds") : html::bad("BROKEN"), html::small(law.worst),
                    law.tolerance == 0 ? "&gt; 0" : html::small(law.tolerance)});
  for (const PeerCheck& p : data.peers) {
    const bool compared = p.why_not.empty();
    peers.push_back({text(p.name), text(p.quantity), compared ? verdict(p.agree) : cat("not compared: ", text(p.why_not)),
                     compared ? html::small(p.max_relative_difference) : "–", compared ? html::small(p.tolerance) : "–"});
  }
  std::string out = cat(
      "<p>", data.agree ? "<strong class=\"good\">All agree.</strong> " : "<strong class=\"bad\">They do not agree.</strong> ",
      "Every formulation that takes this robot was run on ", c.samples, " states within the joint limits (seed ", c.seed,
      ") and compared with a recursion in extended precision. Differences are relative to the largest terms that enter a result. The model's hash is <code>",
      c.model_hash, "</code>. <code>ulna verify MODEL --against certificate.json</code> checks whether this certificate still holds.</p>\n");
  for (const Worst& w : by_quantity)
    summary.push_back({w.quantity, whole(w.ways), w.differ == 0 ? html::good("all agree") : html::bad(cat(whole(w.differ), " DIFFER")),
                       html::small(w.difference), html::small(w.tolerance)});
  out += html::beside({html::table("lrlrr", {"quantity", "ways", "verdict", "difference", "allowed"}, summary,
                                   "Formulations, machine code and generated C: the largest difference of each quantity"),
                       html::table("llrr", {"law", "verdict", "worst", "allowed"}, laws, "Laws of mechanics"),
                       peers.empty() ? "<p>No other library was compared.</p>\n"
                                     : html::table("lllrr", {"library", "quantity", "verdict", "difference", "allowed"}, peers, "Other libraries")});
  out += html::details("Every way to compute by itself", html::table("lllrrl", {"quantity", "way", "verdict", "difference", "allowed", "note"}, rows));
  if (!not_for.empty()) out += html::details("Formulations that do not take this robot", html::table("lll", {"formulation", "quantity", "why"}, not_for));
  return html::section("certificate", "Do all formulations agree?", out);
}

}  // namespace ulna::internal
