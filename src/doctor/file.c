/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses the same functions as a recording: what can be opened and read here, a recording can use
 * too.
 */
#include "doctor/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/units.h"
#include "elf/cfi.h"
#include "elf/gopclntab.h"
#include "proc/mapfile.h"

/* Less than this is only the start-up code that compilers of all languages leave in a program. */
#define UNWINDS_PCT 50
#define WHOLE_PCT 90
/* Padding at the end of the code, and the little that assemblers leave without tables. */
#define SLACK_SZ 4096

/* Longer than gaps between functions, and than the start-up code without tables. */
#define BARE_SZ 512

struct cover {
	u64 bytes;
	u64 bare; /* in stretches of BARE_SZ at least */
	u64 last_off;
	bool open; /* the previous row had a rule */
};

static void count_bare(struct cover *c, u64 off)
{
	if (!c->open && off > c->last_off && off - c->last_off >= BARE_SZ)
		c->bare += off - c->last_off;
}

static int count_row(void *arg, u64 off, const struct cfi_rule *rule)
{
	struct cover *c = arg;

	if (c->open)
		c->bytes += off - c->last_off;
	count_bare(c, off);
	c->open = rule->cfa != CFI_CFA_NONE;
	c->last_off = off;
	return 0;
}

static void read_tables(struct doctor_file *f, const struct image *img)
{
	const struct image_segment *last;
	struct cover c = { 0 };
	u64 all = 0;
	size_t i;

	if (!img->segments_len)
		return;
	c.last_off = img->segments[0].off;
	if (cfi_read(img, f->range->path, count_row, &c, NULL))
		return;
	last = &img->segments[img->segments_len - 1];
	count_bare(&c, last->off + last->file_sz);
	/* There is no code between segments. */
	f->bare_sz = img->segments_len == 1 ? c.bare : 0;
	for (i = 0; i < img->segments_len; i++)
		all += img->segments[i].file_sz;
	f->unwind_pct = all ? (u32)(c.bytes * 100 / all) : 0;
	if (c.bytes && c.bytes + SLACK_SZ >= all)
		f->unwind_pct = 100;
}

static void read_image(struct doctor_file *f, const struct image *img)
{
	struct symtab_options opt = { .path = f->range->path };
	struct symtab *st = NULL;
	struct gopclntab *gp = NULL;

	if (symtab__load(img, &opt, &st, &f->why))
		return;
	f->is_go = !gopclntab__open(img, &gp, NULL);
	gopclntab__free(gp);
	f->source = symtab__source(st);
	f->functions = symtab__len(st);
	symtab__free(st);
	f->is_32bit = img->machine == EM_386 || img->machine == EM_ARM;
	read_tables(f, img);
	memcpy(f->build_id, img->build_id, sizeof(f->build_id));
}

/* Closes the file. */
static void read_file(struct doctor_file *f, int fd)
{
	struct image *img = NULL;

	if (!image__open(fd, f->range->path, &img, &f->why))
		read_image(f, img);
	close(fd);
	image__free(img);
}

void doctor_file__look(struct doctor_file *f, u32 tgid, const struct map_range *range)
{
	int fd;

	*f = (struct doctor_file){ .range = range };
	if (!module_file_open(tgid, range, &fd, &f->why))
		read_file(f, fd);
}

/* A descriptor, or an error. A FIFO must not block us. */
static int open_regular(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int r = fd < 0 ? -errno : fd;
	struct stat st;

	if (fd < 0)
		return err__set(err, r, "cannot open '%s': %s", path, err_str(r));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err__set(err, -EINVAL, "'%s' is not a regular file", path);
	}
	return fd;
}

void doctor_file__look_at_path(struct doctor_file *f, const struct map_range *range)
{
	int fd;

	*f = (struct doctor_file){ .range = range };
	fd = open_regular(range->path, &f->why);
	if (fd >= 0)
		read_file(f, fd);
}

bool doctor_file__unwinds(const struct doctor_file *f)
{
	return !f->why.code && (f->is_go || f->unwind_pct >= UNWINDS_PCT);
}

bool doctor_file__named(const struct doctor_file *f)
{
	return !f->why.code && f->source != SYMTAB_NONE && f->source != SYMTAB_DYNSYM;
}

static const char *words_of(enum symtab_source source)
{
	static const char *const words[] = {
		[SYMTAB_NONE] = "no functions have names",
		[SYMTAB_OWN] = "functions in .symtab",
		[SYMTAB_SEPARATE] = "functions in a separate debug file",
		[SYMTAB_DEBUGDATA] = "functions in .gnu_debugdata",
		[SYMTAB_DYNSYM] = "exported functions only",
		[SYMTAB_GO] = "functions in .gopclntab",
	};

	return words[source];
}

void doctor_file__describe_names(const struct doctor_file *f, char *buf, size_t sz)
{
	char count[32] = "";

	if (f->source != SYMTAB_NONE)
		units_format_count(f->functions, count, sizeof(count));
	snprintf(buf, sz, "%s%s%s", count, count[0] ? " " : "", words_of(f->source));
}

void doctor_file__describe_tables(const struct doctor_file *f, char *buf, size_t sz)
{
	if (f->unwind_pct >= WHOLE_PCT)
		snprintf(buf, sz, "unwind tables");
	else if (f->unwind_pct)
		snprintf(buf, sz, "unwind tables for %u%% of its code", f->unwind_pct);
	else
		snprintf(buf, sz, "no unwind tables");
}

void doctor_file__describe(const struct doctor_file *f, char *buf, size_t sz)
{
	char tables[64];
	size_t len;

	if (f->why.code) {
		snprintf(buf, sz, "%s", f->why.msg);
		return;
	}
	doctor_file__describe_names(f, buf, sz);
	len = strlen(buf);
	if (doctor_file__unwinds(f) && doctor_file__named(f))
		return;
	doctor_file__describe_tables(f, tables, sizeof(tables));
	snprintf(buf + len, sz - len, "; %s; build ID %s", tables,
		 f->build_id[0] ? f->build_id : "none");
}

const char *doctor_file__name(const struct doctor_file *f)
{
	const char *slash = strrchr(f->range->path, '/');

	return slash ? slash + 1 : f->range->path;
}
