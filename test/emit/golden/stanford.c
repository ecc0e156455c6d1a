/* stanford.c: see stanford.h. Written by Ulna 0.2.0; do not edit.
 *
 * Names: w3, dw3 angular velocity and acceleration of link 3, a3 acceleration of its origin (gravity as an upward acceleration of the base),
 * U3 = [dw3]x + [w3]x[w3]x; f3, n3 force and moment on link 3; m3, h3, S3 mass, first and second moments of link 3 and all behind it; in the axes
 * of link 3, whose z is the joint's axis. _neg: the opposite. Frames, shares of mass between links and the unit of length are the search's choice:
 * only the results are meant to be in SI units.
 */
#include "stanford.h"

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
static void stanford_turn_4(const double *ULNA_RESTRICT angle, double *ULNA_RESTRICT sine, double *ULNA_RESTRICT cosine)
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

void stanford_inverse_turned(const double sine[], const double cosine[], const double q[6], const double v[6], const double a[6], double tau[6])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * q[2] * (q[3] * 1.0914297242809317e+302) * (q[4] * 1.0914297242809317e+302);
  const double t2 = t1 * (q[5] * 1.0914297242809317e+302) * v[2] * v[5] * a[2] * a[3] * a[4] * a[5];
  const double guard = t2 * t2;
  const double t3 = q[2] + 0.6;
  const double w2_x_neg = v[0] * sine[0];
  const double w2_y_neg = v[0] * cosine[0];
  const double U2_xz_neg = a[0] * cosine[0];
  const double U2_yz = a[0] * sine[0];
  const double t4 = v[1] * w2_x_neg;
  const double t5 = v[1] * w2_y_neg;
  const double t6 = w2_x_neg * w2_y_neg;
  const double dw2_y_neg = U2_xz_neg - t4;
  const double U2_xy_neg = a[1] - t6;
  const double U2_yy_neg = v[1] * v[1] + w2_x_neg * w2_x_neg;
  const double U2_zx_neg = t4 - dw2_y_neg;
  const double U2_zy_neg = t5 + (U2_yz + t5);
  const double t7 = v[2] + v[2];
  const double a3_x = v[1] * t7 + (t3 * U2_xy_neg - 0.1 * U2_xz_neg - 9.81 * sine[0]);
  const double a3_y = w2_x_neg * t7 + (t3 * U2_zy_neg - 0.1 * (v[0] * v[0]));
  const double a3_z = a[2] - (t3 * U2_yy_neg + 0.1 * U2_yz - 9.81 * cosine[0]);
  const double w4_x_neg = cosine[1] * w2_x_neg - v[1] * sine[1];
  const double w4_y = v[1] * cosine[1] + sine[1] * w2_x_neg;
  const double w4_z = v[3] + w2_y_neg;
  const double t8 = w4_x_neg * w4_z;
  const double t9 = w4_y * w4_z;
  const double t10 = w4_x_neg * w4_y;
  const double dw4_y = t8 + (cosine[1] * U2_xy_neg + sine[1] * U2_zy_neg);
  const double dw4_z = a[3] + dw2_y_neg;
  const double U4_xy_neg = t10 + dw4_z;
  const double U4_zx_neg = t8 + dw4_y;
  const double U4_zy = t9 + (t9 - (cosine[1] * U2_zy_neg - sine[1] * U2_xy_neg));
  const double a4_x = cosine[1] * a3_x + sine[1] * a3_y;
  const double a4_y = cosine[1] * a3_y - sine[1] * a3_x;
  const double w5_x_neg = cosine[2] * w4_x_neg + sine[2] * w4_z;
  const double w5_y_neg = cosine[2] * w4_z - sine[2] * w4_x_neg;
  const double w5_z = v[4] + w4_y;
  const double t11 = w5_x_neg * w5_z;
  const double t12 = w5_y_neg * w5_z;
  const double t13 = w5_x_neg * w5_y_neg;
  const double dw5_y = t11 - (cosine[2] * U4_xy_neg + sine[2] * U4_zy);
  const double dw5_z = a[4] + dw4_y;
  const double U5_xy = t13 - dw5_z;
  const double U5_yy_neg = w5_z * w5_z + w5_x_neg * w5_x_neg;
  const double U5_zx_neg = t11 + dw5_y;
  const double U5_zy_neg = t12 + (t12 - (cosine[2] * U4_zy - sine[2] * U4_xy_neg));
  const double a5_x = cosine[2] * a4_x - sine[2] * a3_z;
  const double f5_x_neg = 0.136 * U5_xy;
  const double f5_y = 0.136 * U5_yy_neg;
  const double f4_y = 0.136 * U5_zy_neg;
  const double w6_x_neg = cosine[3] * w5_x_neg - sine[3] * w5_z;
  const double w6_y = cosine[3] * w5_z + sine[3] * w5_x_neg;
  const double w6_z = v[5] + w5_y_neg;
  const double t14 = w6_y * w6_z;
  const double dw6_z = a[5] - dw5_y;
  const double U6_zy = t14 + (t14 - (cosine[3] * U5_zy_neg + sine[3] * U5_xy));
  const double n6_x = 0.002 * U6_zy;
  const double n6_z = 0.002 * (dw6_z + w6_x_neg * w6_y);
  const double n5_x = cosine[3] * n6_x - (0.023560000000000005 * U5_zy_neg + 0.136 * a4_y);
  const double n5_y_neg = n6_z - 0.00010000000000000005 * U5_zx_neg;
  const double n5_z = sine[3] * n6_x + (0.023660000000000004 * dw5_z - 0.023460000000000005 * t13 + 0.136 * a5_x);
  const double f4_x_neg = cosine[2] * f5_x_neg + sine[2] * f5_y;
  const double n4_x = cosine[2] * n5_x + sine[2] * n5_y_neg + 0.0008500000000000001 * U4_zy;
  const double n4_y = n5_z + 0.00025 * U4_zx_neg;
  const double n3_z_neg = sine[2] * n5_x - cosine[2] * n5_y_neg - (0.0011 * dw4_z + 0.0006000000000000001 * t10);
  const double f2_x_neg = cosine[1] * f4_x_neg + sine[1] * f4_y + (2.3 * U2_xy_neg - 6.1 * a3_x);
  const double f2_z_neg = sine[1] * f4_x_neg - cosine[1] * f4_y + (2.3 * U2_zy_neg - 6.1 * a3_y);
  const double f2_y_neg = sine[2] * f5_x_neg - cosine[2] * f5_y + (2.3 * U2_yy_neg + 6.1 * a3_z);
  const double n2_x = cosine[1] * n4_x - sine[1] * n4_y + 2.3 * a3_y - 1.89525 * U2_zy_neg + (t3 * f2_z_neg + 0.1 * f2_y_neg);
  const double n2_y = n3_z_neg + 0.015 * U2_zx_neg - 0.1 * f2_x_neg;
  const double n1_y = sine[1] * n4_x + cosine[1] * n4_y - 2.3 * a3_x + (1.91025 * a[1] - 1.8802500000000002 * t6) - t3 * f2_x_neg;
  const double n1_z_neg = sine[0] * n2_x + cosine[0] * n2_y - 0.085 * a[0];
  tau[0] = -(n1_z_neg + guard * n1_z_neg);
  tau[1] = n1_y + guard * n1_y;
  tau[2] = f2_y_neg + guard * f2_y_neg;
  tau[3] = -(n3_z_neg + guard * n3_z_neg);
  tau[4] = n5_z + guard * n5_z;
  tau[5] = n6_z + guard * n6_z;
}

void stanford_inverse(const double q[6], const double v[6], const double a[6], double tau[6])
{
  double angle[4];
  double sine[4];
  double cosine[4];
  angle[0] = q[1];
  angle[1] = q[3];
  angle[2] = q[4];
  angle[3] = q[5];
  stanford_turn_4(angle, sine, cosine);
  stanford_inverse_turned(sine, cosine, q, v, a, tau);
}

void stanford_mass_turned(const double sine[], const double cosine[], const double q[6], double M[36])
{
  const double t1 = 0.0 * (q[0] * 1.0914297242809317e+302) * (q[1] * 1.0914297242809317e+302) * q[2] * (q[3] * 1.0914297242809317e+302) * (q[4] * 1.0914297242809317e+302);
  const double t2 = t1 * (q[5] * 1.0914297242809317e+302);
  const double guard = t2 * t2;
  const double t3 = q[2] + 0.6;
  const double t4 = sine[2] + guard * sine[2];
  const double t5 = cosine[2] + guard * cosine[2];
  const double t6 = 0.002 * t4;
  const double t7 = 0.002 * t5;
  const double t8 = sine[1] * t6;
  const double t9 = sine[0] * (cosine[1] * t6) - cosine[0] * t7;
  const double t10 = 0.002 * (sine[3] * sine[3]);
  const double S5_xz_neg = 0.002 * (sine[3] * cosine[3]);
  const double S5_xx = t10 + 0.00010000000000000005;
  const double t11 = S5_xx + 0.023560000000000005;
  const double h4_z = 0.136 * t5;
  const double h4_x = 0.136 * t4;
  const double S4_xy_neg = t5 * S5_xz_neg;
  const double S4_yz = t4 * S5_xz_neg;
  const double t12 = cosine[1] * h4_z;
  const double t13 = t3 * t12 + (sine[1] * S4_xy_neg + cosine[1] * t11);
  const double t14 = sine[0] * (sine[1] * (t11 + t3 * h4_z) - cosine[1] * S4_xy_neg + 0.013600000000000001 * t4) - cosine[0] * (S4_yz + 0.1 * t12);
  const double t15 = S5_xx - 0.023560000000000005;
  const double t16 = t15 * (t4 * t4);
  const double S4_xz_neg = t15 * (t4 * t5);
  const double S4_xx = S5_xx - t16 + 0.00025;
  const double S4_yy = 0.002 - t10 + 0.0008500000000000001;
  const double t17 = S4_xx + S4_yy;
  const double h3_y = sine[1] * h4_x;
  const double h2_x = cosine[1] * h4_x;
  const double S3_yz_neg = sine[1] * S4_xz_neg - cosine[1] * S4_yz;
  const double t18 = 0.1 * h3_y;
  const double S2_xy_neg = t3 * h2_x - (cosine[1] * S4_xz_neg + sine[1] * S4_yz);
  const double t19 = S3_yz_neg - t3 * h3_y;
  const double t20 = sine[0] * S2_xy_neg + cosine[0] * (t17 + t18);
  const double t21 = sine[1] * sine[1];
  const double t22 = sine[1] * cosine[1];
  const double t23 = S4_xx - S4_yy;
  const double t24 = S4_xy_neg + S4_xy_neg;
  const double t25 = t21 * t23 - t22 * t24;
  const double h3_z = h4_z - 2.3;
  const double h2_z = h3_y + 0.61;
  const double t26 = sine[0] * h2_z;
  const double h2_y_neg = h3_z + 6.1 * t3;
  const double S2_xz = 0.1 * h2_x - (S4_xy_neg - t22 * t23 - t21 * t24);
  const double S2_yz = S3_yz_neg - (0.1 * h3_z + t3 * h2_z);
  const double S2_xx = S4_xx - t25 + 0.015;
  const double S2_yy = 0.023560000000000005 + t16 + t3 * (h3_z + h2_y_neg) + 1.89525;
  const double S1_yz_neg = sine[0] * S2_xz + cosine[0] * S2_yz;
  const double t27 = t18 + (t25 + (S4_yy + (S2_xx + sine[0] * (S2_xy_neg * (cosine[0] + cosine[0]) - sine[0] * (S2_xx - S2_yy)) + 0.01))) + 0.1 * h2_z;
  M[0] = t27 + 0.07500000000000001;
  M[1] = S1_yz_neg;
  M[2] = -t26;
  M[3] = t20;
  M[4] = t14;
  M[5] = -t9;
  M[6] = S1_yz_neg;
  M[7] = S2_xx + S2_yy;
  M[8] = -h2_x;
  M[9] = t19;
  M[10] = t13;
  M[11] = t8;
  M[12] = -t26;
  M[13] = -h2_x;
  M[14] = 6.1 + guard;
  M[15] = guard;
  M[16] = -h4_x;
  M[17] = guard;
  M[18] = t20;
  M[19] = t19;
  M[20] = guard;
  M[21] = t17;
  M[22] = -S4_yz;
  M[23] = t7;
  M[24] = t14;
  M[25] = t13;
  M[26] = -h4_x;
  M[27] = -S4_yz;
  M[28] = t11 + guard * t11;
  M[29] = guard;
  M[30] = -t9;
  M[31] = t8;
  M[32] = guard;
  M[33] = t7;
  M[34] = guard;
  M[35] = 0.002 + guard;
}

void stanford_mass(const double q[6], double M[36])
{
  double angle[4];
  double sine[4];
  double cosine[4];
  angle[0] = q[1];
  angle[1] = q[3];
  angle[2] = q[4];
  angle[3] = q[5];
  stanford_turn_4(angle, sine, cosine);
  stanford_mass_turned(sine, cosine, q, M);
}

/* --- self-test ------------------------------------------------------------------------------------------------------------------- */

static int stanford_test_inverse(void)
{
  static const double inputs[4][18] = {
    {-1.8129400014846728, -3.019717438986539, -0.496282317293395, -0.8709240956136424, -2.497600382255359, -2.0599488601274527, 1.9631392465042143, -1.1310525904916409, -2.519821580592699, -0.9040413825227516, -2.25562013437375, 1.6490729886903015, -1.3157343290214074, 0.28657375847121, 1.6203842702846885, 1.7050695149297077, -4.702207539128046, -0.5947117567846947},
    {1.6136352245161447, 1.8750856196531025, -0.9060529219114799, -1.8209363925403381, 0.23939393606825465, -1.5080996983518395, 2.737942520974512, 0.19207261770702022, 1.2708024470111958, -2.9541154305134247, 1.4816246698760303, -0.23332536413102112, -2.416524886104435, -2.717222363503348, -1.1260812952194446, -2.1979041146699627, 3.506738406696911, -0.9071719804659786},
    {0.6399537342461072, 2.9420099489773257, -0.5227652808555587, -0.3263493842716345, 0.2656743525330647, -1.2649399483078918, 2.5978405237047433, 1.9057680325685187, -1.550338284396546, 2.957490763733979, 1.9094507890898296, -0.4706075943314505, -4.1500822467901735, 3.558492529934245, 4.296940266199689, -3.852978694622755, 0.8946332121641998, -2.1363352623654794},
    {-2.355723520293484, -0.5699246763530343, 0.05417494986695415, 1.9154067907398753, -0.02065827338614179, 0.5488730586657411, 2.2889506210075172, -1.3371703459151922, -2.134805084556871, -2.0633040178422775, 1.4618641615665924, -0.35719349766603203, 0.21614328026715413, -4.330223509325327, 2.9818068670298263, 0.4288431235820038, 3.274256996869383, 0.4106983109621387},
  };
  static const double expected[4][6] = {
    {3.0892811774875986, -12.64318993635592, -46.61983594557117, -0.3394794110518806, -1.262349250991294, 0.014024428913146194},
    {-34.50245613446231, 33.98448368680411, 4.695647562622407, -0.39104901403218995, -0.41426073780188255, -9.998156669241496e-05},
    {-8.015108117640052, 22.1525420776047, -26.973620128336158, -0.25123866542029183, -0.42282561345335223, -0.005781024672616255},
    {-2.0121114180006394, 16.540655168799407, 62.57892560939945, 0.019929740715017366, -0.2845950713204725, -0.0028671633695853756},
  };
  static const double tolerance[4][1] = {
    {9.814823806612507e-12},
    {9.882023964750809e-12},
    {1.3005099733258027e-11},
    {9.568075794530223e-12},
  };
  double result[6];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    stanford_inverse(inputs[k], &inputs[k][6], &inputs[k][12], result);
    for (i = 0; i < 6; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

static int stanford_test_mass(void)
{
  static const double inputs[4][6] = {
    {-1.8129400014846728, -3.019717438986539, -0.496282317293395, -0.8709240956136424, -2.497600382255359, -2.0599488601274527},
    {1.6136352245161447, 1.8750856196531025, -0.9060529219114799, -1.8209363925403381, 0.23939393606825465, -1.5080996983518395},
    {0.6399537342461072, 2.9420099489773257, -0.5227652808555587, -0.3263493842716345, 0.2656743525330647, -1.2649399483078918},
    {-2.355723520293484, -0.5699246763530343, 0.05417494986695415, 1.9154067907398753, -0.02065827338614179, 0.5488730586657411},
  };
  static const double expected[4][36] = {
    {0.2063386671949915, -0.17700029186273522, 0.08175330994976954, -0.017326106482608003, -0.005210930095037269, 0.001493515429110721, -0.17700029186273522, 1.4973497282102544, 0.05259460310735645, 0.001886499165900615, 0.009485259509528547, 0.0009185104032379764, 0.08175330994976954, 0.05259460310735645, 6.1, 4.235164736271502e-22, 0.0816534286397105, 0.0, -0.017326106482608003, 0.001886499165900615, -4.235164736271502e-22, 0.011094893841449871, 0.0004980571330306947, -0.0015994104119818086, -0.005210930095037269, 0.009485259509528547, 0.0816534286397105, 0.0004980571330306947, 0.025218429383663307, 1.2267419356406422e-19, 0.001493515429110721, 0.0009185104032379764, 0.0, -0.0015994104119818086, 1.2267419356406422e-19, 0.002},
    {3.6173425345674715, -0.11970458535214139, -0.5521681451874912, 0.0007512577498105749, 0.015725005714360016, -0.00047014415315798107, -0.11970458535214139, 3.8319157596483286, 0.007982532735911294, -0.004778365201533938, 0.003777351526119199, -0.0004594687487225379, -0.5521681451874912, 0.007982532735911294, 6.1, 0.0, -0.032247489025773325, 0.0, 0.0007512577498105749, -0.004778365201533938, 0.0, 0.004406986942339357, 2.9654627844798826e-05, 0.0019429637188776079, 0.015725005714360016, 0.003777351526119199, -0.032247489025773325, 2.9654627844798823e-05, 0.025652148561310997, 1.2221097242103452e-19, -0.00047014415315798107, -0.0004594687487225379, 0.0, 0.0019429637188776079, 1.2218450264143282e-19, 0.002},
    {0.22327775347045145, -0.16852389008975735, -0.11866920377858382, -0.001938746616512384, 0.010584073713717512, -0.0019901384281580834, -0.16852389008975735, 1.6374237999816252, -0.033823450096965475, 0.0027846868961502983, 0.033911962766708395, -0.0001683467848794804, -0.11866920377858382, -0.033823450096965475, 6.1, -4.235164736271502e-22, -0.03570816287245821, 0.0, -0.001938746616512384, 0.0027846868961502983, 4.235164736271502e-22, 0.0046919052161685515, 0.00015078046857274312, 0.0019298313245555234, 0.010584073713717512, 0.033911962766708395, -0.03570816287245821, 0.00015078046857274312, 0.02547866563335436, 1.2238302598844555e-19, -0.0019901384281580834, -0.0001683467848794804, 0.0, 0.0019298313245555234, 1.223697910986447e-19, 0.002},
    {0.6524624121823455, -0.15261153400017574, 0.32771016142303216, 0.0020492203812783063, -0.053592084632240265, 0.0016910546899452387, -0.15261153400017574, 1.7145364297277992, -0.0009490745764240767, 0.0021689668457768943, -0.0373888878276894, -3.888466213565292e-05, 0.32771016142303216, -0.0009490745764240768, 6.1, -1.6940658945086007e-21, 0.002809325350623904, 0.0, 0.0020492203812783063, 0.0021689668457768943, 1.9058241313221758e-21, 0.0032097781695058216, 1.8388330527501542e-05, 0.001999573250917799, -0.053592084632240265, -0.0373888878276894, 0.002809325350623904, 1.8388330527501542e-05, 0.024204396355582934, 1.2213156308222943e-19, 0.0016910546899452387, -3.888466213565292e-05, 0.0, 0.001999573250917799, 1.2202568396382264e-19, 0.002},
  };
  static const double tolerance[4][1] = {
    {1.752343933910671e-13},
    {3.145596462804016e-13},
    {1.8269895709765578e-13},
    {1.5170087408478137e-13},
  };
  double result[36];
  int failed = 0;
  int i;
  int k;
  for (k = 0; k < 4; ++k) {
    stanford_mass(inputs[k], result);
    for (i = 0; i < 36; ++i) {
      if ((failed == 0) && !(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) {
        failed = k + 1;
      }
    }
  }
  return failed;
}

int stanford_selftest(void)
{
  int first = stanford_test_inverse();
  if (first == 0) {
    const int failed = stanford_test_mass();
    first = (failed == 0) ? 0 : (4 + failed);
  }
  return first;
}

#ifdef STANFORD_SELFTEST_MAIN
#include <stdio.h>
int main(void)
{
  const int failed = stanford_selftest();
  if (failed != 0) {
    printf("stanford: check %d of 8 FAILED\n", failed);
  } else {
    printf("stanford: all 8 checks passed\n");
  }
  return failed != 0;
}
#endif
