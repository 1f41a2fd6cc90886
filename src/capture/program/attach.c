/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/program/attach.h"

#include <errno.h>

#include <bpf/libbpf.h>

void attachments__init(struct attachments *a)
{
	vec__init(&a->links, sizeof(struct bpf_link *));
	cpu_samples__init(&a->samples);
}

static struct bpf_link *attach(const struct hook *h, struct bpf_program *prog,
			       const struct attach_how *how)
{
	return hook__attach(h) == HOOK_KPROBE ?
		       bpf_program__attach_kprobe(prog, false, how->resume_symbol) :
		       bpf_program__attach_trace(prog);
}

static int attach_one(struct attachments *a, const struct hook *h, struct bpf_program *prog,
		      const struct attach_how *how, struct err *err)
{
	struct bpf_link **link = vec__push(&a->links);
	int r;

	if (!link)
		return err__nomem(err);
	*link = attach(h, prog, how);
	if (*link)
		return 0;
	r = -errno;
	a->links.len--;
	if (hook__attach(h) == HOOK_KPROBE)
		return err__set(err, r, "cannot put a kprobe on %s: %s", how->resume_symbol,
				err_str(r));
	return err__set(err, r, "cannot attach %s: %s", h->program, err_str(r));
}

int attachments__add(struct attachments *a, const struct bpf_object *obj,
		     const struct attach_how *how, struct err *err)
{
	int r = 0;

	for (u32 i = 0; !r && i < hooks_cnt; i++) {
		struct bpf_program *prog = bpf_object__find_program_by_name(obj, hooks[i].program);

		if (!prog || !bpf_program__autoload(prog) ||
		    (how->later && hooks[i].use == how->later))
			continue;
		if (hook__attach(&hooks[i]) == HOOK_TIMERS)
			r = cpu_samples__start(&a->samples, prog, how->on_cpu_hz, err);
		else if (hook__attach(&hooks[i]) != HOOK_BY_US)
			r = attach_one(a, &hooks[i], prog, how, err);
	}
	return r;
}

void attachments__done(struct attachments *a)
{
	cpu_samples__done(&a->samples);
	/* Their order does not matter: none depends on another. */
	for (size_t i = 0; i < a->links.len; i++)
		bpf_link__destroy(*(struct bpf_link **)vec__at(&a->links, i));
	vec__done(&a->links);
	attachments__init(a);
}
