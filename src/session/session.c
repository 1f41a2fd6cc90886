/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Symbols are looked up only after the trace: kernel symbols alone cost tens of ms, and they can
 * wait. What cannot wait, mappings and files, capture keeps.
 */
#include "session/session.h"

#include <errno.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/boot_id.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/notices.h"
#include "capture/capture.h"
#include "session/java_names.h"
#include "session/naming.h"
#include "session/outside.h"
#include "session/successor.h"
#include "symbol/resolver.h"

/* Added to our nice value: a third of the previous weight. */
#define LATER_NICE 5

struct session {
	struct session_options opt;
	struct capture *capture; /* this, or: */
	struct outside *outside;
	struct successor successor; /* with opt.changes */
	bool over; /* the last window ended */
	struct capture *ended; /* until the profile of its last window is made */
	struct kallsyms *kallsyms; /* NULL: not to be read */
	struct resolver *resolver;
	struct notices notices;
	struct session_times times;
};

int session__open(const struct session_options *opt, const struct features *f, struct session **ret,
		  struct err *err)
{
	u64 begin = clock_mono_ns();
	struct session *s;
	int r = opt->visit_hz ? 0 : features__verdict(f, err);

	if (r)
		return r;
	s = mem_alloc(sizeof(*s));
	if (!s)
		return err__nomem(err);
	s->opt = *opt;
	notices__init(&s->notices);
	r = opt->visit_hz ? outside__open(opt->tasks ? OUTSIDE_TASKS : OUTSIDE_THREADS,
					  &opt->capture, opt->visit_hz, &s->outside, err) :
			    capture__open(&opt->capture, f, &s->capture, err);
	if (r) {
		session__free(s);
		return r;
	}
	successor__init(&s->successor, &s->opt.capture, f, &s->notices);
	s->times.open_ns = clock_mono_ns() - begin;
	*ret = s;
	return 0;
}

u32 session__threads(const struct session *s)
{
	return s->outside ? outside__threads(s->outside) : capture__threads(s->capture);
}

u32 session__targets(const struct session *s)
{
	return s->outside ? outside__targets(s->outside) : capture__targets(s->capture);
}

int session__expect_target(struct session *s, u32 id, struct err *err)
{
	return s->outside ? outside__expect_target(s->outside, id, err) :
			    capture__expect_target(s->capture, id, err);
}

int session__add_target(struct session *s, u32 id, struct err *err)
{
	return s->outside ? outside__add_target(s->outside, id, err) :
			    capture__add_target(s->capture, id, err);
}

int session__remove_target(struct session *s, u32 id, struct err *err)
{
	return s->outside ? outside__remove_target(s->outside, id) :
			    capture__remove_target(s->capture, id, err);
}

static int without_cgroups(struct err *err)
{
	return err__set(err, -EOPNOTSUPP, "visits of /proc know no cgroups");
}

int session__add_cgroup(struct session *s, const char *path, struct err *err)
{
	return s->outside ? without_cgroups(err) : capture__add_cgroup(s->capture, path, err);
}

int session__remove_cgroup(struct session *s, const char *path, struct err *err)
{
	return s->outside ? without_cgroups(err) : capture__remove_cgroup(s->capture, path, err);
}

int session__start(struct session *s, struct err *err)
{
	if (s->outside)
		return outside__start(s->outside, err);
	capture__start(s->capture);
	return 0;
}

int session__poll(struct session *s, int wake_fd, int timeout_ms, struct err *err)
{
	int r = s->outside ? outside__poll(s->outside, wake_fd, timeout_ms, err) :
			     capture__poll(s->capture, wake_fd, timeout_ms, err);

	if (r || !s->opt.changes || s->outside || s->ended)
		return r;
	r = successor__consider(&s->successor, s->capture, clock_mono_ns());
	return r ? err__nomem(err) : 0;
}

bool session__take_slow_request(struct session *s)
{
	return !s->outside && capture__take_slow_request(s->capture);
}

bool session__changes(const struct session *s)
{
	return s->successor.capture;
}

/* The one with the window that ended last. */
static struct capture *drained(const struct session *s)
{
	return s->ended ? s->ended : s->capture;
}

int session__hists(struct session *s, capture_hist_fn *each, void *arg, struct err *err)
{
	return s->outside ? 0 : capture__hists(s->capture, each, arg, err);
}

u64 session__hists_lost(const struct session *s)
{
	return s->outside ? 0 : capture__hists_lost(s->capture);
}

static int give_file(void *arg, const struct file_id *file, int fd)
{
	return resolver__give_file(((struct session *)arg)->resolver, file, fd);
}

static const char *build_id(void *arg, const struct file_id *file)
{
	return resolver__build_id(((struct session *)arg)->resolver, file);
}

static int give_function(void *arg, const struct interpreted_code *code)
{
	return resolver__give_function(((struct session *)arg)->resolver, code);
}

static int give_code(void *arg, struct code_place *place)
{
	return resolver__give_code(((struct session *)arg)->resolver, place);
}

static int give_root(void *arg, int fd)
{
	return resolver__give_root(((struct session *)arg)->resolver, fd);
}

static void forget(void *arg, const struct ended *ended)
{
	resolver__forget(((struct session *)arg)->resolver, ended);
}

static bool variable(void *arg, const struct file_id *file, const char *path, u64 off,
		     struct object_variable *ret)
{
	return resolver__variable(((struct session *)arg)->resolver, file, path, off, ret);
}

/* The boot ID; without it, recordings are identified by host name. */
static void add_boot(struct builder *b, u32 *ret_boot)
{
	char text[BOOT_ID_SZ];

	if (boot_id_read(text))
		builder__str(b, text, ret_boot);
}

static void fill_header(const struct session *s, struct builder *b)
{
	struct profile_header *h = builder__header(b);
	struct utsname un;

	if (!uname(&un)) {
		builder__str(b, un.nodename, &h->host);
		builder__str(b, un.release, &h->kernel);
		builder__str(b, un.machine, &h->arch);
	}
	add_boot(b, &h->boot);
	h->ncpu = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	builder__str(b, s->opt.version, &h->version);
	builder__str(b, s->opt.command, &h->command);
	builder__str(b, s->opt.target, &h->target);
}

static int build(struct session *s, struct profile **ret, struct err *err)
{
	struct capture_files files = { .give_file = give_file,
				       .build_id = build_id,
				       .give_function = give_function,
				       .give_code = give_code,
				       .give_root = give_root,
				       .forget = forget,
				       .variable = variable,
				       .arg = s };
	struct builder *b = builder__new();
	int r;

	if (!b)
		return err__nomem(err);
	fill_header(s, b);
	r = s->outside ? outside__drain(s->outside, b, &files, err) :
			 capture__drain(drained(s), b, s->kallsyms, &files, err);
	if (!r)
		r = builder__freeze(b, ret, err);
	builder__free(b);
	return r;
}

/* -ENOMEM or 0. */
static int take_trouble(struct session *s)
{
	const char *trouble = resolver__trouble(s->resolver);

	return trouble ? notices__add(&s->notices, trouble) : 0;
}

/* Work after the window is not urgent: with a budget, others come first. */
static void step_back(const struct session *s)
{
	errno = 0;
	if (s->opt.capture.overhead_ppm && nice(LATER_NICE) < 0 && errno)
		log_debug("cannot lower our own priority: %s", err_str(errno));
}

/* Symbols for the kernel addresses of the window; without them these frames have no names. */
static int take_kernel_symbols(struct session *s, struct err *err)
{
	const struct resolver_options opt = {
		.debug_dir = s->opt.debug_dir,
		.debuginfod = s->opt.debuginfod,
		.demangle = s->opt.demangle,
		.strip_suffixes = s->opt.strip_suffixes,
		.lines = s->opt.lines,
		.inlines = s->opt.inlines,
	};
	struct kallsyms *k = NULL;
	struct err why;
	int r = 0;

	/* visits find kernel functions by name */
	if (s->capture && capture__kernel_symbols(drained(s), &k, &why))
		log_debug("kernel symbols: %s", why.msg);
	if (!s->resolver)
		r = resolver__new(&opt, k, &s->resolver, err);
	else
		resolver__use_kernel_symbols(s->resolver, k);
	kallsyms__free(s->kallsyms);
	s->kallsyms = k;
	return r;
}

static int poll_meanwhile(void *arg, int wake_fd, int timeout_ms, struct err *err)
{
	return session__poll(arg, wake_fd, timeout_ms, err);
}

/* The profile of the last window that ended. */
static int make_profile(struct session *s, u64 begin_ns, bool goes_on, struct profile **ret,
			struct err *err)
{
	u64 drained_ns = clock_mono_ns(), built_ns;
	const struct naming_poll meanwhile = { poll_meanwhile, s };
	struct profile *p = NULL;
	int r = take_kernel_symbols(s, err);

	/* The trace continues meanwhile, and the ring buffer has limited room for its events. */
	if (!r && goes_on)
		r = session__poll(s, -1, 0, err);
	if (!r || r == -EINTR)
		r = build(s, &p, err);
	if (!r && s->opt.java_symbols && java_names_ask(p, &s->notices))
		r = err__nomem(err);
	built_ns = clock_mono_ns();
	if (!r)
		r = goes_on ? naming_run(s->resolver, p, &meanwhile, err) :
			      resolver__name_profile(s->resolver, p, err);
	if (!r && take_trouble(s))
		r = err__nomem(err);
	if (!r)
		r = profile__check(p, err);
	s->times.stop_ns = drained_ns - begin_ns;
	s->times.build_ns = built_ns - drained_ns;
	s->times.name_ns = clock_mono_ns() - built_ns;
	if (r) {
		profile__free(p);
		return r;
	}
	*ret = p;
	return 0;
}

int session__next(struct session *s, u64 at_ns, struct profile **ret, struct err *err)
{
	u64 begin_ns = clock_mono_ns();
	int r;

	if (session__changes(s))
		r = successor__take_over(&s->successor, &s->capture, at_ns, &s->ended, err);
	else if (s->outside)
		r = outside__cut(s->outside, at_ns, false, err);
	else
		r = capture__cut(s->capture, at_ns, err);
	if (!r)
		r = make_profile(s, begin_ns, true, ret, err);
	capture__free(s->ended);
	s->ended = NULL;
	return r;
}

int session__finish_at(struct session *s, u64 at_ns, struct profile **ret, struct err *err)
{
	u64 begin_ns = clock_mono_ns();
	int r = s->outside ? outside__cut(s->outside, at_ns, true, err) :
			     capture__stop(s->capture, at_ns, err);

	if (r)
		return r;
	s->over = true;
	step_back(s);
	return make_profile(s, begin_ns, false, ret, err);
}

int session__finish(struct session *s, struct profile **ret, struct err *err)
{
	return session__finish_at(s, 0, ret, err);
}

bool session__is_over(const struct session *s)
{
	return s->over;
}

const struct session_times *session__times(const struct session *s)
{
	return &s->times;
}

u64 session__kernel_memory_bytes(const struct session *s)
{
	return s->capture ? capture__memory_bytes(s->capture) : 0;
}

const char *session__notice(const struct session *s, size_t idx)
{
	size_t own = notices__len(&s->notices);

	if (idx < own)
		return notices__at(&s->notices, idx);
	return s->outside ? outside__notice(s->outside, idx - own) :
			    capture__notice(s->capture, idx - own);
}

void session__free(struct session *s)
{
	if (!s)
		return;
	notices__done(&s->notices);
	successor__done(&s->successor);
	capture__free(s->ended);
	capture__free(s->capture);
	outside__free(s->outside);
	resolver__free(s->resolver);
	kallsyms__free(s->kallsyms);
	mem_free(s);
}
