#include "formulation/fijany_bejczy.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class FijanyBejczyEvaluator : public Evaluator<T> {
 public:
  explicit FijanyBejczyEvaluator(const Prepared& prepared) : formulation_(prepared.mdh->template cast<P>()) {}
  void mass(const T* q, T* M) override {
    formulation_.set_configuration(q);
    formulation_.mass(M);
  }

 private:
  composite_body::FijanyBejczy<P, T> formulation_;
};

}  // namespace

Formulation fijany_bejczy_row() {
  Formulation row{};
  row.id = "fijany-bejczy";
  row.title = "Inertia matrix with all forces in one frame";
  row.citation = "A. Fijany and A. K. Bejczy, IEEE ICRA 1989, 1366-1373; as in S.-K. Lin, J. Robotic Systems 8(2), 197-219, 1991, (A10)-(A15)";
  row.quantities = {Quantity::mass};
  row.joints = "revolute and prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^2)";
  row.frames = Frames::mdh;
  row.why_not = &takes_chains;
  set_makers<FijanyBejczyEvaluator>(row);
  return row;
}

}  // namespace ulna
