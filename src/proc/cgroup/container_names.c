/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/cgroup/container_names.h"

#include "base/clock.h"
#include "base/self_memory.h"
#include "proc/cgroup/container_list.h"

/* Reading takes at most one part in this many of the time. */
#define READ_PART 20
/* A container that has just begun has no name yet. */
#define READ_EVERY_NS NSEC_PER_SEC
#define RENEW_NS (300 * NSEC_PER_SEC)

int container_names__init(struct container_names *c, const char *root)
{
	*c = (struct container_names){ .root = root };
	map64__init(&c->name_of);
	return strtab__init(&c->texts);
}

void container_names__done(struct container_names *c)
{
	strtab__done(&c->texts);
	map64__done(&c->name_of);
}

static int forget_all(struct container_names *c)
{
	const char *root = c->root;

	container_names__done(c);
	return container_names__init(c, root);
}

static bool is_full(const struct container_names *c)
{
	return strtab__len(&c->texts) >= CONTAINER_TEXTS_MAX;
}

static int keep(void *arg, const char *id, const char *name)
{
	struct container_names *c = arg;
	u32 id_text, name_text;
	u64 known;
	int r;

	if (is_full(c) ||
	    !self_memory_allows(vec__growth(&c->texts.bytes, CONTAINER_ID_LEN + CONTAINER_NAME_SZ)))
		return 0;
	r = strtab__add(&c->texts, id, &id_text);
	if (r || map64__get(&c->name_of, id_text, &known))
		return r;
	r = strtab__add(&c->texts, name, &name_text);
	return r ? r : map64__set(&c->name_of, id_text, name_text);
}

static int read_in_time(struct container_names *c)
{
	u64 begin_ns = clock_mono_ns(), pause_ns;
	int r = 0;

	if (begin_ns < c->next_read_ns)
		return 0;
	if (is_full(c) || begin_ns >= c->renew_ns) {
		r = forget_all(c);
		c->renew_ns = begin_ns + RENEW_NS;
	}
	if (!r)
		r = container_list_each(c->root, keep, c);
	pause_ns = READ_PART * (clock_mono_ns() - begin_ns);
	c->next_read_ns = begin_ns + (pause_ns > READ_EVERY_NS ? pause_ns : READ_EVERY_NS);
	return r;
}

static int look(struct container_names *c, const char *id, const char **ret_name)
{
	u32 text;
	u64 name;
	int r = strtab__add(&c->texts, id, &text);

	*ret_name = !r && map64__get(&c->name_of, text, &name) ? strtab__get(&c->texts, (u32)name) :
								 NULL;
	return r;
}

int container_names__find(struct container_names *c, const char *id, const char **ret_name)
{
	int r = look(c, id, ret_name);

	if (r || (*ret_name && clock_mono_ns() < c->renew_ns))
		return r;
	r = read_in_time(c);
	return r ? r : look(c, id, ret_name);
}
