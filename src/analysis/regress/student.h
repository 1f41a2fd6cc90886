/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_REGRESS_STUDENT_H
#define ANALYSIS_REGRESS_STUDENT_H

/*
 * The probability that Student's t with `df` (more than 0) degrees of freedom is at least `t`. To
 * ten digits; not below 1e-300.
 */
double student_above(double t, double df);

#endif
