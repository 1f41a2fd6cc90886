/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbol is looked up here and not by libbpf, which takes the first of several functions with
 * one name.
 */
#include "capture/program/request_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "abi/moment.h"
#include "base/mem.h"
#include "elf/image.h"
#include "elf/lookup.h"
#include "proc/maps.h"

#define PATH_SZ 4096
#define FUNC_SZ 512
#define UPROBE "uprobe:"
#define AUTO "auto"

void request_probes__init(struct request_probes *rp)
{
	vec__init(&rp->list, sizeof(struct request_probe));
}

void request_probes__done(struct request_probes *rp)
{
	for (size_t i = 0; i < rp->list.len; i++) {
		struct request_probe *p = vec__at(&rp->list, i);

		mem_free(p->class);
		mem_free(p->path);
	}
	vec__done(&rp->list);
}

/* A directory of $PATH, as a shell would look for the program. */
static bool find_in_path(const char *name, char *path)
{
	const char *at = getenv("PATH");

	while (at && *at) {
		size_t len = strcspn(at, ":");

		if (snprintf(path, PATH_SZ, "%.*s/%s", (int)len, at, name) < PATH_SZ &&
		    !access(path, X_OK))
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

/* A library or program that a recorded process has mapped, as that process sees it. */
static bool find_in_process(u32 pid, const char *name, char *path)
{
	const struct map_range *range;
	struct err err = { 0 };
	struct maps maps;
	bool found;

	maps__read(&maps, pid, &err);
	range = maps__code_named(&maps, name, true);
	found = range && snprintf(path, PATH_SZ, "/proc/%u/root%s", pid, range->path) < PATH_SZ;
	maps__done(&maps);
	return found;
}

static int find_file(const char *name, const struct capture_options *opt, char *path,
		     struct err *err)
{
	if (strchr(name, '/')) {
		snprintf(path, PATH_SZ, "%s", name);
		return 0;
	}
	for (size_t i = 0; i < opt->ids_len; i++)
		if (find_in_process(opt->ids[i], name, path))
			return 0;
	if (find_in_path(name, path))
		return 0;
	return err__set(err, -ENOENT,
			"--request: '%s' is neither in $PATH nor mapped by a recorded process; "
			"give its path",
			name);
}

struct search {
	const char *func;
	u64 vaddr;
	u32 found; /* different addresses */
};

static bool see_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct search *s = arg;
	size_t len = strcspn(name, "@");

	(void)sz;
	if (!vaddr || strncmp(name, s->func, len) || s->func[len])
		return true;
	s->found += !s->found || vaddr != s->vaddr;
	s->vaddr = vaddr;
	return s->found < 2;
}

static int find_func(const struct image *img, const char *path, const char *func, u64 *ret_off,
		     struct err *err)
{
	struct search s = { .func = func };
	const struct image_segment *seg;

	lookup_symbols(img, LOOKUP_SYMTAB, see_symbol, &s);
	if (!s.found)
		lookup_symbols(img, LOOKUP_DYNSYM, see_symbol, &s);
	if (s.found > 1)
		return err__set(err, -ENOTUNIQ,
				"--request: %s has several functions '%s'; name one that is there "
				"once",
				path, func);
	seg = s.found ? image__segment_at(img, s.vaddr) : NULL;
	if (!seg)
		return err__set(err, -ENOENT,
				"--request: %s has no function '%s'; `nm` and `nm -D` list those "
				"that it has, C++ functions by their mangled names",
				path, func);
	*ret_off = s.vaddr - seg->vaddr + seg->off;
	return 0;
}

static int read_file(const char *path, const char *func, u64 *ret_off, struct err *err)
{
	struct image *img = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return err__set(err, -errno, "--request: cannot open %s: %s", path, err_str(errno));
	r = image__open(fd, path, &img, err);
	close(fd);
	if (!r)
		r = find_func(img, path, func, ret_off, err);
	image__free(img);
	return r;
}

static int add(struct request_probes *rp, const char *path, const char *bin, const char *func,
	       u64 off, struct err *err)
{
	struct request_probe *p = vec__push(&rp->list);
	const char *slash = strrchr(bin, '/');
	char class[PATH_SZ + FUNC_SZ];

	if (!p)
		return err__nomem(err);
	snprintf(class, sizeof(class), "%s:%s", slash ? slash + 1 : bin, func);
	p->class = mem_strdup(class);
	p->path = mem_strdup(path);
	p->off = off;
	return p->class && p->path ? 0 : err__nomem(err);
}

/* The last colon: a path may have some, a symbol has none. */
static int find_one(struct request_probes *rp, const char *text, const struct capture_options *opt,
		    struct err *err)
{
	const char *begin = text + strlen(UPROBE), *func;
	char bin[PATH_SZ], path[PATH_SZ];
	u64 off = 0;
	int r;

	func = strncmp(text, UPROBE, strlen(UPROBE)) ? NULL : strrchr(begin, ':');
	if (!func || func == begin || !func[1] || func - begin >= PATH_SZ ||
	    strlen(func) >= FUNC_SZ)
		return err__set(err, -EINVAL,
				"--request: '%.200s' is neither 'auto' nor of the form "
				"uprobe:PROGRAM:FUNCTION",
				text);
	snprintf(bin, sizeof(bin), "%.*s", (int)(func - begin), begin);
	func++;
	r = find_file(bin, opt, path, err);
	if (!r)
		r = read_file(path, func, &off, err);
	return r ? r : add(rp, path, bin, func, off, err);
}

bool request_is_auto(const char *text)
{
	return !strcmp(text, AUTO);
}

int request_probes__find(struct request_probes *rp, const struct capture_options *opt,
			 struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < opt->requests_len; i++)
		if (!request_is_auto(opt->requests[i]))
			r = find_one(rp, opt->requests[i], opt, err);
	return r;
}

const char *request_probes__class(const struct request_probes *rp, u32 probe,
				  char buf[REQUEST_PORT_SZ])
{
	u32 port = probe & ~(CS_MARK_SOCKET >> 1);

	if (probe & CS_MARK_SOCKET >> 1) {
		snprintf(buf, REQUEST_PORT_SZ, port ? ":%u" : "unix", port);
		return buf;
	}
	return probe < rp->list.len ? ((struct request_probe *)vec__at(&rp->list, probe))->class :
				      "?";
}

static int attach_one(const struct request_probe *p, u32 cookie, const struct bpf_program *prog,
		      struct vec *links, struct err *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, how, .retprobe = cookie & 1, .bpf_cookie = cookie);
	struct bpf_link **link = vec__push(links);
	int r;

	if (!link)
		return err__nomem(err);
	*link = bpf_program__attach_uprobe_opts(prog, -1, p->path, p->off, &how);
	if (*link)
		return 0;
	r = -errno;
	links->len--;
	return err__set(err, r, "--request: cannot put a probe on %s: %s", p->class, err_str(r));
}

/* Ends first, so that no request begins whose end is not seen. */
int request_probes__attach(const struct request_probes *rp, const struct bpf_program *prog,
			   struct vec *links, struct err *err)
{
	int r = 0;

	for (u32 i = 0; !r && i < rp->list.len; i++) {
		r = attach_one(vec__at(&rp->list, i), i << 1 | 1, prog, links, err);
		if (!r)
			r = attach_one(vec__at(&rp->list, i), i << 1, prog, links, err);
	}
	return r;
}
