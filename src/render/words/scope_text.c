/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of a selection looks like a complete one. A reader who gets it from someone else must see
 * how much there was before, and how it was selected.
 */
#include "render/words/scope_text.h"

#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "base/text/utf8.h"

/* " and 1.20 s of 3.10 s on a CPU" */
static void format_on_cpu(const struct profile *p, u64 on_ns, char *buf, size_t sz)
{
	char on[32], whole[32];

	units_format_ns(on_ns, on, sizeof(on));
	units_format_ns(p->hdr.whole_on_ns, whole, sizeof(whole));
	snprintf(buf, sz, " and %s of %s %s", on, whole,
		 profile_header__is_of_tasks(&p->hdr) ? "running" : "on a CPU");
}

/* After the last whole character that leaves room for it. */
static void mark_cut(char *buf, size_t sz)
{
	size_t at = sz - sizeof("...");

	while (at && ((u8)buf[at] & 0xc0) == 0x80)
		at--;
	memcpy(buf + at, "...", sizeof("..."));
}

static bool selection_text(const struct profile *p, char *buf, size_t sz)
{
	const struct profile_header *h = &p->hdr;
	struct profile_budget b;
	char off[32], whole[32], on[96] = "", part[64] = "", words[2 * SCOPE_TEXT_SZ];
	int len;

	buf[0] = '\0';
	if (!h->selection)
		return false;
	/* if memory runs out, the sums are still there */
	profile__budget(p, &b);
	units_format_ns(b.listed_blocked_ns + b.listed_runq_ns, off, sizeof(off));
	units_format_ns(h->whole_off_ns, whole, sizeof(whole));
	if (b.threads && b.threads != h->whole_threads)
		snprintf(part, sizeof(part), ", %s%u of %u thread%s",
			 h->unknown & UNKNOWN_NUMBERS ? "at least " : "", b.threads,
			 h->whole_threads, units_plural(h->whole_threads));
	if (h->whole_on_ns)
		format_on_cpu(p, b.listed_on_ns, on, sizeof(on));
	len = snprintf(buf, sz, "selected %s of %s waited%s%s: %s", off, whole, on, part,
		       utf8_copy_harmless(profile__str(p, h->selection), words, sizeof(words)));
	if (len >= (int)sz)
		mark_cut(buf, sz);
	return true;
}

/* Hourly sums. */
static bool is_folded(const struct profile *p)
{
	return !p->hdr.source && p->hdr.unknown & UNKNOWN_FOLDED &&
	       !profile_header__is_of_tasks(&p->hdr);
}

static bool windows_text(const struct profile *p, char *buf, size_t sz)
{
	const struct profile_header *h = &p->hdr;
	char time[32];
	size_t len;

	buf[0] = '\0';
	if (h->windows < 2 && !is_folded(p))
		return false;
	len = (size_t)snprintf(buf, sz, "%u window%s", h->windows ? h->windows : 1,
			       units_plural(h->windows ? h->windows : 1));
	if (is_folded(p))
		len += (size_t)snprintf(buf + len, sz - len,
					", threads of one name and process name are one");
	/* a capture that takes over begins a few ns later */
	if (h->gap_ns >= NSEC_PER_USEC) {
		units_format_ns(h->gap_ns, time, sizeof(time));
		len += (size_t)snprintf(buf + len, sz - len, ", %s between them not recorded",
					time);
	}
	if (h->overlap_ns) {
		units_format_ns(h->overlap_ns, time, sizeof(time));
		snprintf(buf + len, sz - len, ", %s in more than one and counted in each", time);
	}
	return true;
}

static bool source_text(const struct profile *p, char *buf, size_t sz)
{
	char words[SCOPE_TEXT_SZ];
	const char *before = "; not known: ";
	int len;
	u32 i;

	buf[0] = '\0';
	if (!p->hdr.source)
		return false;
	len = snprintf(buf, sz, "imported from %s",
		       utf8_copy_harmless(profile__str(p, p->hdr.source), words, sizeof(words)));
	for (i = 0; i < UNKNOWN_BITS && len < (int)sz; i++) {
		if (!(p->hdr.unknown >> i & 1))
			continue;
		len += snprintf(buf + len, sz - (size_t)len, "%s%s", before,
				unknown_words((enum profile_unknown_bit)i));
		before = ", ";
	}
	if (len >= (int)sz)
		mark_cut(buf, sz);
	return true;
}

static bool trigger_text(const struct profile *p, char *buf, size_t sz)
{
	char words[2 * SCOPE_TEXT_SZ];

	buf[0] = '\0';
	if (!p->hdr.trigger)
		return false;
	if (snprintf(buf, sz, "written by %s",
		     utf8_copy_harmless(profile__str(p, p->hdr.trigger), words, sizeof(words))) >=
	    (int)sz)
		mark_cut(buf, sz);
	return true;
}

bool scope_text(const struct profile *p, enum scope scope, char *buf, size_t sz)
{
	static bool (*const texts[])(const struct profile *, char *, size_t) = {
		[SCOPE_SOURCE] = source_text,
		[SCOPE_WINDOWS] = windows_text,
		[SCOPE_TRIGGER] = trigger_text,
		[SCOPE_SELECTION] = selection_text,
	};

	return texts[scope](p, buf, sz);
}
