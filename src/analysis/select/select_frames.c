/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is matched against the patterns once per frame, not per stack, and the bits of a stack are
 * those of its parent and of its frame: one pass over the trie.
 */
#include "analysis/select/select_frames.h"

#include <errno.h>

#include "analysis/name/label.h"
#include "analysis/name/pattern.h"
#include "analysis/name/place_words.h"
#include "base/mem.h"

struct matching {
	const struct profile *p;
	const struct select_options *opt;
	struct pattern patterns[SELECT_FRAMES_MAX];
	size_t len;
	struct labels labels;
	u64 *of_frame;
};

static int add_patterns(struct matching *m, const struct select_texts *texts, u64 *ret_bits,
			struct err *err)
{
	size_t i;
	int r;

	*ret_bits = 0;
	for (i = 0; i < texts->len; i++) {
		if (m->len == SELECT_FRAMES_MAX)
			return err__set(err, -EINVAL, "more than %d texts to find frames by",
					SELECT_FRAMES_MAX);
		r = pattern__init(&m->patterns[m->len], texts->at[i], m->opt->regex, err);
		if (r)
			return r;
		*ret_bits |= 1ULL << m->len++;
	}
	return 0;
}

static u64 match(const struct matching *m, const char *name, u64 which)
{
	u64 bits = 0;
	size_t i;

	for (i = 0; i < m->len; i++) {
		if (which >> i & 1 && pattern__matches(&m->patterns[i], name))
			bits |= 1ULL << i;
	}
	return bits;
}

/* People see "fetch (app.py:4)" and type "fetch": for interpreted code that is enough. */
static u64 match_function(const struct matching *m, const char *name, u64 which)
{
	char function[256];
	size_t len;
	const char *at = place_words_python_function(name, &len);

	if (!at || len >= sizeof(function))
		return 0;
	memcpy(function, at, len);
	function[len] = '\0';
	return match(m, function, which);
}

/* A named frame is matched by its name, without the line that its label contains. */
static u64 match_frame(const struct matching *m, const struct select_frames *sf, u32 frame)
{
	const struct profile_frame *f = &m->p->frames[frame];
	const char *name = f->name ? profile__str(m->p, f->name) : labels__frame(&m->labels, frame);
	const char *path = profile__str(m->p, m->p->modules[f->module].path);
	u64 bits = match(m, name, sf->under | sf->not_under);

	if (f->name && m->p->modules[f->module].kind == MODULE_CODE)
		bits |= match_function(m, name, sf->under | sf->not_under);
	if (sf->modules && f->module)
		bits |= match(m, path, sf->modules) | match(m, label_basename(path), sf->modules);
	return bits;
}

static int match_all(struct matching *m, struct select_frames *sf, struct err *err)
{
	u32 i;
	int r = labels__init(&m->labels, m->p, err);

	if (r)
		return r;
	m->of_frame = mem_array(m->p->frames_len, sizeof(u64));
	sf->of_stack = mem_array(m->p->stacks_len, sizeof(u64));
	if (!m->of_frame || !sf->of_stack)
		return err__nomem(err);
	for (i = 1; i < m->p->frames_len; i++)
		m->of_frame[i] = match_frame(m, sf, i);
	for (i = 1; i < m->p->stacks_len; i++) {
		const struct profile_stack *s = &m->p->stacks[i];

		sf->of_stack[i] = sf->of_stack[s->parent] | m->of_frame[s->frame];
	}
	return 0;
}

int select_frames__init(struct select_frames *sf, const struct profile *p,
			const struct select_options *opt, struct err *err)
{
	struct matching m = { .p = p, .opt = opt };
	size_t i;
	int r;

	memset(sf, 0, sizeof(*sf));
	r = add_patterns(&m, &opt->under, &sf->under, err);
	if (!r)
		r = add_patterns(&m, &opt->not_under, &sf->not_under, err);
	if (!r)
		r = add_patterns(&m, &opt->modules, &sf->modules, err);
	if (!r && m.len)
		r = match_all(&m, sf, err);
	for (i = 0; i < m.len; i++)
		pattern__done(&m.patterns[i]);
	labels__done(&m.labels);
	mem_free(m.of_frame);
	return r;
}

void select_frames__done(struct select_frames *sf)
{
	mem_free(sf->of_stack);
	memset(sf, 0, sizeof(*sf));
}

const char *select_frames_like(const struct profile *p, const char *text)
{
	u32 i;

	for (i = 1; i < p->frames_len && *text; i++) {
		const char *name = profile__str(p, p->frames[i].name);

		if (strstr(name, text))
			return name;
	}
	return "";
}
