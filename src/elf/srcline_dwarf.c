/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in the child process, see srcline.c. One pass over the compilation units: for each unit only
 * the root is read, and units without any of the addresses are skipped, so the work grows with the
 * addresses, not with the file. .debug_aranges would find the units too, but clang and rustc do not
 * write it.
 *
 * libdw keeps the decoded lines of each unit, some 40 bytes per line, as long as its handle exists;
 * so the handle is recreated from time to time.
 *
 * In a unit with a match, functions are searched among its outer entries and those of namespaces
 * and classes, and inside a function only entries that contain the address.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <libelf.h>

#include "base/mem.h"
#include "elf/srcline_priv.h"

/* Nested namespaces, and blocks in functions: deeper than any compiler goes. */
#define NESTING_MAX 64

/* Lines that libdw may keep. */
#define LINES_MAX (1UL << 20)

struct reader {
	const struct srcline_job *job;
	struct sink *out;
	Elf *elf;
	Elf *alt_elf; /* NULL: none */
	Dwarf *dwarf;
	Dwarf *alt;
	size_t lines; /* decoded since `dwarf` was made */
	Dwarf_Die unit;
	bool *answered; /* by address */
	struct srcline_call calls[SRCLINE_CALLS_MAX];
	size_t len;
};

static u64 addr_at(const struct reader *rd, size_t idx)
{
	return rd->job->vaddrs[idx] + rd->job->file->bias;
}

/* The first address that is not below `addr`. */
static size_t first_from(const struct reader *rd, u64 addr)
{
	size_t low = 0, high = rd->job->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addr_at(rd, mid) < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Calls `fn` for each unanswered address in an entry's ranges; whether there were any. */
static bool each_in(struct reader *rd, Dwarf_Die *die,
		    void (*fn)(struct reader *, Dwarf_Die *, size_t))
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	bool any = false;

	while ((off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		size_t i;

		/* linkers leave functions that they dropped at 0 */
		for (i = first_from(rd, start); start && i < rd->job->len && addr_at(rd, i) < end;
		     i++) {
			if (rd->answered[i])
				continue;
			any = true;
			if (fn)
				fn(rd, die, i);
		}
	}
	return any;
}

static void take_line(struct reader *rd, u64 addr)
{
	struct srcline_call *call = &rd->calls[rd->len - 1];
	Dwarf_Line *line = rd->job->want.lines ? dwarf_getsrc_die(&rd->unit, addr) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number = 0;

	/* line 0 is code without a line */
	if (!file || dwarf_lineno(line, &number) || number <= 0)
		return;
	call->file = file;
	call->line = (u32)number;
}

static u64 number_of(Dwarf_Die *die, unsigned int attr)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	if (!dwarf_attr(die, attr, &found) || dwarf_formudata(&found, &value))
		return 0;
	return value;
}

/* Where the last call so far calls the function of `die`. */
static void take_call_site(struct reader *rd, Dwarf_Die *die)
{
	struct srcline_call *call = &rd->calls[rd->len - 1];
	const char *file = NULL;
	Dwarf_Files *files;
	size_t len;
	u64 idx, line;

	if (!rd->job->want.lines || dwarf_getsrcfiles(&rd->unit, &files, &len))
		return;
	idx = number_of(die, DW_AT_call_file);
	line = number_of(die, DW_AT_call_line);
	if (idx < len)
		file = dwarf_filesrc(files, idx, NULL, NULL);
	if (!file || !line || line > INT32_MAX)
		return;
	call->file = file;
	call->line = (u32)line;
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int attrs[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	size_t i;

	for (i = 0; i < ARRAY_LEN(attrs); i++) {
		Dwarf_Attribute found;
		const char *name = NULL;

		if (dwarf_attr_integrate(die, attrs[i], &found))
			name = dwarf_formstring(&found);
		if (name && *name)
			return name;
	}
	return "[inlined]";
}

static void begin_calls(struct reader *rd)
{
	rd->calls[0] = (struct srcline_call){ .name = "", .file = "" };
	rd->len = 1;
}

/* Ends the record of an address. Without a line and inlined functions there is none to write. */
static void end_calls(struct reader *rd, size_t idx)
{
	take_line(rd, addr_at(rd, idx));
	rd->answered[idx] = true;
	if (rd->len > 1 || rd->calls[0].line)
		srcline_put(rd->out, idx, rd->calls, rd->len);
}

/* The entry directly below `die` that contains the address and belongs to the same function. */
static bool enter(Dwarf_Die *die, u64 addr, Dwarf_Die *ret_child)
{
	int r = dwarf_child(die, ret_child);

	for (; r == 0; r = dwarf_siblingof(ret_child, ret_child)) {
		switch (dwarf_tag(ret_child)) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			if (dwarf_haspc(ret_child, addr) > 0)
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

static void answer_in_function(struct reader *rd, Dwarf_Die *function, size_t idx)
{
	Dwarf_Die at = *function, child;
	u64 addr = addr_at(rd, idx);
	u32 depth;

	begin_calls(rd);
	for (depth = 0; depth < NESTING_MAX && enter(&at, addr, &child); depth++) {
		at = child;
		if (dwarf_tag(&at) != DW_TAG_inlined_subroutine)
			continue;
		if (rd->len == SRCLINE_CALLS_MAX)
			break;
		take_call_site(rd, &at);
		rd->calls[rd->len++] = (struct srcline_call){ .name = name_of(&at), .file = "" };
	}
	end_calls(rd, idx);
}

static void answer_without_function(struct reader *rd, Dwarf_Die *unit, size_t idx)
{
	(void)unit;
	begin_calls(rd);
	end_calls(rd, idx);
}

static void read_functions(struct reader *rd, Dwarf_Die *parent, u32 depth)
{
	Dwarf_Die die;
	int r = dwarf_child(parent, &die);

	for (; r == 0; r = dwarf_siblingof(&die, &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			each_in(rd, &die, answer_in_function);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			if (depth < NESTING_MAX)
				read_functions(rd, &die, depth + 1);
			break;
		default:
			break;
		}
	}
}

/* Whether the file that dwz made for several others is the right one. */
static bool is_right_alt(Dwarf *dwarf, Elf *alt)
{
	const char *name;
	const void *want, *have;
	ssize_t want_sz = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &want);
	ssize_t have_sz = dwelf_elf_gnu_build_id(alt, &have);

	return want_sz > 0 && want_sz == have_sz && memcmp(want, have, (size_t)want_sz) == 0;
}

static int open_dwarf(struct reader *rd)
{
	rd->lines = 0;
	rd->dwarf = dwarf_begin_elf(rd->elf, DWARF_C_READ, NULL);
	if (!rd->dwarf)
		return -EINVAL;
	if (rd->alt_elf && is_right_alt(rd->dwarf, rd->alt_elf))
		rd->alt = dwarf_begin_elf(rd->alt_elf, DWARF_C_READ, NULL);
	if (rd->alt)
		dwarf_setalt(rd->dwarf, rd->alt);
	return 0;
}

static void close_dwarf(struct reader *rd)
{
	dwarf_end(rd->dwarf);
	dwarf_end(rd->alt);
	rd->dwarf = rd->alt = NULL;
}

/* A new handle at the position of the old one. */
static int forget_lines(struct reader *rd, Dwarf_CU **unit)
{
	Dwarf_Off off = dwarf_dieoffset(&rd->unit);
	int r;

	close_dwarf(rd);
	r = open_dwarf(rd);
	if (r)
		return r;
	if (!dwarf_offdie(rd->dwarf, off, &rd->unit))
		return -EINVAL;
	*unit = rd->unit.cu;
	return 0;
}

static void read_unit(struct reader *rd)
{
	Dwarf_Lines *lines;
	size_t len;

	if (rd->job->want.inlines)
		read_functions(rd, &rd->unit, 0);
	each_in(rd, &rd->unit, answer_without_function);
	if (rd->job->want.lines && !dwarf_getsrclines(&rd->unit, &lines, &len))
		rd->lines += len;
	/* results so far count even if the next unit is too much */
	sink__finish(rd->out, NULL);
}

static int read_units(struct reader *rd)
{
	Dwarf_CU *unit = NULL;
	int r = 0;

	while (!r && dwarf_get_units(rd->dwarf, unit, &unit, NULL, NULL, &rd->unit, NULL) == 0) {
		if (dwarf_tag(&rd->unit) == DW_TAG_invalid || !each_in(rd, &rd->unit, NULL))
			continue;
		read_unit(rd);
		if (rd->lines > LINES_MAX)
			r = forget_lines(rd, &unit);
	}
	return r;
}

/* What is left at the end is freed with the process. */
int srcline_job__run(const struct srcline_job *job, struct sink *out)
{
	struct reader rd = { .job = job, .out = out };
	int r;

	elf_version(EV_CURRENT);
	rd.elf = elf_begin(job->file->fd, ELF_C_READ_MMAP, NULL);
	if (job->file->alt_fd >= 0)
		rd.alt_elf = elf_begin(job->file->alt_fd, ELF_C_READ_MMAP, NULL);
	rd.answered = mem_array(job->len, sizeof(bool));
	if (!rd.elf || !rd.answered)
		return -EINVAL;
	r = open_dwarf(&rd);
	return r ? r : read_units(&rd);
}
