/* planar_2r.h: equations of motion of the robot 'planar-2r'.
 * Written by Ulna 0.2.0 from the model with the hash a79f0adb387eb3b2; do not edit.
 *
 * Joint coordinates in the order of every vector:
 *   [0] shoulder, revolute [rad]
 *   [1] elbow, revolute [rad]
 *
 * SI units. Rotor inertias are in the equations, friction is not.
 * Results must not overlap inputs. Functions keep no state: call them from as many threads as you like. An input that is NaN, infinite, or an angle
 * beyond 1.6e6 rad makes every result NaN; compilers that are told to take all numbers as finite (-ffast-math) take that away.
 *
 * Compile:   cc -std=c99 -O2 -c planar_2r.c
 * Self-test: cc -std=c99 -O2 -DPLANAR_2R_SELFTEST_MAIN planar_2r.c -lm -o planar_2r_selftest && ./planar_2r_selftest
 * CMake:     add_library(planar_2r STATIC planar_2r.c)
 */
#ifndef PLANAR_2R_H
#define PLANAR_2R_H

#ifdef __cplusplus
extern "C" {
#endif

#define PLANAR_2R_JOINTS 2

/* Joint torques [N m] and forces [N] that give the accelerations a.
 * 13 multiplications, 10 additions, sines and cosines of 2 angles; guards: 8 multiplications, 2 additions; found by search. */
void planar_2r_inverse(const double q[2], const double v[2], const double a[2], double tau[2]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_inverse_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double a[2], double tau[2]);

/* Inertia matrix, row by row, full and symmetric [kg m^2, kg m, kg].
 * 2 multiplications, 5 additions, sines and cosines of 1 angle; guards: 7 multiplications, 3 additions; found by search. */
void planar_2r_mass(const double q[2], double M[4]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[1]
 */
void planar_2r_mass_turned(const double sine[], const double cosine[], const double q[2], double M[4]);

/* Joint torques [N m] and forces [N] at zero acceleration: velocities and gravity.
 * 10 multiplications, 5 additions, sines and cosines of 2 angles; guards: 8 multiplications, 2 additions; found by search. */
void planar_2r_bias(const double q[2], const double v[2], double bias[2]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_bias_turned(const double sine[], const double cosine[], const double q[2], const double v[2], double bias[2]);

/* Joint torques [N m] and forces [N] that hold the robot against gravity.
 * 4 multiplications, 2 additions, sines and cosines of 2 angles; guards: 7 multiplications, 2 additions; found by search. */
void planar_2r_gravity(const double q[2], double gravity[2]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_gravity_turned(const double sine[], const double cosine[], const double q[2], double gravity[2]);

/* Coriolis matrix of Christoffel symbols, column by column; C v are the torques of velocities [kg m^2/s, kg m/s, kg/s].
 * 4 multiplications, 2 additions, sines and cosines of 1 angle; guards: 8 multiplications, 1 addition; found by search. */
void planar_2r_coriolis(const double q[2], const double v[2], double C[4]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[1]
 */
void planar_2r_coriolis_turned(const double sine[], const double cosine[], const double q[2], const double v[2], double C[4]);

/* Joint accelerations [rad/s^2, m/s^2] under the torques tau.
 * 18 multiplications, 14 additions, 1 division, sines and cosines of 2 angles; guards: 7 multiplications, 2 additions; found by search, by articulated bodies. */
void planar_2r_forward(const double q[2], const double v[2], const double tau[2], double a[2]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_forward_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double tau[2], double a[2]);

/* Kinetic energy, rotors included, and potential energy, zero where all mass stood at the world's origin [J].
 * 17 multiplications, 9 additions, sines and cosines of 2 angles; guards: 9 multiplications, 2 additions; with the robot's own frames and masses. */
void planar_2r_energy(const double q[2], const double v[2], double energy[2]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_energy_turned(const double sine[], const double cosine[], const double q[2], const double v[2], double energy[2]);

/* Rotation matrix, row by row, and origin [m] of a link's frame in the world, which is the root link where that is fixed; the link is 'forearm'.
 * 6 multiplications, 4 additions, sines and cosines of 2 angles; guards: 7 multiplications, 3 additions; with the robot's own frames and masses. */
void planar_2r_pose(const double q[2], double pose[12]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_pose_turned(const double sine[], const double cosine[], const double q[2], double pose[12]);

/* Angular velocity, then velocity of a link's origin, in the world's axes, by velocities: 6 rows, column by column; the link is 'forearm'.
 * 6 multiplications, 6 additions, sines and cosines of 2 angles; guards: 7 multiplications, 4 additions; with the robot's own frames and masses. */
void planar_2r_jacobian(const double q[2], double J[12]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_jacobian_turned(const double sine[], const double cosine[], const double q[2], double J[12]);

/* Derivatives of the joint torques by q, v and a (the inertia matrix): three matrices side by side, column by column [N m/rad, N m s/rad, kg m^2].
 * 17 multiplications, 20 additions, sines and cosines of 2 angles; guards: 11 multiplications, 3 additions; found by search. */
void planar_2r_inverse_derivatives(const double q[2], const double v[2], const double a[2], double derivatives[12]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_inverse_derivatives_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double a[2], double derivatives[12]);

/* Derivatives of the accelerations by q, v and tau (the inverse of the inertia matrix): three matrices side by side, column by column [1/s^2, 1/s, 1/(kg m^2)].
 * 49 multiplications, 37 additions, 1 division, sines and cosines of 2 angles; guards: 11 multiplications, 2 additions; found by search. */
void planar_2r_forward_derivatives(const double q[2], const double v[2], const double tau[2], double derivatives[12]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_forward_derivatives_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double tau[2], double derivatives[12]);

/* Torques by the parameters of the moving bodies, column by column: m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each, about the origin and in the axes of the link behind its joint.
 * 17 multiplications, 18 additions, sines and cosines of 2 angles; guards: 13 multiplications, 4 additions; with the robot's own frames and masses. */
void planar_2r_regressor(const double q[2], const double v[2], const double a[2], double Y[40]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 */
void planar_2r_regressor_turned(const double sine[], const double cosine[], const double q[2], const double v[2], const double a[2], double Y[40]);

/* Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number of the first check that
 * does not, from 1. */
int planar_2r_selftest(void);

#ifdef __cplusplus
}
#endif

#endif
