#include "count/published.hpp"

#include <algorithm>
#include <initializer_list>

#include "formulation/rows.hpp"

namespace ulna::internal {

namespace {

CountOfOurs ours(MakeRow row, Quantity quantity = Quantity::inverse, std::string_view part = {}, std::string_view suffix = {}) {
  return {&row_of(row), quantity, part, suffix};
}

/// Coefficients as one writes them, highest power first.
Polynomial poly(std::initializer_list<Rational> falling) {
  std::vector<Rational> rising(falling);
  std::reverse(rising.begin(), rising.end());
  return Polynomial(std::move(rising));
}
PublishedCount count(std::string_view text, std::initializer_list<Rational> falling) { return {text, poly(falling), {}, {}}; }
PublishedCount misprinted(std::string_view text, std::initializer_list<Rational> falling, std::string_view misprint) {
  return {text, poly(falling), misprint, {}};
}
/// With the numbers for n = first, first + 1, ….
PublishedCount with_cells(std::string_view text, std::initializer_list<Rational> falling, int first, std::initializer_list<std::int64_t> values) {
  PublishedCount out = count(text, falling);
  for (const std::int64_t value : values) out.cells.push_back({first++, value});
  return out;
}
/// A number alone.
PublishedCount number(std::string_view text, std::int64_t value, int n) { return {text, poly({value}), {}, {{n, value}}}; }

/// Of another paper.
PublishedEntry quoted(std::string_view name, PublishedCount mul, PublishedCount add, std::vector<CountOfOurs> ours = {}) {
  PublishedEntry entry{name, std::move(mul), std::move(add)};
  entry.ours = std::move(ours);
  entry.quoted = true;
  return entry;
}

PublishedEntry step(std::string_view name, PublishedCount mul, PublishedCount add, PublishedEntry::LockStep lock_step) {
  PublishedEntry entry{name, std::move(mul), std::move(add)};
  entry.lock_step = std::move(lock_step);
  return entry;
}

constexpr std::string_view kTurney = "Turney, Mudge & Lee 1980";
constexpr std::string_view kHollerbach = "Hollerbach 1980";
constexpr std::string_view kLin = "Lin 1991";

PublishedTable table(std::string_view id, std::string_view paper, std::string_view where, std::string_view title, PublishedTable rest) {
  rest.id = id, rest.paper = paper, rest.where = where, rest.title = title;
  return rest;
}

std::vector<PublishedTable> make() {
  std::vector<PublishedTable> tables;
  tables.push_back(table(
      "turney-1", kTurney, "Table 1", "torques by three formulations",
      {.entries = {{"Lagrange",
                    count("81/6 n³ + 165/2 n² + 5n", {{81, 6}, {165, 2}, 5, 0}),
                    count("40/3 n³ + 58n² - 64/3 n", {{40, 3}, 58, {-64, 3}, 0}),
                    {ours(&lagrange_row)},
                    "turney-2"},
                   {"Newton-Euler", count("108n - 12", {108, -12}), count("100n - 9", {100, -9}), {ours(&newton_euler_row)}, "turney-3"},
                   {"Modified Newton-Euler", count("90n - 27", {90, -27}), count("88n - 24", {88, -24}), {ours(&modified_newton_euler_row)}, "turney-4"}}}));
  tables.push_back(table(
      "turney-2", kTurney, "Table 2", "rows of the Lagrange formulation",
      {.has_total = true,
       .lines_of = &row_of(&lagrange_row),
       .entries = {{"T", count("32n(n - 1)", {32, -32, 0}), count("24n(n - 1)", {24, -24, 0})},
                   {"dT", count("32n(n - 1)", {32, -32, 0}), count("24n(n - 1)", {24, -24, 0})},
                   {"d2T", count("32/3 n(n² - 1)", {{32, 3}, 0, {-32, 3}, 0}), count("8n(n² - 1)", {8, 0, -8, 0})},
                   {"kinetic", count("17/6 n³ + 17/2 n² + 209/3 n", {{17, 6}, {17, 2}, {209, 3}, 0}), count("16/3 n³ + 80/3 n", {{16, 3}, 0, {80, 3}, 0})},
                   {"trace", count("8n² + 8n", {8, 8, 0}), count("8n² + 7n", {8, 7, 0})},
                   {"gravity", count("2n² + 2n", {2, 2, 0}), count("2n² + n", {2, 1, 0})},
                   {"Total", count("81/6 n³ + 165/2 n² + 5n", {{81, 6}, {165, 2}, 5, 0}), count("40/3 n³ + 58n² - 64/3 n", {{40, 3}, 58, {-64, 3}, 0})}}}));
  tables.push_back(table("turney-3", kTurney, "Table 3", "rows of the Newton-Euler formulation",
                         {.has_total = true,
                          .lines_of = &row_of(&newton_euler_row),
                          .entries = {{"omega", count("9n", {9, 0}), count("7n", {7, 0})},
                                      {"alpha", count("9n", {9, 0}), count("9n", {9, 0})},
                                      {"A", count("6n", {6, 0}), count("9n", {9, 0})},
                                      {"a", count("18n", {18, 0}), count("15n", {15, 0})},
                                      {"abar", count("9n", {9, 0}), count("9n", {9, 0})},
                                      {"f", count("12(n - 1)", {12, -12}), count("9(n - 1)", {9, -9})},
                                      {"I alpha", count("9n", {9, 0}), count("6n", {6, 0})},
                                      {"omega x I omega", count("15n", {15, 0}), count("9n", {9, 0})},
                                      {"m (r + rbar) x abar", count("6n", {6, 0}), count("3n", {3, 0})},
                                      {"r x R f", count("6n", {6, 0}), count("3n", {3, 0})},
                                      {"R n", count("9n", {9, 0}), count("6n", {6, 0})},
                                      {"add n", count("0", {0}), count("15n", {15, 0})},
                                      {"Total", count("108n - 12", {108, -12}), count("100n - 9", {100, -9})}}}));
  tables.push_back(table("turney-4", kTurney, "Table 4", "rows of the modified Newton-Euler formulation",
                         {.has_total = true,
                          .lines_of = &row_of(&modified_newton_euler_row),
                          .entries = {{"omega", count("9n", {9, 0}), count("7n", {7, 0})},
                                      {"alpha", count("9n", {9, 0}), count("9n", {9, 0})},
                                      {"A", count("6n", {6, 0}), count("9n", {9, 0})},
                                      {"a", count("18(n - 1)", {18, -18}), count("15(n - 1)", {15, -15})},
                                      {"m abar", count("12n", {12, 0}), count("9n", {9, 0})},
                                      {"f", count("9(n - 1)", {9, -9}), count("9(n - 1)", {9, -9})},
                                      {"Tr A K sigma", count("6n", {6, 0}), count("3n", {3, 0})},
                                      {"m (r + rbar) x abar", count("6n", {6, 0}), count("3n", {3, 0})},
                                      {"r x R f", count("6n", {6, 0}), count("3n", {3, 0})},
                                      {"R n", count("9n", {9, 0}), count("6n", {6, 0})},
                                      {"add n", count("0", {0}), count("15n", {15, 0})},
                                      {"Total", count("90n - 27", {90, -27}), count("88n - 24", {88, -24})}}}));
  tables.push_back(
      table("turney-5", kTurney, "Table 5", "steps of the modified Newton-Euler formulation when what can be is done at once",
            {.has_total = true,
             .of_steps = true,
             .lines_of = &row_of(&modified_newton_euler_row),
             .entries = {step("omega_1", count("9", {9}), count("7", {7}), {{"omega"}}),
                         step("alpha_1", count("9", {9}), count("9", {9}), {{"alpha"}}),
                         step("A_1", count("6", {6}), count("9", {9}), {{"A"}}),
                         step("omega_2", count("9", {9}), count("7", {7}), {{"omega"}}),
                         step("alpha_2", count("9", {9}), count("9", {9}), {{"alpha"}}),
                         step("each link, outward", count("18n", {18, 0}), count("15n", {15, 0}),
                              {{"omega", "alpha", "A", "a", "m abar", "Tr A K sigma", "m (r + rbar) x abar"}, true}),
                         step("each link, inward", count("9n", {9, 0}), count("12n", {12, 0}), {{"f", "add n", "r x R f", "R n"}, true}),
                         {"Total", count("27n + 42", {27, 42}), count("27n + 41", {27, 41}), {ours(&newton_euler_row), ours(&modified_newton_euler_row)}}}}));
  tables.push_back(
      table("hollerbach-1", kHollerbach, "Table I", "torques by six formulations",
            {.entries = {{"Uicker/Kahn",
                          count("32½n⁴ + 86 5/12 n³ + 171¼n² + 53⅓n - 128", {{65, 2}, {1037, 12}, {685, 4}, {160, 3}, -128}),
                          misprinted("25n³ + 66⅓n³ + 129½n² + 42⅓n - 96", {25, {199, 3}, {259, 2}, {127, 3}, -96}, "25n³ is 25n⁴"),
                          {ours(&uicker_kahn_row)}},
                         {"Waters",
                          misprinted("106½n² + 620¼n - 512", {{213, 2}, {1241, 2}, -512}, "620¼ is 620½: counts are whole numbers"),
                          count("82n² + 514n - 384", {82, 514, -384}),
                          {ours(&waters_row)}},
                         {"Hollerbach (4x4)", count("830n - 592", {830, -592}), count("675n - 464", {675, -464}), {ours(&hollerbach_4x4_row)}},
                         {"Hollerbach (3x3)",
                          count("412n - 277", {412, -277}),
                          count("320n - 201", {320, -201}),
                          {ours(&hollerbach_3x3_row, Quantity::inverse, kAsPrinted), ours(&hollerbach_3x3_row, Quantity::inverse, {}, ", corrected")}},
                         {"Newton-Euler", count("150n - 48", {150, -48}), count("131n - 48", {131, -48}), {ours(&newton_euler_link_row)}},
                         {"Horn, Raibert", count("2n³ + n²", {2, 1, 0, 0}), count("n³ + n² + 2n", {1, 1, 2, 0}), {ours(&horn_raibert_row)}}}}));
  tables.push_back(
      table("hollerbach-2", kHollerbach, "Table II", "the same for n = 6",
            {.first = 6,
             .only = 6,
             .cells_of = "hollerbach-1",
             .entries = {{"Uicker/Kahn", number("66271", 66271, 6), number("51548", 51548, 6), {ours(&uicker_kahn_row)}},
                         {"Waters", number("7051", 7051, 6), number("5652", 5652, 6), {ours(&waters_row)}},
                         {"Hollerbach (4x4)", number("4388", 4388, 6), number("3586", 3586, 6), {ours(&hollerbach_4x4_row)}},
                         {"Hollerbach (3x3)",
                          number("2195", 2195, 6),
                          number("1719", 1719, 6),
                          {ours(&hollerbach_3x3_row, Quantity::inverse, kAsPrinted), ours(&hollerbach_3x3_row, Quantity::inverse, {}, ", corrected")}},
                         {"Newton-Euler", number("852", 852, 6), number("738", 738, 6), {ours(&newton_euler_link_row)}},
                         {"Horn, Raibert", number("468", 468, 6), number("264", 264, 6), {ours(&horn_raibert_row)}}}}));
  tables.push_back(
      table("lin-1", kLin, "Table I", "the inertia matrix by five methods, entries of the rotations given",
            {.first = 2,
             .quantity = Quantity::mass,
             .cells_of = "lin-1",
             .entries = {{"Walker and Orin",
                          with_cells("11n² + 53n - 74", {11, 53, -74}, 2, {76, 184, 314, 466, 640, 836, 1054}),
                          with_cells("8n² + 52n - 62", {8, 52, -62}, 2, {74, 166, 274, 398, 538, 694, 866}),
                          {ours(&walker_orin_row, Quantity::mass)}},
                         {"Renaud",
                          with_cells("13.5n² + 22.5n - 68", {{27, 2}, {45, 2}, -68}, 2, {31, 121, 238, 382, 553, 751, 976}),
                          with_cells("9n² + 26n - 64", {9, 26, -64}, 2, {24, 95, 184, 291, 416, 559, 720}),
                          {ours(&renaud_row, Quantity::mass)}},
                         {"Lin 1988",
                          with_cells("(7n³ + 99n² - 214n)/6 + 19", {{7, 6}, {99, 6}, {-214, 6}, 19}, 2, {23, 92, 215, 399, 651, 978, 1387}),
                          with_cells("n³ + 13.5n² - 28.5n + 14", {1, {27, 2}, {-57, 2}, 14}, 2, {19, 77, 180, 334, 545, 819, 1162}),
                          {ours(&lin_row, Quantity::mass, kLinkByLink)}},
                         {"Fijany and Bejczy",
                          with_cells("4.5n² + 115.5n - 175", {{9, 2}, {231, 2}, -175}, 2, {74, 212, 359, 515, 680, 854, 1037}),
                          with_cells("4n² + 88n - 134", {4, 88, -134}, 2, {58, 166, 282, 406, 538, 678, 826}),
                          {ours(&fijany_bejczy_row, Quantity::mass), ours(&fijany_bejczy_row, Quantity::mass, kInEndEffector, ", end-effector's frame")}},
                         {"Present",
                          with_cells("10.5n² + 38.5n - 85", {{21, 2}, {77, 2}, -85}, 2, {34, 125, 237, 370, 524, 699, 895}),
                          with_cells("6n² + 39n - 70", {6, 39, -70}, 2, {32, 101, 182, 275, 380, 497, 626}),
                          {ours(&lin_row, Quantity::mass), ours(&lin_row, Quantity::mass, kFromLastFrame, ", from the last frame's origin"),
                           ours(&lin_row, Quantity::mass, kFromLastCentre, ", from the last mass centre")}}}}));
  tables.push_back(table("lin-2", kLin, "Table II, and the text before it", "the bias by three methods",
                         {.first = 2,
                          .quantity = Quantity::bias,
                          .cells_of = "lin-2",
                          .difference = {{"the bias is H and b together, less H of Table I", "Present", "Present, H and b", "Present", "lin-1"}},
                          .entries = {{"Khalil and Kleinfinger", with_cells("101n - 129", {101, -129}, 2, {73, 174, 275, 376, 477, 578, 679}),
                                       with_cells("90n - 118", {90, -118}, 2, {62, 152, 242, 332, 422, 512, 602})},
                                      {"Balafoutis et al.", with_cells("93n - 69", {93, -69}, 2, {117, 210, 303, 396, 489, 582, 675}),
                                       with_cells("81n - 66", {81, -66}, 2, {96, 177, 258, 339, 420, 501, 582})},
                                      {"Present",
                                       with_cells("12.5n² + 5.5n + 3", {{25, 2}, {11, 2}, 3}, 2, {64, 132, 225, 343, 486, 654, 847}),
                                       with_cells("9n² + n", {9, 1, 0}, 2, {38, 84, 148, 230, 330, 448, 584}),
                                       {ours(&lin_row, Quantity::bias, kBeyondMass)}},
                                      {"Present, H and b",
                                       count("23n² + 44n - 82", {23, 44, -82}),
                                       count("15n² + 40n - 70", {15, 40, -70}),
                                       {ours(&lin_row, Quantity::bias, kMassAndBias)}}}}));
  tables.push_back(table("lin-frames", kLin, "the text on the algorithm",
                         "what driving-axis frames save Walker and Orin's method against Denavit-Hartenberg frames",
                         {.quantity = Quantity::mass,
                          .entries = {quoted("saved", count("45", {45}), count("28", {28}), {ours(&walker_orin_row, Quantity::mass, kSavedByFrames)})}}));
  tables.push_back(table("nasser", "Nasser 1990", "section 3.3", "accelerations; N is the number of links",
                         {.quantity = Quantity::forward,
                          .entries = {{"Nasser", count("258N - 119", {258, -119}), count("191N - 83", {191, -83}), {ours(&nasser_row, Quantity::forward)}}}}));
  tables.push_back(table("kane", "Kane & Levinson 1983", "section 3", "forces of the Stanford arm, divisions counted as multiplications",
                         {.first = 6,
                          .only = 6,
                          .of_stanford_arm = true,
                          .entries = {{"Stanford arm", number("646", 646, 6), number("394", 394, 6)},
                                      quoted("Lagrange, quoted from Hollerbach", number("2195", 2195, 6), number("1719", 1719, 6)),
                                      quoted("Newton-Euler, quoted from Walker and Orin", number("1541", 1541, 6), number("1196", 1196, 6)),
                                      quoted("Newton-Euler, quoted from Hollerbach", number("852", 852, 6), number("738", 738, 6))}}));
  return tables;
}

}  // namespace

const PublishedEntry* PublishedTable::find(std::string_view name) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const PublishedEntry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

const std::vector<PublishedTable>& published_tables() {
  static const std::vector<PublishedTable> tables = make();
  return tables;
}

const PublishedTable* find_published(std::string_view id) {
  const auto& tables = published_tables();
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const PublishedTable& table) { return table.id == id; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace ulna::internal
