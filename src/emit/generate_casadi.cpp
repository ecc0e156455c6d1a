// C with the interface by which CasADi loads functions that it has not written itself (casadi.external), and acados with it: the generated functions of
// generate_c.cpp under other names, each in a wrapper that says its sparsity and takes its arguments as CasADi passes them, with its Jacobian and its forward
// and reverse derivatives. The interface is described in CasADi's manual, "Using CasADi to generate C code" and "External functions".
#include <algorithm>

#include "emit/languages.hpp"
#include "expr/differentiate.hpp"
#include "expr/ready.hpp"
#include "expr/run.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

// Derivatives of a program as programs: for optimisers, which need Jacobians and products with them.

/// Derivatives of a function that optimisers need.
enum class Derivative {
  jacobian,  // all of it: a block for each argument, side by side, column by column
  forward,   // times a vector for each argument, "fwd_q", …
  reverse    // its transpose times a vector for the result, "adj_tau": all arguments' products, one after the other
};

struct Derived {
  Generated function;         // with the suffix "_jacobian", "_forward" or "_reverse"; it has no tests of its own
  std::vector<bool> present;  // of each number of its result: not zero by structure
};

/// A program on expressions. Guards fold away: they are 0 times something.
std::vector<Expr> written_again(const Program& program, const std::vector<Expr>& inputs) {
  std::vector<Expr> values(program.value_count());
  std::copy(inputs.begin(), inputs.end(), values.begin());
  for (std::size_t k = 0; k < program.constants.size(); ++k) values[program.first_constant() + k] = Expr(program.constants[k]);
  run<Expr>(program, values, 0, program.instructions.size());
  std::vector<Expr> results;
  for (const Output& result : program.results) results.push_back(result.negative ? -values[result.value] : values[result.value]);
  return results;
}

std::vector<bool> not_zero(const std::vector<Expr>& results) {
  std::vector<bool> is;
  for (const Expr& x : results) is.push_back(!x.is(0));
  return is;
}

const char* suffix_of(Derivative kind) { return kind == Derivative::jacobian ? "_jacobian" : kind == Derivative::forward ? "_forward" : "_reverse"; }

/// Which numbers of a program's result are not zero by structure.
std::vector<bool> present(const Program& program) {
  Graph graph;
  std::vector<Expr> inputs;
  for (const Signal& s : program.inputs)
    for (const Expr& x : graph.inputs(s.name, s.size)) inputs.push_back(x);
  return not_zero(written_again(program, inputs));
}

/// By the arguments of a function: signs of v are constant. `rates` are the turning_rates() of the first argument. A function whose quantity has
/// derivatives of its own (inverse and forward dynamics) and no wrench gets these for its Jacobian: give their program, else null.
Derived derived(const Generated& of, Derivative kind, std::span<const double> rates, const Program* known) {
  Derived made;
  made.function.quantity = of.quantity;
  made.function.suffix = of.suffix + suffix_of(kind);
  made.function.speeds = of.speeds;
  made.function.sides = of.sides;
  if (!of.own_name.empty()) made.function.own_name = of.own_name + suffix_of(kind);
  made.function.method = known != nullptr ? "found by search" : "by differentiation of the program";
  made.function.meaning = kind == Derivative::jacobian  ? "derivatives by the arguments, side by side, column by column"
                          : kind == Derivative::forward ? "derivatives along directions of the arguments"
                                                        : "derivatives of a weighted sum of the results by the arguments";
  if (kind == Derivative::jacobian && known != nullptr) {
    made.function.program = *known;
    made.present = present(*known);
    return made;
  }
  Graph graph;
  const std::vector<Signal> arguments = of.arguments();
  const Signal& result = of.program.outputs.front();
  std::vector<Expr> inputs, seeds;
  const auto append = [](std::vector<Expr>& to, const std::vector<Expr>& more) { to.insert(to.end(), more.begin(), more.end()); };
  for (const Signal& s : arguments) append(inputs, graph.inputs(s.name, s.size));
  const std::size_t by = inputs.size();
  if (kind == Derivative::forward)
    for (const Signal& s : arguments) append(seeds, graph.inputs("fwd_" + s.name, s.size));
  if (kind == Derivative::reverse) append(seeds, graph.inputs("adj_" + result.name, result.size));
  if (of.takes_sides()) append(inputs, graph.inputs(Generated::kSides, of.program.inputs.back().size));
  const std::vector<Expr> results = written_again(of.program, inputs);
  const std::span<const Expr> variables(inputs.data(), by);
  const std::vector<Expr> derivatives = kind == Derivative::jacobian  ? differentiate(graph, results, variables)
                                        : kind == Derivative::forward ? along(graph, results, variables, seeds)
                                                                      : transposed(graph, results, variables, seeds);
  made.present = not_zero(derivatives);
  made.function.program = minimal_program(graph, derivatives, "derivatives");
  if (!of.folds()) made.function.program = ready(made.function.program, rates, Sine::exact, false);
  return made;
}

// Wrappers.

/// One argument or result as CasADi sees it: a dense column, or a matrix of which only some numbers are there.
struct CasadiMatrix {
  std::string name;
  std::size_t rows = 0, columns = 1;
  std::vector<bool> present;  // empty for all

  std::size_t size() const { return rows * columns; }
  bool dense() const { return std::find(present.begin(), present.end(), false) == present.end(); }
  /// Rows, columns, where each column begins, and the rows of its numbers; 1 in their place for all.
  std::string pattern() const {
    if (dense()) return cat(rows, ", ", columns, ", 1");
    std::string begins = "0", at;
    std::size_t count = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < rows; ++i)
        if (present[i + j * rows]) at += cat(", ", i), ++count;
      begins += cat(", ", count);
    }
    return cat(rows, ", ", columns, ", ", begins, at);
  }
};

class Wrapper {
 public:
  /// `name`: of the function for CasADi; `plain`: the C function, which takes the first arguments.size() - ignored of them, and writes all results side by
  /// side.
  Wrapper(std::string name, std::string plain, std::vector<CasadiMatrix> arguments, std::vector<std::size_t> passed, std::vector<CasadiMatrix> results)
      : name_(std::move(name)), plain_(std::move(plain)), arguments_(std::move(arguments)), passed_(std::move(passed)), results_(std::move(results)) {}

  std::string text() const {
    std::size_t longest = 1, total = 0;
    for (const std::size_t k : passed_) longest = std::max(longest, arguments_[k].size());
    for (const CasadiMatrix& m : results_) total += m.size();
    std::string out = cat("\n/* ", name_, " */\n");
    const bool direct = results_.size() == 1 && results_[0].dense();
    out += cat("ULNA_EXPORT int ", name_, "(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)\n{\n");
    out += cat("  static const casadi_real zero[", longest, "] = {0};\n  (void)iw; (void)mem;\n");
    if (!direct && sparse()) out += "  casadi_real *to;\n";
    out += cat("  ", plain_, "(");
    for (const std::size_t k : passed_) out += cat("arg[", k, "] ? arg[", k, "] : zero, ");
    out += direct ? "res[0] ? res[0] : w);\n" : "w);\n";
    std::size_t at = 0;
    for (std::size_t r = 0; r < results_.size() && !direct; ++r) {
      out += copied(r, at);
      at += results_[r].size();
    }
    out += "  return 0;\n}\n";
    out += cat("static int ", name_, "_counter = 0;\n");
    out += cat("ULNA_EXPORT int ", name_, "_alloc_mem(void) { return 0; }\nULNA_EXPORT int ", name_, "_init_mem(int mem) { (void)mem; return 0; }\n");
    out += cat("ULNA_EXPORT void ", name_, "_free_mem(int mem) { (void)mem; }\nULNA_EXPORT int ", name_, "_checkout(void) { return 0; }\n");
    out += cat("ULNA_EXPORT void ", name_, "_release(int mem) { (void)mem; }\nULNA_EXPORT void ", name_, "_incref(void) { ++", name_, "_counter; }\n");
    out += cat("ULNA_EXPORT void ", name_, "_decref(void) { --", name_, "_counter; }\n");
    out += cat("ULNA_EXPORT casadi_int ", name_, "_n_in(void) { return ", arguments_.size(), "; }\nULNA_EXPORT casadi_int ", name_, "_n_out(void) { return ",
               results_.size(), "; }\n");
    out += cat("ULNA_EXPORT casadi_real ", name_, "_default_in(casadi_int i) { (void)i; return 0; }\n");
    out += choice("const char *", "_name_in", arguments_.size(), [this](std::size_t k) { return cat("\"", arguments_[k].name, "\""); });
    out += choice("const char *", "_name_out", results_.size(), [this](std::size_t k) { return cat("\"", results_[k].name, "\""); });
    out += sparsity("_sparsity_in", arguments_) + sparsity("_sparsity_out", results_);
    out += cat("ULNA_EXPORT int ", name_,
               "_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)\n{\n  if (sz_arg) *sz_arg = ", arguments_.size(),
               ";\n  if (sz_res) *sz_res = ", results_.size(), ";\n  if (sz_iw) *sz_iw = 0;\n  if (sz_w) *sz_w = ", total, ";\n  return 0;\n}\n");
    return out;
  }
  std::string declarations() const { return cat("int ", name_, "(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem);\n"); }

 private:
  bool sparse() const {
    return std::any_of(results_.begin(), results_.end(), [](const CasadiMatrix& m) { return !m.dense(); });
  }
  /// Numbers of result r out of the work vector, from `at` on.
  std::string copied(std::size_t r, std::size_t at) const {
    const CasadiMatrix& m = results_[r];
    if (m.dense()) return cat("  if (res[", r, "]) { casadi_int i; for (i = 0; i < ", m.size(), "; ++i) res[", r, "][i] = w[", at, " + i]; }\n");
    std::string out = cat("  to = res[", r, "];\n  if (to) {\n");
    for (std::size_t i = 0; i < m.size(); ++i)
      if (m.present[i]) out += cat("    *to++ = w[", at + i, "];\n");
    return out + "  }\n";
  }
  template <class F>
  std::string choice(const char* type, const char* what, std::size_t count, const F& value) const {
    std::string out = cat("ULNA_EXPORT ", type, name_, what, "(casadi_int i)\n{\n  switch (i) {\n");
    for (std::size_t k = 0; k < count; ++k) out += cat("    case ", k, ": return ", value(k), ";\n");
    return out + "    default: return 0;\n  }\n}\n";
  }
  std::string sparsity(const char* what, const std::vector<CasadiMatrix>& of) const {
    std::string tables;
    for (std::size_t k = 0; k < of.size(); ++k) tables += cat("static const casadi_int ", name_, what, "_", k, "[] = {", of[k].pattern(), "};\n");
    return tables + choice("const casadi_int *", what, of.size(), [&](std::size_t k) { return cat(name_, what, "_", k); });
  }

  std::string name_, plain_;
  std::vector<CasadiMatrix> arguments_;
  std::vector<std::size_t> passed_;
  std::vector<CasadiMatrix> results_;
};

std::vector<std::size_t> all_but(const std::vector<CasadiMatrix>& arguments, std::size_t first, std::size_t count) {
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (k < first || k >= first + count) left.push_back(k);
  return left;
}

/// The function and the derivatives that CasADi finds by the names jac_, fwd1_ and adj1_, and, for Hessians, fwd1_adj1_.
std::vector<Wrapper> wrappers(const GeneratedRobot& robot, const std::string& name, const Generated& function, const std::vector<Derived>& derivatives) {
  const QuantityRow& row = row_of(function.quantity);
  const bool matrix = function.own_name.empty();
  std::vector<CasadiMatrix> in;
  for (const Signal& s : function.arguments()) in.push_back({s.name, s.size, 1, {}});
  const CasadiMatrix out{function.program.outputs.front().name, matrix ? row.rows.of(robot.sizes) : function.program.results.size(),
                         matrix ? row.columns.of(robot.sizes) : 1, present(function.program)};
  const std::string own = name + function.what(), plain = robot.prefix + function.what();
  std::vector<Wrapper> all{{own, plain, in, all_but(in, in.size(), 0), {out}}};
  const auto with = [](std::vector<CasadiMatrix> matrices, const CasadiMatrix& more) {
    matrices.push_back(more);
    return matrices;
  };
  const std::vector<CasadiMatrix> in_and_out = with(in, {"out_" + out.name, out.rows, out.columns, out.present});
  {
    std::vector<CasadiMatrix> blocks;
    std::size_t at = 0;
    for (const CasadiMatrix& by : in) {
      CasadiMatrix block{cat("jac_", out.name, "_", by.name), out.size(), by.size(), {}};
      const auto begin = derivatives[0].present.begin() + static_cast<std::ptrdiff_t>(at);
      block.present.assign(begin, begin + static_cast<std::ptrdiff_t>(block.size()));
      at += block.size();
      blocks.push_back(std::move(block));
    }
    all.push_back({"jac_" + own, plain + "_jacobian", in_and_out, all_but(in_and_out, in.size(), 1), std::move(blocks)});
  }
  std::vector<CasadiMatrix> arguments = in_and_out, results;
  for (const CasadiMatrix& m : in) arguments.push_back({"fwd_" + m.name, m.rows, 1, {}});
  all.push_back({"fwd1_" + own, plain + "_forward", arguments, all_but(arguments, in.size(), 1), {{"fwd_" + out.name, out.rows, out.columns, out.present}}});
  arguments = with(in_and_out, {"adj_" + out.name, out.rows, out.columns, out.present});
  for (const CasadiMatrix& m : in) results.push_back({"adj_" + m.name, m.rows, 1, {}});
  all.push_back({"adj1_" + own, plain + "_reverse", arguments, all_but(arguments, in.size(), 1), results});
  // Forward over reverse. Neither the value nor the products enter it, nor does a direction of the value.
  std::vector<CasadiMatrix> second = arguments;
  for (const CasadiMatrix& m : results) second.push_back({"out_" + m.name, m.rows, 1, {}});
  for (const CasadiMatrix& m : arguments) second.push_back({"fwd_" + m.name, m.rows, m.columns, m.present});
  std::vector<std::size_t> passed;
  const std::size_t directions = arguments.size() + results.size();
  for (std::size_t k = 0; k < second.size(); ++k)
    if (k != in.size() && k != directions + in.size() && (k < arguments.size() || k >= directions)) passed.push_back(k);
  for (CasadiMatrix& m : results) m.name = "fwd_" + m.name;
  all.push_back({"fwd1_adj1_" + own, plain + "_reverse_forward", std::move(second), std::move(passed), std::move(results)});
  return all;
}

}  // namespace

std::vector<GeneratedFile> files_for_casadi(const Analysis& analysis, const GenerateOptions& options) {
  if (options.language != "c" || options.real != Real::double_precision)
    throw std::invalid_argument("CasADi loads C in double precision: generate it without another language or precision");
  if (options.batch) throw std::invalid_argument("CasADi calls functions with one state: generate them without entries for many states, and map them there");
  GenerateOptions with_derivatives = options;
  const auto own_derivatives = [&](const std::string& what) -> std::string {
    const bool can = options.wrench_at.empty() && options.formulation.empty() && options.parameters.empty() && analysis.model().nq() == analysis.model().nv();
    return can && (what == "inverse" || what == "forward") ? what + "_derivatives" : "";
  };
  for (const std::string& what : options.what)
    if (const std::string own = own_derivatives(what);
        !own.empty() && std::find(with_derivatives.what.begin(), with_derivatives.what.end(), own) == with_derivatives.what.end())
      with_derivatives.what.push_back(own);
  GeneratedRobot robot = prepare(analysis, with_derivatives);
  const std::string name = robot.prefix_or(robot.name + "_");
  robot.prefix = robot.name + "_plain_";
  robot.single_file = true;
  const std::vector<double> rates = turning_rates(analysis.plan({.snap = options.snap}));
  std::string text, header;
  const std::vector<Generated> functions = robot.functions;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const std::string what = functions[f].what();
    const bool added = std::find(options.what.begin(), options.what.end(), what) == options.what.end() && find_quantity(what) != nullptr;
    if (added && functions[f].quantity != Quantity::closure) continue;  // derivatives of another one
    const Program* known = nullptr;
    for (const Generated& other : functions)
      if (other.what() == own_derivatives(functions[f].what())) known = &other.program;
    std::vector<Derived> derivatives;
    const auto add = [&](const Generated& of, Derivative kind, const Program* jacobian) {
      derivatives.push_back(derived(of, kind, rates, jacobian));
      robot.functions.push_back(derivatives.back().function);
    };
    for (const Derivative kind : {Derivative::jacobian, Derivative::forward, Derivative::reverse}) add(functions[f], kind, known);
    add(Generated(derivatives.back().function), Derivative::forward, nullptr);
    for (const Wrapper& wrapper : wrappers(robot, name, functions[f], derivatives)) text += wrapper.text(), header += wrapper.declarations();
  }
  const std::string begin = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", end = "#ifdef __cplusplus\n}\n#endif\n";
  const std::string types = "#ifndef casadi_real\n#define casadi_real double\n#endif\n#ifndef casadi_int\n#define casadi_int long long int\n#endif\n";
  std::vector<GeneratedFile> files = files_in_c(robot);
  files[0].text += cat("\n/* --- for CasADi: casadi.external(\"", name, options.what.front(), "\", \"./", robot.name,
                       ".so\") "
                       "---------------------------------------------------- */\n",
                       "#if defined(_WIN32)\n#define ULNA_EXPORT __declspec(dllexport)\n#elif defined(__GNUC__)\n#define ULNA_EXPORT "
                       "__attribute__((visibility(\"default\")))\n#else\n#define ULNA_EXPORT\n#endif\n",
                       types, begin, text, "\nULNA_EXPORT int ", name, "selftest(void) { return ", robot.prefix, "selftest(); }\n", end);
  if (!options.single_file)
    files.push_back(
        {robot.name + ".h", cat("/* ", robot.name, ".h: functions for CasADi; see ", robot.name, ".c. */\n#ifndef ", robot.name, "_casadi_h\n#define ",
                                robot.name, "_casadi_h\n", types, begin, header, "int ", name, "selftest(void);\n", end, "#endif\n")});
  return files;
}

}  // namespace ulna::internal
