/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets; unix sockets come before the functions that they share with others. Waiting for a client
 * is waiting for work in any program.
 */
#include "analysis/cause/rule.h"

#define UNIX                                                                                       \
	"unix_stream_read_generic unix_stream_data_wait __unix_dgram_recvmsg "                     \
	"unix_stream_sendmsg unix_dgram_sendmsg"

/* clang-format off */
static const struct rule rules[] = {
	/* the resolver sends, polls and receives: all of it is one wait for an answer */
	{ "net/dns", CAUSE_DNS, .seen = "glibc 2.36 python socket.getaddrinfo",
	  .kernel = { "do_sys_poll do_poll poll_schedule_timeout do_epoll_wait ep_poll "
		      "__skb_wait_for_more_packets sk_wait_data" },
	  .user = { "getaddrinfo gethostbyname* getnameinfo __res_context_send "
		    "__res_context_query __res_nsend res_nquery res_query ares_*" } },
	/* a database client sent its query and polls for the answer */
	{ "net/client", CAUSE_NET_RECV, .seen = "libpq 15, PQexec; tests/golden python",
	  .kernel = { "do_sys_poll do_poll poll_schedule_timeout do_epoll_wait ep_poll" },
	  .user = { "PQexec PQexecParams PQexecPrepared PQgetResult pqWait pqWaitTimed "
		    "mysql_real_query mysql_read_query_result mysql_stmt_execute "
		    "redisGetReply redisBufferRead curl_easy_perform SSL_read SSL_connect "
		    "gnutls_record_recv memcached_get" } },
	/* a sender waits for its peer in the function in which clients wait */
	{ "net/unix", CAUSE_UNIX, .kernel = { UNIX }, .seen = "6.18 waits_ipc" },
	{ "net/connect", CAUSE_NET_CONNECT, .seen = "6.18 waits_ipc",
	  .kernel = { "__inet_stream_connect inet_wait_for_connect unix_wait_for_peer" } },
	{ "net/accept", CAUSE_NET_ACCEPT, .seen = "6.18 waits_ipc",
	  .kernel = { "inet_csk_accept inet_csk_wait_for_connect unix_accept" } },
	{ "net/recv", CAUSE_NET_RECV, .kernel = { "sk_wait_data __skb_wait_for_more_packets" },
	  .seen = "6.18 waits_ipc" },
	{ "net/send", CAUSE_NET_SEND, .seen = "6.18 waits_ipc",
	  .kernel = { "sk_stream_wait_memory sk_stream_wait_close sock_alloc_send_pskb "
		      "sock_wait_for_wmem" } },
	{ "net/connect-call", CAUSE_NET_CONNECT, .syscalls = "connect", .seen = "6.18 waits_ipc" },
	{ "net/accept-call", CAUSE_NET_ACCEPT, .syscalls = "accept accept4",
	  .seen = "6.18 waits_ipc" },
	{ "net/accept-idle", .class = CLASS_IDLE, .kinds = RULE_KIND(CAUSE_NET_ACCEPT),
	  .seen = "6.18 waits_ipc" },
};
/* clang-format on */

const struct rule_table rules_net = { rules, ARRAY_LEN(rules), NULL };
