/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Reads and writes on connections of servers, for --request auto. The end of a system call still
 * has its arguments, so nothing is kept from its begin. Every call of the machine comes here while
 * the program is attached: what refuses most of them comes first, and reads least.
 */
#include "lib/kernel/kernel_file.bpf.h"
#include "lib/request/mark.bpf.h"
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

/* What a read or write says of itself. */
struct socket_call {
	const struct pt_regs *regs;
	u32 call; /* enum cs_socket_call */
	u32 len; /* of what was moved, at most CS_HEAD_SZ */
	u32 probe; /* as cs_mark has it */
	u32 connection;
	u32 task;
};

static __always_inline void fill_mark(struct cs_mark *m, const struct socket_call *c)
{
	m->at_ns = clock_now();
	m->task = c->task;
	m->probe = c->probe;
	m->connection = c->connection;
	m->head = 0;
}

struct user_buffer {
	u64 at;
	u64 len;
};

/* Where the first bytes are. False if what says so cannot be read. */
static __always_inline bool find_bytes(const struct socket_call *c, struct user_buffer *buf)
{
	u64 at = regs_arg(c->regs, 1);

	buf->at = at;
	buf->len = c->len;
	if (c->call == CS_SOCKET_CALL_READ || c->call == CS_SOCKET_CALL_RECVFROM)
		return true;
	/* struct msghdr: the buffers follow a name and its length */
	if (c->call == CS_SOCKET_CALL_RECVMSG &&
	    bpf_probe_read_user(&at, sizeof(at), (const void *)(at + 2 * sizeof(u64))))
		return false;
	if (bpf_probe_read_user(buf, sizeof(*buf), (const void *)at))
		return false;
	if (buf->len > c->len)
		buf->len = c->len;
	return true;
}

static __always_inline bool is_upper(u8 c)
{
	return c >= 'A' && c <= 'Z';
}

/*
 * Sends what a request begins with, instead of a mark; false if a mark must be sent. Bodies and
 * other protocols rarely begin with three capitals, as methods do, or with "ET " and "UT ", what a
 * server reads that has read one byte before.
 */
static __always_inline bool send_head(const struct socket_call *c)
{
	struct user_buffer buf;
	struct cs_head *h;
	u8 first[4] = { 0 };
	u32 len;

	if (!find_bytes(c, &buf) ||
	    (buf.len >= sizeof(first) &&
	     bpf_probe_read_user(first, sizeof(first), (const void *)buf.at))) {
		STAT_INC(head_unread);
		return false;
	}
	if (!is_upper(first[0]) || !is_upper(first[1]) || (!is_upper(first[2]) && first[2] != ' '))
		return false;
	h = bpf_ringbuf_reserve(&moments, sizeof(*h), 0);
	if (!h) {
		STAT_INC(mark_lost);
		return true;
	}
	fill_mark(&h->mark, c);
	len = buf.len;
	/* the verifier of 6.1 forgets the limit if the compiler compares another copy */
	barrier_var(len);
	if (len > CS_HEAD_SZ)
		len = CS_HEAD_SZ;
	if (bpf_probe_read_user(h->bytes, len, (const void *)buf.at)) {
		STAT_INC(head_unread);
		len = 0;
	}
	h->len = len;
	h->pad = 0;
	bpf_ringbuf_submit(h, BPF_RB_NO_WAKEUP);
	return true;
}

static __always_inline void see_call(struct task_struct *task, const struct task_slot *slot,
				     struct socket_call *c, u32 fd)
{
	struct file *file = file_of_fd(task, fd);
	struct socket *sock;
	bool is_write = c->call == CS_SOCKET_CALL_WRITE;
	struct cs_mark m;
	u32 port;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return;
	sock = BPF_CORE_READ(file, private_data);
	if (!serves(BPF_CORE_READ(sock, sk), &port))
		return;
	c->probe = CS_MARK_SOCKET | port << 1 | is_write;
	c->connection = BPF_CORE_READ(file, f_inode, i_ino);
	if (cfg.heads && !is_write && send_head(c)) {
		mark_ask(slot->rec.image, slot->rec.tgid);
		return;
	}
	fill_mark(&m, c);
	mark_send(&m, slot->rec.image, slot->rec.tgid);
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
	if (slot && takes_bytes(regs, call)) {
		struct socket_call c = { .regs = regs,
					 .call = call,
					 .len = ret < CS_HEAD_SZ ? ret : CS_HEAD_SZ,
					 .task = slot->rec.id };

		see_call(task, slot, &c, regs_arg0_at_exit(regs));
	}
	return 0;
}
