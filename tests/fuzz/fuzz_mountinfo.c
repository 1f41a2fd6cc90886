/* SPDX-License-Identifier: Apache-2.0 */
/* Who mounts a file system chooses most of its line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/cgroup/cgroup.h"
#include "proc/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(struct view part, struct view whole)
{
	return part.p >= whole.p && part.end <= whole.end && part.p <= part.end;
}

static void take_all(struct view text)
{
	struct view rest = text;
	struct mount_line line;
	char buf[16];
	bool whole;

	while (mountinfo__next(&rest, &line)) {
		if (!is_within(line.root, text) || !is_within(line.point, text) ||
		    !view__left(&line.point))
			abort();
	}
	while (cgroup_next_mount(&text, buf, sizeof(buf), &whole)) {
		if (strlen(buf) >= sizeof(buf))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct view text = view__of(data, size);
	struct mount_line line;
	struct view value;
	char buf[64];

	take_all(text);
	if (!mountinfo__find(text, 0, 38, &line) && !mountinfo__find(text, 254, 0, &line))
		return 0;
	if (!is_within(line.fs, text) || !is_within(line.source, text) ||
	    !is_within(line.options, text))
		abort();
	if (mountinfo__unescape(line.source, buf, sizeof(buf)) &&
	    strlen(buf) > view__left(&line.source))
		abort();
	if (mountinfo__option(line.options, "upperdir", &value) && !is_within(value, line.options))
		abort();
	return 0;
}
