/* planar_2r.c: see planar_2r.h. Written by Ulna 0.2.0; do not edit.
 *
 * Names: w3, dw3 angular velocity and acceleration of link 3, a3 acceleration of its origin (gravity as an upward acceleration of the base),
 * U3 = [dw3]x + [w3]x[w3]x; f3, n3 force and moment on link 3; m3, h3, S3 mass, first and second moments of link 3 and all behind it; in the axes
 * of link 3, whose z is the joint's axis. _neg: the opposite. Frames, shares of mass between links and the unit of length are the search's choice:
 * only the results are meant to be in SI units.
 */
#include "planar_2r.h"

#include <float.h>
#include <math.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define ULNA_RESTRICT restrict
#elif defined(__GNUC__) || defined(_MSC_VER)
#define ULNA_RESTRICT __restrict
#else
#define ULNA_RESTRICT
#endif

/* Sines and cosines of 2 angles, within 1 ulp up to 1.6e6 rad, without a branch. x = n pi/2 + r + rest, where n is the nearest integer; pi/2 is the sum
 * of three numbers, and products with the first two are exact. Where numbers have more digits than their
 * type, or the compiler may reorder sums, the library's functions are called. */
static void planar_2r_turn_2(const double *ULNA_RESTRICT angle, double *ULNA_RESTRICT sine, double *ULNA_RESTRICT cosine)
{
  int i;
  for (i = 0; i < 2; ++i) {
#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0) && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)
    const double x = angle[i];
    const double n = ((x * 0.6366197723675814) + 6755399441055744.0) - 6755399441055744.0;
    const double t = x - (n * 1.5707963267341256);
    const double u = n * 6.077100506303966e-11;
    const double first = t - u;
    const double second = ((t - first) - u) - (n * 2.0222662487959506e-21);
    const double r = first + second;
    const double rest = (first - r) + second;
    const double z = r * r;
    const double zz = z * z;
    const double p = -0.16666666666666644 + (z * ((0.008333333333324425 + (z * -0.00019841269831056063)) + (zz * ((2.7557314047258e-06 + (z * -2.5050805499741026e-08)) + (zz * 1.589919681142784e-10)))));
    const double c = 0.04166666666666665 + (z * ((-0.0013888888888881454 + (z * 2.4801587293416127e-05)) + (zz * ((-2.755731535308121e-07 + (z * 2.0875845229408233e-09)) + (zz * -1.1365387410597533e-11)))));
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    const double s_r = r + ((r * z * p) + rest);
    const double c_r = w + (((1.0 - w) - half) + ((zz * c) - (r * rest)));
    const double quarter = n - (4.0 * (((n * 0.25) + 6755399441055744.0) - 6755399441055744.0)); /* -2 to 2 */
    const double even = 1.0 - fabs(quarter); /* cosine and sine of so many quarter turns: 0 or +-1 */
    const double odd = quarter * (1.0 + even);
    sine[i] = (even * s_r) + (odd * c_r);
    cosine[i] = (even * c_r) - (odd * s_r);
#else
    sine[i] = sin(angle[i]);
    cosine[i] = cos(angle[i]);
#endif
  }
}

void planar_2r_inverse_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double a[2], double tau[2])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[1];
  const double guard = t1 * t1;
  const double w2_z = v[0] + v[1];
  const double dw2_z = a[0] + a[1];
  const double a2_y = cosine[1] * (a[0] + 9.81 * cosine[0]) - sine[1] * (9.81 * sine[0] - v[0] * v[0]);
  const double n2_z = 0.8400000000000002 * dw2_z + 1.6 * a2_y;
  const double n1_z = n2_z + (1.6 * (cosine[1] * dw2_z - w2_z * (sine[1] * w2_z)) + 68.67 * cosine[0] + 6.0 * a[0]);
  tau[0] = n1_z + guard * n1_z;
  tau[1] = n2_z + guard * n2_z;
}

void planar_2r_inverse(const double q[2], const double v[2], const double a[2], double tau[2])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_inverse_turned(sine, cosine, q, v, a, tau);
}

void planar_2r_mass_turned(const double sine[], const double cosine[], const double q[2], double M[4])
{
  (void)sine;
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double t2 = 1.6 * cosine[0] + 0.8400000000000002;
  const double t3 = 3.2 * cosine[0] + 0.8350000000000002 + 5.99 + 0.0050000000000000044 + 0.010000000000000009;
  const double t4 = t2 + guard * t2;
  M[0] = t3 + guard * t3;
  M[1] = t4;
  M[2] = t4;
  M[3] = 0.8400000000000002 + guard;
}

void planar_2r_mass(const double q[2], double M[4])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[1];
  angle[1] = 0.0;
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_mass_turned(sine, cosine, q, M);
}

void planar_2r_bias_turned(const double sine[], const double cosine[], const double q[2], const double v[2], double bias[2])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[1];
  const double guard = t1 * t1;
  const double w2_z = v[0] + v[1];
  const double a2_y = cosine[1] * (9.81 * cosine[0]) - sine[1] * (9.81 * sine[0] - v[0] * v[0]);
  const double n2_z = 1.6 * a2_y;
  const double n1_z = n2_z + 68.67 * cosine[0] - sine[1] * (1.6 * (w2_z * w2_z));
  bias[0] = n1_z + guard * n1_z;
  bias[1] = n2_z + guard * n2_z;
}

void planar_2r_bias(const double q[2], const double v[2], double bias[2])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_bias_turned(sine, cosine, q, v, bias);
}

void planar_2r_gravity_turned(const double sine[], const double cosine[], const double q[2], double gravity[2])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double a2_y = cosine[0] * cosine[1] - sine[0] * sine[1];
  const double n2_z = 15.696000000000002 * a2_y;
  const double n1_z = n2_z + 68.67 * cosine[0];
  gravity[0] = n1_z + guard * n1_z;
  gravity[1] = n2_z + guard * n2_z;
}

void planar_2r_gravity(const double q[2], double gravity[2])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_gravity_turned(sine, cosine, q, gravity);
}

void planar_2r_coriolis_turned(const double sine[], const double cosine[], const double q[2], const double v[2], double C[4])
{
  (void)cosine;
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[0] * v[1];
  const double guard = t1 * t1;
  const double t2 = sine[0] + guard * sine[0];
  const double w2_z = v[0] + v[1];
  const double t3 = t2 * (1.6 * w2_z);
  const double t4 = v[0] * (1.6 * t2);
  C[0] = -(t3 - t4);
  C[1] = t4;
  C[2] = -t3;
  C[3] = guard;
}

void planar_2r_coriolis(const double q[2], const double v[2], double C[4])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[1];
  angle[1] = 0.0;
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_coriolis_turned(sine, cosine, q, v, C);
}

void planar_2r_forward_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double tau[2], double a[2])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double w2_z = v[0] + v[1];
  const double t2 = 3.0476190476190474 - 3.0476190476190474 * (sine[1] * sine[1]);
  const double a1_y = 9.81 * cosine[0];
  const double t3 = sine[1] * (v[0] * v[0] - 9.81 * sine[0]);
  const double t4 = w2_z * (w2_z * (1.6 * sine[1])) + (cosine[1] * (3.0476190476190474 * t3 - 1.9047619047619044 * tau[1]) + (tau[0] - tau[1]));
  const double dw1_z_neg = 1.0 / (t2 - 6.0) * ((t2 - 7.0) * a1_y + t4);
  const double a2_y = t3 + cosine[1] * (a1_y - dw1_z_neg);
  const double t5 = 1.1904761904761902 * (1.6 * a2_y - (tau[1] + 0.8400000000000002 * dw1_z_neg));
  a[0] = -(dw1_z_neg + guard * dw1_z_neg);
  a[1] = -(t5 + guard * t5);
}

void planar_2r_forward(const double q[2], const double v[2], const double tau[2], double a[2])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_forward_turned(sine, cosine, q, v, tau, a);
}

void planar_2r_energy_turned(const double sine[], const double cosine[], const double q[2], const double v[2], double energy[2])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[0] * v[1];
  const double guard = t1 * t1;
  const double t2 = v[0] * sine[1];
  const double t3 = v[0] * cosine[1];
  const double t4 = v[0] + v[1];
  const double t5 = 0.5 * (t4 * (0.8400000000000002 * t4 + 1.6 * t3) + (t2 * (4.0 * t2) + t3 * (4.0 * t3 + 1.6 * t4)) + v[0] * (v[0] + v[0]));
  const double t6 = 9.81 * (7.0 * sine[0] + 1.6 * (sine[0] * cosine[1] + cosine[0] * sine[1]));
  energy[0] = t5 + guard * t5;
  energy[1] = t6 + guard * t6;
}

void planar_2r_energy(const double q[2], const double v[2], double energy[2])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_energy_turned(sine, cosine, q, v, energy);
}

void planar_2r_pose_turned(const double sine[], const double cosine[], const double q[2], double pose[12])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double t2 = sine[0] + guard * sine[0];
  const double t3 = cosine[0] + guard * cosine[0];
  const double t4 = t3 * cosine[1] - t2 * sine[1];
  const double t5 = t2 * cosine[1] + t3 * sine[1];
  pose[0] = t4;
  pose[1] = -t5;
  pose[2] = guard;
  pose[3] = t5;
  pose[4] = t4;
  pose[5] = guard;
  pose[6] = guard;
  pose[7] = guard;
  pose[8] = 1.0 + guard;
  pose[9] = t3 + 0.8 * t4;
  pose[10] = t2 + 0.8 * t5;
  pose[11] = guard;
}

void planar_2r_pose(const double q[2], double pose[12])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_pose_turned(sine, cosine, q, pose);
}

void planar_2r_jacobian_turned(const double sine[], const double cosine[], const double q[2], double J[12])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double t2 = sine[0] + guard * sine[0];
  const double t3 = cosine[0] + guard * cosine[0];
  const double t4 = t3 + 0.8 * (t3 * cosine[1] - t2 * sine[1]);
  const double t5 = t2 + 0.8 * (t2 * cosine[1] + t3 * sine[1]);
  J[0] = guard;
  J[1] = guard;
  J[2] = 1.0 + guard;
  J[3] = -t5;
  J[4] = t4;
  J[5] = guard;
  J[6] = guard;
  J[7] = guard;
  J[8] = 1.0 + guard;
  J[9] = t2 - t5;
  J[10] = -(t3 - t4);
  J[11] = guard;
}

void planar_2r_jacobian(const double q[2], double J[12])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_jacobian_turned(sine, cosine, q, J);
}

void planar_2r_inverse_derivatives_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double a[2], double derivatives[12])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[0] * v[1] * a[0] * a[1];
  const double guard = t1 * t1;
  const double U1_xx_neg = v[0] * v[0];
  const double a1_x = 9.81 * sine[0];
  const double a1_y = 9.81 * cosine[0];
  const double t2 = 1.6 * (cosine[1] + guard * cosine[1]);
  const double h1_y = 1.6 * (sine[1] + guard * sine[1]);
  const double t3 = v[1] * h1_y;
  const double t4 = t3 + t3;
  const double t5 = v[0] + v[0];
  const double t6 = h1_y * t5;
  const double t7 = (a[0] + a1_y) * h1_y - (U1_xx_neg - a1_x) * t2;
  const double t8 = t2 + 0.8400000000000002;
  const double h1_x = t2 + 7.0;
  derivatives[0] = -9.81 * (cosine[0] * h1_y + sine[0] * h1_x);
  derivatives[1] = -(a1_x * t2 + a1_y * h1_y);
  derivatives[2] = -(t7 + h1_y * (a[0] + a[1]) + t2 * (U1_xx_neg + v[1] * (v[1] + t5)));
  derivatives[3] = -t7;
  derivatives[4] = -t4;
  derivatives[5] = t6;
  derivatives[6] = -(t4 + t6);
  derivatives[7] = guard;
  derivatives[8] = h1_x + (t2 + 0.8350000000000002) - 1.0099999999999998 + 0.0050000000000000044 + 0.010000000000000009;
  derivatives[9] = t8;
  derivatives[10] = t8;
  derivatives[11] = 0.8400000000000002 + guard;
}

void planar_2r_inverse_derivatives(const double q[2], const double v[2], const double a[2], double derivatives[12])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_inverse_derivatives_turned(sine, cosine, q, v, a, derivatives);
}

void planar_2r_forward_derivatives_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double tau[2], double derivatives[12])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[0] * v[1] * tau[0] * tau[1];
  const double guard = t1 * t1;
  const double U1_xx_neg = v[0] * v[0];
  const double a1_x = 9.81 * sine[0];
  const double a1_y = 9.81 * cosine[0];
  const double t2 = 1.6 * (cosine[1] + guard * cosine[1]);
  const double h1_y = 1.6 * (sine[1] + guard * sine[1]);
  const double t3 = v[1] * h1_y;
  const double t4 = t3 + t3;
  const double t5 = v[0] + v[0];
  const double t6 = h1_y * t5;
  const double t7 = t4 + t6;
  const double t8 = t2 + 0.8400000000000002;
  const double t9 = a1_y * h1_y + a1_x * t2;
  const double h1_x = t2 + 7.0;
  const double t10 = 0.5 * v[0];
  const double t11 = tau[1] + (a1_x * h1_y - a1_y * t2 - t6 * t10);
  const double t12 = 1.1904761904761902 * t8;
  const double t13 = 1.0 / (t8 * t12 - (h1_x + (t2 + 0.8350000000000002) - 1.0099999999999998 + 0.0050000000000000044 + 0.010000000000000009));
  const double dw1_z_neg = t13 * (tau[0] + (9.81 * (sine[0] * h1_y - cosine[0] * h1_x) + t4 * t10 + t7 * (0.5 * v[1])) - t11 * t12);
  const double t14 = (U1_xx_neg - a1_x) * t2 - h1_y * (a1_y - dw1_z_neg);
  const double t15 = t12 * t13;
  const double t16 = t13 * (9.81 * (cosine[0] * h1_y + sine[0] * h1_x) - t9 * t12);
  const double t17 = t14 - t2 * (U1_xx_neg + v[1] * (v[1] + t5)) + h1_y * (dw1_z_neg - (1.1904761904761902 * t11 + t12 * dw1_z_neg)) - t12 * t14;
  const double t18 = t13 * t17;
  const double t19 = t13 * (t4 + t6 * t12);
  const double t20 = t7 * t13;
  derivatives[0] = -t16;
  derivatives[1] = 1.1904761904761902 * t9 + t12 * t16;
  derivatives[2] = t18;
  derivatives[3] = -(1.1904761904761902 * t14 + t12 * t18);
  derivatives[4] = -t19;
  derivatives[5] = -(1.1904761904761902 * t6 - t12 * t19);
  derivatives[6] = -t20;
  derivatives[7] = t12 * t20;
  derivatives[8] = -t13;
  derivatives[9] = t15;
  derivatives[10] = t15;
  derivatives[11] = 1.1904761904761902 - t12 * t15;
}

void planar_2r_forward_derivatives(const double q[2], const double v[2], const double tau[2], double derivatives[12])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_forward_derivatives_turned(sine, cosine, q, v, tau, derivatives);
}

void planar_2r_regressor_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double a[2], double Y[40])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * v[0] * v[1] * a[0] * a[1];
  const double guard = t1 * t1;
  const double t2 = v[0] * v[0];
  const double t3 = t2 - 9.81 * (sine[0] + guard * sine[0]);
  const double t4 = a[0] + 9.81 * (cosine[0] + guard * cosine[0]);
  const double t5 = v[0] + v[1];
  const double t6 = t5 * t5;
  const double t7 = a[0] + a[1];
  const double t8 = 0.8 * t6;
  const double t9 = 0.8 * t7;
  const double t10 = t8 + (cosine[1] * t3 - sine[1] * t4);
  const double t11 = t9 + (cosine[1] * t4 + sine[1] * t3);
  const double t12 = cosine[1] + 0.8;
  const double t13 = t7 + guard * t7;
  Y[0] = t4;
  Y[1] = guard;
  Y[2] = a[0] + t4;
  Y[3] = guard;
  Y[4] = -(t2 - t3);
  Y[5] = guard;
  Y[6] = guard;
  Y[7] = guard;
  Y[8] = guard;
  Y[9] = guard;
  Y[10] = guard;
  Y[11] = guard;
  Y[12] = a[0] + guard * a[0];
  Y[13] = guard;
  Y[14] = guard;
  Y[15] = guard;
  Y[16] = guard;
  Y[17] = guard;
  Y[18] = guard;
  Y[19] = guard;
  Y[20] = -(sine[1] * t10 - t11 * t12);
  Y[21] = 0.8 * t11;
  Y[22] = t11 + (t7 * t12 - sine[1] * t6);
  Y[23] = t9 + t11;
  Y[24] = t10 - (sine[1] * t7 + t6 * t12);
  Y[25] = -(t8 - t10);
  Y[26] = guard;
  Y[27] = guard;
  Y[28] = guard;
  Y[29] = guard;
  Y[30] = guard;
  Y[31] = guard;
  Y[32] = t13;
  Y[33] = t13;
  Y[34] = guard;
  Y[35] = guard;
  Y[36] = guard;
  Y[37] = guard;
  Y[38] = guard;
  Y[39] = guard;
}

void planar_2r_regressor(const double q[2], const double v[2], const double a[2], double Y[40])
{
  double angle[2];
  double sine[2];
  double cosine[2];
  angle[0] = q[0];
  angle[1] = q[1];
  planar_2r_turn_2(angle, sine, cosine);
  planar_2r_regressor_turned(sine, cosine, q, v, a, Y);
}

/* --- self-test ------------------------------------------------------------------------------------------------------------------- */

static int planar_2r_test_inverse(void)
{
  static const double inputs[4][6] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983, -3.9750544670414776, -3.278510436057994},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516, -3.759366890622916, 2.7484549811505037},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825, -4.702207539128046, -0.5947117567846947},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123, 0.3810072827148794, -2.400215216680915},
  };
  static const double expected[4][2] = {
    {-26.077335746711213, 1.671921056998241},
    {-40.22736749325475, -2.421181401894004},
    {9.765331585496519, 0.9467075997355061},
    {-35.371011546876254, -5.3602284112721685},
  };
  static const double tolerance[4][1] = {
    {5.121697688390575e-12},
    {6.908638292690602e-12},
    {4.552490773853643e-12},
    {7.136477842248471e-12},
  };
  double result[2];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_inverse(inputs[k], &inputs[k][2], &inputs[k][4], result);
    for (i = 0; i < 2; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_mass(void)
{
  static const double inputs[4][2] = {
    {-1.8129400014846728, -3.019717438986539},
    {2.0557946115971477, -1.1844355030374145},
    {-0.8267002604259099, 0.18005960286495393},
    {1.6136352245161447, 1.8750856196531025},
  };
  static const double expected[4][4] = {
    {3.66373630612574, -0.7481318469371299, -0.7481318469371299, 0.8400000000000001},
    {8.045823993426925, 1.4429119967134625, 1.4429119967134625, 0.8400000000000001},
    {9.988265665168278, 2.4141328325841394, 2.4141328325841394, 0.8400000000000001},
    {5.881231380527274, 0.36061569026363705, 0.36061569026363705, 0.8400000000000001},
  };
  static const double tolerance[4][1] = {
    {3.732654734193638e-13},
    {3.732654734193638e-13},
    {3.732654734193638e-13},
    {3.732654734193638e-13},
  };
  double result[4];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_mass(inputs[k], result);
    for (i = 0; i < 4; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_bias(void)
{
  static const double inputs[4][4] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123},
  };
  static const double expected[4][2] = {
    {-13.966542444714769, 1.452004983183527},
    {-13.945941829315052, 0.6945520004667655},
    {58.16794287704233, 12.798019081268334},
    {-36.74624826704376, -3.481444833511899},
  };
  static const double tolerance[4][1] = {
    {3.245718369563401e-12},
    {5.1765815521115605e-12},
    {2.7261699594909636e-12},
    {6.707108203565554e-12},
  };
  double result[2];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_bias(inputs[k], &inputs[k][2], result);
    for (i = 0; i < 2; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_gravity(void)
{
  static const double inputs[4][2] = {
    {-1.8129400014846728, -3.019717438986539},
    {2.0557946115971477, -1.1844355030374145},
    {-0.8267002604259099, 0.18005960286495393},
    {1.6136352245161447, 1.8750856196531025},
  };
  static const double expected[4][2] = {
    {-14.582802472362348, 1.883186184756839},
    {-21.909540800256263, 10.104883043695319},
    {59.0378471577722, 12.52717114942634},
    {-17.700637134206744, -14.759789713371465},
  };
  static const double tolerance[4][1] = {
    {1.8911520528370345e-12},
    {1.8911520528370345e-12},
    {1.8911520528370345e-12},
    {1.8911520528370345e-12},
  };
  double result[2];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_gravity(inputs[k], result);
    for (i = 0; i < 2; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_coriolis(void)
{
  static const double inputs[4][4] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123},
  };
  static const double expected[4][4] = {
    {-0.1617749947549184, 0.28960747176114804, -0.45138246651606645, -6.776263578034403e-21},
    {-1.3398421319939156, 3.7345227597483723, -5.074364891742288, 6.505213034913027e-19},
    {-0.29314353838801765, 0.2785840544214536, -0.5717275928094713, 1.3552527156068805e-20},
    {2.6543726170219233, -4.149259058019808, 6.803631675041731, 4.336808689942018e-19},
  };
  static const double tolerance[4][1] = {
    {7.049822207229243e-13},
    {1.1027965918585711e-12},
    {5.464894289363534e-13},
    {1.3266419893973977e-12},
  };
  double result[4];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_coriolis(inputs[k], &inputs[k][2], result);
    for (i = 0; i < 4; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_forward(void)
{
  static const double inputs[4][6] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983, -26.077335746711213, 1.671921056998241},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516, -40.22736749325475, -2.421181401894004},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825, 9.765331585496519, 0.9467075997355061},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123, -35.371011546876254, -5.3602284112721685},
  };
  static const double expected[4][2] = {
    {-3.9750544670414776, -3.278510436057994},
    {-3.759366890622916, 2.7484549811505037},
    {-4.702207539128046, -0.5947117567846947},
    {0.3810072827148794, -2.400215216680915},
  };
  static const double tolerance[4][1] = {
    {1.2261645781951922e-11},
    {1.7532198088479706e-11},
    {3.0877945194705854e-11},
    {9.817669619236166e-12},
  };
  double result[2];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_forward(inputs[k], &inputs[k][2], &inputs[k][4], result);
    for (i = 0; i < 2; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_energy(void)
{
  static const double inputs[4][4] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123},
  };
  static const double expected[4][2] = {
    {3.424782640550547, -51.08401486533428},
    {29.17373177291638, 72.7613353836963},
    {7.561368287609366, -59.97752566281338},
    {24.70079751366715, 63.267240273778874},
  };
  static const double tolerance[4][1] = {
    {3.3815838410084858e-12},
    {5.451771792459507e-12},
    {2.8293949104546836e-12},
    {7.310379022155376e-12},
  };
  double result[2];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_energy(inputs[k], &inputs[k][2], result);
    for (i = 0; i < 2; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_pose(void)
{
  static const double inputs[4][2] = {
    {-1.8129400014846728, -3.019717438986539},
    {2.0557946115971477, -1.1844355030374145},
    {-0.8267002604259099, 0.18005960286495393},
    {1.6136352245161447, 1.8750856196531025},
  };
  static const double expected[4][12] = {
    {0.11997873246412072, -0.9927764621284607, 0.0, 0.9927764621284607, 0.11997873246412072, 0.0, 0.0, 0.0, 1.0, -0.14380132533086135, -0.17660501662171957, 0.0},
    {0.6437871460050533, -0.7652046201106395, 0.0, 0.7652046201106395, 0.6437871460050533, 0.0, 0.0, 0.0, 1.0, 0.048822874748536936, 1.4968394448352673, 0.0},
    {0.7981123311306281, 0.6025086778605223, 0.0, -0.6025086778605223, 0.7981123311306281, 0.0, 0.0, 0.0, 1.0, 1.3157969277899817, -1.2177073857879754, 0.0},
    {-0.940353575010924, 0.34019869776966316, 0.0, -0.34019869776966316, -0.940353575010924, 0.0, 0.0, 0.0, 1.0, -0.7951086561473045, 0.7269235965239156, 0.0},
  };
  static const double tolerance[4][1] = {
    {2.98427949019242e-14},
    {2.98427949019242e-14},
    {2.98427949019242e-14},
    {2.98427949019242e-14},
  };
  double result[12];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_pose(inputs[k], result);
    for (i = 0; i < 12; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_jacobian(void)
{
  static const double inputs[4][2] = {
    {-1.8129400014846728, -3.019717438986539},
    {2.0557946115971477, -1.1844355030374145},
    {-0.8267002604259099, 0.18005960286495393},
    {1.6136352245161447, 1.8750856196531025},
  };
  static const double expected[4][12] = {
    {0.0, 0.0, 1.0, 0.17660501662171957, -0.14380132533086135, 0.0, 0.0, 0.0, 1.0, -0.7942211697027686, 0.09598298597129658, 0.0},
    {0.0, 0.0, 1.0, -1.4968394448352673, 0.048822874748536936, 0.0, 0.0, 0.0, 1.0, -0.6121636960885116, 0.5150297168040426, 0.0},
    {0.0, 0.0, 1.0, 1.2177073857879754, 1.3157969277899817, 0.0, 0.0, 0.0, 1.0, 0.4820069422884179, 0.6384898649045025, 0.0},
    {0.0, 0.0, 1.0, -0.7269235965239156, -0.7951086561473045, 0.0, 0.0, 0.0, 1.0, 0.27215895821573055, -0.7522828600087392, 0.0},
  };
  static const double tolerance[4][1] = {
    {2.98427949019242e-14},
    {2.98427949019242e-14},
    {2.98427949019242e-14},
    {2.98427949019242e-14},
  };
  double result[12];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_jacobian(inputs[k], result);
    for (i = 0; i < 12; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_inverse_derivatives(void)
{
  static const double inputs[4][6] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983, -3.9750544670414776, -3.278510436057994},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516, -3.759366890622916, 2.7484549811505037},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825, -4.702207539128046, -0.5947117567846947},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123, 0.3810072827148794, -2.400215216680915},
  };
  static const double expected[4][12] = {
    {51.08401486533428, -15.58261934956832, -12.735364285717596, -19.876195506563615, -0.3235499895098368, 0.5792149435222961, -0.9027649330321329, 0.0, 3.66373630612574, -0.7481318469371299, -0.7481318469371299, 0.8400000000000001},
    {-72.7613353836963, -12.0106517172566, -22.320132735013054, -13.754062821352868, -2.679684263987831, 7.469045519496745, -10.148729783484576, 2.168404344971009e-19, 8.045823993426925, 1.4429119967134625, 1.4429119967134625, 0.8400000000000001},
    {59.97752566281338, 9.456976207698759, 7.543260341061112, 12.292273264676579, -0.5862870767760353, 0.5571681088429072, -1.1434551856189425, 0.0, 9.988265665168278, 2.4141328325841394, 2.4141328325841394, 0.8400000000000001},
    {-63.267240273778874, 5.339758760192633, 13.821592481536038, 1.2162757482243955, 5.308745234043847, -8.298518116039617, 13.607263350083462, 2.168404344971009e-19, 5.881231380527274, 0.36061569026363705, 0.36061569026363705, 0.8400000000000001},
  };
  static const double tolerance[4][1] = {
    {2.04867907535623e-11},
    {2.7634553170762407e-11},
    {1.8209963095414572e-11},
    {2.8545911368993884e-11},
  };
  double result[12];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_inverse_derivatives(inputs[k], &inputs[k][2], &inputs[k][4], result);
    for (i = 0; i < 12; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_forward_derivatives(void)
{
  static const double inputs[4][6] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983, -26.077335746711213, 1.671921056998241},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516, -40.22736749325475, -2.421181401894004},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825, 9.765331585496519, 0.9467075997355061},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123, -35.371011546876254, -5.3602284112721685},
  };
  static const double expected[4][12] = {
    {-12.412525415337978, 7.49573069694935, 10.154636082622472, 32.70619304051236, -0.06416107916950278, -0.7466855835510186, 0.3011801289934118, 0.2682410073388145, 0.3336196588649413, 0.2971327280490045, 0.2971327280490045, 1.455112448358059},
    {9.363676937669746, -1.78608341601935, -0.23457530752847508, 16.776826603236252, 2.785869384663926, -13.677154614172707, 1.8229313077041138, -3.1313445869890786, 0.17962162227145323, -0.3085454686245404, -0.3085454686245404, 1.7204809026308647},
    {-10.753156455860912, 19.64591886465377, 9.109241920322837, -40.813325314856826, 0.7172065068956905, -2.7245236724794957, 0.3748878545160079, -1.077415569195382, 0.32785531014325175, -0.942245557802238, -0.942245557802238, 3.8984594493415936},
    {11.448627766280664, -11.271801862739732, -2.322471249244164, -0.4509002090009045, -1.5491946838235984, 10.544264317023117, -2.376226217619832, 1.020124354392294, 0.17462925178156832, -0.07496910496599134, -0.07496910496599134, 1.222660756590188},
  };
  static const double tolerance[4][1] = {
    {2.0975175301650146e-09},
    {2.8597694323771997e-09},
    {1.2333344120692678e-08},
    {9.596215972973583e-10},
  };
  double result[12];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_forward_derivatives(inputs[k], &inputs[k][2], &inputs[k][4], result);
    for (i = 0; i < 12; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int planar_2r_test_regressor(void)
{
  static const double inputs[4][6] = {
    {-1.8129400014846728, -3.019717438986539, -1.488846951880185, -0.8316712492484983, -3.9750544670414776, -3.278510436057994},
    {2.0557946115971477, -1.1844355030374145, -2.519821580592699, -0.9040413825227516, -3.759366890622916, 2.7484549811505037},
    {-0.8267002604259099, 0.18005960286495393, 0.9722305621708127, 1.023041708957825, -4.702207539128046, -0.5947117567846947},
    {1.6136352245161447, 1.8750856196531025, -2.7181587657344397, -1.7388661675723123, 0.3810072827148794, -2.400215216680915},
  };
  static const double expected[4][40] = {
    {-6.327338560915647, 0.0, -10.302393027957125, 0.0, 9.52380488784323, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.9750544670414776, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.8036329832691111, -0.7598237501827635, 1.101780049578592, -6.752631610208032, -7.959602678573497, -12.42262219160226, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -7.2535649030994716, -7.2535649030994716, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-8.332856011187427, 0.0, -12.092222901810343, 0.0, -8.678669095205674, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.759366890622916, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.383627784054194, -1.4329913210309326, 7.877805756338612, -2.5999686788665954, -13.950082959383158, -8.596289263345541, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0109119094724122, -1.0109119094724122, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {1.9421747477785052, 0.0, -2.760032791349541, 0.0, 7.217221350730659, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.702207539128046, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -3.4891970913628296, -0.69196844523305, -11.026750235656861, -5.102495993271505, 4.714537713163195, 7.682670790422861, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -5.2969192959127405, -5.2969192959127405, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-0.03911377740444649, 0.0, 0.3418935053104329, 0.0, -9.80099986199593, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3810072827148794, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -17.841443434042098, -3.1243399511086123, -23.868278417969893, -5.520791286058594, 8.638495300960024, 0.7601723426402471, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -2.019207933966036, -2.019207933966036, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
  };
  static const double tolerance[4][1] = {
    {5.550853842630561e-13},
    {7.806176190983152e-13},
    {4.5420762172105427e-13},
    {9.458961117723073e-13},
  };
  double result[40];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    planar_2r_regressor(inputs[k], &inputs[k][2], &inputs[k][4], result);
    for (i = 0; i < 40; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

int planar_2r_selftest(void)
{
  int first = planar_2r_test_inverse();
  if (first == 0) {
    const int failed = planar_2r_test_mass();
    first = (failed == 0) ? 0 : (4 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_bias();
    first = (failed == 0) ? 0 : (8 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_gravity();
    first = (failed == 0) ? 0 : (12 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_coriolis();
    first = (failed == 0) ? 0 : (16 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_forward();
    first = (failed == 0) ? 0 : (20 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_energy();
    first = (failed == 0) ? 0 : (24 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_pose();
    first = (failed == 0) ? 0 : (28 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_jacobian();
    first = (failed == 0) ? 0 : (32 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_inverse_derivatives();
    first = (failed == 0) ? 0 : (36 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_forward_derivatives();
    first = (failed == 0) ? 0 : (40 + failed);
  }
  if (first == 0) {
    const int failed = planar_2r_test_regressor();
    first = (failed == 0) ? 0 : (44 + failed);
  }
  return first;
}

#ifdef PLANAR_2R_SELFTEST_MAIN
#include <stdio.h>
int main(void)
{
  const int failed = planar_2r_selftest();
  if (failed != 0) {
    printf("planar_2r: check %d of 48 FAILED\n", failed);
  } else {
    printf("planar_2r: all 48 checks passed\n");
  }
  return failed != 0;
}
#endif
