/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pprof location is an address with the functions inlined there, innermost first. We have each as
 * a frame of a stack, so frames of one address are interned as a chain from the outermost inwards;
 * where one ends, its id is that of the location.
 *
 * pprof needs to know where each file was mapped, which a profile does not store: it has the offset
 * in the file, which is the same in all processes. So each file gets a made-up address, MODULE_ROOM
 * apart, and the mapping is the part of it with code that was seen. From address, start and offset
 * a reader can compute the offset in the file. The mapping must not begin before that part: readers
 * look for the file's segment that contains its start.
 *
 * Every location has a function, because readers drop or merge those without: an unnamed one has
 * our label, "[libfoo.so+0x12]". A mapping without any name says that it has no functions, so `go
 * tool pprof` searches the file and names what it can.
 */
#include "render/pprof/pprof_code.h"

#include <errno.h>

#include "base/mem.h"
#include "base/text/utf8.h"

#define MODULE_ROOM (1ULL << 40)
#define PAGE_MASK 4095ULL
#define COMM_LEN 15

struct chain {
	u32 outer; /* 0: it is the outermost */
	u32 frame; /* of the profile, or 0 for a note */
	u32 note;
	u32 used; /* not of the key: it ends here */
};

struct function {
	u32 name;
	u32 file;
};

struct note {
	u32 name;
};

struct pprof_module {
	bool used;
	bool has_names;
	bool has_lines;
	bool has_inlined;
	u64 start; /* of memory, whole pages; limit 0: no known address */
	u64 limit;
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

	if (f->flags & FRAME_TRUNCATED || m->kind == MODULE_CODE)
		return 0;
	if (f->flags & FRAME_RETURN && addr)
		addr--;
	if (!has_offsets(m))
		return addr;
	return addr < MODULE_ROOM ? f->module * MODULE_ROOM + addr : 0;
}

static void measure_modules(struct pprof_code *c)
{
	u32 i;

	for (i = 1; i < c->p->frames_len; i++) {
		const struct profile_frame *f = &c->p->frames[i];
		struct pprof_module *m = &c->modules[f->module];
		u64 addr = address_of(c->p, f);
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

int pprof_code__init(struct pprof_code *c, const struct profile *p, const struct labels *labels)
{
	int r;

	memset(c, 0, sizeof(*c));
	c->p = p;
	c->labels = labels;
	vec__init(&c->group, sizeof(u32));
	c->modules = mem_array(p->modules_len, sizeof(*c->modules));
	if (!c->modules)
		return -ENOMEM;
	measure_modules(c);
	r = strtab__init(&c->strings);
	if (!r)
		r = intern__init(&c->chains, sizeof(struct chain), offsetof(struct chain, used));
	if (!r)
		r = intern__init(&c->functions, sizeof(struct function), sizeof(struct function));
	if (!r)
		r = intern__init(&c->notes, sizeof(struct note), sizeof(struct note));
	return r;
}

void pprof_code__done(struct pprof_code *c)
{
	if (!c)
		return;
	vec__done(&c->group);
	intern__done(&c->notes);
	intern__done(&c->functions);
	intern__done(&c->chains);
	strtab__done(&c->strings);
	mem_free(c->modules);
	memset(c, 0, sizeof(*c));
}

int pprof_code__str(struct pprof_code *c, const char *s, u32 *ret_id)
{
	char *clean = utf8_clean(s);
	int r = clean ? strtab__add(&c->strings, clean, ret_id) : -ENOMEM;

	mem_free(clean);
	return r;
}

static int add_chain(struct pprof_code *c, const struct chain *fresh, u32 *ret_id)
{
	return intern__add(&c->chains, fresh, ret_id);
}

static void mark_used(struct pprof_code *c, u32 id)
{
	((struct chain *)intern__at(&c->chains, id))->used = 1;
}

/* Whether `inner` was inlined in the next frame. */
static bool is_host(const struct profile_frame *inner, const struct profile_frame *next)
{
	return inner->flags & FRAME_INLINED && inner->module == next->module &&
	       inner->addr == next->addr;
}

int pprof_code__location(struct pprof_code *c, u32 *node, u32 *ret_id)
{
	const struct profile *p = c->p;
	u32 id = 0, frame, *slot;
	size_t i;
	int r = 0;

	vec__reset(&c->group);
	do {
		frame = p->stacks[*node].frame;
		slot = vec__push(&c->group);
		if (!slot)
			return -ENOMEM;
		*slot = frame;
		*node = p->stacks[*node].parent;
	} while (*node && is_host(&p->frames[frame], &p->frames[p->stacks[*node].frame]));
	for (i = c->group.len; i-- > 0 && !r;) {
		struct chain fresh = { .outer = id };

		fresh.frame = *(u32 *)vec__at(&c->group, i);
		c->modules[p->frames[fresh.frame].module].used = true;
		r = add_chain(c, &fresh, &id);
	}
	if (!r)
		mark_used(c, id);
	*ret_id = id;
	return r;
}

int pprof_code__note(struct pprof_code *c, const char *note, u32 *ret_id)
{
	struct chain fresh = { 0 };
	struct note key = { 0 };
	int r = pprof_code__str(c, note, &key.name);

	if (!r)
		r = intern__add(&c->notes, &key, &fresh.note);
	if (!r)
		r = add_chain(c, &fresh, ret_id);
	if (!r)
		mark_used(c, *ret_id);
	return r;
}

void pprof_put(struct gzip *gz, struct proto *m)
{
	gzip__put(gz, m->bytes.data, m->bytes.len);
	proto__reset(m);
}

/* The function of a link of a chain, and its line. */
static int function_of(struct pprof_code *c, const struct chain *link, u32 *ret_id, u32 *ret_line)
{
	const struct profile_frame *f = &c->p->frames[link->frame];
	struct function key = { 0 };
	int r;

	*ret_line = f->line;
	if (link->note) {
		key.name = ((const struct note *)intern__at(&c->notes, link->note))->name;
		return intern__add(&c->functions, &key, ret_id);
	}
	r = pprof_code__str(c,
			    f->name ? profile__str(c->p, f->name) :
				      labels__frame(c->labels, link->frame),
			    &key.name);
	if (!r && f->file)
		r = pprof_code__str(c, profile__str(c->p, f->file), &key.file);
	return r ? r : intern__add(&c->functions, &key, ret_id);
}

static int put_location(struct pprof_code *c, struct gzip *gz, u32 id, struct proto m[3])
{
	const struct chain *link = intern__at(&c->chains, id);
	const struct profile_frame *f = &c->p->frames[link->frame];

	proto__u64(&m[1], 1, id);
	proto__u64(&m[1], 2, f->module);
	proto__u64(&m[1], 3, address_of(c->p, f));
	while (id) {
		u32 function, line;
		int r;

		link = intern__at(&c->chains, id);
		r = function_of(c, link, &function, &line);
		if (r)
			return r;
		proto__u64(&m[2], 1, function);
		proto__u64(&m[2], 2, line);
		proto__message(&m[1], 4, &m[2]);
		id = link->outer;
	}
	proto__message(&m[0], PPROF_LOCATION, &m[1]);
	pprof_put(gz, &m[0]);
	return 0;
}

static void put_function(struct pprof_code *c, struct gzip *gz, u32 id, struct proto m[2])
{
	const struct function *f = intern__at(&c->functions, id);

	proto__u64(&m[1], 1, id);
	proto__u64(&m[1], 2, f->name);
	proto__u64(&m[1], 3, f->name);
	proto__u64(&m[1], 4, f->file);
	proto__message(&m[0], PPROF_FUNCTION, &m[1]);
	pprof_put(gz, &m[0]);
}

static int put_mapping(struct pprof_code *c, struct gzip *gz, u32 id, struct proto m[2])
{
	const struct profile_module *module = &c->p->modules[id];
	const struct pprof_module *mem = &c->modules[id];
	u32 file = 0, build_id = 0;
	int r;

	r = pprof_code__str(c, profile__str(c->p, module->path), &file);
	if (!r)
		r = pprof_code__str(c, profile__str(c->p, module->build_id), &build_id);
	proto__u64(&m[1], 1, id);
	proto__u64(&m[1], 2, mem->start);
	proto__u64(&m[1], 3, mem->limit);
	proto__u64(&m[1], 4, has_offsets(module) ? mem->start % MODULE_ROOM : 0);
	proto__u64(&m[1], 5, file);
	proto__u64(&m[1], 6, build_id);
	proto__u64(&m[1], 7, mem->has_names);
	proto__u64(&m[1], 8, mem->has_lines);
	proto__u64(&m[1], 9, mem->has_lines);
	proto__u64(&m[1], 10, mem->has_inlined);
	proto__message(&m[0], PPROF_MAPPING, &m[1]);
	pprof_put(gz, &m[0]);
	return r;
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
 * Readers show the first mapping as the profiled program: the file after which the process with the
 * longest wait is named, or else any that is not a library.
 */
static u32 main_module(const struct pprof_code *c)
{
	const char *comm = profile__str(c->p, chief_task(c->p)->group_comm);
	u32 best = 0, best_rank = 0, i;

	for (i = 1; i < c->p->modules_len; i++) {
		const char *path = profile__str(c->p, c->p->modules[i].path);
		u32 rank = 1;

		if (!c->modules[i].used || c->p->modules[i].kind != MODULE_ELF)
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

static int put_mappings(struct pprof_code *c, struct gzip *gz, struct proto m[2])
{
	u32 first = main_module(c), i;
	int r = first ? put_mapping(c, gz, first, m) : 0;

	for (i = 1; i < c->p->modules_len && !r; i++) {
		if (c->modules[i].used && i != first)
			r = put_mapping(c, gz, i, m);
	}
	return r;
}

int pprof_code__put(struct pprof_code *c, struct gzip *gz)
{
	struct proto m[3];
	u32 i;
	int r = 0;

	for (i = 0; i < ARRAY_LEN(m); i++)
		proto__init(&m[i]);
	for (i = 1; i < intern__len(&c->chains) && !r; i++) {
		if (((const struct chain *)intern__at(&c->chains, i))->used)
			r = put_location(c, gz, i, m);
	}
	for (i = 1; i < intern__len(&c->functions) && !r; i++)
		put_function(c, gz, i, m);
	if (!r)
		r = put_mappings(c, gz, m);
	for (i = 0; i < strtab__len(&c->strings) && !r; i++) {
		const char *s = strtab__get(&c->strings, i);

		proto__bytes(&m[0], PPROF_STRING, s, strlen(s));
		pprof_put(gz, &m[0]);
	}
	if (!r)
		r = m[0].error ? m[0].error : gz->error;
	for (i = 0; i < ARRAY_LEN(m); i++)
		proto__done(&m[i]);
	return r;
}
