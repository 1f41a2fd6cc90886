/* SPDX-License-Identifier: Apache-2.0 */
/* To read memory of a process takes the right to trace it (process_vm_readv(2), ptrace(2)). */
#include "doctor/tasks.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "async/task_process.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text/wrap.h"

#define TEXT_COLUMN 11
#define STATUS_MAX_SZ 65536
#define SHELF_WAIT_NS (60 * NSEC_PER_SEC)
#define CAP_SYS_PTRACE_BIT 19
#define CAP_SYS_NICE_BIT 23

static void put_line(struct sink *out, const char *mark, const char *text)
{
	sink__printf(out, "  %-8s ", mark);
	wrap_text(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

/* Effective capabilities of ours. */
static u64 capabilities(const char *root)
{
	char path[256], *text, *at;
	u64 caps = 0;
	size_t sz;

	snprintf(path, sizeof(path), "%s/self/status", root);
	if (file_read(path, STATUS_MAX_SZ, &text, &sz, NULL))
		return 0;
	at = strstr(text, "CapEff:");
	if (at)
		caps = strtoull(at + sizeof("CapEff:") - 1, NULL, 16);
	mem_free(text);
	return caps;
}

static void put_runtimes(struct sink *out)
{
	u32 first = 0, last = 0;
	char line[200];

	for (u32 minor = 0; minor < 256; minor++) {
		if (!py_offsets_of(3U << 8 | minor))
			continue;
		first = first ? first : minor;
		last = minor;
	}
	snprintf(line, sizeof(line),
		 "Go 1.%u to 1.%u; asyncio of CPython 3.%u to 3.%u; "
		 "Tokio 1.%u to 1.%u",
		 GO_MINOR_MIN, GO_MINOR_MAX, first, last, TK_MINOR_MIN, TK_MINOR_MAX);
#ifdef __x86_64__
	put_line(out, "ok", line);
#else
	put_line(out, "missing", "tasks can be read on x86-64 only");
#endif
}

/* The system call itself may be filtered, as in some containers. */
static bool can_read(void)
{
	struct task_memory mem = { .tgid = (u32)getpid() };
	u64 from = 1, to = 0;

	return task_memory__read(&mem, (u64)(uintptr_t)&from, &to, sizeof(to));
}

static void put_memory(const char *root, bool ptrace, struct sink *out)
{
	static const char *const words[] = {
		"0: that of every process of your own",
		"1: only that of commands that coldspot starts (record --tasks -- CMD)",
		"2: none without CAP_SYS_PTRACE",
		"3: none",
	};
	char path[256], line[256];
	u64 scope;

	if (!can_read())
		return put_line(out, "missing",
				"process_vm_readv: the system call is not permitted here");
	snprintf(path, sizeof(path), "%s/sys/kernel/yama/ptrace_scope", root);
	if (file_read_u64(path, &scope, NULL) || scope >= ARRAY_LEN(words))
		scope = 0;
	if (ptrace && scope < 3)
		return put_line(out, "ok", "memory of all processes (CAP_SYS_PTRACE)");
	snprintf(line, sizeof(line), "memory of processes: kernel.yama.ptrace_scope is %s",
		 words[scope]);
	put_line(out, scope ? "partly" : "ok", line);
	if (scope < 3)
		put_line(out, "", "to do: for other processes, run as root or with CAP_SYS_PTRACE");
}

static void put_priority(bool nice, struct sink *out)
{
	struct rlimit limit = { 0 };

	if (nice || (!getrlimit(RLIMIT_RTPRIO, &limit) && limit.rlim_cur))
		return put_line(out, "ok", "real-time priority (SCHED_FIFO)");
	put_line(out, "missing", "real-time priority (SCHED_FIFO)");
	put_line(
		out, "",
		"costs: tasks are read late where CPUs are busy, which bends shares of short waits "
		"by up to 3%");
	put_line(out, "", "to do: run as root, with CAP_SYS_NICE, or with ulimit -r 1");
}

void doctor_tasks(const char *root, struct sink *out)
{
	u64 caps = capabilities(root);

	sink__puts(out, "Goroutines, asyncio and Tokio (record --tasks)\n");
	put_runtimes(out);
	put_memory(root, caps >> CAP_SYS_PTRACE_BIT & 1, out);
	put_priority(caps >> CAP_SYS_NICE_BIT & 1, out);
}

static const char *whose(const struct task_process *p, char *buf, size_t sz)
{
	switch (p->runtime) {
	case TASK_RUNTIME_GO:
		return "its goroutines";
	case TASK_RUNTIME_TOKIO:
		snprintf(buf, sz, "those of its Tokio %s", p->tokio.program.version);
		return buf;
	default:
		return "those of its asyncio";
	}
}

/* Whether it is known where tasks of Tokio wait. */
static void put_awaits(const struct tk_book *book, struct sink *out)
{
	char line[sizeof(book->why.msg) + 96];

	if (!book)
		return;
	if (book->state == TK_BOOK_READ && book->table.roots.len)
		return put_line(out, "ok", "awaits: debug information says where its tasks wait");
	if (book->state == TK_BOOK_READ)
		snprintf(
			line, sizeof(line),
			"awaits: its debug information does not describe the futures of its tasks");
	else if (book->state == TK_BOOK_NONE)
		snprintf(line, sizeof(line),
			 "awaits: it has no debug information, so what its tasks wait for is not "
			 "known");
	else
		snprintf(line, sizeof(line), "awaits: %s",
			 *book->why.msg ? book->why.msg : "its debug information is still read");
	put_line(out, "missing", line);
	if (book->state == TK_BOOK_READ || book->state == TK_BOOK_NONE)
		put_line(out, "", "to do: build it with debug = true in [profile.release]");
}

static void put_process(const struct task_process *p, struct sink *out)
{
	char line[sizeof(p->why.msg) + 64], name[64];

	switch (p->state) {
	case TASK_PROCESS_READ:
		snprintf(line, sizeof(line), "tasks: %s can be read (record --tasks), %llu now",
			 whose(p, name, sizeof(name)), p->tasks);
		put_line(out, "ok", line);
		break;
	case TASK_PROCESS_NEW:
	case TASK_PROCESS_REFUSED:
		if (!*p->why.msg)
			break;
		snprintf(line, sizeof(line), "tasks (record --tasks): %s", p->why.msg);
		put_line(out, p->state == TASK_PROCESS_NEW ? "ok" : "missing", line);
		break;
	default:
		break;
	}
}

void doctor_tasks_of(u32 tgid, struct sink *out)
{
	struct task_process *p = mem_alloc(sizeof(*p));
	struct memory_window *window = mem_alloc(sizeof(*window));
	struct python_codes records;
	struct tk_shelf shelf;

	tk_shelf__init(&shelf);
	if (p && window && !python_codes__init(&records)) {
		task_process__init(p, tgid, NULL, window, &records, &shelf);
		if (!task_process__look(p) && !tk_shelf__wait(&shelf, SHELF_WAIT_NS)) {
			put_process(p, out);
			put_awaits(p->tokio.book, out);
		}
		task_process__done(p);
		python_codes__done(&records);
	}
	tk_shelf__done(&shelf);
	mem_free(window);
	mem_free(p);
}
