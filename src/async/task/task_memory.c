/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel stops at the first piece that it cannot read, and tells only how many bytes it copied;
 * so the pieces behind it are read in another call.
 */
#include "async/task/task_memory.h"

#include <errno.h>
#include <stdint.h>
#include <sys/uio.h>

static ssize_t read_from(struct task_memory *m, const struct task_piece *pieces, size_t n)
{
	struct iovec local[TASK_MEMORY_PIECES], remote[TASK_MEMORY_PIECES];
	ssize_t got;

	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){ pieces[i].buf, pieces[i].sz };
		remote[i] = (struct iovec){ (void *)(uintptr_t)pieces[i].addr, pieces[i].sz };
	}
	m->calls++;
	got = process_vm_readv((pid_t)m->tgid, local, n, remote, n, 0);
	if (got < 0) {
		m->denied = m->denied || errno == EPERM || errno == ENOSYS;
		m->gone = m->gone || errno == ESRCH;
	}
	return got;
}

void task_memory__read_pieces(struct task_memory *m, struct task_piece *pieces, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n; i++)
		pieces[i].ok = false;
	while (done < n && !m->denied && !m->gone) {
		ssize_t got = read_from(m, pieces + done, n - done);

		while (done < n && got > 0 && (size_t)got >= pieces[done].sz) {
			got -= (ssize_t)pieces[done].sz;
			pieces[done++].ok = true;
		}
		done++; /* the one that cannot be read */
	}
}

bool task_memory__read(struct task_memory *m, u64 addr, void *buf, size_t sz)
{
	struct task_piece piece = { .addr = addr, .buf = buf, .sz = sz };

	task_memory__read_pieces(m, &piece, 1);
	return piece.ok;
}
