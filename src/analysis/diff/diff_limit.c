/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of C++ and Rust have colons in their names, so the limit is what follows the last
 * colon.
 */
#include "analysis/diff/diff_limit.h"

#include <errno.h>
#include <string.h>

#include "analysis/name/pattern.h"
#include "analysis/name/place_words.h"

#define PERCENT_MAX 1000000

/* "+10%", "-2.5%": at most a million percent, and six decimals. */
static int parse_part(const char *text, double *ret, struct err *err)
{
	u64 whole = 0, parts = 0, scale = 1;
	const char *at = text + 1;
	bool ok = (*text == '+' || *text == '-') && *at >= '0' && *at <= '9';

	for (; ok && *at >= '0' && *at <= '9' && whole <= PERCENT_MAX; at++)
		whole = whole * 10 + (u64)(*at - '0');
	if (ok && *at == '.') {
		for (at++; *at >= '0' && *at <= '9' && scale < 1000000; at++, scale *= 10)
			parts = parts * 10 + (u64)(*at - '0');
		ok = scale > 1;
	}
	if (!ok || strcmp(at, "%") != 0 || whole > PERCENT_MAX)
		return err__set(err, -EINVAL, "'%.64s' is not a change; try +10%% or -10%%", text);
	*ret = ((double)whole + (double)parts / (double)scale) / 100 * (*text == '-' ? -1 : 1);
	return 0;
}

static int parse_name(const char *text, size_t len, struct diff_limit *ret, struct err *err)
{
	if (!len || len >= sizeof(ret->name))
		return err__set(err, -EINVAL, "'%s' has no name, or one that is too long", text);
	memcpy(ret->name, text, len);
	ret->name[len] = '\0';
	return 0;
}

int diff_limit_parse(const char *text, struct diff_limit *ret, struct err *err)
{
	const char *last = strrchr(text, ':');
	int r;

	memset(ret, 0, sizeof(*ret));
	if (!last)
		return err__set(err, -EINVAL,
				"'%s' is not total:+5%%, cause:NAME:+10%% or frame:NAME:+20%%",
				text);
	r = parse_part(last + 1, &ret->part, err);
	if (r)
		return r;
	if (last - text == 5 && !memcmp(text, "total", 5)) {
		ret->kind = DIFF_LIMIT_TOTAL;
		return 0;
	}
	if (strncmp(text, "cause:", 6) == 0 || strncmp(text, "frame:", 6) == 0) {
		ret->kind = *text == 'c' ? DIFF_LIMIT_CAUSE : DIFF_LIMIT_FRAME;
		r = parse_name(text + 6, last > text + 6 ? (size_t)(last - text - 6) : 0, ret, err);
		if (!r && ret->kind == DIFF_LIMIT_CAUSE) {
			ret->cause = cause_find(ret->name);
			if (ret->cause == CAUSE_CNT)
				r = err__set(err, -EINVAL, "there is no cause '%s'", ret->name);
		}
		return r;
	}
	return err__set(err, -EINVAL,
			"'%s' is not total:+5%%, cause:NAME:+10%% or frame:NAME:+20%%", text);
}

static bool is_beyond(const struct diff_limit *l, const struct diff_item *it)
{
	double change = diff_item__change(it), bound = l->part * it->rate[DIFF_BEFORE];

	if (it->verdict == DIFF_SMALL || it->verdict == DIFF_NOISE)
		return false;
	return l->part < 0 ? change < 0 && change <= bound : change > 0 && change >= bound;
}

/* Of interpreted code the function is enough, as for --under: "fetch" of "app.py:fetch:12". */
static bool matches(const struct pattern *pattern, const struct diff_frame *f)
{
	char function[256];
	const char *at;
	size_t len;

	if (pattern__matches(pattern, f->name))
		return true;
	at = f->kind == TREE_CODE ? place_words_python_function(f->name, &len) : NULL;
	if (!at || len >= sizeof(function))
		return false;
	memcpy(function, at, len);
	function[len] = '\0';
	return pattern__matches(pattern, function);
}

static int find_frame(const struct diff_limit *l, const struct diff *d,
		      const struct diff_item **ret_item, const char **ret_name, u32 *ret_matched,
		      struct err *err)
{
	struct pattern pattern;
	u32 i;
	int r = pattern__init(&pattern, l->name, false, err);

	if (r)
		return r;
	for (i = 0; i < d->frames_len; i++) {
		if (!matches(&pattern, &d->frames[i]))
			continue;
		++*ret_matched;
		if (!*ret_item && is_beyond(l, &d->frames[i].item)) {
			*ret_item = &d->frames[i].item;
			*ret_name = d->frames[i].name;
		}
	}
	pattern__done(&pattern);
	return 0;
}

static void look_at(const struct diff_limit *l, const struct diff_item *it, const char *name,
		    const struct diff_item **ret_item, const char **ret_name)
{
	if (is_beyond(l, it)) {
		*ret_item = it;
		*ret_name = name;
	}
}

int diff_limit__find(const struct diff_limit *l, const struct diff *d,
		     const struct diff_item **ret_item, const char **ret_name, u32 *ret_matched,
		     struct err *err)
{
	u32 matched = 0, i;
	int r = 0;

	*ret_item = NULL;
	*ret_name = "";
	if (l->kind == DIFF_LIMIT_TOTAL) {
		matched = 1;
		look_at(l, &d->total, "total", ret_item, ret_name);
	} else if (l->kind == DIFF_LIMIT_FRAME) {
		r = find_frame(l, d, ret_item, ret_name, &matched, err);
	}
	for (i = 0; l->kind == DIFF_LIMIT_CAUSE && i < d->causes_len; i++) {
		if (d->causes[i].cause != l->cause)
			continue;
		matched++;
		look_at(l, &d->causes[i].item, cause_name((enum cause)l->cause), ret_item,
			ret_name);
	}
	if (ret_matched)
		*ret_matched = matched;
	return r;
}
