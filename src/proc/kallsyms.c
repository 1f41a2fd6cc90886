/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line is "ffffffff81000000 T _stext", followed by "\t[module]" for symbols of modules, BPF
 * programs ("[bpf]") and trampolines. There are some 120,000 lines, and the kernel needs 40 ms to
 * print them. We parse in one pass over a small buffer, while the text is still cached, and copy
 * only the names of text symbols, into one block.
 *
 * Symbols of other types get no name, but their addresses are kept, because they end the preceding
 * text symbol. The kernel's own part is sorted; modules and BPF programs follow in load order. The
 * order is checked, and the table sorted only if needed.
 *
 * If the kernel hides addresses, it prints zeros. Such a table would give every address the same
 * wrong name, so it is dropped, and only the fact is kept.
 */
#include "proc/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strtab.h"
#include "base/vec.h"

/* Far longer than any line: a name has at most 511 bytes. */
#define CHUNK_SZ (64UL << 10)
/* No function is longer; anything further after a symbol belongs to something unlisted. */
#define REACH_SZ (1ULL << 20)

struct ksym {
	u64 addr;
	u32 name; /* offset in names; 0: not a text symbol */
	u32 module; /* id in modules; 0: the kernel itself */
};

struct kallsyms {
	struct vec syms; /* of struct ksym, by address, then in file order */
	struct vec names; /* text symbols' names, each with its NUL; [0] is an empty one */
	struct strtab modules;
	size_t text_cnt;
	size_t lines;
	bool sorted;
	bool hidden;
};

void kallsyms__free(struct kallsyms *k)
{
	if (!k)
		return;
	vec__done(&k->syms);
	vec__done(&k->names);
	strtab__done(&k->modules);
	mem_free(k);
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static int add_name(struct kallsyms *k, const struct view *name, u32 *ret_off)
{
	size_t len = view__left(name), off = k->names.len;
	char *copy;

	if (off > UINT32_MAX)
		return -ENOMEM;
	copy = vec__push_n(&k->names, len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name->p, len);
	*ret_off = (u32)off;
	return 0;
}

/* "[name]", or nothing. */
static int parse_module(struct kallsyms *k, struct view *line, u32 *ret_id)
{
	struct view tok;
	size_t len;

	if (!view__token(line, &tok))
		return 0;
	len = view__left(&tok);
	if (len < 3 || tok.p[0] != '[' || tok.p[len - 1] != ']' || memchr(tok.p, '\0', len))
		return -EINVAL;
	return strtab__add_len(&k->modules, (const char *)tok.p + 1, len - 2, ret_id);
}

static int add_sym(struct kallsyms *k, const struct ksym *sym)
{
	struct ksym *copy;
	bool behind = !k->syms.len ||
		      ((struct ksym *)vec__at(&k->syms, k->syms.len - 1))->addr <= sym->addr;

	copy = vec__push(&k->syms);
	if (!copy)
		return -ENOMEM;
	*copy = *sym;
	k->sorted &= behind;
	k->text_cnt += sym->name != 0;
	return 0;
}

static int parse_line(struct kallsyms *k, struct view line)
{
	struct ksym sym = { .addr = view__hex(&line) };
	struct view name;
	const u8 *tab;
	char type;
	int r;

	/* hidden, or not in memory at all (per-CPU offsets): skip the rest */
	if (!sym.addr)
		return line.bad ? -EINVAL : 0;
	if (!view__accept(&line, ' '))
		return -EINVAL;
	type = (char)view__u8(&line);
	if (!view__accept(&line, ' '))
		return -EINVAL;
	tab = memchr(line.p, '\t', view__left(&line));
	name = view__of(line.p, tab ? (size_t)(tab - line.p) : view__left(&line));
	view__bytes(&line, view__left(&name));
	if (!view__left(&name) || memchr(name.p, '\0', view__left(&name)))
		return -EINVAL;
	r = parse_module(k, &line, &sym.module);
	if (!r && is_text(type))
		r = add_name(k, &name, &sym.name);
	return r ? r : add_sym(k, &sym);
}

static int parse_lines(struct kallsyms *k, struct view text, struct err *err)
{
	struct view line;

	while (view__line(&text, &line)) {
		int r = parse_line(k, line);

		k->lines++;
		if (r == -ENOMEM)
			return err__nomem(err);
		if (r)
			return err__set(err, r, "line %zu of kallsyms is malformed", k->lines);
	}
	return 0;
}

/* Names are stored in file order. */
static int compare_syms(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static struct kallsyms *new_empty(void)
{
	struct kallsyms *k = mem_alloc(sizeof(*k));

	if (!k)
		return NULL;
	vec__init(&k->syms, sizeof(struct ksym));
	vec__init(&k->names, 1);
	k->sorted = true;
	if (strtab__init(&k->modules) || !vec__push(&k->names)) {
		kallsyms__free(k);
		return NULL;
	}
	return k;
}

/* Hands out `k` on success, else frees it. */
static int finish(struct kallsyms *k, int r, struct kallsyms **ret)
{
	if (r) {
		kallsyms__free(k);
		return r;
	}
	k->hidden = k->lines && !k->syms.len;
	if (!k->sorted)
		qsort(k->syms.data, k->syms.len, sizeof(struct ksym), compare_syms);
	*ret = k;
	return 0;
}

int kallsyms__parse(struct kallsyms **ret, struct view text, struct err *err)
{
	struct kallsyms *k = new_empty();

	if (!k)
		return err__nomem(err);
	return finish(k, parse_lines(k, text, err), ret);
}

/* Parses the complete lines of `buf` and moves the rest to the front; *len is its length. */
static int parse_chunk(struct kallsyms *k, char *buf, size_t *len, struct err *err)
{
	char *newline = memrchr(buf, '\n', *len);
	size_t whole = newline ? (size_t)(newline - buf) + 1 : 0;
	int r = parse_lines(k, view__of(buf, whole), err);

	if (r)
		return r;
	*len -= whole;
	memmove(buf, buf + whole, *len);
	if (*len == CHUNK_SZ)
		return err__set(err, -EINVAL, "line %zu of kallsyms has no end", k->lines + 1);
	return 0;
}

static int parse_fd(struct kallsyms *k, int fd, char *buf, struct err *err)
{
	size_t len = 0;
	int r = 0;

	while (!r) {
		ssize_t n = read(fd, buf + len, CHUNK_SZ - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			r = -errno;
			return err__set(err, r, "cannot read /proc/kallsyms: %s", err_str(r));
		}
		if (!n)
			return parse_lines(k, view__of(buf, len), err);
		len += (size_t)n;
		r = parse_chunk(k, buf, &len, err);
	}
	return r;
}

int kallsyms__load(struct kallsyms **ret, struct err *err)
{
	struct kallsyms *k = new_empty();
	char *buf = mem_alloc(CHUNK_SZ);
	int fd, r;

	if (!k || !buf) {
		kallsyms__free(k);
		mem_free(buf);
		return err__nomem(err);
	}
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		r = -errno;
		err__set(err, r, "cannot open /proc/kallsyms: %s", err_str(r));
	} else {
		r = parse_fd(k, fd, buf, err);
		close(fd);
	}
	mem_free(buf);
	return finish(k, r, ret);
}

bool kallsyms__hidden(const struct kallsyms *k)
{
	return k->hidden;
}

size_t kallsyms__len(const struct kallsyms *k)
{
	return k->text_cnt;
}

static const struct ksym *sym_at(const struct kallsyms *k, size_t idx)
{
	return vec__at(&k->syms, idx);
}

/* Index of the first symbol above `addr`. */
static size_t first_above(const struct kallsyms *k, u64 addr)
{
	size_t lo = 0, hi = k->syms.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sym_at(k, mid)->addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first text symbol at the address of symbol `idx`, or NULL. */
static const struct ksym *text_sym_at(const struct kallsyms *k, size_t idx)
{
	u64 addr = sym_at(k, idx)->addr;
	const struct ksym *found = NULL;

	for (;; idx--) {
		if (sym_at(k, idx)->addr != addr)
			break;
		if (sym_at(k, idx)->name)
			found = sym_at(k, idx);
		if (!idx)
			break;
	}
	return found;
}

bool kallsyms__find(const struct kallsyms *k, u64 addr, const char **ret_name,
		    const char **ret_module, u64 *ret_off)
{
	size_t above = first_above(k, addr);
	const struct ksym *sym = above ? text_sym_at(k, above - 1) : NULL;

	if (!sym || addr - sym->addr >= REACH_SZ)
		return false;
	*ret_name = vec__at(&k->names, sym->name);
	*ret_module = strtab__get(&k->modules, sym->module);
	*ret_off = addr - sym->addr;
	return true;
}

bool kallsyms__range(const struct kallsyms *k, const char *name, u64 *ret_start, u64 *ret_end)
{
	size_t i, above;
	u64 start, end;

	for (i = 0; i < k->syms.len; i++) {
		if (sym_at(k, i)->name && !strcmp(vec__at(&k->names, sym_at(k, i)->name), name))
			break;
	}
	if (i == k->syms.len)
		return false;
	start = sym_at(k, i)->addr;
	above = first_above(k, start);
	end = start > UINT64_MAX - REACH_SZ ? UINT64_MAX : start + REACH_SZ;
	if (above < k->syms.len && sym_at(k, above)->addr < end)
		end = sym_at(k, above)->addr;
	*ret_start = start;
	*ret_end = end;
	return true;
}
