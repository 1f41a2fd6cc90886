/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakers, and what they did. Both refer to what comes later in the text, so parts of waits are kept
 * back to the end, with the key of their wait as soon as its task is over.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "lib/literal_priv.h"

static int find_word(struct lit *l, const char *word, u32 cnt, const char *(*name)(u32), u32 *ret)
{
	for (*ret = 0; *ret < cnt; ++*ret) {
		if (strcmp(name(*ret), word) == 0)
			return 0;
	}
	return lit__fault(l, "unknown word", word);
}

static const char *context_word(u32 i)
{
	return waker_context_name((enum profile_waker_context)i);
}

static const char *end_word(u32 i)
{
	return chain_end_name((enum profile_chain_end)i);
}

static const char *doing_word(u32 i)
{
	return doing_name((enum profile_doing)i);
}

static int find_waker(struct lit *l, const char *name, u32 *ret)
{
	size_t i;

	for (i = 0; i < l->waker_names.len; i++) {
		if (strcmp(*(char **)vec__at(&l->waker_names, i), name) == 0) {
			*ret = (u32)i + 1;
			return 0;
		}
	}
	return lit__fault(l, "unknown waker", name);
}

static int flags_of(struct lit *l, char *text, u32 *flags)
{
	static const char *const names[] = { "kthread", "exiting", "self" };
	char *word, *save = NULL;
	u32 i;

	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < ARRAY_LEN(names) && strcmp(names[i], word) != 0; i++)
			;
		if (i == ARRAY_LEN(names))
			return lit__fault(l, "unknown flag", word);
		*flags |= 1U << i;
	}
	return 0;
}

static int waker_word(struct lit *l, char *word)
{
	struct profile_waker *w = &l->waker;
	char *value = strchr(word, '=');

	if (!value)
		return lit__fault(l, "unknown word", word);
	*value++ = '\0';
	if (strcmp(word, "group") == 0)
		return lit__str(l, value, &w->group_comm);
	if (strcmp(word, "flags") == 0)
		return flags_of(l, value, &w->flags);
	if (strcmp(word, "end") == 0)
		return find_word(l, value, CHAIN_ENDS, end_word, &w->end);
	if (strcmp(word, "next") != 0)
		return lit__fault(l, "unknown word", word);
	w->end = CHAIN_GOES_ON;
	return find_waker(l, value, &w->next);
}

/* "200/201 comm" of a thread, "softirq" of an interrupt. */
static int waker_who(struct lit *l, char **rest)
{
	struct profile_waker *w = &l->waker;
	struct profile_wait owner = { 0 };
	char *word = lit_next_word(rest), *comm, tid[16];
	int r;

	if (!word)
		return lit__fault(l, "nobody is a waker", "");
	if (sscanf(word, "%u/%u", &w->tgid, &w->tid) != 2) {
		w->end = CHAIN_INTERRUPT;
		return find_word(l, word, WAKER_CONTEXTS, context_word, &w->context);
	}
	comm = lit_next_word(rest);
	r = comm ? lit__str(l, comm, &w->comm) : lit__fault(l, "a waker without a name", word);
	w->group_comm = w->comm;
	snprintf(tid, sizeof(tid), "%u", w->tid);
	if (!r)
		r = lit__owner(l, tid, &owner);
	w->task = owner.owner;
	w->end = w->task ? CHAIN_RUNNING : CHAIN_UNRECORDED;
	return r;
}

int lit__waker_line(struct lit *l, char **rest)
{
	char *name = lit_next_word(rest), *word, **slot;
	int r;

	l->waker = (struct profile_waker){ 0 };
	builder__header(l->b)->wakers = 1;
	r = name ? waker_who(l, rest) : lit__fault(l, "a waker without a letter", "");
	while (!r && (word = lit_next_word(rest)))
		r = waker_word(l, word);
	if (r)
		return r;
	slot = vec__push(&l->waker_names);
	if (slot)
		*slot = mem_strdup(name);
	l->in_waker = true;
	return slot && *slot ? 0 : err__nomem(l->err);
}

int lit__end_waker(struct lit *l)
{
	u32 id;
	int r;

	if (!l->in_waker)
		return 0;
	l->in_waker = false;
	r = builder__waker(l->b, &l->waker, &id);
	if (!r && id != l->waker_names.len)
		r = lit__fault(l, "two wakers are equal, the second is", "the last");
	return r;
}

int lit__name_wait(struct lit *l, const char *name)
{
	struct lit_named_wait *named = vec__push(&l->named_waits);

	if (!named)
		return err__nomem(l->err);
	named->wait = (u32)l->waits.len - 1;
	named->name = mem_strdup(name);
	return named->name ? 0 : err__nomem(l->err);
}

static struct lit_woken *add_woken(struct lit *l, const char *waker, u32 doing)
{
	struct lit_woken *woken = vec__push(&l->woken);

	if (!woken)
		return NULL;
	woken->line_no = l->line_no;
	woken->wait = (u32)l->waits.len - 1;
	woken->wake.doing = doing;
	woken->wake.did_sysno = -1;
	woken->waker = mem_strdup(waker);
	return woken->waker ? woken : NULL;
}

/* What the wakeup counts; *ret_known: it is such a word. */
static int count_word(struct lit *l, const char *word, char *value, struct profile_wake *woken,
		      bool *ret_known)
{
	const struct {
		const char *word;
		u64 *to;
	} counts[] = {
		{ "count", &woken->count }, { "bursts", &woken->bursts },
		{ "crowd", &woken->crowd }, { "brief", &woken->brief },
		{ "again", &woken->again },
	};
	size_t i;

	*ret_known = true;
	if (strcmp(word, "ran") == 0)
		return lit__duration(l, value, &woken->brief_ns);
	for (i = 0; i < ARRAY_LEN(counts); i++) {
		if (strcmp(word, counts[i].word) == 0)
			return lit__number(l, value, counts[i].to);
	}
	*ret_known = false;
	return 0;
}

static int woken_word(struct lit *l, const char *waker, char *word, struct profile_wake *woken)
{
	char *value = strchr(word, '='), *did;
	struct lit_woken *part;
	bool is_count;
	u32 doing;
	int r;

	if (!value)
		return lit__fault(l, "unknown word", word);
	*value++ = '\0';
	r = count_word(l, word, value, woken, &is_count);
	if (is_count)
		return r;
	r = find_word(l, word, DOING_CNT, doing_word, &doing);
	if (r || doing == DOING_WOKEN)
		return r ? r : lit__duration(l, value, &woken->ns);
	part = add_woken(l, waker, doing);
	if (!part)
		return err__nomem(l->err);
	did = strchr(value, ':');
	if (did) {
		*did++ = '\0';
		part->did = mem_strdup(did);
	}
	return lit__duration(l, value, &part->wake.ns);
}

int lit__woken_line(struct lit *l, char **rest)
{
	char *waker = lit_next_word(rest), *word;
	struct profile_wake woken = { .count = 1 };
	struct lit_woken *part;
	int r = 0;

	if (!waker || !l->waits.len)
		return lit__fault(l, "no wait that is woken", *rest);
	while (!r && (word = lit_next_word(rest)))
		r = woken_word(l, waker, word, &woken);
	part = r ? NULL : add_woken(l, waker, DOING_WOKEN);
	if (!r && !part)
		return err__nomem(l->err);
	if (part) {
		part->wake.ns = woken.ns;
		part->wake.count = woken.count;
		part->wake.bursts = woken.bursts;
		part->wake.crowd = woken.crowd;
		part->wake.brief = woken.brief;
		part->wake.again = woken.again;
		part->wake.brief_ns = woken.brief_ns;
	}
	return r;
}

void lit__place_wait(struct lit *l, u32 idx, const struct profile_wait *w)
{
	size_t i;

	for (i = 0; i < l->woken.len; i++) {
		struct lit_woken *woken = vec__at(&l->woken, i);

		if (!woken->wake.task && woken->wait == idx)
			memcpy(&woken->wake, w, offsetof(struct profile_wake, waker));
	}
	for (i = 0; i < l->named_waits.len; i++) {
		struct lit_named_wait *named = vec__at(&l->named_waits, i);

		if (!named->is_over && named->wait == idx) {
			named->key = *w;
			named->is_over = true;
		}
	}
}

static int find_own_wait(struct lit *l, struct lit_woken *woken)
{
	struct profile_wake *wake = &woken->wake;
	size_t i;

	for (i = 0; i < l->named_waits.len; i++) {
		const struct lit_named_wait *named = vec__at(&l->named_waits, i);

		if (strcmp(named->name, woken->did) != 0)
			continue;
		wake->did_ustack = named->key.ustack;
		wake->did_kstack = named->key.kstack;
		wake->did_sysno = named->key.sysno;
		wake->did_state = named->key.state;
		wake->did_flags = named->key.flags;
		wake->did_object = named->key.object;
		return 0;
	}
	return lit__fault(l, "unknown wait", woken->did);
}

int lit__end_wakes(struct lit *l)
{
	size_t i;
	int r = 0;

	for (i = 0; i < l->woken.len && !r; i++) {
		struct lit_woken *woken = vec__at(&l->woken, i);

		l->line_no = woken->line_no;
		r = find_waker(l, woken->waker, &woken->wake.waker);
		if (!r && woken->did)
			r = find_own_wait(l, woken);
		if (!r)
			r = builder__wake(l->b, &woken->wake);
	}
	for (i = 0; i < l->woken_moments.len && !r; i++) {
		struct lit_moment *m = vec__at(&l->woken_moments, i);

		l->line_no = m->line_no;
		r = find_waker(l, m->waker, &m->m.waker);
		if (!r)
			r = builder__moment(l->b, &m->m);
	}
	return r;
}

void lit__free_wakers(struct lit *l)
{
	size_t i;

	for (i = 0; i < l->waker_names.len; i++)
		mem_free(*(char **)vec__at(&l->waker_names, i));
	for (i = 0; i < l->woken.len; i++) {
		struct lit_woken *woken = vec__at(&l->woken, i);

		mem_free(woken->waker);
		mem_free(woken->did);
	}
	for (i = 0; i < l->named_waits.len; i++)
		mem_free(((struct lit_named_wait *)vec__at(&l->named_waits, i))->name);
	vec__done(&l->waker_names);
	vec__done(&l->woken_moments);
	vec__done(&l->woken);
	vec__done(&l->named_waits);
}
