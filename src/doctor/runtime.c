/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/units.h"
#include "proc/code_place.h"
#include "proc/mapfile.h"
#include "symbol/jitdump.h"
#include "symbol/perfmap.h"

static int count_map(int fd, size_t *ret)
{
	struct perfmap *pm;
	int r = perfmap__new(&pm, NULL);

	if (r)
		return r;
	r = perfmap__update(pm, fd, NULL);
	*ret = perfmap__len(pm);
	perfmap__free(pm);
	return r;
}

static int count_dump(int fd, size_t *ret)
{
	struct jitdump *jd;
	int r = jitdump__new(&jd, NULL);

	if (r)
		return r;
	r = jitdump__update(jd, fd, NULL);
	*ret = jitdump__len(jd);
	jitdump__free(jd);
	return r;
}

/* What the process has written so far. -ENOMEM or 0. */
static int look_for_names(struct doctor_runtime *rt, u32 tgid, const struct maps *maps)
{
	struct code_place place;
	struct err why = { 0 };
	size_t n = 0;
	char count[32];
	bool dump;
	int r = 0;

	code_place__init(&place, tgid);
	if (code_place__look(&place, maps, &why))
		snprintf(rt->found, sizeof(rt->found), "%s", why.msg);
	dump = place.dump_fd >= 0;
	if (dump)
		r = count_dump(place.dump_fd, &n);
	else if (place.map_fd >= 0)
		r = count_map(place.map_fd, &n);
	code_place__done(&place);
	rt->advice.unnamed = !n;
	units_format_count(n, count, sizeof(count));
	if (n)
		snprintf(rt->found, sizeof(rt->found), "%s functions in its %s", count,
			 dump ? "jitdump" : "perf map");
	return r == -ENOMEM ? r : 0;
}

/* Options that cannot be read count as missing. */
static void read_words(struct process_words *w, u32 tgid, enum process_words_of of)
{
	if (process_words__read(w, tgid, of, NULL))
		*w = (struct process_words){ 0 };
}

int doctor_runtime__look(struct doctor_runtime *rt, u32 tgid, const struct maps *maps,
			 struct err *err)
{
	struct runtime_process p = { .tgid = tgid, .maps = maps };
	size_t i;

	*rt = (struct doctor_runtime){ 0 };
	for (i = 0; i < maps->len; i++)
		rt->advice.mappings += maps->ranges[i].exec &&
				       map_range__is_memory(&maps->ranges[i]);
	if (look_for_names(rt, tgid, maps))
		return err__nomem(err);
	read_words(&p.cmdline, tgid, PROCESS_CMDLINE);
	read_words(&p.environ, tgid, PROCESS_ENVIRON);
	rt->runtime = runtimes_find(&p);
	runtimes_advise(rt->runtime, &p, &rt->advice);
	process_words__done(&p.cmdline);
	process_words__done(&p.environ);
	return 0;
}
