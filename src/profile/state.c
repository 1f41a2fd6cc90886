/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table gives each state its letter and its raw bits. The bits of a letter are those for which
 * the kernel prints it: a lock of an RT kernel and a frozen thread are D, and both exit states are
 * X.
 */
#include "profile/state.h"

#include <errno.h>
#include <stdint.h>

#include "base/view.h"
#include "profile/profile.h"

struct state_row {
	char letter;
	u32 raw;
};

static const struct state_row states[PROFILE_STATES] = {
	{ 'R', 0 },
	{ 'S', STATE_RAW_INTERRUPTIBLE },
	{ 'D', STATE_RAW_UNINTERRUPTIBLE | STATE_RAW_RTLOCK_WAIT | STATE_RAW_FROZEN },
	{ 'T', STATE_RAW_STOPPED },
	{ 't', STATE_RAW_TRACED },
	{ 'X', STATE_RAW_EXIT_DEAD | STATE_RAW_DEAD },
	{ 'Z', STATE_RAW_EXIT_ZOMBIE },
	{ 'P', STATE_RAW_PARKED },
	{ 'I', STATE_RAW_NOLOAD },
};

struct choice {
	u32 mask;
	bool runnable;
};

static bool add_letter(struct choice *c, struct view *v)
{
	u32 s;

	if (view__accept(v, 'K')) {
		c->mask |= STATE_RAW_WAKEKILL;
		return true;
	}
	for (s = 0; s < PROFILE_STATES; s++) {
		if (view__accept(v, states[s].letter)) {
			c->mask |= states[s].raw;
			c->runnable = c->runnable || !states[s].raw;
			return true;
		}
	}
	return false;
}

/* Letters, with at most one comma between two. */
static bool parse_letters(struct view v, struct choice *c)
{
	do {
		if (!add_letter(c, &v))
			return false;
		if (view__accept(&v, ',') && !view__left(&v))
			return false;
	} while (view__left(&v));
	return true;
}

static bool parse_number(struct view v, struct choice *c)
{
	bool zero = view__accept(&v, '0');
	u64 n = 0;

	if (zero && view__accept(&v, 'x'))
		n = view__hex(&v);
	else if (!zero || view__left(&v))
		n = view__dec(&v);
	if (v.bad || view__left(&v) || n > UINT32_MAX)
		return false;
	c->mask = (u32)n;
	c->runnable = n == 0;
	return true;
}

int state_mask_parse(const char *text, u32 *ret_raw_mask, bool *ret_runnable, bool *ret_any,
		     struct err *err)
{
	struct choice letters = { 0 }, number = { 0 };
	struct view v = view__of_str(text);
	bool any = view__eq(&v, "any");
	const struct choice *chosen = &letters;

	if (!any && !parse_letters(v, &letters)) {
		if (!parse_number(v, &number))
			return err__set(err, -EINVAL,
					"'%.64s' is not a task state; try D or S,D or a mask: 0x2",
					text);
		chosen = &number;
	}
	*ret_raw_mask = chosen->mask;
	*ret_runnable = chosen->runnable;
	*ret_any = any;
	return 0;
}

char state_letter(u32 state)
{
	return state < PROFILE_STATES ? states[state].letter : '?';
}
