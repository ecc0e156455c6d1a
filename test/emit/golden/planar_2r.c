/* planar_2r.c: see planar_2r.h. Written by Ulna 0.1.0; do not edit.
 *
 * Names: w3, dw3 angular velocity and acceleration of link 3, a3 acceleration of its origin (gravity as an upward acceleration of the base),
 * U3 = [dw3]x + [w3]x[w3]x; f3, n3 force and moment on link 3; m3, h3, S3 mass, first and second moments of link 3 and all behind it; in the axes
 * of link 3, whose z is the joint's axis. _neg: the opposite. Frames, shares of mass between links and the unit of length are the search's choice:
 * only the results are meant to be in SI units.
 */
#include "planar_2r.h"

#include <math.h>

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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
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
  double sine[1], cosine[1];
  sine[0] = sin(q[1]);
  cosine[0] = cos(q[1]);
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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
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
  double sine[1], cosine[1];
  sine[0] = sin(q[1]);
  cosine[0] = cos(q[1]);
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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
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
  double sine[2], cosine[2];
  sine[0] = sin(q[0]);
  cosine[0] = cos(q[0]);
  sine[1] = sin(q[1]);
  cosine[1] = cos(q[1]);
  planar_2r_jacobian_turned(sine, cosine, q, J);
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_inverse(inputs[k], inputs[k] + 2, inputs[k] + 4, result);
    for (i = 0; i < 2; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_mass(inputs[k], result);
    for (i = 0; i < 4; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_bias(inputs[k], inputs[k] + 2, result);
    for (i = 0; i < 2; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_gravity(inputs[k], result);
    for (i = 0; i < 2; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_coriolis(inputs[k], inputs[k] + 2, result);
    for (i = 0; i < 4; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_forward(inputs[k], inputs[k] + 2, inputs[k] + 4, result);
    for (i = 0; i < 2; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_energy(inputs[k], inputs[k] + 2, result);
    for (i = 0; i < 2; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_pose(inputs[k], result);
    for (i = 0; i < 12; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
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
  int i, k;
  for (k = 0; k < 4; ++k) {
    planar_2r_jacobian(inputs[k], result);
    for (i = 0; i < 12; ++i)
      if (!(fabs(result[i] - expected[k][i]) <= tolerance[k][0])) return k + 1;
  }
  return 0;
}

int planar_2r_selftest(void)
{
  int failed = 0;
  failed = planar_2r_test_inverse();
  if (failed != 0) return 0 + failed;
  failed = planar_2r_test_mass();
  if (failed != 0) return 4 + failed;
  failed = planar_2r_test_bias();
  if (failed != 0) return 8 + failed;
  failed = planar_2r_test_gravity();
  if (failed != 0) return 12 + failed;
  failed = planar_2r_test_coriolis();
  if (failed != 0) return 16 + failed;
  failed = planar_2r_test_forward();
  if (failed != 0) return 20 + failed;
  failed = planar_2r_test_energy();
  if (failed != 0) return 24 + failed;
  failed = planar_2r_test_pose();
  if (failed != 0) return 28 + failed;
  failed = planar_2r_test_jacobian();
  if (failed != 0) return 32 + failed;
  return failed;
}

#ifdef PLANAR_2R_SELFTEST_MAIN
#include <stdio.h>
int main(void)
{
  const int failed = planar_2r_selftest();
  if (failed != 0)
    printf("planar_2r: check %d of 36 FAILED\n", failed);
  else
    printf("planar_2r: all 36 checks passed\n");
  return failed != 0;
}
#endif
