// Appendices 1, 2 and 4 of Kane & Levinson 1983; see kane_stanford.hpp. For other scalars than those compiled in the library include this file.
#pragma once

#include "formulation/kane_stanford.hpp"

namespace ulna::internal {

namespace stanford_detail {

// The paper's letters for what the formulas are made of.
template <class T>
struct Letters {
  T u1, u2, u3, u4, u5, u6, q6, s2, s3, s4, s5, c2, c3, c4, c5;
};

/// C_ij, Z_1 … Z_62.
template <class P, class T>
void velocities(const StanfordArm<P>& arm, const Letters<T>& x, StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const auto& [u1, u2, u3, u4, u5, u6, q6, s2, s3, s4, s5, c2, c3, c4, c5] = x;
  T* const Z = k.Z.data();
  auto& C = k.C;

  C[1] = {T(0), c3, s3 * s4, s3 * c4};   // (37)
  C[2] = {T(0), T(0), c4, -s4};          // (38)
  C[3] = {T(0), -s3, c3 * s4, c3 * c4};  // (39)

  // angular velocities (14)-(22)
  Z[1] = (u1 * s3 - u3 * c3) / s2;
  Z[2] = u1 * c3 + u3 * s3;
  Z[3] = u2 - Z[1] * c2;
  Z[4] = s3 / s2;
  Z[5] = -c3 / s2;
  Z[6] = Z[4] * c2;
  Z[7] = Z[5] * c2;
  Z[8] = -Z[4] * s2;
  Z[9] = -Z[5] * s2;
  Z[10] = Z[6] * u1 + Z[7] * u3;
  Z[11] = Z[8] * u1 + Z[9] * u3;
  Z[12] = u1 + u4;
  Z[13] = u2 * c4 + u3 * s4;
  Z[14] = u3 * c4 - u2 * s4;
  Z[15] = s4 * s5;
  Z[16] = -c4 * s5;
  Z[17] = -s4 * c5;
  Z[18] = c4 * c5;
  Z[19] = u1 * c5 + Z[15] * u2 + Z[16] * u3 + u4 * c5;
  Z[20] = u2 * c4 + u3 * s4 + u5;  // misprint: u4 for u5 (eq. 22)
  Z[21] = u1 * s5 + Z[17] * u2 + Z[18] * u3 + u4 * s5;

  // velocities of mass centres (30)-(43)
  Z[22] = -L1 * Z[4];
  Z[23] = -L1 * Z[5];
  Z[24] = Z[22] * u1 + Z[23] * u3;
  Z[25] = -Z[8] * q6;  // 25-29 garbled
  Z[26] = -Z[9] * q6;
  Z[27] = Z[22] * s2;
  Z[28] = Z[23] * s2;
  Z[29] = Z[22] * c2 + q6 * c3;
  Z[30] = Z[23] * c2 + q6 * s3;
  Z[31] = Z[25] * u1 + Z[26] * u3;
  Z[32] = Z[27] * u1 + Z[28] * u3 + u6;  // misprint: Z29 u1
  Z[33] = Z[29] * u1 + Z[30] * u3;
  Z[34] = Z[25] - L5 * Z[8];
  Z[35] = Z[26] - L5 * Z[9];  // 35-40 printed under wrong numbers
  Z[36] = Z[29] + L5 * c3;
  Z[37] = Z[30] + L5 * s3;
  Z[38] = Z[34] * u1 + Z[35] * u3;
  Z[39] = Z[36] * u1 + Z[37] * u3;
  Z[40] = Z[25] - L2 * Z[8];
  Z[41] = Z[26] - L2 * Z[9];
  Z[42] = Z[29] + L2 * c3;
  Z[43] = Z[30] + L2 * s3;
  Z[44] = Z[40] * C[1][1] + Z[42] * C[3][1];
  Z[45] = Z[41] * C[1][1] + Z[43] * C[3][1];  // 45-48 printed under wrong numbers
  Z[46] = Z[40] * C[1][2] + Z[27] * C[2][2] + Z[42] * C[3][2];
  Z[47] = Z[41] * C[1][2] + Z[28] * C[2][2] + Z[43] * C[3][2];
  Z[48] = Z[40] * C[1][3] + Z[27] * C[2][3] + Z[42] * C[3][3];
  Z[49] = Z[41] * C[1][3] + Z[28] * C[2][3] + Z[43] * C[3][3];
  Z[50] = L6 * s4;
  Z[51] = Z[45] - L6 * c4;  // misprint: + L6 c4 (its derivative enters Z127 with the right sign)
  Z[52] = L6 + Z[48];
  Z[53] = Z[44] * u1;
  Z[54] = Z[53] + Z[50] * u2 + Z[51] * u3;  // 54-62 garbled or lost
  Z[55] = Z[46] * u1 + Z[47] * u3 + C[2][2] * u6;
  Z[56] = Z[49] * u3 + C[2][3] * u6;
  Z[57] = Z[56] + Z[52] * u1 + L6 * u4;
  Z[58] = L3 * s4;
  Z[59] = Z[45] - L3 * c4;
  Z[60] = L3 + Z[48];
  Z[61] = Z[53] + Z[58] * u2 + Z[59] * u3;
  Z[62] = Z[56] + Z[60] * u1 + L3 * u4;
}

/// Z_63 … Z_136.
template <class P, class T>
void accelerations(const StanfordArm<P>& arm, const Letters<T>& x, StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const auto& [u1, u2, u3, u4, u5, u6, q6, s2, s3, s4, s5, c2, c3, c4, c5] = x;
  T* const Z = k.Z.data();
  auto& C = k.C;

  // angular accelerations (51)-(60); 63-81 lost
  Z[63] = (s2 * c3 * Z[3] - s3 * c2 * Z[2]) / (s2 * s2);
  Z[64] = (s2 * s3 * Z[3] + c3 * c2 * Z[2]) / (s2 * s2);
  Z[65] = s2 * Z[2];
  Z[66] = c2 * Z[2];
  Z[67] = Z[63] * c2 - Z[4] * Z[65];
  Z[68] = Z[64] * c2 - Z[5] * Z[65];
  Z[69] = -Z[63] * s2 - Z[4] * Z[66];
  Z[70] = -Z[64] * s2 - Z[5] * Z[66];
  Z[71] = Z[63] * u1 + Z[64] * u3;
  Z[72] = Z[3] * (c3 * u3 - s3 * u1);
  Z[73] = Z[67] * u1 + Z[68] * u3;
  Z[74] = Z[69] * u1 + Z[70] * u3;
  Z[75] = (u3 * c4 - u2 * s4) * u4;
  Z[76] = -(u2 * c4 + u3 * s4) * u4;
  Z[77] = c4 * s5 * u4 + s4 * c5 * u5;
  Z[78] = s4 * s5 * u4 - c4 * c5 * u5;
  Z[79] = s4 * s5 * u5 - c4 * c5 * u4;
  Z[80] = -s4 * c5 * u4 - c4 * s5 * u5;
  Z[81] = -Z[12] * s5 * u5 + Z[77] * u2 + Z[78] * u3;
  Z[82] = (u3 * c4 - u2 * s4) * u4;
  Z[83] = Z[12] * c5 * u5 + Z[79] * u2 + Z[80] * u3;

  // derivatives of C_ij (62)-(64)
  Z[84] = -Z[3] * s3;
  Z[85] = -Z[3] * c3;
  Z[86] = -s4 * u4;
  Z[87] = -c4 * u4;
  Z[88] = -Z[87] * s3 - Z[85] * s4;
  Z[89] = Z[86] * s3 - Z[85] * c4;
  Z[90] = -Z[87] * c3 + Z[84] * s4;  // misprint: c5 for c3
  Z[91] = Z[86] * c3 + Z[84] * c4;

  // accelerations of mass centres (71)-(75)
  Z[92] = -L1 * Z[63];
  Z[93] = -L1 * Z[64];  // misprint: called Z92 again
  Z[94] = Z[1] * Z[24];
  Z[95] = Z[92] * u1 + Z[93] * u3;
  Z[96] = -u6 * Z[8] - q6 * Z[69];
  Z[97] = -u6 * Z[9] - q6 * Z[70];
  Z[98] = c2 * Z[2];
  Z[99] = Z[92] * s2 + Z[22] * Z[98];
  Z[100] = Z[93] * s2 + Z[23] * Z[98];
  Z[101] = s2 * Z[2];
  Z[102] = q6 * Z[3];
  Z[103] = Z[92] * c2 - Z[22] * Z[101] + u6 * c3 - Z[102] * s3;
  Z[104] = Z[93] * c2 - Z[23] * Z[101] + u6 * s3 + Z[102] * c3;
  Z[105] = Z[96] * u1 + Z[97] * u3 + Z[10] * Z[33] - Z[11] * Z[32];
  Z[106] = Z[99] * u1 + Z[100] * u3 + Z[11] * Z[31] - Z[2] * Z[33];
  Z[107] = Z[103] * u1 + Z[104] * u3 + Z[2] * Z[32] - Z[10] * Z[31];
  Z[108] = Z[96] - L5 * Z[69];
  Z[109] = Z[97] - L5 * Z[70];
  Z[110] = Z[103] - L5 * s3 * Z[3];
  Z[111] = Z[104] + L5 * c3 * Z[3];
  Z[112] = Z[108] * u1 + Z[109] * u3 + Z[10] * Z[39] - Z[11] * Z[32];
  Z[113] = Z[99] * u1 + Z[100] * u3 + Z[11] * Z[38] - Z[2] * Z[39];
  Z[114] = Z[110] * u1 + Z[111] * u3 + Z[2] * Z[32] - Z[10] * Z[38];
  Z[115] = Z[96] - L2 * Z[69];
  Z[116] = Z[97] - L2 * Z[70];
  Z[117] = Z[103] - L2 * s3 * Z[3];
  Z[118] = Z[104] + L2 * c3 * Z[3];
  Z[119] = Z[115] * C[1][1] + Z[40] * Z[84] + Z[117] * C[3][1] + Z[42] * Z[85];
  Z[120] = Z[116] * C[1][1] + Z[41] * Z[84] + Z[118] * C[3][1] + Z[43] * Z[85];
  Z[121] = Z[115] * C[1][2] + Z[40] * Z[88] + Z[99] * C[2][2] + Z[27] * Z[86] + Z[117] * C[3][2] + Z[42] * Z[90];
  Z[122] = Z[116] * C[1][2] + Z[41] * Z[88] + Z[100] * C[2][2] + Z[28] * Z[86] + Z[118] * C[3][2] + Z[43] * Z[90];
  Z[123] = Z[115] * C[1][3] + Z[40] * Z[89] + Z[99] * C[2][3] + Z[27] * Z[87] + Z[117] * C[3][3] + Z[42] * Z[91];
  Z[124] = Z[116] * C[1][3] + Z[41] * Z[89] + Z[100] * C[2][3] + Z[28] * Z[87] + Z[118] * C[3][3] + Z[43] * Z[91];
  Z[125] = L6 * u4;
  Z[126] = Z[125] * c4;
  Z[127] = Z[125] * s4 + Z[120];
  Z[128] = Z[119] * u1 + Z[126] * u2 + Z[127] * u3 + Z[13] * Z[57] - Z[14] * Z[55];
  Z[129] = Z[121] * u1 + Z[122] * u3 + Z[86] * u6 + Z[14] * Z[54] - Z[12] * Z[57];
  Z[130] = Z[123] * u1 + Z[124] * u3 + Z[87] * u6 + Z[12] * Z[55] - Z[13] * Z[54];
  Z[131] = L3 * u4;
  Z[132] = Z[131] * c4;
  Z[133] = Z[131] * s4 + Z[120];
  Z[134] = Z[119] * u1 + Z[132] * u2 + Z[133] * u3 + Z[13] * Z[62] - Z[14] * Z[55];
  Z[135] = Z[121] * u1 + Z[122] * u3 + Z[86] * u6 + Z[14] * Z[61] - Z[12] * Z[62];
  Z[136] = Z[123] * u1 + Z[124] * u3 + Z[87] * u6 + Z[12] * Z[55] - Z[13] * Z[61];
}

/// Z_137 … Z_181.
template <class P, class T>
void inertia_torques(const StanfordArm<P>& arm, const Letters<T>& x, StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const auto& [u1, u2, u3, u4, u5, u6, q6, s2, s3, s4, s5, c2, c3, c4, c5] = x;
  T* const Z = k.Z.data();

  // inertia torques (79), (82): coefficients of u̇_r and the rest, of A, B, C, D, E, F
  Z[137] = -A2 * Z[4];
  Z[138] = -A2 * Z[5];
  Z[139] = -A2 * Z[71];  // misprint: + (eq. 86)
  Z[140] = Z[10] * Z[11];
  Z[141] = Z[11] * Z[2];
  Z[142] = Z[2] * Z[10];
  Z[143] = Z[140] * (B2 - B3) - Z[72] * B1;
  Z[144] = -c3 * B1;
  Z[145] = -s3 * B1;
  Z[146] = Z[141] * (B3 - B1) - Z[73] * B2;
  Z[147] = -Z[6] * B2;
  Z[148] = -Z[7] * B2;
  Z[149] = Z[142] * (B1 - B2) - Z[74] * B3;
  Z[150] = -Z[8] * B3;
  Z[151] = -Z[9] * B3;
  Z[152] = Z[140] * (C2 - C3) - Z[72] * C1;
  Z[153] = -c3 * C1;
  Z[154] = -s3 * C1;
  Z[155] = Z[141] * (C3 - C1) - Z[73] * C2;
  Z[156] = -Z[6] * C2;
  Z[157] = -Z[7] * C2;
  Z[158] = Z[142] * (C1 - C2) - Z[74] * C3;
  Z[159] = -Z[8] * C3;
  Z[160] = -Z[9] * C3;
  Z[161] = u2 * u3 * (D2 - D3);
  Z[162] = u3 * u1 * (D3 - D1);
  Z[163] = u1 * u2 * (D1 - D2);
  Z[164] = Z[13] * Z[14] * (E2 - E3);
  Z[165] = Z[14] * Z[12] * (E3 - E1) - Z[75] * E2;
  Z[166] = -c4 * E2;
  Z[167] = -s4 * E2;
  Z[168] = Z[12] * Z[13] * (E1 - E2) - Z[76] * E3;
  Z[169] = s4 * E3;
  Z[170] = -c4 * E3;
  Z[171] = Z[20] * Z[21] * (F2 - F3) - Z[81] * F1;
  Z[172] = -c5 * F1;
  Z[173] = -Z[15] * F1;
  Z[174] = -Z[16] * F1;
  Z[175] = Z[21] * Z[19] * (F3 - F1) - Z[82] * F2;
  Z[176] = -c4 * F2;
  Z[177] = -s4 * F2;
  Z[178] = Z[19] * Z[20] * (F1 - F2) - Z[83] * F3;
  Z[179] = -s5 * F3;
  Z[180] = -Z[17] * F3;
  Z[181] = -Z[18] * F3;
}

/// Z_182 … Z_187.
template <class P, class T>
void inertia_forces(const StanfordArm<P>& arm, const Letters<T>& x, StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const auto& [u1, u2, u3, u4, u5, u6, q6, s2, s3, s4, s5, c2, c3, c4, c5] = x;
  T* const Z = k.Z.data();
  auto& C = k.C;

  // the part of K_r* without u̇ (88)
  Z[182] = -mB * Z[22] * Z[95] - mC * (Z[25] * Z[105] + Z[27] * Z[106] + Z[29] * Z[107]) - mD * (Z[34] * Z[112] + Z[27] * Z[113] + Z[36] * Z[114]) -
           mE * (Z[44] * Z[128] + Z[46] * Z[129] + Z[52] * Z[130]) - mF * (Z[44] * Z[134] + Z[46] * Z[135] + Z[60] * Z[136]) + Z[4] * Z[139] +
           c3 * (Z[143] + Z[152]) + Z[6] * (Z[146] + Z[155]) + Z[8] * (Z[149] + Z[158]) + Z[161] + Z[164] + c5 * Z[171] + s5 * Z[178];
  Z[183] = -mE * Z[50] * Z[128] - mF * Z[58] * Z[134] + Z[162] + c4 * (Z[165] + Z[175]) - s4 * Z[168] + Z[15] * Z[171] + Z[17] * Z[178];
  Z[184] = -mB * Z[23] * Z[95] - mC * (Z[26] * Z[105] + Z[28] * Z[106] + Z[30] * Z[107]) - mD * (Z[35] * Z[112] + Z[28] * Z[113] + Z[37] * Z[114]) -
           mE * (Z[51] * Z[128] + Z[47] * Z[129] + Z[49] * Z[130]) - mF * (Z[59] * Z[134] + Z[47] * Z[135] + Z[49] * Z[136]) + Z[5] * Z[139] +
           s3 * (Z[143] + Z[152]) + Z[7] * (Z[146] + Z[155]) + Z[9] * (Z[149] + Z[158]) + Z[163] + c4 * Z[168] + Z[16] * Z[171] + Z[18] * Z[178] +
           s4 * (Z[175] + Z[165]);
  Z[185] = -(mE * L6) * Z[130] - (mF * L3) * Z[136] + Z[164] + c5 * Z[171] + s5 * Z[178];
  Z[186] = Z[175];
  Z[187] = -mC * Z[106] - mD * Z[113] - mE * (C[2][2] * Z[129] + C[2][3] * Z[130]) - mF * (C[2][2] * Z[135] + C[2][3] * Z[136]);
}

/// Z_188 … Z_196.
template <class P, class T>
void gravity_forces(const StanfordArm<P>& arm, const Letters<T>& x, StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const auto& [u1, u2, u3, u4, u5, u6, q6, s2, s3, s4, s5, c2, c3, c4, c5] = x;
  T* const Z = k.Z.data();
  auto& C = k.C;

  // gravity's part of K_r (111)-(116)
  Z[188] = s2 * s3;
  Z[189] = s2 * c3;
  Z[190] = c2 * c4 - s4 * Z[189];
  Z[191] = -(c2 * s4 + Z[189] * c4);
  Z[192] = -g * ((mC + mD) * c2 * Z[27] - s2 * (mC * Z[29] + mD * Z[36]) + (mE + mF) * (Z[44] * Z[188] + Z[46] * Z[190]) + Z[191] * (mE * Z[52] + mF * Z[60]));
  Z[193] = -g * Z[188] * (mE * Z[50] + mF * Z[58]);  // misprint: Z118 for Z188
  Z[194] = -g * ((mC + mD) * Z[28] * c2 - s2 * (mC * Z[30] + mD * Z[37]) + (mE + mF) * (Z[47] * Z[190] + Z[49] * Z[191]) + Z[188] * (mE * Z[51] + mF * Z[59]));
  Z[195] = -g * Z[191] * (mE * L6 + mF * L3);
  Z[196] = -g * ((mC + mD) * c2 + (mE + mF) * (C[2][2] * Z[190] + C[2][3] * Z[191]));
}

}  // namespace stanford_detail

// In parts, since compilers with sanitizers take minutes over one function of this size.
template <class P, class T>
void stanford_Z(const StanfordArm<P>& arm, StanfordQuantities<T>& k) {
  const stanford_detail::Letters<T> x{k.u[1], k.u[2], k.u[3], k.u[4], k.u[5], k.u[6], k.q[6], k.s[2], k.s[3], k.s[4], k.s[5], k.c[2], k.c[3], k.c[4], k.c[5]};
  stanford_detail::velocities(arm, x, k);
  stanford_detail::accelerations(arm, x, k);
  stanford_detail::inertia_torques(arm, x, k);
  stanford_detail::inertia_forces(arm, x, k);
  stanford_detail::gravity_forces(arm, x, k);
}

template <class P, class T>
void stanford_X(const StanfordArm<P>& arm, StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const T s3 = k.s[3], s4 = k.s[4], s5 = k.s[5], c3 = k.c[3], c4 = k.c[4], c5 = k.c[5];
  const T* const Z = k.Z.data();
  const auto& C = k.C;
  auto& X = k.X;
  const auto sq = [](const T& x) { return x * x; };

  X[1][1] = -mB * sq(Z[22]) - mC * (sq(Z[25]) + sq(Z[27]) + sq(Z[29])) - mD * (sq(Z[34]) + sq(Z[27]) + sq(Z[36])) - mE * (sq(Z[44]) + sq(Z[46]) + sq(Z[52])) -
            mF * (sq(Z[44]) + sq(Z[46]) + sq(Z[60])) + Z[4] * Z[137] + c3 * (Z[144] + Z[153]) + Z[6] * (Z[147] + Z[156]) + Z[8] * (Z[159] + Z[150]) - D1 - E1 +
            c5 * Z[172] + s5 * Z[179];
  X[1][2] = -Z[44] * (mE * Z[50] + mF * Z[58]) + c5 * Z[173] + s5 * Z[180];
  X[1][3] = -mB * Z[22] * Z[23] - mC * (Z[25] * Z[26] + Z[27] * Z[28] + Z[29] * Z[30]) - mD * (Z[34] * Z[35] + Z[27] * Z[28] + Z[36] * Z[37]) -
            mE * (Z[44] * Z[51] + Z[46] * Z[47] + Z[52] * Z[49]) -
            mF * (Z[44] * Z[59] + Z[46] * Z[47] + Z[60] * Z[49]) +  // misprint: Z51 for Z59 and Z52 for Z60, as for E; m_C for m_D above
            Z[4] * Z[138] + c3 * (Z[145] + Z[154]) + Z[6] * (Z[148] + Z[157]) + Z[8] * (Z[151] + Z[160]) + c5 * Z[174] + s5 * Z[181];
  X[1][4] = -mE * Z[52] * L6 - mF * Z[60] * L3 - E1 + c5 * Z[172] + s5 * Z[179];
  X[1][5] = T(0);
  X[1][6] = -(mC + mD) * Z[27] - (mE + mF) * Z[46] * C[2][2] - (mE * Z[52] + mF * Z[60]) * C[2][3];
  X[2][2] = -mE * sq(Z[50]) - mF * sq(Z[58]) - D2 + c4 * (Z[166] + Z[176]) - s4 * Z[169] + Z[15] * Z[173] + Z[17] * Z[180];
  X[2][3] = -mE * Z[50] * Z[51] - mF * Z[58] * Z[59] + c4 * (Z[167] + Z[177]) - s4 * Z[170] + Z[15] * Z[174] + Z[17] * Z[181];
  X[2][4] = Z[15] * Z[172] + Z[17] * Z[179];
  X[2][5] = -c4 * F2;
  X[2][6] = T(0);
  X[3][3] = -mB * sq(Z[23]) - mC * (sq(Z[26]) + sq(Z[28]) + sq(Z[30])) - mD * (sq(Z[35]) + sq(Z[28]) + sq(Z[37])) - mE * (sq(Z[51]) + sq(Z[47]) + sq(Z[49])) -
            mF * (sq(Z[59]) + sq(Z[47]) + sq(Z[49])) + Z[5] * Z[138] + s3 * (Z[145] + Z[154]) + Z[7] * (Z[148] + Z[157]) + Z[9] * (Z[151] + Z[160]) - D3 +
            s4 * (Z[167] + Z[177]) + c4 * Z[170] + Z[16] * Z[174] + Z[18] * Z[181];  // last three terms lost
  X[3][4] = -(mE * L6 + mF * L3) * Z[49] + Z[16] * Z[172] + Z[18] * Z[179];
  X[3][5] = -s4 * F2;
  X[3][6] = -(mC + mD) * Z[28] - (mE + mF) * (Z[47] * C[2][2] + Z[49] * C[2][3]);
  X[4][4] = -(mE * L6 * L6 + mF * L3 * L3 + E1) + c5 * Z[172] + s5 * Z[179];
  X[4][5] = T(0);
  X[4][6] = -(mE * L6 + mF * L3) * C[2][3];
  X[5][5] = T(-F2);
  X[5][6] = T(0);
  X[6][6] = T(-(mC + mD + mE + mF));
  for (std::size_t r = 1; r <= 6; ++r)
    for (std::size_t j = 1; j < r; ++j) X[r][j] = X[j][r];
}

template <class P, class T>
std::array<T, 32> stanford_W(const StanfordArm<P>& arm, const StanfordQuantities<T>& k) {
  const auto& [L1, L2, L3, L4, L5, L6, mA, mB, mC, mD, mE, mF, A1, A2, A3, B1, B2, B3, C1, C2, C3, D1, D2, D3, E1, E2, E3, F1, F2, F3, g, rotor] = arm;
  const T u1 = k.u[1], u2 = k.u[2], u3 = k.u[3], q6 = k.q[6];
  const T s2 = k.s[2], s3 = k.s[3], s4 = k.s[4], s5 = k.s[5], c2 = k.c[2], c3 = k.c[3], c4 = k.c[4], c5 = k.c[5];
  const T* const Z = k.Z.data();
  std::array<T, 32> W{};
  // positions of mass centres from A*: (135), (136) with p^E* = p^C* + L2 d2 + L6 e2 (misprint: L5 e2), (137) with p^F* = p^C* + L2 d2 + L3 e2 (misprint: p^E*
  // + …)
  W[1] = L4 * c2 + q6;
  W[2] = -L4 * s2;
  W[3] = W[1] + L5;
  W[4] = W[1] + L2;
  W[5] = L1 * c3 - W[2] * s3;
  W[6] = L1 * s3 + W[2] * c3;
  W[7] = W[4] * c4 + W[6] * s4;
  W[8] = -W[4] * s4 + W[6] * c4;
  W[9] = W[7] + L6;
  W[10] = W[7] + L3;
  // p × v of B*, C*, D*, E*, F* (11, 13 and 16 are not used)
  W[11] = L4 * Z[24];
  W[12] = -L1 * Z[24];
  W[13] = W[1] * Z[33] - W[2] * Z[32];
  W[14] = W[2] * Z[31] - L1 * Z[33];
  W[15] = L1 * Z[32] - W[1] * Z[31];
  W[16] = W[3] * Z[39] - W[2] * Z[32];
  W[17] = W[2] * Z[38] - L1 * Z[39];
  W[18] = L1 * Z[32] - W[3] * Z[38];  // misprint: W38
  W[19] = W[9] * Z[57] - W[8] * Z[55];
  W[20] = W[8] * Z[54] - W[5] * Z[57];
  W[21] = W[5] * Z[55] - W[9] * Z[54];
  W[22] = W[10] * Z[62] - W[8] * Z[55];
  W[23] = W[8] * Z[61] - W[5] * Z[62];
  W[24] = W[5] * Z[55] - W[10] * Z[61];
  // n_2 in the axes of D, E, F
  W[25] = s2 * s3;
  W[26] = -s2 * c3;
  W[27] = c2 * c4 + W[26] * s4;
  W[28] = -c2 * s4 + W[26] * c4;
  W[29] = W[25] * c5 - W[28] * s5;
  W[30] = W[25] * s5 + W[28] * c5;
  // (138); the line of D and E_1 is missing in print, and m_8 stands for m_B
  W[31] = A2 * Z[1] + c2 * B2 * Z[10] - s2 * B3 * Z[11] + c2 * C2 * Z[10] - s2 * C3 * Z[11] + W[25] * D1 * u1 + c2 * D2 * u2 + W[26] * D3 * u3 +
          W[25] * E1 * Z[12] + W[27] * E2 * Z[13] + W[28] * E3 * Z[14] + W[29] * F1 * Z[19] + W[27] * F2 * Z[20] + W[30] * F3 * Z[21] + mB * W[12] +
          mC * (c2 * W[14] - s2 * W[15]) + mD * (c2 * W[17] - s2 * W[18]) + mE * (W[25] * W[19] + W[27] * W[20] + W[28] * W[21]) +
          mF * (W[25] * W[22] + W[27] * W[23] + W[28] * W[24]);
  return W;
}

}  // namespace ulna::internal
