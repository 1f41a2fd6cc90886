/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/web.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/cond.h"
#include "web/source/file_windows.h"

/* Answers that are computed at one time, and how long others wait for their turn. */
#define BUSY_MAX 2
#define BUSY_WAIT_NS (20 * NSEC_PER_SEC)

const char *web_refusal_name(enum web_refusal why)
{
	static const char *const names[] = {
#define X(NAME, name) name,
		WEB_REFUSALS(X)
#undef X
	};

	return names[why];
}

static int make_id(struct web *w, struct err *err)
{
	u64 id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return err__set(err, -EIO, "the kernel gave no random bytes");
	snprintf(w->id, sizeof(w->id), "%016llx", id);
	return 0;
}

static int add_targets(struct web *w)
{
	char pid[16];
	int r = w->opt.cgroup ? web_targets__change(&w->targets, true, w->opt.cgroup) : 0;

	for (size_t i = 0; !r && i < w->opt.targets_len; i++) {
		snprintf(pid, sizeof(pid), "%u", w->opt.targets[i]);
		r = web_targets__change(&w->targets, true, pid);
	}
	return r;
}

int web__init(struct web *w, const struct web_options *opt, struct err *err)
{
	const struct kept_limits limits = {
		.keep_ns = opt->mode == WEB_LIVE ? opt->keep_ns : 0,
		.rows = opt->max_rows ? opt->max_rows : WEB_MAX_ROWS,
	};
	struct utsname un = { 0 };
	int r, opened;

	memset(w, 0, sizeof(*w));
	w->opt = *opt;
	cond_init(&w->calm);
	pthread_mutex_init(&w->lock, NULL);
	web_targets__init(&w->targets);
	r = kept__init(&w->kept, &limits);
	if (totals__init(&w->totals) || add_targets(w))
		r = -ENOMEM;
	uname(&un);
	snprintf(w->host, sizeof(w->host), "%s", un.nodename);
	snprintf(w->kernel, sizeof(w->kernel), "%s", un.release);
	opened = shelf__init(&w->shelf, opt->mode == WEB_DIRECTORY ? opt->path : NULL, opt->rules,
			     err);
	if (opened)
		return opened;
	return r ? err__nomem(err) : make_id(w, err);
}

void web__done(struct web *w)
{
	shelf__done(&w->shelf);
	totals__done(&w->totals);
	kept__done(&w->kept);
	web_targets__done(&w->targets);
	pthread_cond_destroy(&w->calm);
	pthread_mutex_destroy(&w->lock);
}

int web__add(struct web *w, struct profile *p, struct err *err)
{
	struct window_sums sums;
	int r = window_sums__init(&sums, p, w->opt.rules, err);

	if (r) {
		window_sums__done(&sums);
		profile__free(p);
		return r;
	}
	totals__add(&w->totals, p, &sums);
	/* the sums have what is shown of them; a comparison takes windows for independent */
	profile__join_intervals(p);
	if (w->opt.mode == WEB_RECORDING) {
		profile__free(p);
		p = NULL;
	}
	r = kept__add(&w->kept, &sums, p);
	return r ? err__nomem(err) : 0;
}

struct file_reading {
	struct web *web;
	bool (*is_over)(void);
};

/* A window that cannot be read keeps its number, so that the others have theirs. */
static int add_read(void *arg, u64 seq, struct profile *p, struct err *err)
{
	struct file_reading *rd = arg;
	struct web *w = rd->web;
	struct window_sums none = { 0 };

	(void)seq;
	if (rd->is_over()) {
		profile__free(p);
		return -ECANCELED;
	}
	if (p)
		return web__add(w, p, err);
	totals__skip(&w->totals);
	return kept__add(&w->kept, &none, NULL);
}

int web__read_recording(struct web *w, bool (*is_over)(void), struct err *err)
{
	const struct query_range all = { 1, ~0ULL };
	struct file_reading rd = { .web = w, .is_over = is_over };

	return file_windows_read(w->opt.path, &all, add_read, &rd, err);
}

void web__end(struct web *w, const char *why)
{
	pthread_mutex_lock(&w->lock);
	snprintf(w->over, sizeof(w->over), "%s", why);
	pthread_mutex_unlock(&w->lock);
	kept__tell(&w->kept);
}

const char *web__file_name(const struct web *w)
{
	const char *slash = w->opt.path ? strrchr(w->opt.path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : w->opt.path;
}

void web__copy_over(struct web *w, char *buf, size_t sz)
{
	pthread_mutex_lock(&w->lock);
	snprintf(buf, sz, "%s", w->over);
	pthread_mutex_unlock(&w->lock);
}

void web__refuse(struct web *w, enum web_refusal why)
{
	atomic_fetch_add(&w->refused[why], 1);
}

int web__enter(struct web *w, struct err *err)
{
	u64 until_ns = clock_mono_ns() + BUSY_WAIT_NS;
	bool in_time = true, entered, closed;

	pthread_mutex_lock(&w->lock);
	while (w->busy >= BUSY_MAX && !w->closed && in_time)
		in_time = cond_wait_until(&w->calm, &w->lock, until_ns);
	closed = w->closed;
	entered = !closed && w->busy < BUSY_MAX;
	w->busy += entered;
	pthread_mutex_unlock(&w->lock);
	if (entered)
		return 0;
	if (closed)
		return err__set(err, -ECANCELED, "the server stops");
	web__refuse(w, WEB_REFUSED_BUSY);
	return err__set(err, -EBUSY, "other viewers keep the server busy; try again later");
}

void web__leave(struct web *w)
{
	pthread_mutex_lock(&w->lock);
	w->busy--;
	pthread_cond_signal(&w->calm);
	pthread_mutex_unlock(&w->lock);
}

void web__close(struct web *w)
{
	kept__close(&w->kept);
	pthread_mutex_lock(&w->lock);
	w->closed = true;
	pthread_cond_broadcast(&w->calm);
	pthread_mutex_unlock(&w->lock);
}
