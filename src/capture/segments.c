/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A segment is made when the first table goes there, so that a small trace takes little. It stays
 * until the end: tables move out and in, segments do not.
 */
#include "capture/segments.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/log.h"
#include "base/mem.h"

#define RULES_SZ (CS_RULES_MAX * sizeof(struct cs_unwind_rule))

static void *map_array(int fd, size_t sz)
{
	void *p = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

int segments__init(struct segments *s, int outer_fd, int rules_fd, struct err *err)
{
	*s = (struct segments){ .outer_fd = outer_fd };
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

void segments__done(struct segments *s)
{
	if (!s)
		return;
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
	int fd;

	if (segno >= CS_SEGMENTS_MAX || s->mem[segno])
		return NULL;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_segment", sizeof(u32), CS_SEGMENT_SZ, 1,
			    &opts);
	if (fd < 0) {
		log_debug("unwind tables: no memory for a segment: %s", err_str(fd));
		return NULL;
	}
	s->mem[segno] = map_array(fd, CS_SEGMENT_SZ);
	if (!s->mem[segno] || bpf_map_update_elem(s->outer_fd, &segno, &fd, BPF_ANY)) {
		log_debug("unwind tables: segment %u cannot be used: %s", segno, err_str(errno));
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
	 * updating map-in-map". So the first segment is put where it is already.
	 */
	u32 first = 0;

	if (s->mem[first])
		(void)bpf_map_update_elem(s->outer_fd, &first, &s->fds[first], BPF_ANY);
}
