/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime/openjdk.h"

#include <stdio.h>

#include "abi/event.h"
#include "abi/stack.h"
#include "capture/runtime/hotspot.h"
#include "capture/runtime/jvms.h"

#define SAY(field, ...) snprintf(a->field, sizeof(a->field), __VA_ARGS__)

static void advise(struct runtime_advice *a, const struct runtime_process *p)
{
	a->stacks_cut = !runtime_process__has(p, "-XX:+PreserveFramePointer");
	if (a->stacks_cut)
		SAY(stacks, "truncated at compiled Java code: this JVM omits frame pointers");
	else
		SAY(stacks, "Java code by frame pointer");
	if (a->unnamed)
		SAY(names, "compiled Java code has none unless the JVM is asked for them");
	SAY(todo, "%s%s%s", a->stacks_cut ? "start the JVM with -XX:+PreserveFramePointer" : "",
	    a->stacks_cut && a->unnamed ? "; " : "",
	    a->unnamed ? "record with --java-symbols (Java 17 and newer)" : "");
}

static int init(void *state, int facts_fd, volatile u32 *tables_gen)
{
	return jvms__init(state, facts_fd, tables_gen);
}

static void done(void *state)
{
	jvms__done(state);
}

static int see(void *state, u32 tgid, u64 image, struct notices *notices)
{
	return jvms__see(state, tgid, image, notices);
}

static int tick(void *state, u64 now_mono_ns, u64 *due_mono_ns, struct notices *notices)
{
	struct jvms *js = state;
	int r = jvms__tick(js, now_mono_ns, notices);

	if (js->due_mono_ns < *due_mono_ns)
		*due_mono_ns = js->due_mono_ns;
	return r;
}

static int take(void *state, const void *ev, size_t sz)
{
	(void)sz;
	return jvms__take(state, ev);
}

static u64 lost(const void *state)
{
	const struct jvms *js = state;

	return js->full + jvms__nameless(js);
}

static int give(void *state, const struct runtime_code_sink *sink)
{
	return jvms__give(state, sink->fn, sink->arg);
}

static void forget(void *state, const struct ended *ended)
{
	jvms__forget(state, ended);
}

static const struct runtime_reader reader = {
	.code_label = "[java]",
	.code_flag = CS_CODE_JAVA,
	.facts_map = "jvms",
	.event = CS_EVENT_METHOD,
	.event_sz = sizeof(struct cs_method_event),
	.loss = LOSS_JAVA_LOST,
	.state_sz = sizeof(struct jvms),
	.init = init,
	.done = done,
	.see = see,
	.tick = tick,
	.take = take,
	.lost = lost,
	.give = give,
	.forget = forget,
};

const struct runtime runtime_openjdk = {
	.words = "OpenJDK (HotSpot)",
	.files = { { HOTSPOT_LIBRARY, true } },
	.advise = advise,
	.reader = &reader,
};
