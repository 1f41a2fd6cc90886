/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words for wakers, and the waits of wakes.
 *
 * A wake has the key of its wait, not its id: waits get their ids when they are drained, and may be
 * added up with others by a merge. So whoever needs the id looks up all of them at once.
 */
#include "profile/wake_wait.h"

#include <errno.h>

#include "base/intern.h"
#include "base/mem.h"
#include "profile/row_type.h"

struct known_wait {
	u32 key[offsetof(struct profile_wait, blocked_ns) / sizeof(u32)];
	u32 wait;
};

_Static_assert(offsetof(struct profile_wake, waker) == offsetof(struct profile_wait, pad),
	       "a wake begins with the key of its wait");

struct profile_wait wake_wait_key(const struct profile_wake *wake)
{
	struct profile_wait w = { 0 };

	memcpy(&w, wake, offsetof(struct profile_wake, waker));
	return w;
}

static int know_waits(const struct profile *p, struct intern *known)
{
	struct known_wait k = { 0 };
	u32 i, id;
	int r = 0;

	for (i = 1; i < p->waits_len && !r; i++) {
		memcpy(k.key, &p->waits[i], sizeof(k.key));
		k.wait = i;
		r = intern__add(known, &k, &id); /* keeps the first of equal ones */
	}
	return r;
}

static u32 find(const struct intern *known, const struct profile_wake *wake)
{
	const struct profile_wait key = wake_wait_key(wake);
	u32 id = intern__find(known, &key);

	return id ? ((const struct known_wait *)intern__at(known, id))->wait : 0;
}

int wake_waits(const struct profile *p, u32 **ret_waits)
{
	struct intern known = { 0 };
	u32 *waits = mem_array(p->wakes_len, sizeof(*waits)), i;
	int r = intern__init(&known, sizeof(struct known_wait), offsetof(struct known_wait, wait));

	*ret_waits = NULL;
	if (!r && p->wakes_len > 1)
		r = know_waits(p, &known);
	if (r || !waits) {
		mem_free(waits);
		intern__done(&known);
		return -ENOMEM;
	}
	for (i = 1; i < p->wakes_len; i++)
		waits[i] = find(&known, &p->wakes[i]);
	intern__done(&known);
	*ret_waits = waits;
	return 0;
}

static const char *word(const char *const *words, size_t len, u32 at)
{
	return at < len ? words[at] : "unknown";
}

const char *waker_context_name(enum profile_waker_context context)
{
	static const char *const names[WAKER_CONTEXTS] = {
		[WAKER_THREAD] = "thread", [WAKER_SOFTIRQ] = "softirq", [WAKER_HARDIRQ] = "hardirq",
		[WAKER_NMI] = "nmi",	   [WAKER_OTHER] = "other",
	};

	return word(names, ARRAY_LEN(names), context);
}

const char *chain_end_name(enum profile_chain_end end)
{
	static const char *const names[CHAIN_ENDS] = {
		[CHAIN_GOES_ON] = "goes_on",	   [CHAIN_RUNNING] = "running",
		[CHAIN_INTERRUPT] = "interrupt",   [CHAIN_DEPTH] = "depth",
		[CHAIN_UNRECORDED] = "unrecorded", [CHAIN_UNKNOWN] = "unknown",
	};

	return word(names, ARRAY_LEN(names), end);
}

const char *doing_name(enum profile_doing doing)
{
	static const char *const names[DOING_CNT] = {
		[DOING_WOKEN] = "woken",     [DOING_RUNNING] = "running",
		[DOING_RUNQ] = "runq",	     [DOING_BLOCKED] = "blocked",
		[DOING_UNBORN] = "unborn",   [DOING_INTERRUPT] = "interrupt",
		[DOING_UNKNOWN] = "unknown",
	};

	return word(names, ARRAY_LEN(names), doing);
}

bool wake_has_own_wait(const struct profile_wake *wake)
{
	return wake->did_ustack || wake->did_kstack || wake->did_sysno != -1 || wake->did_state ||
	       wake->did_flags || wake->did_object;
}
