/* SPDX-License-Identifier: Apache-2.0 */
/* nginx and its forks. A worker should wait in one place only. */
#include "analysis/cause/rule.h"

#define NGINX_LOOP "ngx_process_events_and_timers ngx_epoll_process_events"
#define HELD (~(RULE_KIND(CAUSE_STOPPED) | RULE_KIND(CAUSE_EXIT)))

/* clang-format off */
static const struct rule rules[] = {
	{ "nginx/idle-worker", .class = CLASS_IDLE, .user = { NGINX_LOOP,
	  "epoll_wait epoll_pwait" },
	  .seen = "nginx 1.22; tests/causes nginx" },
	{ "nginx/blocked-worker", .class = CLASS_BAD, .user = { "ngx_worker_process_cycle*" },
	  .kinds = HELD, .seen = "nginx 1.22" },
	{ "nginx/idle-master", .class = CLASS_IDLE,
	  .user = { "ngx_master_process_cycle", "sigsuspend" },
	  .seen = "nginx 1.22; tests/causes nginx" },
	{ "nginx/idle-pool", .class = CLASS_IDLE, .user = { "ngx_thread_pool_cycle",
	  "pthread_cond_wait ngx_thread_cond_wait" }, .seen = "source" },
};
/* clang-format on */

const struct rule_table rules_nginx = { rules, ARRAY_LEN(rules),
					"nginx nginx-* angie freenginx openresty" };
