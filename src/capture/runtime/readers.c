/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime/readers.h"

#include <errno.h>

#include <bpf/bpf.h>

#include "base/log.h"
#include "base/mem.h"

int readers__init(struct readers *rs, int (*map_fd)(const void *arg, const char *name),
		  const void *arg, volatile u32 *tables_gen)
{
	*rs = (struct readers){ 0 };
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		const struct runtime_reader *ops = runtimes[i]->reader;
		struct reader *reader = &rs->at[i];

		if (!ops)
			continue;
		reader->facts_fd = map_fd(arg, ops->facts_map);
		if (reader->facts_fd < 0)
			return reader->facts_fd;
		reader->state = mem_alloc(ops->state_sz);
		if (!reader->state)
			return -ENOMEM;
		if (ops->init(reader->state, reader->facts_fd, tables_gen)) {
			mem_free(reader->state);
			reader->state = NULL;
			return -ENOMEM;
		}
		reader->ops = ops;
	}
	return 0;
}

void readers__done(struct readers *rs)
{
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		if (rs->at[i].ops)
			rs->at[i].ops->done(rs->at[i].state);
		mem_free(rs->at[i].state);
	}
	*rs = (struct readers){ 0 };
}

/* The programs must know an interpreter before its file has the flag. */
static int look_in_file(const struct reader *reader, int fd, const char *path, u32 id, u32 *flags,
			struct notices *notices)
{
	u64 facts[RUNTIME_FACTS_SZ / sizeof(u64)];
	struct err err = { 0 };
	int r = reader->ops->read_file(fd, path, facts, &err);

	if (r == -ENOTSUP)
		return notices__add(notices, err.msg);
	if (r) {
		if (r != -ENOENT)
			log_debug("%s", err.msg);
		return r == -ENOMEM ? r : 0;
	}
	if (bpf_map_update_elem(reader->facts_fd, &id, facts, BPF_ANY))
		log_debug("%s: the table of interpreters is full", path);
	else
		*flags |= reader->ops->module_flag;
	return 0;
}

int readers__look_in_file(const struct readers *rs, int fd, const char *path, u32 id, u32 *flags,
			  struct notices *notices)
{
	int r = 0;

	for (size_t i = 0; !r && i < RUNTIMES_CNT; i++) {
		const struct reader *reader = &rs->at[i];

		if (reader->ops && reader->ops->read_file)
			r = look_in_file(reader, fd, path, id, flags, notices);
	}
	return r;
}

int readers__see(struct readers *rs, u32 tgid, u64 image, struct notices *notices)
{
	int r = 0;

	for (size_t i = 0; !r && i < RUNTIMES_CNT; i++) {
		struct reader *reader = &rs->at[i];

		if (reader->ops && reader->ops->see)
			r = reader->ops->see(reader->state, tgid, image, notices);
	}
	return r;
}

int readers__tick(struct readers *rs, u64 now_mono_ns, u64 *due_mono_ns, struct notices *notices)
{
	int r = 0;

	for (size_t i = 0; !r && i < RUNTIMES_CNT; i++) {
		struct reader *reader = &rs->at[i];

		if (reader->ops && reader->ops->tick)
			r = reader->ops->tick(reader->state, now_mono_ns, due_mono_ns, notices);
	}
	return r;
}

int readers__take(struct readers *rs, u32 event, const void *data, size_t sz)
{
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		struct reader *reader = &rs->at[i];

		if (reader->ops && reader->ops->event == event && sz >= reader->ops->event_sz)
			return reader->ops->take(reader->state, data, sz);
	}
	return -EPROTO;
}

void readers__count_lost(struct readers *rs, struct readers_lost *ret)
{
	*ret = (struct readers_lost){ 0 };
	for (size_t i = 0; i < RUNTIMES_CNT; i++) {
		struct reader *reader = &rs->at[i];
		u64 lost = reader->ops ? reader->ops->lost(reader->state) : 0;

		/* A function without a name may have found it since. */
		if (lost <= reader->lost)
			continue;
		ret->functions[i] = lost - reader->lost;
		reader->lost = lost;
	}
}

int readers__give(struct readers *rs, const struct runtime_code_sink *sink)
{
	int r = 0;

	for (size_t i = 0; !r && i < RUNTIMES_CNT; i++)
		if (rs->at[i].ops)
			r = rs->at[i].ops->give(rs->at[i].state, sink);
	return r;
}

void readers__forget(struct readers *rs, const struct ended *ended)
{
	for (size_t i = 0; i < RUNTIMES_CNT; i++)
		if (rs->at[i].ops)
			rs->at[i].ops->forget(rs->at[i].state, ended);
}
