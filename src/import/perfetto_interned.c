/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perfetto_interned.h"

#include <errno.h>
#include <stddef.h>

#include "import/wire.h"

/* More frames are no stack. */
#define FRAMES_MAX 1024
#define PATH_SZ 1024

/* Fields of InternedData, and of the messages in it: `iid` is field 1 of each. */
enum {
	FIELD_FUNCTION_NAMES = 5,
	FIELD_FRAMES = 6,
	FIELD_CALLSTACKS = 7,
	FIELD_MAPPING_PATHS = 17,
	FIELD_MAPPINGS = 19,
	FIELD_IID = 1,
	STRING_STR = 2,
	CALLSTACK_FRAME_IDS = 2,
	FRAME_FUNCTION_NAME_ID = 2,
	FRAME_MAPPING_ID = 3,
	FRAME_REL_PC = 4,
	MAPPING_PATH_STRING_IDS = 7,
};

struct interned_thing {
	u64 field; /* of InternedData */
	u64 iid;
	u64 starts;
	u64 sequence;
	/* up to here the key */
	struct view message;
};

int perfetto_interned__init(struct perfetto_interned *in)
{
	map64__init(&in->starts);
	return intern__init(&in->things, sizeof(struct interned_thing),
			    offsetof(struct interned_thing, message));
}

void perfetto_interned__done(struct perfetto_interned *in)
{
	intern__done(&in->things);
	map64__done(&in->starts);
}

static u64 starts_of(const struct perfetto_interned *in, u32 sequence)
{
	u64 starts = 0;

	map64__get(&in->starts, sequence, &starts);
	return starts;
}

int perfetto_interned__restart(struct perfetto_interned *in, u32 sequence)
{
	return map64__set(&in->starts, sequence, starts_of(in, sequence) + 1);
}

static bool is_kept(u64 field)
{
	return field == FIELD_FUNCTION_NAMES || field == FIELD_FRAMES ||
	       field == FIELD_CALLSTACKS || field == FIELD_MAPPING_PATHS || field == FIELD_MAPPINGS;
}

int perfetto_interned__add(struct perfetto_interned *in, u32 sequence, struct view message)
{
	struct interned_thing thing = { .starts = starts_of(in, sequence), .sequence = sequence };
	struct wire_field f;
	u32 id;
	int r = 0;

	while (!r && wire__next(&message, &f)) {
		if (!f.is_bytes || !is_kept(f.number))
			continue;
		thing.field = f.number;
		thing.iid = wire__number(f.bytes, FIELD_IID);
		thing.message = f.bytes;
		r = intern__add(&in->things, &thing, &id);
	}
	return r ? r : view__left(&message) ? -EINVAL : 0;
}

u32 perfetto_interned__stack(const struct perfetto_interned *in, u32 sequence, u64 iid)
{
	const struct interned_thing key = { .field = FIELD_CALLSTACKS,
					    .iid = iid,
					    .starts = starts_of(in, sequence),
					    .sequence = sequence };

	return intern__find(&in->things, &key);
}

/* What `like`, of the same sequence and start, calls by this number; empty if there is none. */
static struct view find(const struct perfetto_interned *in, const struct interned_thing *like,
			u64 field, u64 iid)
{
	const struct interned_thing key = {
		.field = field, .iid = iid, .starts = like->starts, .sequence = like->sequence
	};
	u32 id = intern__find(&in->things, &key);

	return id ? ((const struct interned_thing *)intern__at(&in->things, id))->message :
		    view__of_str("");
}

static struct view string_of(const struct perfetto_interned *in, const struct interned_thing *like,
			     u64 field, u64 iid)
{
	return wire__bytes(find(in, like, field, iid), STRING_STR);
}

/* A path is one string, or its parts without the slashes. */
static struct view path_of(const struct perfetto_interned *in, const struct interned_thing *like,
			   u64 mapping, char *buf, size_t sz)
{
	struct view message = find(in, like, FIELD_MAPPINGS, mapping), part;
	struct wire_numbers ids = { .message = message, .number = MAPPING_PATH_STRING_IDS };
	size_t len = 0;
	u64 iid, n = 0;

	while (wire__next_number(&ids, &iid)) {
		part = string_of(in, like, FIELD_MAPPING_PATHS, iid);
		if (n++ && len + 1 < sz)
			buf[len++] = '/';
		view__copy(&part, buf + len, sz - len);
		len += strnlen(buf + len, sz - len);
	}
	return view__of(buf, len);
}

static int push_frame(const struct perfetto_interned *in, const struct interned_thing *like,
		      u64 iid, struct gather *g)
{
	struct view frame = find(in, like, FIELD_FRAMES, iid);
	char path[PATH_SZ] = "";
	struct gather_frame f = {
		.name = string_of(in, like, FIELD_FUNCTION_NAMES,
				  wire__number(frame, FRAME_FUNCTION_NAME_ID)),
		.module = path_of(in, like, wire__number(frame, FRAME_MAPPING_ID), path,
				  sizeof(path)),
		.file = view__of_str(""),
	};

	/* of the function or of the file, which writers do not agree on: only to tell apart */
	if (!view__left(&f.name))
		f.addr = wire__number(frame, FRAME_REL_PC);
	return gather__frame(g, &f);
}

int perfetto_interned__push_frames(const struct perfetto_interned *in, u32 stack, struct gather *g)
{
	const struct interned_thing *thing = intern__at(&in->things, stack);
	struct wire_numbers ids = { .message = thing->message, .number = CALLSTACK_FRAME_IDS };
	u64 iids[FRAMES_MAX];
	size_t n = 0;
	int r = 0;

	while (n < FRAMES_MAX && wire__next_number(&ids, &iids[n]))
		n++;
	while (!r && n)
		r = push_frame(in, thing, iids[--n], g);
	return r;
}
