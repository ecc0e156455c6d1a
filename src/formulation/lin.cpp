#include "formulation/lin.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class LinEvaluator : public Evaluator<T> {
 public:
  explicit LinEvaluator(const Prepared& prepared) : formulation_(prepared.mdh->template cast<P>()) {}
  void mass(const T* q, T* M) override {
    formulation_.set_configuration(q);
    formulation_.mass(M);
  }
  void bias(const T* q, const T* v, T* bias) override {
    formulation_.set_configuration(q);
    formulation_.bias(v, bias);
  }

 private:
  composite_body::Lin<P, T> formulation_;
};

}  // namespace

Formulation lin_row() {
  Formulation row{};
  row.id = "lin";
  row.title = "Inertia matrix and bias by composite bodies seen from the base";
  row.citation = "S.-K. Lin, A new composite body method for manipulator dynamics, J. Robotic Systems 8(2), 197-219, 1991";
  row.quantities = {Quantity::mass, Quantity::bias};
  row.joints = "revolute and prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^2)";
  row.from_base = true;
  row.frames = Frames::mdh;
  row.why_not = &takes_chains;
  set_makers<LinEvaluator>(row);
  return row;
}

}  // namespace ulna
