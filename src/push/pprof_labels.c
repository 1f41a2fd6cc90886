/* SPDX-License-Identifier: Apache-2.0 */
#include "push/pprof_labels.h"

#include "render/formats.h"

#define SERVICE "coldspot"

void push_labels_of(const struct push_window *w, const struct push_url *url, const char *host_name,
		    struct push_label ret[PUSH_LABELS_CNT])
{
	const char *host = profile__str(w->p, w->p->hdr.host);

	ret[0] = (struct push_label){ "__name__", "off_cpu" };
	ret[1] = (struct push_label){ "service_name", *url->service ? url->service : SERVICE };
	ret[2] = (struct push_label){ host_name, *host ? host : "unknown" };
}

int push_pprof(const struct push_window *w, bool few_labels, struct sink *to, struct err *err)
{
	const struct render_options opt = { .memo = w->memo, .few_labels = few_labels };
	int r = render_pprof.render(w->p, &opt, to, err);

	return r ? r : sink__finish(to, err);
}
