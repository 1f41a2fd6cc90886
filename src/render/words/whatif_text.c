/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/whatif_text.h"

#include "base/text/units.h"
#include "base/text/utf8.h"

const char *const whatif_assumptions[] = {
	"Threads do the same work in the same order, and take locks in the same order.",
	"A wait of a thread for another ends where it ended in the recording: at the same point of "
	"the other's work.",
	"Threads get CPUs in turn, for 3 ms each. What other programs took of them stays.",
	"Caches, disks and networks are as fast as before, whatever else is faster.",
	NULL,
};

void whatif_put_row(const struct whatif_row *row, struct sink *out)
{
	char count[32];

	sink__puts(out, cause_name((enum cause)row->cause));
	if (*row->object) {
		sink__puts(out, " for ");
		utf8_put_harmless(out, row->object);
	}
	if (*row->place) {
		sink__puts(out, ", at ");
		utf8_put_harmless(out, row->place);
	}
	units_format_count(row->waits, count, sizeof(count));
	sink__printf(out, "; %s", count);
}
