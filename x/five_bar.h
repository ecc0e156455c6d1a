/* five_bar.h: equations of motion of the robot 'five-bar'.
 * Written by Ulna 0.1.0 from the model with the hash 49d872def89a6f7a; do not edit.
 *
 * Numbers of q, of v and a, and of tau:
 *   q[0], v[0] left_motor, revolute [rad]
 *   q[1] left_elbow, revolute [rad], dependent
 *   q[2], v[1] right_motor, revolute [rad]
 *   q[3] right_elbow, revolute [rad], dependent
 *     Links form loops: q is a closed configuration, see close. v, a and tau are of independent coordinates; the other joints have no drives.
 *
 * SI units. Rotor inertias are in the equations, friction is not.
 * Results must not overlap inputs. Functions keep no state: call them from as many threads as you like. An input that is NaN, infinite, or an angle
 * beyond 1.6e6 rad makes every result NaN; compilers that are told to take all numbers as finite (-ffast-math) take that away.
 *
 * Compile:   cc -std=c99 -O2 -c five_bar.c
 * Self-test: cc -std=c99 -O2 -DFIVE_BAR_SELFTEST_MAIN five_bar.c -lm -o five_bar_selftest && ./five_bar_selftest
 * CMake:     add_library(five_bar STATIC five_bar.c)
 */
#ifndef FIVE_BAR_H
#define FIVE_BAR_H

#ifdef __cplusplus
extern "C" {
#endif

#define FIVE_BAR_JOINTS 4
#define FIVE_BAR_NQ 4
#define FIVE_BAR_NV 2

/* The table that the other functions take. Of a body: mass [kg], mass centre [m], inertia about it (xx, yy, zz, xy, xz, yz) [kg m2], in the axes of its link; payload: a load on link 'right_forearm'.
 * 13 multiplications, 14 additions, sines and cosines of 0 angles; linear in masses, first and second moments. */
void five_bar_fold(const double payload[10], double table[10]);

/* Speeds of all joints of q, dependent ones included.
 * 44 multiplications, 29 additions, 1 division, sines and cosines of 4 angles; guards: 15 multiplications, 4 additions; with the robot's own frames. */
void five_bar_speeds(const double q[4], const double v[2], double rates[4]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 *   sine[2], cosine[2]: of q[2]
 *   sine[3], cosine[3]: of q[3]
 */
void five_bar_speeds_turned(const double sine[], const double cosine[], const double q[4], const double v[2], double rates[4]);

/* Joint torques [N m] and forces [N] that give the accelerations a.
 * 123 multiplications, 77 additions, 1 division, sines and cosines of 4 angles; guards: 11 multiplications, 2 additions; with the robot's own frames. */
void five_bar_inverse(const double q[4], const double v[2], const double a[2], const double table[10], double tau[2]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 *   sine[2], cosine[2]: of q[2]
 *   sine[3], cosine[3]: of q[3]
 */
void five_bar_inverse_turned(const double sine[], const double cosine[], const double q[4], const double v[2], const double a[2], const double table[10], double tau[2]);

/* Positions after a step of Newton's method on the dependent ones; how far the loops are from closed [m, rad], and 1 - cos of the angles between axes that they hold parallel; the pivots of their elimination.
 * 40 multiplications, 29 additions, 1 division, sines and cosines of 4 angles; guards: 13 multiplications, 4 additions; with the robot's own frames and masses. */
void five_bar_closure(const double q[4], double closure[11]);

/* The same with sines and cosines that the caller has already:
 *   sine[0], cosine[0]: of q[0]
 *   sine[1], cosine[1]: of q[1]
 *   sine[2], cosine[2]: of q[2]
 *   sine[3], cosine[3]: of q[3]
 */
void five_bar_closure_turned(const double sine[], const double cosine[], const double q[4], double closure[11]);

/* Takes steps of Newton's method on the dependent positions of q, from where they are: 2 in a control loop, 20 from a rough guess. The result is the
 * largest condition of the loops that q then does not meet [m, or rad]; infinity where a pivot of the elimination is too small to be trusted, near
 * singular assemblies or far from the reference assembly, and where q ends on the other side of a singular assembly. */
double five_bar_close(double q[4], int steps);

/* Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number of the first check that
 * does not, from 1. */
int five_bar_selftest(void);

#ifdef __cplusplus
}
#endif

#endif
