/* SPDX-License-Identifier: Apache-2.0 */
/* The same words for a row of the table and for a part of the sequence. */
#include "render/words/path_text.h"

#include "base/text/utf8.h"

void path_put_threads(const struct profile *p, const struct path_row *row, struct sink *out)
{
	utf8_put_harmless(out, *row->comm ? row->comm : "[no name]");
	if (row->threads > 1)
		sink__printf(out, " (%u threads)", row->threads);
	else
		sink__printf(out, "-%u", p->tasks[row->task].tid);
}

/* How the wait ended, where its cause does not say it. */
static void put_end(const struct path_row *row, struct sink *out)
{
	switch (row->kind) {
	case PATH_INTERRUPT:
	case PATH_IO:
	case PATH_SELF:
		if (!*row->waker)
			break;
		sink__puts(out, "; until ");
		utf8_put_harmless(out, row->waker);
		break;
	case PATH_OPEN:
		sink__puts(out, "; not over at the end");
		break;
	case PATH_UNSEEN:
		sink__puts(out, "; who ended it is not known");
		break;
	case PATH_UNRECORDED:
		sink__puts(out, "; until ");
		utf8_put_harmless(out, row->waker);
		sink__puts(out, ", which is not recorded");
		break;
	case PATH_UNBORN:
		sink__puts(out, "; until ");
		utf8_put_harmless(out, row->waker);
		sink__puts(out, ", which was not there yet");
		break;
	default:
		sink__printf(out, "; %s", path_kind_sentence((enum path_kind)row->kind));
	}
}

void path_put_wait(enum cause cause, const char *object, const char *place, struct sink *out)
{
	sink__puts(out, cause_name(cause));
	if (*object) {
		sink__puts(out, " for ");
		utf8_put_harmless(out, object);
	}
	if (*place) {
		sink__puts(out, ", at ");
		utf8_put_harmless(out, place);
	}
}

void path_put_doing(const struct path_row *row, struct sink *out)
{
	if (row->kind == PATH_RUNNING || row->kind == PATH_RUNQ || row->kind == PATH_LOST ||
	    row->kind == PATH_UNSPLIT) {
		sink__puts(out, path_kind_sentence((enum path_kind)row->kind));
		return;
	}
	path_put_wait((enum cause)row->cause, row->object, row->place, out);
	put_end(row, out);
}
