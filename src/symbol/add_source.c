/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds lines and inlined functions in a second pass over the named frames, sorted by file and
 * address, so that the debug information of each file is opened once, for all its frames, and then
 * closed. There is one time limit for all files together; files not read by then have no lines.
 *
 * Frames in the kernel, in the vDSO and in code without a file have no debug information that we
 * could read.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "profile/inlining.h"
#include "symbol/demangle.h"
#include "symbol/source.h"

#define LIMIT_NS (60 * NSEC_PER_SEC)

/* A frame to look up. */
struct place {
	u32 module;
	u32 frame;
	u64 at; /* offset in the file, then address; of the call, for a return address */
};

struct placing {
	struct resolver *r;
	struct profile *p;
	struct inlining inlining;
	struct vec places; /* struct place */
	/* of the current module: */
	const struct place *first;
	u64 *vaddrs; /* distinct, sorted */
	u32 *begin; /* index of the first place of each address, plus one entry for the end */
};

static bool can_be_placed(const struct profile *p, u32 frame)
{
	const struct profile_frame *f = &p->frames[frame];

	return p->modules[f->module].kind == MODULE_ELF && !f->file &&
	       !(f->flags & (FRAME_KERNEL | FRAME_TRUNCATED | FRAME_INLINED));
}

static int gather(struct placing *pl)
{
	const struct profile *p = pl->p;
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		const struct profile_frame *f = &p->frames[i];
		struct place *place;

		if (!can_be_placed(p, i))
			continue;
		place = vec__push(&pl->places);
		if (!place)
			return -ENOMEM;
		place->module = f->module;
		place->frame = i;
		place->at = f->addr - ((f->flags & FRAME_RETURN) && f->addr);
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

/* calls[0] is the function of the frame, the others were inlined in it. */
static int take_calls(void *arg, size_t idx, const struct srcline_call *calls, size_t len)
{
	struct placing *pl = arg;
	char readable[DEMANGLE_SZ];
	u32 i;
	size_t k;
	int r = 0;

	for (i = pl->begin[idx]; i < pl->begin[idx + 1] && !r; i++) {
		u32 frame = pl->first[i].frame;

		r = profile__place_frame(pl->p, frame, calls[0].file, calls[0].line);
		for (k = 1; k < len && !r; k++) {
			const char *name = resolver__readable(pl->r, calls[k].name, readable,
							      sizeof(readable));

			r = *name ? inlining__add(&pl->inlining, frame, name, calls[k].file,
						  calls[k].line) :
				    0;
		}
	}
	return r;
}

/* Places outside all segments get this address, and so sort last. */
#define NOWHERE ~0ULL

/* Converts offsets to link-time addresses, sorted; returns how many have one. */
static u32 to_addrs(struct place *places, u32 len, const struct module_code *code)
{
	u32 i;

	for (i = 0; i < len; i++) {
		if (!image__vaddr_of_offset(code->image, places[i].at, &places[i].at))
			places[i].at = NOWHERE;
	}
	qsort(places, len, sizeof(*places), by_place);
	while (len && places[len - 1].at == NOWHERE)
		len--;
	return len;
}

static u32 list_distinct(struct placing *pl, const struct place *places, u32 len)
{
	u32 n = 0, i;

	for (i = 0; i < len; i++) {
		if (n && pl->vaddrs[n - 1] == places[i].at)
			continue;
		pl->vaddrs[n] = places[i].at;
		pl->begin[n++] = i;
	}
	pl->begin[n] = len;
	return n;
}

/* All places of one module. */
static int read_module(struct placing *pl, struct place *places, u32 len, u64 limit_ns)
{
	const struct profile_module *m = &pl->p->modules[places->module];
	const char *path = profile__str(pl->p, m->path);
	struct srcline_want want = {
		.lines = pl->r->lines,
		.inlines = pl->r->inlines,
		.limit_ns = limit_ns,
		.tell = take_calls,
		.arg = pl,
	};
	struct file_id file = profile_module__file(m);
	const struct module_code *code;
	struct err err = { 0 };
	int r;

	code = modules__get(&pl->r->modules, &file, path, &pl->r->search);
	if (!code)
		return -ENOMEM;
	if (!code->has_source)
		return 0;
	pl->first = places;
	len = list_distinct(pl, places, to_addrs(places, len, code));
	r = len ? srcline_read(&code->source, pl->vaddrs, len, &want, &err) : 0;
	if (r && r != -ENOMEM)
		log_debug("lines of '%s' are missing: %s", path, err.msg);
	return r == -ENOMEM ? r : 0;
}

static int read_all(struct placing *pl)
{
	u64 deadline = clock_mono_ns() + LIMIT_NS;
	struct place *places = pl->places.data;
	u32 len = (u32)pl->places.len, first, next;
	int r = 0;

	if (len)
		qsort(places, len, sizeof(*places), by_place);
	for (first = 0; first < len && !r; first = next) {
		u64 now = clock_mono_ns();

		for (next = first; next < len && places[next].module == places[first].module;
		     next++)
			;
		r = read_module(pl, places + first, next - first,
				now < deadline ? deadline - now : 0);
	}
	return r;
}

/* A profile may be named twice. */
static bool has_inlined(const struct profile *p)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		if (p->frames[i].flags & FRAME_INLINED)
			return true;
	}
	return false;
}

int resolver__add_source(struct resolver *r, struct profile *p)
{
	struct placing pl = { .r = r, .p = p };
	int error;

	if ((!r->lines && !r->inlines) || has_inlined(p))
		return 0;
	inlining__init(&pl.inlining, p);
	vec__init(&pl.places, sizeof(struct place));
	error = gather(&pl);
	pl.vaddrs = mem_array(pl.places.len + 1, sizeof(*pl.vaddrs));
	pl.begin = mem_array(pl.places.len + 1, sizeof(*pl.begin));
	if (!pl.vaddrs || !pl.begin)
		error = -ENOMEM;
	if (!error)
		error = read_all(&pl);
	if (!error)
		error = inlining__apply(&pl.inlining);
	inlining__done(&pl.inlining);
	vec__done(&pl.places);
	mem_free(pl.vaddrs);
	mem_free(pl.begin);
	return error;
}
