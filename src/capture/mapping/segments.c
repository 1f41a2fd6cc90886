/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A segment is created when the first table is put there, so that a small trace uses little memory.
 * It stays until the end: tables move out and in, segments do not.
 *
 * Inserting one into the map of maps waits for a grace period of the kernel, 10 to 60 ms: see
 * segments__wait_for_programs(). Before hooks are attached nobody uses the old value; so threads do
 * the waiting in parallel, one per segment, and we wait only until it is visible.
 */
#include "capture/mapping/segments.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/feature/privilege.h"
#include "capture/mapping/quiet_thread.h"

#define RULES_SZ (CS_RULES_MAX * sizeof(struct cs_unwind_rule))

#define THREAD_STACK_SZ (64 * 1024L)
/* Interval between checks whether a segment is visible. */
#define LOOK_NS (50 * NSEC_PER_USEC)

/* A segment being inserted into the map of maps. */
struct putting {
	pthread_t thread;
	int outer_fd;
	int fd;
	u32 segno;
	int r; /* when it is done */
	atomic_bool done;
};

static void *map_array(int fd, size_t sz)
{
	void *p = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

int segments__init(struct segments *s, int outer_fd, int rules_fd, struct err *err)
{
	*s = (struct segments){ .outer_fd = outer_fd };
	vec__init(&s->putting, sizeof(struct putting *));
	s->mem = mem_array(CS_SEGMENTS_MAX, sizeof(*s->mem));
	s->fds = mem_array(CS_SEGMENTS_MAX, sizeof(*s->fds));
	if (!s->mem || !s->fds) {
		segments__done(s);
		return err__nomem(err);
	}
	s->rules = map_array(rules_fd, RULES_SZ);
	if (!s->rules) {
		int r = err__set(err, -errno, "cannot map the table of unwind rules: %s",
				 err_str(errno));

		segments__done(s);
		return r;
	}
	return 0;
}

static int put(int outer_fd, u32 segno, int fd)
{
	return bpf_map_update_elem(outer_fd, &segno, &fd, BPF_ANY) ? -errno : 0;
}

static void *put_main(void *arg)
{
	struct putting *p = arg;

	/* It may still be waiting when the first thread has dropped privileges. */
	(void)privilege__drop(PRIVILEGE_WHILE_TRACING, NULL);
	p->r = put(p->outer_fd, p->segno, p->fd);
	atomic_store(&p->done, true);
	return NULL;
}

/* The least that there may be is more on arm64. */
static size_t thread_stack_sz(void)
{
	long least = sysconf(_SC_THREAD_STACK_MIN);

	return (size_t)(least > THREAD_STACK_SZ ? least : THREAD_STACK_SZ);
}

static int start_putting(struct putting *p)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	r = -pthread_attr_setstacksize(&attr, thread_stack_sz());
	r = r ? r : quiet_thread_start(&p->thread, &attr, put_main, p);
	pthread_attr_destroy(&attr);
	return r;
}

/* A negative errno if it must be inserted at once. */
static int put_meanwhile(struct segments *s, u32 segno, int fd)
{
	struct putting *p = mem_alloc(sizeof(*p)), **slot;
	int r;

	if (!p)
		return -ENOMEM;
	*p = (struct putting){ .outer_fd = s->outer_fd, .fd = fd, .segno = segno };
	slot = vec__push(&s->putting);
	r = slot ? start_putting(p) : -ENOMEM;
	if (slot && !r) {
		*slot = p;
		return 0;
	}
	if (slot)
		s->putting.len--;
	mem_free(p);
	return r;
}

/* Whether the programs see it: the kernel reports its id. */
static bool is_there(const struct putting *p)
{
	u32 id;

	return !bpf_map_lookup_elem(p->outer_fd, &p->segno, &id);
}

static int await_there(const struct putting *p)
{
	while (!is_there(p)) {
		if (atomic_load(&p->done))
			return is_there(p) ? 0 : p->r ? p->r : -EIO;
		(void)clock_sleep_until_mono_ns(clock_mono_ns() + LOOK_NS);
	}
	return 0;
}

int segments__settle(struct segments *s, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->putting.len; i++)
		r = await_there(*(struct putting **)vec__at(&s->putting, i));
	s->settled = true;
	return r ? err__set(err, r, "cannot put memory for unwind tables in place: %s",
			    err_str(r)) :
		   0;
}

static void join(struct segments *s)
{
	for (size_t i = 0; i < s->putting.len; i++) {
		struct putting *p = *(struct putting **)vec__at(&s->putting, i);

		pthread_join(p->thread, NULL);
		mem_free(p);
	}
	vec__done(&s->putting);
}

void segments__done(struct segments *s)
{
	if (!s)
		return;
	join(s);
	for (u32 i = 0; i < CS_SEGMENTS_MAX && s->mem; i++) {
		if (!s->mem[i])
			continue;
		munmap(s->mem[i], CS_SEGMENT_SZ);
		close(s->fds[i]);
	}
	if (s->rules)
		munmap(s->rules, RULES_SZ);
	mem_free(s->mem);
	mem_free(s->fds);
	*s = (struct segments){ 0 };
}

u8 *segments__make(void *arg, u32 segno)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	struct segments *s = arg;
	int fd, r;

	if (segno >= CS_SEGMENTS_MAX || s->mem[segno])
		return NULL;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_segment", sizeof(u32), CS_SEGMENT_SZ, 1,
			    &opts);
	if (fd < 0) {
		log_debug("unwind tables: no memory for a segment: %s", err_str(fd));
		return NULL;
	}
	s->mem[segno] = map_array(fd, CS_SEGMENT_SZ);
	r = s->mem[segno] ? 0 : -errno;
	if (!r && (s->settled || put_meanwhile(s, segno, fd)))
		r = put(s->outer_fd, segno, fd);
	if (r) {
		log_debug("unwind tables: segment %u cannot be used: %s", segno, err_str(r));
		if (s->mem[segno])
			munmap(s->mem[segno], CS_SEGMENT_SZ);
		s->mem[segno] = NULL;
		close(fd);
		return NULL;
	}
	s->fds[segno] = fd;
	s->cnt++;
	return s->mem[segno];
}

u64 segments__memory_bytes(const struct segments *s)
{
	return (u64)s->cnt * CS_SEGMENT_SZ;
}

void segments__wait_for_programs(const struct segments *s)
{
	/*
	 * An update of a map of maps waits for all programs that may still use the old value:
	 * maybe_wait_bpf_programs(), since 1ae80cf31938 "bpf: wait for running BPF programs when
	 * updating map-in-map". So the first segment is put where it already is.
	 */
	u32 first = 0;

	if (s->mem[first])
		(void)bpf_map_update_elem(s->outer_fd, &first, &s->fds[first], BPF_ANY);
}
