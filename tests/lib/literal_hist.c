/* SPDX-License-Identifier: Apache-2.0 */
/* The line "hists" of a task. */
#include <stdio.h>
#include <string.h>

#include "literal_priv.h"
#include "profile/bins.h"

/* "on=3:2,9:1" */
static int hist_word(struct lit *l, char *word)
{
	char *list = strchr(word, '='), *one, *save = NULL;
	u16 kind = 0;

	if (list)
		*list++ = '\0';
	while (kind < HIST_KINDS && strcmp(hist_kind_name((enum hist_kind)kind), word) != 0)
		kind++;
	if (!list || kind == HIST_KINDS)
		return lit__fault(l, "unknown histogram", word);
	for (one = strtok_r(list, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
		unsigned int bucket, n;
		struct profile_bin *bin = vec__push(&l->bins);

		if (!bin)
			return err__nomem(l->err);
		if (sscanf(one, "%u:%u", &bucket, &n) != 2 || bucket >= HIST_BINS)
			return lit__fault(l, "bad histogram", one);
		bin->kind = kind;
		bin->bucket = (u16)bucket;
		bin->count = n;
	}
	return 0;
}

int lit__hists_line(struct lit *l, char **rest)
{
	char *word;
	int r = l->in_task ? 0 : lit__fault(l, "histograms without a task", *rest);

	while (!r && (word = lit_next_word(rest)))
		r = hist_word(l, word);
	return r;
}

/* END:BLOCKED:RUNQ[:WAKER] of one moment. */
static int moment_word(struct lit *l, char *word)
{
	struct lit_moment *m = vec__push(&l->moments);
	u64 ns[3] = { 0 };
	char *part, *save = NULL;
	u32 i = 0;
	int r = 0;

	if (!m)
		return err__nomem(l->err);
	for (part = strtok_r(word, ":", &save); part && i < 3 && !r;
	     part = strtok_r(NULL, ":", &save))
		r = lit__duration(l, part, &ns[i++]);
	m->line_no = l->line_no;
	m->m = (struct profile_moment){ .end_ns = ns[0],
					.blocked_ns = ns[1],
					.runq_ns = ns[2],
					.wait = (u32)l->waits.len - 1 };
	if (part)
		snprintf(m->waker, sizeof(m->waker), "%s", part);
	return r;
}

int lit__at_list(struct lit *l, char *text)
{
	char *word, *save = NULL;
	int r = 0;

	for (word = strtok_r(text, ",", &save); word && !r; word = strtok_r(NULL, ",", &save))
		r = moment_word(l, word);
	return r;
}

int lit__add_moments(struct lit *l, u32 idx)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->moments.len && !r; i++) {
		struct lit_moment m = *(struct lit_moment *)vec__at(&l->moments, i), *late;

		if (m.m.wait != idx)
			continue;
		m.m.wait = builder__last_wait(l->b);
		if (!*m.waker) {
			r = builder__moment(l->b, &m.m);
			continue;
		}
		late = vec__push(&l->woken_moments);
		if (!late)
			return err__nomem(l->err);
		*late = m;
	}
	return r;
}

/* "1s,0,20ms*3": the parts of the wait at hand that are in each interval. */

int lit__each_list(struct lit *l, char *text)
{
	char *word, *save = NULL, *times;
	u32 interval = 0;
	u64 n, ns;
	int r = 0;

	for (word = strtok_r(text, ",", &save); word && !r; word = strtok_r(NULL, ",", &save)) {
		times = strchr(word, '*');
		n = 1;
		if (times) {
			*times++ = '\0';
			r = lit__number(l, times, &n);
		}
		if (!r)
			r = lit__duration(l, word, &ns);
		for (; n-- && !r; interval++) {
			struct profile_replicate *rep = vec__push(&l->replicates);

			if (!rep)
				return err__nomem(l->err);
			rep->wait = (u32)l->waits.len - 1;
			rep->interval = interval;
			rep->ns = ns;
		}
	}
	return r;
}

int lit__intervals_line(struct lit *l, char **rest)
{
	char *count = lit_next_word(rest), *length = lit_next_word(rest);
	struct profile_interval iv = { 0 };
	u64 n = 0;
	int r = length ? lit__number(l, count, &n) : lit__fault(l, "bad intervals", "");

	if (!r)
		r = lit__duration(l, length, &iv.length_ns);
	for (; n-- && !r; iv.begin_ns += iv.length_ns)
		r = builder__interval(l->b, &iv);
	return r;
}
