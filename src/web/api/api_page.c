/* SPDX-License-Identifier: Apache-2.0 */
/* What does not depend on what was recorded. */
#include "render/page/page.h"
#include "web/api/routes.h"

static const char openapi[] =
#include "gen/openapi.json.inc"
	;

int api_page(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	const char *title = w->opt.target ? w->opt.target : web__file_name(w);

	(void)rq;
	(void)err;
	a->mime = "text/html; charset=utf-8";
	a->policy = true;
	page_live_put(title ? title : w->host, &a->body);
	return 0;
}

int api_openapi(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	(void)w;
	(void)rq;
	(void)err;
	sink__puts(&a->body, openapi);
	return 0;
}

int api_health(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	(void)w;
	(void)rq;
	(void)err;
	a->mime = "text/plain; charset=utf-8";
	sink__puts(&a->body, "ok\n");
	return 0;
}

/* Browsers ask for it unasked. */
int api_icon(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	(void)w;
	(void)rq;
	(void)err;
	a->status = 204;
	a->mime = "image/x-icon";
	return 0;
}

int api_pprof_index(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	(void)w;
	(void)rq;
	(void)err;
	a->mime = "text/plain; charset=utf-8";
	sink__puts(&a->body,
		   "offcpu\twhere threads wait, in the format of pprof: "
		   "go tool pprof 'http://HOST:PORT/debug/pprof/offcpu?seconds=10&token=TOKEN'\n");
	return 0;
}
