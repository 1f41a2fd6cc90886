/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the textfile collector of node_exporter, which reads every *.prom of a directory at any time:
 * a file appears whole, under a name that ends differently until it is. It is not synced, because
 * what it says is worthless after a crash.
 */
#include "agent/metering.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

static int write_all(int fd, const char *data, size_t sz)
{
	struct sink out;
	int r;

	sink__init_fd(&out, fd);
	sink__put(&out, data, sz);
	r = sink__finish(&out, NULL);
	sink__done(&out);
	return r ? r : fchmod(fd, 0644) ? -errno : 0;
}

int metering_write(const char *path, const char *data, size_t sz, struct err *err)
{
	char fresh[sizeof(((struct agent_settings *)0)->metrics_file) + 8];
	int fd, r;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return err__set(err, -errno, "cannot write '%s': %s", fresh, err_str(errno));
	r = write_all(fd, data, sz);
	if (close(fd) && !r)
		r = -errno;
	if (!r && rename(fresh, path))
		r = -errno;
	if (r)
		unlink(fresh);
	return r ? err__set(err, r, "cannot write '%s': %s", path, err_str(r)) : 0;
}

static int write_file(const struct metering *m, const char *path, const struct keeper *k,
		      struct err *err)
{
	const struct meter_facts facts = {
		.version = m->opt->version,
		.since_wall_ns = m->since_wall_ns,
		.written = k->windows - m->written,
		.dropped = k->dropped - m->dropped,
		.store_bytes = k->bytes,
		.store_files = k->files,
	};
	struct sink out;
	int r;

	sink__init_mem(&out);
	meter__put(m->meter, &facts, &out);
	r = sink__finish(&out, err);
	if (!r)
		r = metering_write(path, out.buf, out.len, err);
	sink__done(&out);
	return r;
}

static int take(struct metering *m, const struct agent_settings *s, const struct ruleset *rules,
		const struct keeper *k, const struct profile *p, struct err *err)
{
	if (!m->meter) {
		m->meter = mem_alloc(sizeof(*m->meter));
		m->since_wall_ns = p->hdr.begin_wall_ns;
		/* this window is the first one */
		m->written = k->windows - !k->missing;
		m->dropped = k->dropped - !!k->missing;
	}
	if (!m->meter)
		return err__nomem(err);
	/* a window that could not be counted is a number of the file */
	(void)meter__take(m->meter, p, rules, clock_mono_ns(), NULL);
	return write_file(m, s->metrics_file, k, err);
}

void metering__take(struct metering *m, const struct agent_settings *s, const struct ruleset *rules,
		    const struct keeper *k, const struct profile *p)
{
	struct err err = { 0 };
	char text[1200];
	int r;

	if (!*s->metrics_file)
		return;
	r = take(m, s, rules, k, p, &err);
	snprintf(text, sizeof(text), "metrics_file: %s", r ? err.msg : "written again");
	if (r && !m->failed)
		m->opt->say(m->opt->say_arg, AGENT_WARNING, text);
	else if (!r && m->failed)
		m->opt->say(m->opt->say_arg, AGENT_INFO, text);
	m->failed = r != 0;
}

void metering__keep(struct metering *m, const struct agent_settings *from,
		    const struct agent_settings *to)
{
	if (!strcmp(from->metrics_file, to->metrics_file))
		return;
	if (*from->metrics_file)
		unlink(from->metrics_file);
	if (!*to->metrics_file)
		metering__done(m);
	m->failed = false;
}

void metering__done(struct metering *m)
{
	mem_free(m->meter);
	m->meter = NULL;
}
