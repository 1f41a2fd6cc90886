/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go's runtime leaves the stack of a goroutine for that of the thread and back, in a few functions
 * of assembly. What lies above their frame is left over from somebody else, and the frame pointer
 * is that of the goroutine: going on, by the rules that the linker of Go writes or by the frame
 * pointer, gives callers that never called. Go's own traces know these functions by heart, and so
 * does this file. Those that wait for a goroutine's function to come back have a caller, on the
 * stack that was left; no rule leads there.
 *
 * Their names are in the table that Go keeps for itself. The rows go through here on their way from
 * elf/cfi, which knows nothing of languages.
 */
#include "unwind/go_ends.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "elf/gopclntab.h"

/* Symbol tables say so of assembly; Go's own table has not been seen to. */
#define ABI0 ".abi0"

static const struct {
	const char *name;
	enum cfi_cfa cfa;
} known[] = {
	{ "runtime.rt0_go", CFI_CFA_END }, /* the first thread */
	{ "runtime.mstart", CFI_CFA_END }, /* every other */
	{ "runtime.goexit", CFI_CFA_END }, /* a goroutine */
	{ "runtime.mcall", CFI_CFA_END }, /* a goroutine gave way to the scheduler */
	{ "runtime.morestack", CFI_CFA_END },
	{ "runtime.systemstack", CFI_CFA_END },
	{ "runtime.asmcgocall", CFI_CFA_UNSUPPORTED }, /* C */
	/* the vDSO, which wants more stack than a goroutine may have */
	{ "runtime.nanotime1", CFI_CFA_UNSUPPORTED },
	{ "runtime.walltime", CFI_CFA_UNSUPPORTED },
	{ "time.now", CFI_CFA_UNSUPPORTED },
};

static bool find_known(const char *name, enum cfi_cfa *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++) {
		size_t len = strlen(known[i].name);

		if (strncmp(name, known[i].name, len) || (name[len] && strcmp(name + len, ABI0)))
			continue;
		*ret = known[i].cfa;
		return true;
	}
	return false;
}

/*
 * Leaves out what cannot be: code that is not in the file, or lies before the one before. And the
 * last byte, which pads: Go puts the address of systemstack_switch on stacks as if it had called
 * there, and a return address is looked up one byte before it. That byte is in another function.
 */
static void add(struct go_ends *e, const struct image *img, u64 start, u64 end, enum cfi_cfa cfa)
{
	const struct image_segment *s = image__segment_at(img, start);
	u64 off, last = e->len ? e->at[e->len - 1].end : 0;

	if (!s || start - s->vaddr >= s->file_sz || end <= start + 1)
		return;
	if (end - s->vaddr > s->file_sz)
		end = s->vaddr + s->file_sz;
	end--;
	off = s->off + (start - s->vaddr);
	if (end > start && off >= last && off <= UINT64_MAX - (end - start))
		e->at[e->len++] = (struct go_end){ off, off + (end - start), cfa };
}

int go_ends__read(struct go_ends *e, const struct image *img)
{
	struct gopclntab *gp = NULL;
	size_t i, len;
	int r;

	e->len = 0;
	if (img->machine != EM_X86_64 && img->machine != EM_AARCH64)
		return 0;
	r = gopclntab__open(img, &gp, NULL);
	if (r)
		return r == -ENOMEM ? r : 0;
	len = gopclntab__len(gp);
	for (i = 0; i < len && e->len < GO_ENDS_MAX; i++) {
		const char *name;
		enum cfi_cfa cfa;
		u64 start, end;

		if (gopclntab__func(gp, i, &start, &end, &name) && find_known(name, &cfa))
			add(e, img, start, end, cfa);
	}
	gopclntab__free(gp);
	return 0;
}

struct merging {
	const struct go_end *next; /* the one that begins next, or that the rows are in */
	const struct go_end *stop;
	bool inside;
	struct cfi_rule covered; /* what the rows say without us */
	cfi_row_fn fn;
	void *arg;
};

static int begin(struct merging *m)
{
	const struct cfi_rule rule = { .cfa = (u8)m->next->cfa };

	m->inside = true;
	return m->fn(m->arg, m->next->off, &rule);
}

/* `off` is where a row follows by itself, if it is the end of this one. */
static int end(struct merging *m, u64 off)
{
	u64 at = m->next->end;

	m->inside = false;
	m->next++;
	/* one offset, one row */
	if (at == off || (m->next < m->stop && m->next->off == at))
		return 0;
	return m->fn(m->arg, at, &m->covered);
}

/* Brings the rows up to `off`. */
static int reach(struct merging *m, u64 off)
{
	int r = 0;

	while (!r && m->next < m->stop && (m->inside ? m->next->end : m->next->off) <= off)
		r = m->inside ? end(m, off) : begin(m);
	return r;
}

static int take_row(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct merging *m = arg;
	int r = reach(m, off);

	m->covered = *rule;
	return r || m->inside ? r : m->fn(m->arg, off, rule);
}

int go_ends__cfi_read(const struct go_ends *e, const struct image *img, const char *name,
		      cfi_row_fn fn, void *arg, struct err *err)
{
	struct merging m = { .next = e->at, .stop = e->at + e->len, .fn = fn, .arg = arg };
	struct err why = { 0 };
	int r = cfi_read(img, name, take_row, &m, &why);

	if (r && !(r == -ENODATA && e->len)) {
		if (err && why.code)
			*err = why;
		return r;
	}
	/* the last row said that there is nothing more, and so does `covered` */
	return reach(&m, UINT64_MAX);
}
