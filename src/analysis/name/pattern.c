/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fnmatch(3) is not used: '[' and '\' are special for it, as in "operator[]" and "[unknown]". The
 * matcher below backtracks only to the last star, which is sufficient, so its time is at most the
 * product of both lengths.
 */
#include "analysis/name/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/text/regex.h"

int pattern__init(struct pattern *pt, const char *text, bool regex, struct err *err)
{
	int r;

	memset(pt, 0, sizeof(*pt));
	pt->text = text;
	if (!regex)
		return 0;
	r = regex_compile(&pt->compiled, text, REG_NOSUB, err);
	pt->regex = !r;
	return r;
}

void pattern__done(struct pattern *pt)
{
	if (pt->regex)
		regfree(&pt->compiled);
	memset(pt, 0, sizeof(*pt));
}

bool pattern_fits(const char *glob, size_t glob_len, const char *name, size_t len)
{
	size_t g = 0, n = 0, star = SIZE_MAX, from = 0;

	while (n < len) {
		if (g < glob_len && glob[g] == '*') {
			star = g++;
			from = n;
		} else if (g < glob_len && (glob[g] == '?' || glob[g] == name[n])) {
			g++;
			n++;
		} else if (star != SIZE_MAX) {
			g = star + 1;
			n = ++from;
		} else {
			return false;
		}
	}
	while (g < glob_len && glob[g] == '*')
		g++;
	return g == glob_len;
}

bool pattern__matches(const struct pattern *pt, const char *name)
{
	if (pt->regex)
		return regexec(&pt->compiled, name, 0, NULL, 0) == 0;
	return pattern_fits(pt->text, strlen(pt->text), name, strlen(name));
}

int patterns__init(struct vec *patterns, const char *const *texts, size_t len, bool regex,
		   struct err *err)
{
	struct pattern *pattern;
	size_t i;
	int r = 0;

	vec__init(patterns, sizeof(*pattern));
	for (i = 0; i < len && !r; i++) {
		pattern = vec__push(patterns);
		r = pattern ? pattern__init(pattern, texts[i], regex, err) : err__nomem(err);
	}
	return r;
}

void patterns__done(struct vec *patterns)
{
	size_t i;

	for (i = 0; i < patterns->len; i++)
		pattern__done(vec__at(patterns, i));
	vec__done(patterns);
}

bool patterns__match(const struct vec *patterns, const char *name)
{
	size_t i;

	for (i = 0; i < patterns->len; i++) {
		if (pattern__matches(vec__at(patterns, i), name))
			return true;
	}
	return false;
}
