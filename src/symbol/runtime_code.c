/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process may write both files. The jitdump is exact and has lines, so it is tried first. Either
 * may appear late: a JVM writes its map when someone asks for it.
 */
#include "symbol/runtime_code.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"

void runtime_codes__init(struct runtime_codes *rc)
{
	vec__init(&rc->list, sizeof(struct runtime_code *));
}

static struct runtime_code *code_at(const struct runtime_codes *rc, size_t idx)
{
	return *(struct runtime_code **)vec__at(&rc->list, idx);
}

static void free_code(struct runtime_code *code)
{
	code_place__done(&code->place);
	perfmap__free(code->map);
	jitdump__free(code->dump);
	mem_free(code);
}

void runtime_codes__done(struct runtime_codes *rc)
{
	size_t i;

	if (!rc)
		return;
	for (i = 0; i < rc->list.len; i++)
		free_code(code_at(rc, i));
	vec__done(&rc->list);
}

void runtime_codes__forget(struct runtime_codes *rc, const struct ended *ended)
{
	size_t i, n = 0;

	for (i = 0; i < rc->list.len; i++) {
		struct runtime_code *code = code_at(rc, i);

		if (ended__has_process(ended, code->place.tgid))
			free_code(code);
		else
			*(struct runtime_code **)vec__at(&rc->list, n++) = code;
	}
	rc->list.len = n;
}

/* The entry of a process, created if missing; NULL when out of memory. */
static struct runtime_code *code_of(struct runtime_codes *rc, u32 tgid)
{
	struct runtime_code *code, **slot;
	size_t i;

	for (i = 0; i < rc->list.len; i++) {
		if (code_at(rc, i)->place.tgid == tgid)
			return code_at(rc, i);
	}
	code = mem_alloc(sizeof(*code));
	slot = code ? vec__push(&rc->list) : NULL;
	if (!slot) {
		mem_free(code);
		return NULL;
	}
	code_place__init(&code->place, tgid);
	*slot = code;
	return code;
}

int runtime_codes__give(struct runtime_codes *rc, struct code_place *place)
{
	struct runtime_code *code = code_of(rc, place->tgid);

	if (!code) {
		code_place__done(place);
		return -ENOMEM;
	}
	code_place__done(&code->place);
	code->place = *place;
	/* the profile is of that process; names may be looked up long after it has exited */
	code->place.kept = true;
	code_place__init(place, place->tgid);
	return 0;
}

static int update_map(struct runtime_code *code, struct err *err)
{
	int r = code->map ? 0 : perfmap__new(&code->map, err);

	return r ? r : perfmap__update(code->map, code->place.map_fd, err);
}

static int update_dump(struct runtime_code *code, struct err *err)
{
	int r = code->dump ? 0 : jitdump__new(&code->dump, err);

	return r ? r : jitdump__update(code->dump, code->place.dump_fd, err);
}

/* Only -ENOMEM is an error here: an unusable file is as good as none. */
static int tell(int r, const struct err *err)
{
	if (r)
		log_debug("%s", err->msg);
	return r == -ENOMEM ? r : 0;
}

static int look(struct runtime_code *code)
{
	struct maps maps;
	struct err err = { 0 };
	bool live = !maps__read(&maps, code->place.tgid, NULL);
	int r = code_place__look(&code->place, live ? &maps : NULL, &err);

	maps__done(&maps);
	return tell(r, &err);
}

/* The same for an update. What was read of a file is used; the rest is counted. */
static int count_unread(struct runtime_code *code, int r, const struct err *err)
{
	code->unread += r != 0;
	return r > 0 ? 0 : tell(r, err);
}

static int refresh(struct runtime_code *code)
{
	struct err err = { 0 };
	int r = look(code);

	code->unread = 0;
	if (!r && code->place.map_fd >= 0)
		r = count_unread(code, update_map(code, &err), &err);
	if (!r && code->place.dump_fd >= 0)
		r = count_unread(code, update_dump(code, &err), &err);
	return r;
}

const struct runtime_code *runtime_codes__get(struct runtime_codes *rc, u32 tgid, u64 pass)
{
	struct runtime_code *code = code_of(rc, tgid);

	if (!code || code->pass == pass)
		return code;
	if (refresh(code))
		return NULL;
	code->pass = pass;
	return code;
}

bool runtime_code__find(const struct runtime_code *code, u64 addr, const char **ret_name,
			u64 *ret_start)
{
	return (code->dump && jitdump__find(code->dump, addr, ret_name, ret_start)) ||
	       (code->map && perfmap__find(code->map, addr, ret_name, ret_start));
}

bool runtime_code__line(const struct runtime_code *code, u64 addr, const char **ret_file,
			u32 *ret_line)
{
	return code->dump && jitdump__line(code->dump, addr, ret_file, ret_line);
}

static u64 dropped_by(const struct runtime_code *code)
{
	return (code->map ? perfmap__dropped(code->map) : 0) +
	       (code->dump ? jitdump__dropped(code->dump) : 0);
}

u64 runtime_codes__tell_dropped(struct runtime_codes *rc, u64 pass)
{
	u64 untold = 0;
	size_t i;

	for (i = 0; i < rc->list.len; i++) {
		struct runtime_code *code = code_at(rc, i);
		u64 dropped = dropped_by(code);

		if (code->pass != pass)
			continue;
		/* fewer: the file was rewritten, and read from its start */
		untold += dropped > code->told ? dropped - code->told : 0;
		code->told = dropped;
	}
	return untold;
}

u64 runtime_codes__unread(const struct runtime_codes *rc, u64 pass)
{
	u64 unread = 0;
	size_t i;

	for (i = 0; i < rc->list.len; i++) {
		const struct runtime_code *code = code_at(rc, i);

		unread += code->pass == pass ? code->unread : 0;
	}
	return unread;
}
