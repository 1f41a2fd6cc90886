/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/whatif_text.h"

#include "base/text/units.h"
#include "render/words/path_text.h"

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

	path_put_wait((enum cause)row->cause, row->object, row->place, out);
	units_format_count(row->waits, count, sizeof(count));
	sink__printf(out, "; %s", count);
}
