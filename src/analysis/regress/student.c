/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P(T >= t) is half the regularised incomplete beta function I_x(df/2, 1/2) at x = df/(df + t^2).
 * Its continued fraction (Abramowitz and Stegun, 26.5.8), by Lentz's method, converges fast for x
 * below (a + 1)/(a + b + 2); beyond, 1 - I_(1-x)(b, a) is the same.
 */
#include "analysis/regress/student.h"

#include <math.h>

#define TERMS 300
#define TINY 1e-300
#define CLOSE 1e-14

static double away_from_0(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_0(1 - (a + b) * x / (a + 1)), result = d;

	for (int m = 1; m <= TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_0(1 + even * d);
		c = away_from_0(1 + even / c);
		result *= d * c;
		d = 1 / away_from_0(1 + odd * d);
		c = away_from_0(1 + odd / c);
		step = d * c;
		result *= step;
		if (fabs(step - 1) < CLOSE)
			break;
	}
	return result;
}

static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* I_x(a, b); `y` is 1 - x, which may be too small to be computed from it. */
static double beta_part(double a, double b, double x, double y)
{
	double front =
		exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));

	if (x < (a + 1) / (a + b + 2))
		return front * fraction(a, b, x) / a;
	return 1 - front * fraction(b, a, y) / b;
}

double student_above(double t, double df)
{
	double square = t * t, half;

	if (!(fabs(t) > 0))
		return 0.5;
	if (isinf(square))
		return t > 0 ? TINY : 1;
	half = beta_part(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
	half = half > TINY ? half : TINY;
	return t > 0 ? half : 1 - half;
}
