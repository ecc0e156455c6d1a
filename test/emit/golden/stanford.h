/* stanford.h: equations of motion of the robot 'stanford'.
 * Written by Ulna 0.2.0 from the model with the hash b5a1e309ad58f629; do not edit.
 *
 * Joint coordinates in the order of every vector:
 *   [0] q1, revolute [rad]
 *   [1] q2, revolute [rad]
 *   [2] q6, prismatic [m]
 *   [3] q3, revolute [rad]
 *   [4] q4, revolute [rad]
 *   [5] q5, revolute [rad]
 *
 * SI units. Rotor inertias are in the equations, friction is not.
 * Results must not overlap inputs. Functions keep no state: call them from as many threads as you like. An input that is NaN, infinite, or an angle
 * beyond 1.6e6 rad makes every result NaN; compilers that are told to take all numbers as finite (-ffast-math) take that away.
 *
 * Compile:   cc -std=c99 -O2 -c stanford.c
 * Self-test: cc -std=c99 -O2 -DSTANFORD_SELFTEST_MAIN stanford.c -lm -o stanford_selftest && ./stanford_selftest
 * CMake:     add_library(stanford STATIC stanford.c)
 */
#ifndef STANFORD_H
#define STANFORD_H

#ifdef __cplusplus
extern "C" {
#endif

#define STANFORD_JOINTS 6

/* Joint torques [N m] and forces [N] that give the accelerations a.
 * 110 multiplications, 86 additions, sines and cosines of 4 angles; guards: 24 multiplications, 6 additions; found by search. */
void stanford_inverse(const double q[6], const double v[6], const double a[6], double tau[6]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[1]
 *   sine[1], cosine[1]: of q[3]
 *   sine[2], cosine[2]: of q[4]
 *   sine[3], cosine[3]: of q[5]
 */
void stanford_inverse_turned(const double sine[], const double cosine[], const double q[6], const double v[6], const double a[6], double tau[6]);

/* Inertia matrix, row by row, full and symmetric [kg m^2, kg m, kg].
 * 58 multiplications, 52 additions, sines and cosines of 4 angles; guards: 15 multiplications, 5 additions; found by search. */
void stanford_mass(const double q[6], double M[36]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[1]
 *   sine[1], cosine[1]: of q[3]
 *   sine[2], cosine[2]: of q[4]
 *   sine[3], cosine[3]: of q[5]
 */
void stanford_mass_turned(const double sine[], const double cosine[], const double q[6], double M[36]);

/* Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number of the first check that
 * does not, from 1. */
int stanford_selftest(void);

#ifdef __cplusplus
}
#endif

#endif
