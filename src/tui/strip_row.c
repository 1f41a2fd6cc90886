/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cell of a strip is one window: the letter of the cause that had most of it, in its colour,
 * '#' on a CPU, '.' waiting for work.
 */
#include "tui/strip_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/object_label.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "tui/viewer.h"

#define NOW_SZ 1024

/* Columns of the name, and of the strip. */
static u32 name_columns(const struct screen *s)
{
	return s->cols >= 160 ? 34 : s->cols >= 100 ? 24 : 20;
}

static u32 strip_columns(const struct screen *s)
{
	return s->cols >= 240 ? STRIP_LEN : s->cols >= 160 ? 40 : s->cols >= 100 ? 20 : 10;
}

/* The TID of "comm-PID/TID". */
static u32 tid_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (u32)strtoul(slash + 1, NULL, 10) : 0;
}

static void paint_cell(struct screen *s, u32 y, u32 attr, u8 state)
{
	char text[2] = " ";
	u32 cause = state - 1U;

	if (state == STRIP_IDLE) {
		text[0] = '.';
		attr |= ATTR_DIM;
	} else if (state && cause < CAUSE_CNT) {
		text[0] = cause == CAUSE_ON_CPU ?
				  '#' :
				  cause_family_row(cause_row((enum cause)cause)->family)->letter;
		attr |= ATTR_FILL | ATTR_OF_CAUSE(cause);
	}
	screen__put(s, y, attr, text);
}

/* It grows with the windows, so that there is no gap between a name and its first ones. */
static void paint_strip(const struct viewer *v, const struct strip *strip, struct screen *s, u32 y,
			u32 attr)
{
	u32 len = strip_columns(s), i;

	if (len > v->busy_shown)
		len = v->busy_shown;

	for (i = 0; i < len; i++)
		paint_cell(s, y, attr, strip ? strip->states[STRIP_LEN - len + i] : STRIP_NOTHING);
}

/* "held by worker-3/4133 (D)": and what that one waited for itself. */
static void put_owner(const struct viewer *v, const struct profile *p, const struct profile_wait *w,
		      char *buf, size_t sz)
{
	const struct strip *owner = strips__of(v->strips, w->owner_tid);
	char label[OWNER_LABEL_SZ];
	enum cause cause;

	if (!w->owner_tid)
		return;
	owner_label(p, w, label, sizeof(label));
	if (!owner || !owner->open) {
		snprintf(buf, sz, ", held by %s", label);
		return;
	}
	cause = (enum cause)v->strips->causes[owner->open];
	snprintf(buf, sz, ", held by %s, itself in %s", label, cause_name(cause));
}

/* "3.20 s lock cache_lock (app), held by worker-3/4133": at the end of the last window. */
static void now_text(const struct viewer *v, const struct strip *strip, char *buf, size_t sz)
{
	const struct profile *p = v->windows.last;
	const struct profile_wait *w = &p->waits[strip->open];
	char since[32], object[OBJECT_LABEL_SZ] = "", owner[OWNER_LABEL_SZ + 64] = "";
	const char *cause = cause_name((enum cause)v->strips->causes[strip->open]);

	units_format_ns(strip->since_ns, since, sizeof(since));
	if (object_says_something(p, w->object))
		object_label(p, w->object, object, sizeof(object));
	put_owner(v, p, w, owner, sizeof(owner));
	/* "lock cache_lock (app)" says that it is a lock */
	if (strncmp(object, cause, strlen(cause)) == 0)
		cause = "";
	snprintf(buf, sz, "%s%s %s%s%s%s", strip->longer ? ">" : "", since, cause,
		 *cause && *object ? " " : "", object, owner);
}

void strip_row_paint(const struct viewer *v, struct screen *s, u32 y, u32 attr, const char *name)
{
	const struct strip *strip = strips__of(v->strips, tid_of(name));
	u32 from = s->lines[y].col, name_end = from + name_columns(s), cols = s->cols;
	char now[NOW_SZ] = "";

	s->cols = name_end < cols ? name_end : cols;
	screen__put(s, y, attr, name);
	screen__pad(s, y, attr, s->cols);
	s->cols = cols;
	screen__put(s, y, attr, " ");
	paint_strip(v, strip, s, y, attr);
	screen__put(s, y, attr, " ");
	if (!strip)
		snprintf(now, sizeof(now), "not in the last window");
	else if (strip->exited)
		snprintf(now, sizeof(now), "exited");
	else if (strip->open && v->windows.last)
		now_text(v, strip, now, sizeof(now));
	else
		snprintf(now, sizeof(now), "running");
	screen__put(s, y, attr, now);
}

void strip_head_paint(struct screen *s, u32 y, u32 from)
{
	screen__pad(s, y, ATTR_REVERSE, from + name_columns(s));
	screen__put(s, y, ATTR_REVERSE, " last windows, and its wait at their end");
}
