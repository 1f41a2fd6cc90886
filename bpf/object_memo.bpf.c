/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Caches recently found objects, see lib/object/object_memo.bpf.h. Objects that plain loads cannot
 * find (the first descriptor of a poll, children) are not cached, and nothing is for longer than
 * OBJECT_NS.
 */
#include "lib/kernel/kernel_file.bpf.h"
#include "lib/kernel/kernel_word.bpf.h"
#include "lib/object/object_memo.bpf.h"

#define OBJECT_NS (100 * 1000 * 1000ULL)

#ifdef __TARGET_ARCH_x86

/* The struct file behind a descriptor of the running thread, or 0. */
static __always_inline u64 memo_file(const struct object_probe *s, u32 fd)
{
	u64 files = KERNEL_WORD(struct task_struct, s->task, files);
	u64 fdt = KERNEL_WORD(struct files_struct, files, fdt);

	if (fd >= (u32)KERNEL_WORD(struct fdtable, fdt, max_fds))
		return 0;
	return kernel_word(KERNEL_WORD(struct fdtable, fdt, fd) + fd * sizeof(u64));
}

static __always_inline u64 memo_peer(u64 sk, u32 family)
{
	if (family == AF_INET || !bpf_core_field_exists(struct sock_common, skc_v6_daddr))
		return KERNEL_WORD(struct sock, sk, __sk_common.skc_daddr);
	/* An address has two words; the odd factor makes their order matter. */
	return KERNEL_WORD(struct sock, sk, __sk_common.skc_v6_daddr) * 0xd6e8feb86659fd93ULL ^
	       KERNEL_WORD(struct sock, sk + sizeof(u64), __sk_common.skc_v6_daddr);
}

/* The fields from which object.bpf.c makes the key of a socket. False: another family. */
static __always_inline bool memo_socket(struct object_memo *m, u64 file)
{
	u64 sock = KERNEL_WORD(struct file, file, private_data);
	u64 sk = KERNEL_WORD(struct socket, sock, sk);
	u32 family = KERNEL_WORD(struct sock, sk, __sk_common.skc_family) & 0xffff;

	/* Its state shows whether it listens. */
	m->part[2] = KERNEL_WORD(struct sock, sk, __sk_common.skc_state) & 0xff;
	if (family == AF_INET || family == AF_INET6) {
		m->part[3] = KERNEL_WORD(struct sock, sk, __sk_common.skc_dport) & 0xffffffff;
		m->part[4] = memo_peer(sk, family);
		return true;
	}
	m->part[3] = KERNEL_WORD(struct unix_sock, sk, addr);
	m->part[4] = KERNEL_WORD(struct unix_sock, sk, peer);
	return family == AF_UNIX;
}

static __always_inline bool memo_descriptor(struct object_memo *m, const struct object_probe *s)
{
	u32 fd = s->arg[0];
	u64 file = memo_file(s, fd), inode;

	if (!file)
		return false;
	inode = KERNEL_WORD(struct file, file, f_inode);
	m->part[0] = file;
	m->part[1] = KERNEL_WORD(struct inode, inode, i_ino);
	if ((KERNEL_WORD(struct inode, inode, i_mode) & S_IFMT) == S_IFSOCK)
		return memo_socket(m, file);
	/* Anonymous files share an inode. */
	m->part[2] = KERNEL_WORD(struct file, file, f_op);
	m->part[3] = inode;
	m->part[4] = fd;
	return true;
}

/* Fills in what identifies the object; false: it is not cached. */
static __always_inline bool memo_of_probe(struct object_memo *m, const struct object_probe *s)
{
	/*
	 * It may wait for a lock, or for the file of a page fault, whatever the call operates on.
	 */
	if (s->lock || s->is_iowait)
		return false;
	m->image = s->image;
	m->call = s->call | object_side() << 8;
	if (s->call == CS_CALL_FD)
		return memo_descriptor(m, s);
	m->part[0] = s->arg[0];
	m->part[1] = s->arg[1];
	m->part[2] = s->arg[2];
	m->part[3] = 0;
	m->part[4] = 0;
	return s->call == CS_CALL_FUTEX;
}

static __always_inline bool memo_is_same(const struct object_memo *a, const struct object_memo *b)
{
	return a->image == b->image && a->call == b->call && a->part[0] == b->part[0] &&
	       a->part[1] == b->part[1] && a->part[2] == b->part[2] && a->part[3] == b->part[3] &&
	       a->part[4] == b->part[4];
}

static __always_inline struct object_memo *memo_place(struct scratch *scr,
						      const struct object_memo *m)
{
	u64 mix = (m->part[0] + m->part[1] + m->image) * 0x9e3779b97f4a7c15ULL;

	return &scr->objects[mix >> 32 & (OBJECT_MEMOS - 1)];
}

__noinline u32 object_recall(struct scratch *scr)
{
	struct object_memo seen, *m;

	if (!scr)
		return 0;
	if (!cfg.orc || !cfg.memo || !memo_of_probe(&seen, &scr->probe))
		return object_of_probe(&scr->probe);
	m = memo_place(scr, &seen);
	if (scr->switch_ns < m->until_ns && memo_is_same(m, &seen))
		return m->id;
	seen.id = object_of_probe(&scr->probe);
	seen.until_ns = scr->switch_ns + OBJECT_NS;
	*m = seen;
	return seen.id;
}

#else

__noinline u32 object_recall(struct scratch *scr)
{
	return scr ? object_of_probe(&scr->probe) : 0;
}

#endif
