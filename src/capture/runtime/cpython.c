/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime/cpython.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "abi/event.h"
#include "abi/stack.h"
#include "capture/runtime/python_codes.h"
#include "capture/runtime/python_module.h"
#include "proc/mapfile.h"

#define SAY(field, ...) snprintf(a->field, sizeof(a->field), __VA_ARGS__)

_Static_assert(sizeof(struct cs_python) <= RUNTIME_FACTS_SZ, "");

static int read_range(u32 tgid, const struct map_range *range, struct err *why)
{
	struct cs_python facts;
	int fd, r = module_file_open(tgid, range, &fd, why);

	if (r)
		return r;
	r = python_module__read(fd, range->path, &facts, why);
	close(fd);
	return r;
}

/* The interpreter is in the program or in its library. -ENOENT: in neither. */
static int find(const struct runtime_process *p, struct err *why)
{
	int r, failed = -ENOENT;

	for (size_t i = 0; i < p->maps->len; i++) {
		const struct map_range *range = &p->maps->ranges[i];
		struct err first = { 0 };

		if (!range->exec || !map_range__is_file(range))
			continue;
		r = read_range(p->tgid, range, &first);
		if (r == -ENOENT || (r && r != -ENOTSUP && failed != -ENOENT))
			continue;
		*why = first;
		if (!r || r == -ENOTSUP)
			return r;
		failed = r;
	}
	return failed;
}

static bool is_in(const struct runtime_process *p)
{
	struct err why = { 0 };
	int r = find(p, &why);

	return !r || r == -ENOTSUP;
}

static void advise(struct runtime_advice *a, const struct runtime_process *p)
{
	struct err why = { 0 };
	int r = find(p, &why);

	if (r == -ENOENT)
		return;
	a->stacks_cut = r;
	if (!r)
		SAY(stacks, "Python functions are shown, with file and line");
	else if (r == -ENOTSUP)
		SAY(stacks, "%.400s", why.msg);
	else
		SAY(stacks, "Python functions are not shown: %.400s", why.msg);
}

static int read_file(int fd, const char *path, void *facts, struct err *err)
{
	return python_module__read(fd, path, facts, err);
}

/* The layouts are of files, which read_file() reads. */
static int init(void *state, int facts_fd, volatile u32 *tables_gen)
{
	(void)facts_fd;
	(void)tables_gen;
	return python_codes__init(state);
}

static void done(void *state)
{
	python_codes__done(state);
}

static int take(void *state, const void *ev, size_t sz)
{
	return python_codes__take(state, ev, sz);
}

static u64 lost(const void *state)
{
	const struct python_codes *codes = state;

	return codes->lines_lost + codes->full;
}

static int give(void *state, const struct runtime_code_sink *sink)
{
	return python_codes__give(state, sink->fn, sink->arg);
}

static void forget(void *state, const struct ended *ended)
{
	python_codes__forget(state, ended);
}

static const struct runtime_reader reader = {
	.code_label = "[python]",
	.code_flag = 0,
	.facts_map = "pythons",
	.event = CS_EVENT_CODE,
	.event_sz = sizeof(struct cs_code_event),
	.loss = LOSS_CODE_LOST,
	.read_file = read_file,
	.module_flag = CS_MODULE_PYTHON,
	.state_sz = sizeof(struct python_codes),
	.init = init,
	.done = done,
	.take = take,
	.lost = lost,
	.give = give,
	.forget = forget,
};

const struct runtime runtime_cpython = {
	.words = "CPython",
	.files = { { "libpython3", false }, { "python3", false } },
	.is_in = is_in,
	.advise = advise,
	.reader = &reader,
};
