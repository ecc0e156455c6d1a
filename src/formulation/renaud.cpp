#include "formulation/renaud.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class RenaudEvaluator : public Evaluator<T> {
 public:
  explicit RenaudEvaluator(const Prepared& prepared) : formulation_(prepared.mdh->template cast<P>()) {}
  void mass(const T* q, T* M) override {
    formulation_.set_configuration(q);
    formulation_.mass(M);
  }

 private:
  composite_body::Renaud<P, T> formulation_;
};

}  // namespace

Formulation renaud_row() {
  Formulation row{};
  row.id = "renaud";
  row.title = "Inertia matrix by Renaud's augmented bodies";
  row.citation = "M. Renaud 1986, in Dynamics of Multibody Systems, pp. 201-212; as in S.-K. Lin, J. Robotic Systems 8(2), 197-219, 1991, Figure A1";
  row.quantities = {Quantity::mass};
  row.joints = "revolute and prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^2)";
  row.frames = Frames::mdh;
  row.why_not = &takes_chains;
  set_makers<RenaudEvaluator>(row);
  return row;
}

}  // namespace ulna
