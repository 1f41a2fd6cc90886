/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The verifier needs 10 to 50 ms for each of our larger programs, and libbpf loads one after the
 * other. The kernel can verify one program per CPU at a time, and the program that closes the
 * accounts is not needed before the end. So libbpf relocates, and we load: when libbpf is about to
 * load a program, it is copied, and libbpf gets an empty program instead, which takes no time. The
 * real one later takes over its descriptor by dup3(), without libbpf noticing.
 *
 * libbpf's own handlers also search the hook in BTF, one pass over all types for each program; we
 * know the hooks' ids from the pass in features__probe().
 */
#include "capture/program/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "capture/feature/privilege.h"
#include "capture/mapping/quiet_thread.h"

#define THREADS_MAX 3
/*
 * Before 6.4 a log that does not fit hides the verifier's error. Memory that is not written to
 * costs nothing, and it is written to only if a program is refused.
 */
#define LOG_SZ (16 * 1024 * 1024 - 1)

/* A type of program, by the prefix of its section's name. */
struct kind {
	const char *section;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	u32 flags;
	struct loader *loader; /* libbpf passes this struct back, as a number */
	int handler; /* libbpf's number for it; 0: not registered */
};

static const struct kind kinds[] = {
	{ .section = "tp_btf+", .type = BPF_PROG_TYPE_TRACING, .attach = BPF_TRACE_RAW_TP },
	{ .section = "iter+", .type = BPF_PROG_TYPE_TRACING, .attach = BPF_TRACE_ITER },
	{ .section = "iter.s+",
	  .type = BPF_PROG_TYPE_TRACING,
	  .attach = BPF_TRACE_ITER,
	  .flags = BPF_F_SLEEPABLE },
	{ .section = "kprobe+", .type = BPF_PROG_TYPE_KPROBE },
	{ .section = "uprobe", .type = BPF_PROG_TYPE_KPROBE },
	{ .section = "perf_event", .type = BPF_PROG_TYPE_PERF_EVENT },
	{ .section = "syscall", .type = BPF_PROG_TYPE_SYSCALL, .flags = BPF_F_SLEEPABLE },
};

struct job {
	const struct kind *kind;
	struct bpf_insn *insns;
	size_t insns_cnt;
	void *func_info;
	void *line_info;
	struct bpf_prog_load_opts opts;
	char name[64];
	int fd; /* negative errno if it was refused; -EBADF: libbpf's is the real one */
	const struct bpf_program *prog;
	enum loader_when when;
	size_t rank; /* in the order in which they were spoken of */
	bool begun;
};

/* What was said of a program. */
struct wish {
	const struct bpf_program *prog;
	enum loader_when when;
};

struct loader {
	const struct features *features;
	struct kind kinds[ARRAY_LEN(kinds)];
	struct vec jobs; /* of struct job */
	struct vec wishes; /* of struct wish */
	pthread_t threads[THREADS_MAX];
	u32 threads_cnt;
	pthread_mutex_t lock; /* protects what follows */
	pthread_cond_t done;
	size_t left[LOADER_LATE + 1]; /* jobs left of each kind */
	char *log;
};

static void *copy_of(const void *from, size_t n, size_t sz)
{
	void *copy = mem_array(n ? n : 1, sz);

	if (copy && from)
		memcpy(copy, from, n * sz);
	return copy;
}

/* May be called again: a job that could not be made stays in the list. */
static void job__done(struct job *j)
{
	mem_free(j->insns);
	mem_free(j->func_info);
	mem_free(j->line_info);
	j->insns = NULL;
	j->func_info = NULL;
	j->line_info = NULL;
}

static int job__init(struct job *j, const struct bpf_program *prog,
		     const struct bpf_prog_load_opts *opts)
{
	j->fd = -EINPROGRESS;
	j->prog = prog;
	j->insns_cnt = bpf_program__insn_cnt(prog);
	j->insns = copy_of(bpf_program__insns(prog), j->insns_cnt, sizeof(*j->insns));
	j->opts = *opts;
	j->opts.sz = sizeof(j->opts);
	/* These belong to libbpf, which no longer needs them. */
	j->func_info = copy_of(opts->func_info, opts->func_info_cnt, opts->func_info_rec_size);
	j->line_info = copy_of(opts->line_info, opts->line_info_cnt, opts->line_info_rec_size);
	j->opts.func_info = j->func_info;
	j->opts.line_info = j->line_info;
	j->opts.fd_array = NULL; /* for functions of kernel modules, which we do not call */
	j->opts.expected_attach_type = j->kind->attach;
	j->opts.prog_flags |= j->kind->flags;
	snprintf(j->name, sizeof(j->name), "%s", bpf_program__name(prog));
	if (j->insns && j->func_info && j->line_info)
		return 0;
	job__done(j);
	return -ENOMEM;
}

/*
 * Replaces calls with our own numbers by the kernel function; libbpf would have to read all of the
 * kernel's BTF for it. If it does not exist, the result is NULL, which no caller reaches, or the
 * pointer unchanged.
 */
static void put_calls(struct job *j, const struct features *f)
{
	u32 id = f->type_ids[FEATURES_RDONLY_CAST];

	for (size_t i = 0; i < j->insns_cnt; i++) {
		struct bpf_insn *insn = &j->insns[i];

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg ||
		    (insn->imm != CS_CALL_RDONLY_CAST && insn->imm != CS_CALL_UNTRUSTED))
			continue;
		if (id)
			*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL,
						   .src_reg = BPF_PSEUDO_KFUNC_CALL,
						   .imm = (s32)id };
		else if (insn->imm == CS_CALL_UNTRUSTED)
			*insn = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X,
						   .dst_reg = BPF_REG_0,
						   .src_reg = BPF_REG_1 };
		else
			*insn = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
						   .dst_reg = BPF_REG_0 };
	}
}

static void grant_wish(const struct loader *l, struct job *j)
{
	j->when = LOADER_NEXT;
	for (j->rank = 0; j->rank < l->wishes.len; j->rank++) {
		const struct wish *w = vec__at(&l->wishes, j->rank);

		if (w->prog != j->prog)
			continue;
		j->when = w->when;
		return;
	}
}

/* libbpf is about to load `prog`: it gets an empty program instead. */
static int on_prepare(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	static struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct kind *kind = (const struct kind *)cookie;
	const char *section = bpf_program__section_name(prog);
	struct loader *l = kind->loader;
	struct job *j = vec__push(&l->jobs);
	int r;

	if (!j)
		return -ENOMEM;
	j->kind = kind;
	r = job__init(j, prog, opts);
	if (!r)
		put_calls(j, l->features);
	if (!r && kind->type == BPF_PROG_TYPE_TRACING) {
		j->opts.attach_btf_id = features__hook_id(l->features, section);
		if (!j->opts.attach_btf_id) {
			log_debug("this kernel has no hook '%s'", section);
			r = -ESRCH;
		}
	}
	if (!r)
		grant_wish(l, j);
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	return r ? r : bpf_program__set_insns(prog, nothing, ARRAY_LEN(nothing));
}

/*
 * libbpf before 1.3 uses freed memory once its table of handlers has become empty again: one is
 * never removed.
 */
static int keep_table(void)
{
	static const char section[] = "coldspot_none";
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	enum bpf_attach_type attach;
	enum bpf_prog_type type;
	int r = libbpf_prog_type_by_name(section, &type, &attach);

	libbpf_set_print(print);
	if (!r)
		return 0;
	r = libbpf_register_prog_handler(section, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, NULL);
	return r < 0 ? r : 0;
}

static int register_kinds(struct loader *l, struct err *err)
{
	int r = keep_table();

	for (size_t i = 0; !r && i < ARRAY_LEN(kinds); i++) {
		struct kind *k = &l->kinds[i];
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = (long)k,
			    .prog_prepare_load_fn = on_prepare);

		*k = kinds[i];
		k->loader = l;
		/* The type is that of the empty program. */
		r = libbpf_register_prog_handler(k->section, BPF_PROG_TYPE_RAW_TRACEPOINT,
						 k->attach, &opts);
		if (r < 0)
			break;
		k->handler = r;
		r = 0;
	}
	return r ? err__set(err, r, "cannot prepare our BPF programs: %s", err_str(r)) : 0;
}

int loader__new(const struct features *f, struct loader **ret, struct err *err)
{
	struct loader *l = mem_alloc(sizeof(*l));
	int r;

	if (!l)
		return err__nomem(err);
	l->features = f;
	vec__init(&l->jobs, sizeof(struct job));
	vec__init(&l->wishes, sizeof(struct wish));
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->done, NULL);
	r = register_kinds(l, err);
	if (r)
		loader__free(l);
	else
		*ret = l;
	return r;
}

/* libbpf asks the first handler of a section, also for the programs of another capture. */
static void forget_kinds(struct loader *l)
{
	for (size_t i = 0; i < ARRAY_LEN(l->kinds); i++) {
		if (l->kinds[i].handler > 0)
			libbpf_unregister_prog_handler(l->kinds[i].handler);
		l->kinds[i].handler = 0;
	}
}

static void join(struct loader *l)
{
	while (l->threads_cnt)
		pthread_join(l->threads[--l->threads_cnt], NULL);
}

void loader__free(struct loader *l)
{
	if (!l)
		return;
	join(l);
	forget_kinds(l);
	for (size_t i = 0; i < l->jobs.len; i++) {
		struct job *j = vec__at(&l->jobs, i);

		if (j->fd >= 0)
			close(j->fd);
		job__done(j);
	}
	vec__done(&l->jobs);
	vec__done(&l->wishes);
	pthread_cond_destroy(&l->done);
	pthread_mutex_destroy(&l->lock);
	mem_free(l->log);
	mem_free(l);
}

int loader__set(struct loader *l, const struct bpf_program *prog, enum loader_when when)
{
	struct wish *w = vec__push(&l->wishes);

	if (!w)
		return -ENOMEM;
	*w = (struct wish){ .prog = prog, .when = when };
	return 0;
}

static int load(const struct job *j, char *log)
{
	struct bpf_prog_load_opts opts = j->opts;

	opts.log_buf = log;
	opts.log_size = log ? LOG_SZ : 0;
	opts.log_level = log ? 1 : 0;
	return bpf_prog_load(j->kind->type, j->name, "Dual BSD/GPL", j->insns, j->insns_cnt, &opts);
}

/* The verifier's reason; of several refused programs, the first is reported. */
static void ask_why(struct loader *l, const struct job *j)
{
	if (l->log)
		return;
	l->log = mem_alloc(LOG_SZ);
	if (l->log) {
		int fd = load(j, l->log);

		log_debug("%s was refused: %s", j->name, err_str(j->fd));
		if (fd >= 0)
			close(fd);
	}
}

/* The first that nobody has begun; NULL if there is none. */
static struct job *find_job(struct loader *l, enum loader_when when)
{
	for (size_t i = 0; i < l->jobs.len; i++) {
		struct job *j = vec__at(&l->jobs, i);

		if (j->when == when && !j->begun)
			return j;
	}
	return NULL;
}

/* Called with the lock, which is released meanwhile. */
static void do_job(struct loader *l, struct job *j)
{
	int fd;

	j->begun = true;
	pthread_mutex_unlock(&l->lock);
	fd = load(j, NULL);
	pthread_mutex_lock(&l->lock);
	j->fd = fd;
	if (fd < 0)
		ask_why(l, j);
	l->left[j->when]--;
	pthread_cond_broadcast(&l->done);
}

/* Helps with jobs of a kind, and waits for those begun by others. */
static void work_on(struct loader *l, enum loader_when when)
{
	struct job *j;

	pthread_mutex_lock(&l->lock);
	while ((j = find_job(l, when)))
		do_job(l, j);
	while (l->left[when])
		pthread_cond_wait(&l->done, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

/* The longest work first: others wait for the first ones, and help when those are done. */
static void work_on_all(struct loader *l)
{
	static const enum loader_when order[] = { LOADER_NEXT, LOADER_FIRST, LOADER_LATE };

	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		struct job *j;

		while ((j = find_job(l, order[i])))
			do_job(l, j);
	}
	pthread_mutex_unlock(&l->lock);
}

static void *thread_main(void *arg)
{
	/* Threads have their own privileges, and the first one may soon drop more. */
	(void)privilege__drop(PRIVILEGE_WHILE_TRACING, NULL);
	work_on_all(arg);
	return NULL;
}

static void start_threads(struct loader *l)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	u32 wanted = cpus > THREADS_MAX ? THREADS_MAX : cpus > 1 ? (u32)cpus - 1 : 1;

	while (l->threads_cnt < wanted &&
	       !quiet_thread_start(&l->threads[l->threads_cnt], NULL, thread_main, l))
		l->threads_cnt++;
}

/* The largest of the others first, so that no CPU ends up with a large one. */
static int compare_jobs(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->insns_cnt < y->insns_cnt) - (x->insns_cnt > y->insns_cnt);
}

/* The descriptors that libbpf knows now refer to the real programs. */
static int take_over(struct loader *l, enum loader_when when)
{
	for (size_t i = 0; i < l->jobs.len; i++) {
		struct job *j = vec__at(&l->jobs, i);

		if (j->when != when || j->fd == -EBADF)
			continue;
		if (j->fd < 0)
			return j->fd;
		if (dup3(j->fd, bpf_program__fd(j->prog), O_CLOEXEC) < 0)
			return -errno;
		close(j->fd);
		j->fd = -EBADF;
	}
	return 0;
}

int loader__begin(struct loader *l)
{
	forget_kinds(l);
	qsort(l->jobs.data, l->jobs.len, sizeof(struct job), compare_jobs);
	for (size_t i = 0; i < l->jobs.len; i++)
		l->left[((struct job *)vec__at(&l->jobs, i))->when]++;
	start_threads(l);
	work_on(l, LOADER_FIRST);
	return take_over(l, LOADER_FIRST);
}

int loader__run(struct loader *l)
{
	work_on(l, LOADER_NEXT);
	if (!l->threads_cnt)
		work_on(l, LOADER_LATE);
	return take_over(l, LOADER_NEXT);
}

bool loader__waiting(struct loader *l)
{
	bool waiting;

	pthread_mutex_lock(&l->lock);
	waiting = find_job(l, LOADER_NEXT) != NULL;
	pthread_mutex_unlock(&l->lock);
	return waiting;
}

int loader__finish(struct loader *l, bool wait)
{
	size_t left;

	pthread_mutex_lock(&l->lock);
	while (wait && l->left[LOADER_LATE])
		pthread_cond_wait(&l->done, &l->lock);
	left = l->left[LOADER_LATE];
	pthread_mutex_unlock(&l->lock);
	if (left)
		return -EAGAIN;
	join(l);
	return take_over(l, LOADER_LATE);
}

const char *loader__log(const struct loader *l)
{
	return l->log ? l->log : "";
}
