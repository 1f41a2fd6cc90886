/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_HTTP_SERVER_PRIV_H
#define WEB_HTTP_SERVER_PRIV_H

/* Only for server.c and http.c, which are all that knows libmicrohttpd. */
#include <microhttpd.h>

#include "render/page/page.h"
#include "web/http/connections.h"
#include "web/http/guard.h"
#include "web/http/listener.h"
#include "web/http/server.h"

/* Seconds without a byte, from or to a client. */
#define SERVER_IDLE_S 30

struct server {
	struct web *web;
	struct MHD_Daemon *daemon;
	struct listener listener;
	struct guard guard;
	struct connections connections;
	bool tls;
	char *key, *cert;
	char policy[PAGE_POLICY_SZ];
	char url[512];
	pthread_t reaper; /* ends connections that are late */
	bool has_reaper;
	pthread_mutex_t lock;
	pthread_cond_t stopping;
	bool stop;
};

/* Callbacks of libmicrohttpd; `arg` is the server. In http.c. */
enum MHD_Result http_accept(void *arg, const struct sockaddr *from, socklen_t len);
void http_connection(void *arg, struct MHD_Connection *mc, void **conn,
		     enum MHD_ConnectionNotificationCode what);
/* The path before it is decoded. */
void *http_begin(void *arg, const char *uri, struct MHD_Connection *mc);
enum MHD_Result http_request(void *arg, struct MHD_Connection *mc, const char *path,
			     const char *method, const char *version, const char *body,
			     size_t *body_len, void **call);
void http_completed(void *arg, struct MHD_Connection *mc, void **call,
		    enum MHD_RequestTerminationCode why);

#endif
