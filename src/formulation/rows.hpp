// One function per formulation, defined in the .cpp of the same name.
#pragma once

#include <ulna/formulation/formulation.hpp>

namespace ulna {

Formulation uicker_kahn_row();
Formulation waters_row();
Formulation hollerbach_4x4_row();
Formulation hollerbach_3x3_row();
Formulation newton_euler_base_row();
Formulation newton_euler_row();
Formulation lagrange_row();
Formulation modified_newton_euler_row();
Formulation horn_raibert_row();
Formulation kane_row();
Formulation kane_stanford_row();
Formulation strobing_row();
Formulation walker_orin_row();
Formulation renaud_row();
Formulation fijany_bejczy_row();
Formulation lin_row();
Formulation nasser_row();
Formulation composite_ldl_row();
Formulation ulna_row();

}  // namespace ulna
