/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/request/request_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "abi/moment.h"
#include "base/mem.h"
#include "capture/request/request_text.h"
#include "elf/image.h"
#include "proc/maps.h"

#define PATH_SZ REQUEST_PATH_SZ
#define AUTO "auto"
#define AUTO_HTTP "auto:http"

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
		vec__done(&p->places);
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

static int find_file(const char *name, const struct request_options *opt, char *path,
		     struct err *err)
{
	if (strchr(name, '/')) {
		snprintf(path, PATH_SZ, "%s", name);
		return 0;
	}
	for (size_t i = 0; i < opt->pids_len; i++)
		if (find_in_process(opt->pids[i], name, path))
			return 0;
	if (find_in_path(name, path))
		return 0;
	return err__set(err, -ENOENT,
			"--request: '%s' is neither in $PATH nor mapped by a recorded process; "
			"give its path",
			name);
}

/* The file at `path`, and what `find` finds in it. */
static int read_file(const char *path, const struct request_text *t, struct request_probe *to,
		     struct err *err)
{
	struct image *img = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return err__set(err, -errno, "--request: cannot open %s: %s", path, err_str(errno));
	r = image__open(fd, path, &img, err);
	close(fd);
	if (!r)
		r = t->provider ? request_find_usdt(img, path, t, &to->places, err) :
				  request_find_func(img, path, t, &to->places, err);
	image__free(img);
	return r;
}

static int add(struct request_probes *rp, const char *path, const struct request_text *t,
	       struct err *err)
{
	struct request_probe *p = vec__push(&rp->list);
	const char *slash = strrchr(t->bin, '/');
	char class[sizeof(t->bin) + sizeof(t->names)];

	if (!p)
		return err__nomem(err);
	vec__init(&p->places, sizeof(struct request_place));
	snprintf(class, sizeof(class), "%s:%.*s", slash ? slash + 1 : t->bin,
		 (int)strcspn(t->names, ","), t->names);
	p->class = mem_strdup(class);
	p->path = mem_strdup(path);
	p->begins_anew = t->provider;
	return p->class && p->path ? read_file(path, t, p, err) : err__nomem(err);
}

static int find_one(struct request_probes *rp, const char *text, const struct request_options *opt,
		    struct err *err)
{
	struct request_text t;
	char path[PATH_SZ];
	int r;

	if (!request_text_parse(&t, text))
		return err__set(
			err, -EINVAL,
			"--request: '%.200s' is neither 'auto', 'auto:http' nor of the form "
			"uprobe:PROGRAM:FUNCTION or usdt:PROGRAM:PROVIDER:START,END",
			text);
	r = find_file(t.bin, opt, path, err);
	return r ? r : add(rp, path, &t, err);
}

bool request_is_auto(const char *text)
{
	return !strcmp(text, AUTO) || request_wants_heads(text);
}

bool request_wants_heads(const char *text)
{
	return !strcmp(text, AUTO_HTTP);
}

int request_probes__find(struct request_probes *rp, const struct request_options *opt,
			 struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < opt->len; i++)
		if (!request_is_auto(opt->texts[i]))
			r = find_one(rp, opt->texts[i], opt, err);
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

bool request_probes__begins_anew(const struct request_probes *rp, u32 probe)
{
	return probe < rp->list.len &&
	       ((struct request_probe *)vec__at(&rp->list, probe))->begins_anew;
}

static int attach_one(const struct request_probe *p, const struct request_place *place, u32 probe,
		      const struct bpf_program *prog, struct vec *links, struct err *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, how, .retprobe = place->at_return,
		    .ref_ctr_offset = place->semaphore_off,
		    .bpf_cookie = probe << 1 | place->is_end);
	struct bpf_link **link = vec__push(links);
	int r;

	if (!link)
		return err__nomem(err);
	*link = bpf_program__attach_uprobe_opts(prog, -1, p->path, place->off, &how);
	if (*link)
		return 0;
	r = -errno;
	links->len--;
	return err__set(err, r, "--request: cannot put a probe on %s: %s", p->class, err_str(r));
}

static int attach_all(const struct request_probe *p, u32 probe, bool ends,
		      const struct bpf_program *prog, struct vec *links, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < p->places.len; i++) {
		const struct request_place *place = vec__at(&p->places, i);

		if (place->is_end == ends)
			r = attach_one(p, place, probe, prog, links, err);
	}
	return r;
}

/* Ends first, so that no request begins whose end is not seen. */
int request_probes__attach(const struct request_probes *rp, const struct bpf_program *prog,
			   struct vec *links, struct err *err)
{
	int r = 0;

	for (u32 i = 0; !r && i < rp->list.len; i++) {
		r = attach_all(vec__at(&rp->list, i), i, true, prog, links, err);
		if (!r)
			r = attach_all(vec__at(&rp->list, i), i, false, prog, links, err);
	}
	return r;
}
