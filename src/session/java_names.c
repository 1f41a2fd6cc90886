/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs after the window, so that it does not affect the window. Code compiled and discarded before
 * is lost; waits in such code are rare.
 */
#include "session/java_names.h"

#include <errno.h>

#include "base/clock.h"
#include "capture/runtime/java_attach.h"

/*
 * For one JVM, and until the last one is asked. A JVM that is not stopped writes its map in some 10
 * ms.
 */
#define ONE_NS (5 * NSEC_PER_SEC)
#define ALL_NS (15 * NSEC_PER_SEC)

static bool is_first_of_process(const struct profile *p, u32 module)
{
	u32 i;

	for (i = 1; i < module; i++) {
		if (p->modules[i].kind == MODULE_ANON &&
		    p->modules[i].tgid == p->modules[module].tgid)
			return false;
	}
	return p->modules[module].kind == MODULE_ANON;
}

int java_names_ask(const struct profile *p, struct notices *notices)
{
	u64 deadline_mono_ns = clock_mono_ns() + ALL_NS;
	u32 i, jvms = 0;
	int r = 0;

	for (i = 1; !r && i < p->modules_len; i++) {
		u64 now = clock_mono_ns();
		struct err err = { 0 };
		int asked;

		if (!is_first_of_process(p, i) || now >= deadline_mono_ns)
			continue;
		asked = java_write_perfmap(p->modules[i].tgid, ONE_NS, &err);
		jvms += asked != -ENOENT && asked != -ESRCH;
		if (asked && asked != -ENOENT && asked != -ESRCH)
			r = notices__add(notices, err.msg);
	}
	if (!r && !jvms)
		r = notices__add(notices, "--java-symbols: no live HotSpot JVM among the processes "
					  "whose code was met");
	return r;
}
