// Pinocchio's algorithms recorded by CppAD and written out as C by CppADCodeGen, compiled by the machine's compilers. Where both are installed.
#include <unistd.h>

#include <pinocchio/codegen/cppadcg-algo.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "pinocchio.hpp"
#include "pinocchio_library.hpp"

namespace ulna::bench {

namespace {

/// One algorithm as a function x -> y.
class Recorded : public pinocchio::CodeGenBase<double> {
 public:
  using Base = pinocchio::CodeGenBase<double>;

  Recorded(const pinocchio::Model& model, Job job, const std::string& name)
      : Base(model, job == Job::mass ? model.nq : model.nq + 2 * model.nv, static_cast<Eigen::Index>(size_of(job, static_cast<std::size_t>(model.nv))), name,
             name),
        job_(job) {
    build_jacobian = false;
  }

  void buildMap() override {
    CppAD::Independent(ad_X);
    const Eigen::Index n = ad_model.nv;
    const ADVectorXs q = ad_X.head(n);
    if (job_ == Job::mass) {
      const ADMatrixXs& M = pinocchio::crba(ad_model, ad_data, q, pinocchio::Convention::LOCAL);
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j) ad_Y[i * n + j] = M(std::min(i, j), std::max(i, j));
    } else if (is_derivative(job_)) {
      const ADVectorXs v = ad_X.segment(n, n), x = ad_X.tail(n);
      const bool forward = job_ == Job::forward_derivatives;
      ADMatrixXs by_q = ADMatrixXs::Zero(n, n), by_v = by_q, last = by_q;
      if (forward)
        pinocchio::computeABADerivatives(ad_model, ad_data, q, v, x, by_q, by_v, last);
      else
        pinocchio::computeRNEADerivatives(ad_model, ad_data, q, v, x, by_q, by_v, last);
      for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index i = 0; i < n; ++i) {
          ad_Y[i + j * n] = by_q(i, j);
          ad_Y[i + (j + n) * n] = by_v(i, j);
          ad_Y[i + (j + 2 * n) * n] = last(std::min(i, j), std::max(i, j));
        }
    } else {
      const ADVectorXs v = ad_X.segment(n, n), x = ad_X.tail(n);
      ad_Y = job_ == Job::inverse ? ADVectorXs(pinocchio::rnea(ad_model, ad_data, q, v, x))
                                  : ADVectorXs(pinocchio::aba(ad_model, ad_data, q, v, x, pinocchio::Convention::LOCAL));
    }
    ad_fun.Dependent(ad_X, ad_Y);
    ad_fun.optimize("no_compare_op");
  }

  void build(const std::string& compiler) {
    initLib();
    CppAD::cg::GccCompiler<double> cc(compiler);
    cc.setCompileFlags({"-Ofast", "-march=native", "-fPIC"});
    dynamicLibManager_ptr->createDynamicLibrary(cc, false);
    loadLib(false);
  }

  /// One for each thread: scratch memory is inside.
  std::unique_ptr<CppAD::cg::GenericModel<double>> function() const { return dynamicLib_ptr->model(function_name); }

 private:
  Job job_;
};

class RecordedWorker : public Worker<double> {
 public:
  /// The generated function takes all its inputs in one row: q, v and a, or tau; or q alone.
  RecordedWorker(std::shared_ptr<const Recorded> recorded, std::shared_ptr<const std::vector<double>> inputs, std::size_t width, std::size_t size)
      : recorded_(std::move(recorded)), function_(recorded_->function()), inputs_(std::move(inputs)), width_(width), size_(size) {}

  void run(Job, std::size_t first, std::size_t count, double* out, std::size_t stride) override {
    using CppAD::cg::ArrayView;
    for (std::size_t k = first; k < first + count; ++k, out += stride)
      function_->ForwardZero(ArrayView<const double>(inputs_->data() + k * width_, width_), ArrayView<double>(out, size_));
  }

 private:
  std::shared_ptr<const Recorded> recorded_;
  std::unique_ptr<CppAD::cg::GenericModel<double>> function_;
  std::shared_ptr<const std::vector<double>> inputs_;
  std::size_t width_, size_;
};

std::vector<double> in_rows(const States<double>& states, Job job) {
  std::vector<double> out;
  for (std::size_t k = 0; k < states.count; ++k)
    for (const std::vector<double>* part : {&states.q, &states.v, job == Job::inverse || job == Job::derivatives ? &states.a : &states.tau}) {
      if (job == Job::mass && part != &states.q) continue;
      const auto at = part->begin() + static_cast<std::ptrdiff_t>(k * states.n);
      out.insert(out.end(), at, at + static_cast<std::ptrdiff_t>(states.n));
    }
  return out;
}

}  // namespace

Library pinocchio_library(const Inputs& inputs) {
  if (inputs.model.base() != RootJoint::fixed) throw Refused("this program takes robots with a fixed base only");
  const pinocchio::Model model = pinocchio_model(inputs.model);
  if (chdir(inputs.folder.c_str()) != 0) throw std::runtime_error("cannot enter " + inputs.folder);  // CppADCodeGen writes where it stands
  Library library{"pinocchio-cppadcg", PINOCCHIO_VERSION, "gcc and clang, of the generated C", "-Ofast -march=native"};
  library.place = pinocchio_places(inputs.model, model);
  const States<double> states = placed(inputs.states, library.place);
  const std::size_t n = states.n;
  for (const Job job : {Job::inverse, Job::mass, Job::forward, Job::derivatives, Job::forward_derivatives}) {
    if (!inputs.worth_compiling(job)) continue;
    const auto rows = std::make_shared<const std::vector<double>>(in_rows(states, job));
    for (const char* compiler : {"gcc", "clang"}) {
      const std::string program = std::string("/usr/bin/") + compiler;
      if (access(program.c_str(), X_OK) != 0) continue;
      const auto recorded =
          std::make_shared<Recorded>(model, job, std::string(job == Job::forward_derivatives ? "forward_derivatives" : name_of(job)) + "_" + compiler);
      recorded->build(program);
      add_rows<double>(library, compiler, job, [=] { return std::make_unique<RecordedWorker>(recorded, rows, job == Job::mass ? n : 3 * n, size_of(job, n)); });
    }
  }
  return library;
}

}  // namespace ulna::bench
