/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Reads and writes on connections of servers, for --request auto. The end of a system call still
 * has its arguments, so nothing is kept from its begin. Every call of the machine comes here while
 * the program is attached: what refuses most of them comes first, and reads least.
 */
#include "lib/kernel/kernel_file.bpf.h"
#include "lib/moment.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/object/regs_exit.bpf.h"
#include "lib/object/socket.bpf.h"
#include "lib/task.bpf.h"

/* include/linux/socket.h: the bytes stay there, or are no bytes of the peer */
#define MSG_PEEK 0x2
#define MSG_ERRQUEUE 0x2000

static __always_inline bool takes_bytes(const struct pt_regs *regs, u32 call)
{
	u64 flags = call == CS_SOCKET_CALL_RECVFROM ? regs_arg3(regs) :
		    call == CS_SOCKET_CALL_RECVMSG  ? regs_arg(regs, 2) :
						      0;

	return !(flags & (MSG_PEEK | MSG_ERRQUEUE));
}

/* The accepting end of a stream; its port, 0 for a unix socket. */
static __always_inline bool serves(const struct sock *sk, u32 *port)
{
	u32 family = BPF_CORE_READ(sk, __sk_common.skc_family);

	*port = 0;
	if (BPF_CORE_READ(sk, sk_type) != SOCK_STREAM)
		return false;
	/* Accepted ones share the address of the listening one. */
	if (family == AF_UNIX)
		return BPF_CORE_READ((const struct unix_sock *)(const void *)sk, addr) != NULL;
	if ((family != AF_INET && family != AF_INET6) ||
	    BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return false;
	*port = BPF_CORE_READ(sk, __sk_common.skc_num);
	return role_of_tcp(sk) == CS_ROLE_SERVER;
}

static __always_inline void send_mark(const struct task_struct *task, u32 id, u32 fd, bool is_write)
{
	struct file *file = file_of_fd((struct task_struct *)(u64)task, fd);
	struct socket *sock;
	struct cs_mark *m;
	u32 port;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return;
	sock = BPF_CORE_READ(file, private_data);
	if (!serves(BPF_CORE_READ(sock, sk), &port))
		return;
	m = bpf_ringbuf_reserve(&moments, sizeof(*m), 0);
	if (!m) {
		STAT_INC(mark_lost);
		return;
	}
	m->at_ns = clock_now();
	m->task = id;
	m->probe = CS_MARK_SOCKET | port << 1 | is_write;
	m->connection = BPF_CORE_READ(file, f_inode, i_ino);
	m->pad = 0;
	bpf_ringbuf_submit(m, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	struct task_struct *task;
	struct task_slot *slot;
	u32 call;

	if (ret <= 0)
		return 0;
	call = kind_of_call(socket_calls, regs_sysno(regs));
	if (!call)
		return 0;
	task = bpf_get_current_task_btf();
	slot = task_slot(task);
	if (slot && takes_bytes(regs, call))
		send_mark(task, slot->rec.id, regs_arg0_at_exit(regs),
			  call == CS_SOCKET_CALL_WRITE);
	return 0;
}
