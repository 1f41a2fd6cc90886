/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_FILE_BPF_H
#define LIB_KERNEL_KERNEL_FILE_BPF_H

/* The part of lib/kernel.bpf.h about descriptors and sockets; see there. */
#include "lib/kernel/kernel.bpf.h"

/* include/uapi/linux/magic.h */
#define PIPEFS_MAGIC 0x50495045
#define ANON_INODE_FS_MAGIC 0x09041934
#define PIDFS_MAGIC 0x50494446
/* include/uapi/linux/stat.h */
#define S_IFMT 0170000
#define S_IFIFO 0010000
#define S_IFSOCK 0140000
/* include/linux/socket.h, include/net/tcp_states.h, include/net/sock.h */
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define IPPROTO_TCP 6
#define TCP_LISTEN 10
#define SOCK_BINDPORT_LOCK 8
#define UNIX_PATH_SZ 108
#define UNIX_NAME_WORDS 14

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct fdtable {
	unsigned int max_fds; /* all */
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt; /* all */
};

struct socket {
	struct file *file; /* all */
	struct sock *sk;
};

struct local_ports {
	int range[2]; /* before 6.8: the first and the last */
};

struct local_ports___6_8 {
	__u32 range; /* last << 16 | first */
};

struct netns_ipv4 {
	struct local_ports ip_local_ports; /* all */
};

struct netns_ipv4___6_8 {
	struct local_ports___6_8 ip_local_ports;
};

struct net {
	struct ns_common ns; /* all */
	struct netns_ipv4 ipv4; /* all */
};

struct net___6_8 {
	struct netns_ipv4___6_8 ipv4;
};

typedef struct {
	struct net *net; /* CONFIG_NET_NS */
} possible_net_t;

struct in6_addr {
	__u8 bytes[16];
};

struct sock_common {
	__u32 skc_daddr; /* in an unnamed union, as skc_rcv_saddr; all */
	__u32 skc_rcv_saddr; /* its own */
	__u16 skc_dport; /* network byte order */
	__u16 skc_num; /* host byte order */
	unsigned short skc_family;
	unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr; /* CONFIG_IPV6 */
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_type; /* all */
	__u16 sk_protocol; /* 5.6+ of 16 bits */
	__u8 sk_userlocks : 4;
	struct socket *sk_socket; /* NULL: nobody has it open any more */
	struct pid *sk_peer_pid;
};

struct inet_bind_bucket {
	signed char fastreuse; /* -1: made by connect(), which chose the port; all */
};

struct inet_connection_sock {
	struct inet_bind_bucket *icsk_bind_hash; /* accepted ones have the listener's; all */
};

struct sockaddr_un {
	unsigned short sun_family;
	char sun_path[UNIX_PATH_SZ];
};

struct unix_address {
	int len; /* all */
	struct sockaddr_un name[];
};

struct unix_sock {
	struct unix_address *addr; /* accepted ones share the listener's; all */
	struct sock *peer;
};

#pragma clang attribute pop

/* Of a task that is a number to the verifier; NULL: no such descriptor. */
static __always_inline struct file *file_of_fd(struct task_struct *task, u32 fd)
{
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file *file = NULL;

	if (!fdt || fd >= BPF_CORE_READ(fdt, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(fdt, fd) + fd);
	return file;
}

#endif
