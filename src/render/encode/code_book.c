/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A location is an address with the functions inlined there, innermost first. We have each as a
 * frame of a stack, so frames of one address are interned as a chain from the outermost inwards;
 * where one ends, its id is that of the location.
 *
 * Formats need to know where each file was mapped, which a profile does not store: it has the
 * offset in the file, which is the same in all processes. So each file gets a made-up address,
 * MODULE_ROOM apart, and the mapping is the part of it with code that was seen. From address, start
 * and offset a reader can compute the offset in the file. The mapping must not begin before that
 * part: readers look for the file's segment that contains its start.
 */
#include "render/encode/code_book.h"

#include <errno.h>
#include <string.h>

#include "analysis/view/wait_stacks.h"
#include "base/mem.h"
#include "base/text/utf8.h"

#define MODULE_ROOM (1ULL << 40)
#define PAGE_MASK 4095ULL
#define COMM_LEN 15

struct note {
	u32 name;
};

static bool has_offsets(const struct profile_module *m)
{
	return m->kind == MODULE_ELF || m->kind == MODULE_VDSO;
}

/* 0: unknown. The address of a call, not the return address, as in pprof. */
static u64 address_of(const struct profile *p, const struct profile_frame *f)
{
	const struct profile_module *m = &p->modules[f->module];
	u64 addr = f->addr;

	if (f->flags & FRAME_TRUNCATED || m->kind == MODULE_CODE || m->kind == MODULE_NOTE)
		return 0;
	if (f->flags & FRAME_RETURN && addr)
		addr--;
	if (!has_offsets(m))
		return addr;
	return addr < MODULE_ROOM ? f->module * MODULE_ROOM + addr : 0;
}

static void measure_modules(struct code_book *b)
{
	u32 i;

	for (i = 1; i < b->p->frames_len; i++) {
		const struct profile_frame *f = &b->p->frames[i];
		struct code_module *m = &b->modules[f->module];
		u64 addr = address_of(b->p, f);
		u64 start = addr & ~PAGE_MASK;
		u64 limit = (addr | PAGE_MASK) + (addr < ~PAGE_MASK);

		m->has_names |= f->name && !(f->flags & (FRAME_TRUNCATED | FRAME_NOTE));
		m->has_lines |= f->file != 0;
		m->has_inlined |= (f->flags & FRAME_INLINED) != 0;
		if (addr && (!m->limit || start < m->start))
			m->start = start;
		if (addr && limit > m->limit)
			m->limit = limit;
	}
}

int code_book__init(struct code_book *b, const struct profile *p, const struct labels *labels)
{
	int r;

	memset(b, 0, sizeof(*b));
	b->p = p;
	b->labels = labels;
	vec__init(&b->group, sizeof(u32));
	b->modules = mem_array(p->modules_len, sizeof(*b->modules));
	if (!b->modules)
		return -ENOMEM;
	measure_modules(b);
	r = strtab__init(&b->strings);
	if (!r)
		r = intern__init(&b->links, sizeof(struct code_link),
				 offsetof(struct code_link, used));
	if (!r)
		r = intern__init(&b->functions, sizeof(struct code_function),
				 sizeof(struct code_function));
	if (!r)
		r = intern__init(&b->notes, sizeof(struct note), sizeof(struct note));
	return r;
}

void code_book__done(struct code_book *b)
{
	if (!b)
		return;
	vec__done(&b->group);
	intern__done(&b->notes);
	intern__done(&b->functions);
	intern__done(&b->links);
	strtab__done(&b->strings);
	mem_free(b->modules);
	memset(b, 0, sizeof(*b));
}

int code_book__str(struct code_book *b, const char *s, u32 *ret_id)
{
	char *clean = utf8_clean(s);
	int r = clean ? strtab__add(&b->strings, clean, ret_id) : -ENOMEM;

	mem_free(clean);
	return r;
}

static int add_chain(struct code_book *b, const struct code_link *fresh, u32 *ret_id)
{
	return intern__add(&b->links, fresh, ret_id);
}

static void mark_used(struct code_book *b, u32 id)
{
	((struct code_link *)intern__at(&b->links, id))->used = 1;
}

/* Whether `inner` was inlined in the next frame. */
static bool is_host(const struct profile_frame *inner, const struct profile_frame *next)
{
	return inner->flags & FRAME_INLINED && inner->module == next->module &&
	       inner->addr == next->addr;
}

int code_book__location(struct code_book *b, u32 *node, u32 *ret_id)
{
	const struct profile *p = b->p;
	u32 id = 0, frame, *slot;
	size_t i;
	int r = 0;

	vec__reset(&b->group);
	do {
		frame = p->stacks[*node].frame;
		slot = vec__push(&b->group);
		if (!slot)
			return -ENOMEM;
		*slot = frame;
		*node = p->stacks[*node].parent;
	} while (*node && is_host(&p->frames[frame], &p->frames[p->stacks[*node].frame]));
	for (i = b->group.len; i-- > 0 && !r;) {
		struct code_link fresh = { .outer = id };

		fresh.frame = *(u32 *)vec__at(&b->group, i);
		b->modules[p->frames[fresh.frame].module].used = true;
		r = add_chain(b, &fresh, &id);
	}
	if (!r)
		mark_used(b, id);
	*ret_id = id;
	return r;
}

int code_book__note(struct code_book *b, const char *note, u32 *ret_id)
{
	struct code_link fresh = { 0 };
	struct note key = { 0 };
	int r = code_book__str(b, note, &key.name);

	if (!r)
		r = intern__add(&b->notes, &key, &fresh.note);
	if (!r)
		r = add_chain(b, &fresh, ret_id);
	if (!r)
		mark_used(b, *ret_id);
	return r;
}

const struct code_link *code_book__link(const struct code_book *b, u32 id)
{
	return intern__at(&b->links, id);
}

u64 code_book__address(const struct code_book *b, const struct code_link *link)
{
	return address_of(b->p, &b->p->frames[link->frame]);
}

u64 code_book__file_offset(const struct code_book *b, u32 module)
{
	return has_offsets(&b->p->modules[module]) ? b->modules[module].start % MODULE_ROOM : 0;
}

int code_book__function(struct code_book *b, const struct code_link *link, u32 *ret_id,
			u32 *ret_line)
{
	const struct profile_frame *f = &b->p->frames[link->frame];
	struct code_function key = { 0 };
	int r;

	*ret_line = f->line;
	if (link->note) {
		key.name = ((const struct note *)intern__at(&b->notes, link->note))->name;
		return intern__add(&b->functions, &key, ret_id);
	}
	r = code_book__str(b,
			   f->name ? profile__str(b->p, f->name) :
				     labels__frame(b->labels, link->frame),
			   &key.name);
	if (!r && f->file)
		r = code_book__str(b, profile__str(b->p, f->file), &key.file);
	return r ? r : intern__add(&b->functions, &key, ret_id);
}

/* The thread with the longest wait. */
static const struct profile_task *chief_task(const struct profile *p)
{
	u32 best = 0, i;

	for (i = 1; i < p->waits_len; i++) {
		if (wait_ns(&p->waits[i]) > wait_ns(&p->waits[best]))
			best = i;
	}
	return &p->tasks[p->waits[best].task];
}

/*
 * The file after which the process with the longest wait is named, or else any that is not a
 * library.
 */
u32 code_book__main_module(const struct code_book *b)
{
	const char *comm = profile__str(b->p, chief_task(b->p)->group_comm);
	u32 best = 0, best_rank = 0, i;

	for (i = 1; i < b->p->modules_len; i++) {
		const char *path = profile__str(b->p, b->p->modules[i].path);
		u32 rank = 1;

		if (!b->modules[i].used || b->p->modules[i].kind != MODULE_ELF)
			continue;
		if (*comm && strncmp(label_basename(path), comm, COMM_LEN) == 0)
			rank = 3;
		else if (!strstr(path, ".so"))
			rank = 2;
		if (rank > best_rank) {
			best_rank = rank;
			best = i;
		}
	}
	return best;
}
