/* five_bar.c: see five_bar.h. Written by Ulna 0.1.0; do not edit.
 *
 * Names: w3, dw3 angular velocity and acceleration of link 3, a3 acceleration of its origin (gravity as an upward acceleration of the base),
 * U3 = [dw3]x + [w3]x[w3]x; f3, n3 force and moment on link 3; m3, h3, S3 mass, first and second moments of link 3 and all behind it; in the axes
 * of link 3, whose z is the joint's axis. _neg: the opposite. Frames, shares of mass between links and the unit of length are the search's choice:
 * only the results are meant to be in SI units.
 */
#include "five_bar.h"

#include <float.h>
#include <math.h>

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define ULNA_RESTRICT restrict
#elif defined(__GNUC__) || defined(_MSC_VER)
#define ULNA_RESTRICT __restrict
#else
#define ULNA_RESTRICT
#endif

/* Sines and cosines of 4 angles, within 1 ulp up to 1.6e6 rad, without a branch. x = n pi/2 + r + rest, where n is the nearest integer; pi/2 is the sum
 * of three numbers, and products with the first two are exact. Where numbers have more digits than their
 * type, or the compiler may reorder sums, the library's functions are called. */
static void five_bar_turn_4(const double *ULNA_RESTRICT angle, double *ULNA_RESTRICT sine, double *ULNA_RESTRICT cosine)
{
  int i;
  for (i = 0; i < 4; ++i) {
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

void five_bar_fold(const double payload[10], double table[10])
{
  const double t1 = payload[0] * payload[1];
  const double t2 = payload[0] * payload[2];
  table[0] = 0.12000000000000002 * payload[0] + 0.020999999999999998;
  table[1] = 0.0144 * payload[0] + 0.0021599999999999996;
  table[2] = 0.12 * (payload[0] * payload[3]);
  table[3] = t1 + 0.008;
  table[4] = t2;
  table[5] = payload[1] * t1 - 0.5 * (payload[4] - (payload[5] + payload[6])) + 0.000853333333;
  table[6] = payload[2] * t2 - 0.5 * (payload[5] - (payload[4] + payload[6])) + 8.999999999999948e-07;
  table[7] = -(payload[7] - payload[2] * t1);
  table[8] = -(payload[8] - payload[3] * t1);
  table[9] = -(payload[9] - payload[3] * t2);
}

void five_bar_speeds_turned(const double sine[], const double cosine[], const double q[4], const double v[2], double rates[4])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * (q[2] * 1.0914297242809317e+302) * (q[3] * 1.0914297242809317e+302);
  const double t2 = t1 * v[0] * v[1];
  const double guard = t2 * t2;
  const double t3 = 0.342020143325892 * cosine[0] + 0.9396926207858272 * sine[0];
  const double t4 = 0.9396926207858272 * cosine[0] - 0.342020143325892 * sine[0];
  const double t5 = 0.5126125395913632 * cosine[1] + 0.8586200465011826 * sine[1];
  const double t6 = 0.8586200465011826 * cosine[1] - 0.5126125395913632 * sine[1];
  const double t7 = 0.12 * t4;
  const double t8 = 0.12 * t3 + 0.06;
  const double t9 = t8 + 0.16 * (t3 * t5 - t4 * t6);
  const double t10 = t7 + 0.16 * (t4 * t5 + t3 * t6);
  const double t11 = 0.34202014332569763 * cosine[2] - 0.9396926207858979 * sine[2];
  const double t12 = 0.9396926207858979 * cosine[2] + 0.34202014332569763 * sine[2];
  const double t13 = 0.5126125395913632 * cosine[3] - 0.8586200465011826 * sine[3];
  const double t14 = 0.8586200465011826 * cosine[3] + 0.5126125395913632 * sine[3];
  const double t15 = 0.12 * t12;
  const double t16 = 0.06 + 0.12 * t11;
  const double t17 = t16 + 0.16 * (t11 * t13 - t12 * t14);
  const double t18 = t15 + 0.16 * (t12 * t13 + t11 * t14);
  const double t19 = t16 - t17;
  const double t20 = t15 - t18;
  const double t21 = t8 - t9;
  const double t22 = t7 - t10;
  const double t23 = 1.0 / (t20 * t21 + t19 * t22);
  const double t24 = v[1] * t18 - v[0] * t10;
  const double t25 = v[1] * (0.06 - t17) + v[0] * (0.06 - t9);
  const double t26 = t23 * (t19 * t24 + t20 * t25);
  const double t27 = t23 * (t21 * t24 - t22 * t25);
  rates[0] = v[0] + guard * v[0];
  rates[1] = -(t26 + guard * t26);
  rates[2] = v[1] + guard * v[1];
  rates[3] = t27 + guard * t27;
}

void five_bar_speeds(const double q[4], const double v[2], double rates[4])
{
  double angle[4];
  double sine[4];
  double cosine[4];
  angle[0] = q[0];
  angle[1] = q[1];
  angle[2] = q[2];
  angle[3] = q[3];
  five_bar_turn_4(angle, sine, cosine);
  five_bar_speeds_turned(sine, cosine, q, v, rates);
}

void five_bar_inverse_turned(const double sine[], const double cosine[], const double q[4], const double v[2], const double a[2], const double table[10], double tau[2])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * (q[2] * 1.0914297242809317e+302) * (q[3] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double t2 = 0.342020143325892 * cosine[0] + 0.9396926207858272 * sine[0];
  const double t3 = 0.9396926207858272 * cosine[0] - 0.342020143325892 * sine[0];
  const double t4 = 0.5126125395913632 * cosine[1] + 0.8586200465011826 * sine[1];
  const double t5 = 0.8586200465011826 * cosine[1] - 0.5126125395913632 * sine[1];
  const double t6 = 0.12 * t3;
  const double t7 = 0.12 * t2 + 0.06;
  const double t8 = 0.16 * (t2 * t4 - t3 * t5);
  const double t9 = 0.16 * (t3 * t4 + t2 * t5);
  const double t10 = t7 + t8;
  const double t11 = t6 + t9;
  const double t12 = 0.34202014332569763 * cosine[2] - 0.9396926207858979 * sine[2];
  const double t13 = 0.9396926207858979 * cosine[2] + 0.34202014332569763 * sine[2];
  const double t14 = 0.5126125395913632 * cosine[3] - 0.8586200465011826 * sine[3];
  const double t15 = 0.8586200465011826 * cosine[3] + 0.5126125395913632 * sine[3];
  const double t16 = 0.12 * t13;
  const double t17 = 0.06 + 0.12 * t12;
  const double t18 = 0.16 * (t12 * t14 - t13 * t15);
  const double t19 = 0.16 * (t13 * t14 + t12 * t15);
  const double t20 = t17 + t18;
  const double t21 = t16 + t19;
  const double t22 = 0.06 - t20;
  const double t23 = t17 - t20;
  const double t24 = t16 - t21;
  const double t25 = 0.06 - t10;
  const double t26 = t7 - t10;
  const double t27 = t6 - t11;
  const double t28 = 1.0 / (t24 * t26 + t23 * t27);
  const double t29 = t23 * t28;
  const double t30 = t24 * t28;
  const double t31 = t26 * t28;
  const double t32 = t27 * t28;
  const double t33 = v[1] * t21 - v[0] * t11;
  const double t34 = v[1] * t22 + v[0] * t25;
  const double w2_z = v[0] - (t30 * t34 + t29 * t33);
  const double w4_z = v[1] - (t32 * t34 - t31 * t33);
  const double t35 = a[1] * t21 - (a[0] * t11 - (w4_z * (t18 * w4_z) - v[1] * (v[1] * (0.06 - t17)) + (w2_z * (t8 * w2_z) - v[0] * (v[0] * (0.06 - t7)))));
  const double t36 = a[1] * t22 + (a[0] * t25 + (w4_z * (t19 * w4_z) + v[1] * (v[1] * t16) - (w2_z * (t9 * w2_z) + v[0] * (v[0] * t6))));
  const double U1_xx_neg = v[0] * v[0];
  const double dw2_z = a[0] - (t30 * t36 + t29 * t35);
  const double a2_y_neg = cosine[1] * (0.10303440558014192 * U1_xx_neg - 0.06151350475096359 * a[0]) - sine[1] * (0.06151350475096359 * U1_xx_neg + 0.10303440558014192 * a[0]);
  const double f2_x_neg = 0.008 * (w2_z * w2_z);
  const double f2_y = 0.008 * dw2_z;
  const double n2_z = 0.000854233333 * dw2_z - 0.008 * a2_y_neg;
  const double U3_xx_neg = v[1] * v[1];
  const double U4_xx_neg = w4_z * w4_z;
  const double dw4_z = a[1] - (t32 * t36 - t31 * t35);
  const double t37 = 0.06151350475096359 * U3_xx_neg - 0.10303440558014192 * a[1];
  const double t38 = 0.10303440558014192 * U3_xx_neg + 0.06151350475096359 * a[1];
  const double a4_x_neg = cosine[3] * t37 - sine[3] * t38;
  const double a4_y = cosine[3] * t38 + sine[3] * t37;
  const double f4_x_neg = table[3] * U4_xx_neg + table[4] * dw4_z;
  const double f4_y = table[3] * dw4_z - table[4] * U4_xx_neg;
  const double n4_z = dw4_z * (table[5] + table[6]) + (table[3] * a4_y + table[4] * a4_x_neg);
  const double t39 = 0.8586200465011826 * (cosine[3] * f4_x_neg + sine[3] * f4_y) + 0.5126125395913632 * (sine[3] * f4_x_neg - cosine[3] * f4_y);
  const double t40 = 0.8586200465011826 * (cosine[1] * f2_x_neg + sine[1] * f2_y) - 0.5126125395913632 * (sine[1] * f2_x_neg - cosine[1] * f2_y);
  const double t41 = t31 * n4_z - t29 * n2_z;
  const double t42 = t32 * n4_z + t30 * n2_z;
  const double t43 = t25 * t42 + (t11 * t41 - (n2_z + 0.0021623999999999997 * a[0] + 0.12 * t40));
  const double t44 = t22 * t42 - (t21 * t41 + (n4_z + a[1] * (table[1] + 2.400000000000004e-06) - 0.12 * t39));
  tau[0] = -(t43 + guard * t43);
  tau[1] = -(t44 + guard * t44);
}

void five_bar_inverse(const double q[4], const double v[2], const double a[2], const double table[10], double tau[2])
{
  double angle[4];
  double sine[4];
  double cosine[4];
  angle[0] = q[0];
  angle[1] = q[1];
  angle[2] = q[2];
  angle[3] = q[3];
  five_bar_turn_4(angle, sine, cosine);
  five_bar_inverse_turned(sine, cosine, q, v, a, table, tau);
}

void five_bar_closure_turned(const double sine[], const double cosine[], const double q[4], double closure[11])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * (q[2] * 1.0914297242809317e+302) * (q[3] * 1.0914297242809317e+302);
  const double guard = t1 * t1;
  const double t2 = sine[0] + guard * sine[0];
  const double t3 = cosine[0] + guard * cosine[0];
  const double t4 = 0.342020143325892 * t3 + 0.9396926207858272 * t2;
  const double t5 = 0.9396926207858272 * t3 - 0.342020143325892 * t2;
  const double t6 = 0.5126125395913632 * cosine[1] + 0.8586200465011826 * sine[1];
  const double t7 = 0.8586200465011826 * cosine[1] - 0.5126125395913632 * sine[1];
  const double t8 = 0.12 * t5;
  const double t9 = 0.12 * t4 + 0.06;
  const double t10 = t9 + 0.16 * (t4 * t6 - t5 * t7);
  const double t11 = t8 + 0.16 * (t5 * t6 + t4 * t7);
  const double t12 = 0.34202014332569763 * cosine[2] - 0.9396926207858979 * sine[2];
  const double t13 = 0.9396926207858979 * cosine[2] + 0.34202014332569763 * sine[2];
  const double t14 = 0.5126125395913632 * cosine[3] - 0.8586200465011826 * sine[3];
  const double t15 = 0.8586200465011826 * cosine[3] + 0.5126125395913632 * sine[3];
  const double t16 = 0.12 * t13;
  const double t17 = 0.06 + 0.12 * t12;
  const double t18 = t17 + 0.16 * (t12 * t14 - t13 * t15);
  const double t19 = t16 + 0.16 * (t13 * t14 + t12 * t15);
  const double t20 = t10 + t18;
  const double t21 = t11 - t19;
  const double t22 = t17 - t18;
  const double t23 = t16 - t19;
  const double t24 = t9 - t10;
  const double t25 = t8 - t11;
  const double t26 = t23 * t24 + t22 * t25;
  const double t27 = 1.0 / t26;
  closure[0] = q[0] + guard * q[0];
  closure[1] = q[1] + t27 * (t20 * t22 - t21 * t23);
  closure[2] = q[2] + guard * q[2];
  closure[3] = q[3] - t27 * (t20 * t24 + t21 * t25);
  closure[4] = t20;
  closure[5] = -t21;
  closure[6] = guard;
  closure[7] = guard;
  closure[8] = guard;
  closure[9] = guard;
  closure[10] = t26;
}

void five_bar_closure(const double q[4], double closure[11])
{
  double angle[4];
  double sine[4];
  double cosine[4];
  angle[0] = q[0];
  angle[1] = q[1];
  angle[2] = q[2];
  angle[3] = q[3];
  five_bar_turn_4(angle, sine, cosine);
  five_bar_closure_turned(sine, cosine, q, closure);
}

double five_bar_close(double q[4], int steps)
{
  static const double least[1] = {0.0005014055010397255};
  double at[11];
  double side = 1.0;
  double left = 0.0;
  int i;
  int k;
  five_bar_closure(q, at);
  for (i = 0; i < 1; ++i) {
    side = (at[10 + i] < 0.0) ? -side : side;
  }
  for (k = 0; k < steps; ++k) {
    for (i = 0; i < 4; ++i) {
      q[i] = at[i];
    }
    five_bar_closure(q, at);
  }
  for (i = 0; i < 1; ++i) {
    side = (at[10 + i] < 0.0) ? -side : side;
  }
  for (i = 0; i < 6; ++i) {
    if (!(fabs(at[4 + i]) <= left)) {
      left = fabs(at[4 + i]);
    }
  }
  for (i = 0; i < 1; ++i) {
    if (!(fabs(at[10 + i]) > least[i])) {
      side = -1.0;
    }
  }
  /* NaN stays */
  return ((side < 0.0) && (left >= 0.0)) ? HUGE_VAL : left;
}

/* --- self-test ------------------------------------------------------------------------------------------------------------------- */

static int five_bar_test_fold(void)
{
  static const double inputs[4][10] = {
    {1.29296875, 0.04150390625, 0.037890625000000004, 0.045800781250000006, 0.032783203125, 0.033173828125, 0.03412109375, 0.0007451171875, 0.0008134765625, 0.000494140625},
    {1.1845703125, 0.01787109375, 0.03505859375, 0.051953125, 0.028857421874999997, 0.0312890625, 0.023798828124999998, 0.0009951171875000001, 0.0008066406250000001, 6.15234375e-05},
    {0.9580078125, 0.090234375, 0.059472656250000006, 0.07119140625, 0.027949218750000004, 0.027666015625, 0.032900390625, 0.0002822265625, 0.000888671875, 0.0005322265625},
    {1.115234375, 0.014843750000000001, 0.0033203125000000003, 0.0720703125, 0.023046875, 0.021914062499999998, 0.02314453125, 0.000888671875, 0.0008193359375, 0.0001455078125},
  };
  static const double expected[4][10] = {
    {0.17615625000000001, 0.02077875, 0.007106277465820313, 0.06166325378417969, 0.048991394042968754, 0.02033642736212855, 0.01872244891490936, 0.001288217037916184, 0.001644342385232449, 0.0017497034966945655},
    {0.16314843750000002, 0.019217812499999997, 0.007385055541992188, 0.0291695671081543, 0.041529369354248044, 0.014346891026436742, 0.012140455038884279, -0.00025294193439185633, 0.00029318454116582866, 0.002096057079732418},
    {0.13596093750000002, 0.0159553125, 0.00818423080444336, 0.09444523620605469, 0.05697526931762696, 0.024962258943780714, 0.019981167481878403, 0.004858901254832746, 0.0052654860541224485, 0.0035239229816943418},
    {0.154828125, 0.018219375, 0.00964503479003906, 0.02455426025390625, 0.0037029266357421877, 0.01210492000864392, 0.012151866748595237, -0.0008337065577507019, 0.00037373477220535296, 0.00012136326730251314},
  };
  static const double tolerance[4][1] = {
    {3.129163594906004e-15},
    {2.8980984279058936e-15},
    {2.4151514121939503e-15},
    {2.750299987752669e-15},
  };
  double result[10];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    five_bar_fold(inputs[k], result);
    for (i = 0; i < 10; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int five_bar_test_speeds(void)
{
  static const double inputs[4][6] = {
    {-0.5770767255306275, 0.43736906546375925, -0.496282317293395, 0.2333534263171444, -2.385032680224887, 1.9631392465042143},
    {-0.2631468658042815, 0.5200432365820764, 0.32407685405693765, -0.5748937368028961, -2.821324523476828, 1.5409081339736685},
    {0.912647506991504, -0.7247997413754029, 0.42360081567039853, 0.09555352353345731, 1.4816246698760303, -1.4499149316626612},
    {0.20370360031077017, -0.6507549908549128, -0.5227652808555587, 0.7890030166677318, 0.2537003187502562, 2.5978405237047433},
  };
  static const double expected[4][4] = {
    {-2.385032680224887, 5.009072629153479, 1.9631392465042143, -2.9877725049983272},
    {-2.821324523476828, 4.445072424870654, 1.5409081339736685, -3.507430148947313},
    {1.4816246698760303, -2.406167798432121, -1.4499149316626612, 3.142584898717509},
    {0.2537003187502562, 1.824073396053863, 2.5978405237047433, -2.9522786588096364},
  };
  static const double tolerance[4][1] = {
    {1.1275668143063185e-12},
    {1.03740625938223e-12},
    {6.771855250781488e-13},
    {7.370567211031393e-13},
  };
  double result[4];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    five_bar_speeds(inputs[k], &inputs[k][4], result);
    for (i = 0; i < 4; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int five_bar_test_inverse(void)
{
  static const double inputs[4][18] = {
    {-0.5770767255306275, 0.43736906546375925, -0.496282317293395, 0.2333534263171444, -2.385032680224887, 1.9631392465042143, -4.199702634321165, -3.759366890622916, 0.17615625000000001, 0.02077875, 0.007106277465820313, 0.06166325378417969, 0.048991394042968754, 0.02033642736212855, 0.01872244891490936, 0.001288217037916184, 0.001644342385232449, 0.0017497034966945655},
    {-0.2631468658042815, 0.5200432365820764, 0.32407685405693765, -0.5748937368028961, -2.821324523476828, 1.5409081339736685, -4.530264609557399, 0.3810072827148794, 0.16314843750000002, 0.019217812499999997, 0.007385055541992188, 0.0291695671081543, 0.041529369354248044, 0.014346891026436742, 0.012140455038884279, -0.00025294193439185633, 0.00029318454116582866, 0.002096057079732418},
    {0.912647506991504, -0.7247997413754029, 0.42360081567039853, 0.09555352353345731, 1.4816246698760303, -1.4499149316626612, -1.1260812952194446, 3.506738406696911, 0.13596093750000002, 0.0159553125, 0.00818423080444336, 0.09444523620605469, 0.05697526931762696, 0.024962258943780714, 0.019981167481878403, 0.004858901254832746, 0.0052654860541224485, 0.0035239229816943418},
    {0.20370360031077017, -0.6507549908549128, -0.5227652808555587, 0.7890030166677318, 0.2537003187502562, 2.5978405237047433, -2.58389714066091, 3.182417981816382, 0.154828125, 0.018219375, 0.00964503479003906, 0.02455426025390625, 0.0037029266357421877, 0.01210492000864392, 0.012151866748595237, -0.0008337065577507019, 0.00037373477220535296, 0.00012136326730251314},
  };
  static const double expected[4][2] = {
    {0.11784040176580905, -0.10472336594377277},
    {0.035598711591318444, -0.04669281610009936},
    {-0.07429265527872955, 0.060536142598811946},
    {-0.06234390316083045, 0.0790368423107882},
  };
  static const double tolerance[4][1] = {
    {1.1797591673137619e-14},
    {3.896405152269295e-15},
    {4.129790398837771e-15},
    {6.666058772151924e-15},
  };
  double result[2];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    five_bar_inverse(inputs[k], &inputs[k][4], &inputs[k][6], &inputs[k][8], result);
    for (i = 0; i < 2; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int five_bar_test_closure(void)
{
  static const double inputs[4][4] = {
    {-0.5770767255306275, 0.4573690654637593, -0.496282317293395, 0.2433534263171444},
    {-0.2631468658042815, 0.5400432365820764, 0.32407685405693765, -0.5648937368028961},
    {0.912647506991504, -0.7047997413754029, 0.42360081567039853, 0.1055535235334573},
    {0.20370360031077017, -0.6307549908549128, -0.5227652808555587, 0.7990030166677318},
  };
  static const double expected[4][11] = {
    {-0.5770767255306275, 0.4373533064764677, -0.496282317293395, 0.23315919771144947, 0.0007416241280463144, -0.0029853094329672517, 0.0, 0.0, 0.0, 0.0, -0.024159970833795202},
    {-0.2631468658042815, 0.5199352249252542, 0.32407685405693765, -0.5751159520070973, 0.0014770754473904988, -0.0019730501564523455, 0.0, 0.0, 0.0, 0.0, -0.01922091613161929},
    {0.912647506991504, -0.7247244488456862, 0.42360081567039853, 0.095346404546739, 0.0022616004960539, -0.002989357780025138, 0.0, 0.0, 0.0, 0.0, -0.025423418130606678},
    {0.20370360031077017, -0.6505875705940612, -0.5227652808555587, 0.7887480711005581, 0.0004680505403414417, -0.004186909075893172, 0.0, 0.0, 0.0, 0.0, -0.022472195412141335},
  };
  static const double tolerance[4][1] = {
    {3.216315805121138e-14},
    {5.2057923733629916e-14},
    {4.092723154294752e-14},
    {3.745168098988315e-14},
  };
  double result[11];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    five_bar_closure(inputs[k], result);
    for (i = 0; i < 11; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

int five_bar_selftest(void)
{
  int first = five_bar_test_fold();
  if (first == 0) {
    const int failed = five_bar_test_speeds();
    first = (failed == 0) ? 0 : (4 + failed);
  }
  if (first == 0) {
    const int failed = five_bar_test_inverse();
    first = (failed == 0) ? 0 : (8 + failed);
  }
  if (first == 0) {
    const int failed = five_bar_test_closure();
    first = (failed == 0) ? 0 : (12 + failed);
  }
  return first;
}

#ifdef FIVE_BAR_SELFTEST_MAIN
#include <stdio.h>
int main(void)
{
  const int failed = five_bar_selftest();
  if (failed != 0) {
    printf("five_bar: check %d of 16 FAILED\n", failed);
  } else {
    printf("five_bar: all 16 checks passed\n");
  }
  return failed != 0;
}
#endif
