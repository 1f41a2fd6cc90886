/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of kind "sampled" for https://www.speedscope.app: each node of the tree that a flame
 * graph is drawn from becomes one sample, weighted with its own time in ns, so that the weights add
 * up to what is listed. A profile for each thread would hide that in a menu, so threads are frames
 * at the root instead, as the options say. User and kernel functions of one name are two frames,
 * the latter with "[kernel]" as their file.
 */
#include <errno.h>

#include "analysis/cause_memo.h"
#include "analysis/tree.h"
#include "analysis/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "render/json_text.h"
#include "render/loss_text.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/scope_text.h"

struct frame_key {
	u32 name; /* in `names` */
	u32 kernel;
};

struct speedscope {
	const struct profile *p;
	const struct profile *shown; /* what the tree is of */
	struct causes causes; /* of its rows */
	struct sink *out;
	enum time_view view;
	struct tree tree;
	struct strtab names;
	struct intern frames; /* struct frame_key; the id less 1 is the index */
	u32 *frame_of; /* id by tree node */
};

static int add_frames(struct speedscope *s)
{
	u32 i;
	int r;

	s->frame_of = mem_array(s->tree.len, sizeof(*s->frame_of));
	if (!s->frame_of)
		return -ENOMEM;
	r = strtab__init(&s->names);
	if (!r)
		r = intern__init(&s->frames, sizeof(struct frame_key), sizeof(struct frame_key));
	for (i = 1; i < s->tree.len && !r; i++) {
		const struct tree_node *n = &s->tree.nodes[i];
		struct frame_key key = { .kernel = n->kind == TREE_KERNEL };

		r = strtab__add(&s->names, *n->name ? n->name : "[no name]", &key.name);
		if (!r)
			r = intern__add(&s->frames, &key, &s->frame_of[i]);
	}
	return r;
}

static void put_frames(const struct speedscope *s)
{
	u32 i;

	sink__puts(s->out, "\"shared\":{\"frames\":[");
	for (i = 1; i < intern__len(&s->frames); i++) {
		const struct frame_key *key = intern__at(&s->frames, i);

		sink__puts(s->out, i > 1 ? ",\n{\"name\":" : "\n{\"name\":");
		json_text_put(s->out, strtab__get(&s->names, key->name));
		sink__puts(s->out, key->kernel ? ",\"file\":\"[kernel]\"}" : "}");
	}
	sink__puts(s->out, "]},\n");
}

/* The frames of a node, root first. `path` holds one for each depth of the tree. */
static void put_samples(const struct speedscope *s, const u64 *self_ns, u32 *path)
{
	const char *before = "\n[";
	u32 i, d;

	sink__puts(s->out, ",\n\"samples\":[");
	for (i = 1; i < s->tree.len; i++) {
		const struct tree_node *n = &s->tree.nodes[i];

		path[n->depth] = s->frame_of[i] - 1;
		if (!self_ns[i])
			continue;
		sink__puts(s->out, before);
		for (d = 1; d <= n->depth; d++) {
			sink__puts(s->out, d > 1 ? "," : "");
			sink__put_u64(s->out, path[d]);
		}
		sink__puts(s->out, "]");
		before = ",\n[";
	}
	sink__puts(s->out, "]");
}

static void put_weights(const struct speedscope *s, const u64 *self_ns)
{
	const char *before = "";
	u32 i;

	sink__puts(s->out, ",\n\"weights\":[");
	for (i = 1; i < s->tree.len; i++) {
		if (!self_ns[i])
			continue;
		sink__puts(s->out, before);
		sink__put_u64(s->out, self_ns[i]);
		before = ",";
	}
	sink__puts(s->out, "]");
}

/* Names are those of causes, which need no escaping. */
static void put_profile(const struct speedscope *s, const char *cause, const u64 *self_ns,
			u32 *path)
{
	u64 total_ns = 0;
	u32 i;

	for (i = 1; i < s->tree.len; i++)
		total_ns += self_ns[i];
	sink__printf(s->out,
		     "{\"type\":\"sampled\",\"name\":\"%s%s%s\",\"unit\":\"nanoseconds\","
		     "\"startValue\":0",
		     s->view == VIEW_ON	  ? "on-CPU" :
		     s->view == VIEW_WALL ? "wall-clock" :
					    "off-CPU",
		     *cause ? ": " : "", cause);
	sink__printf(s->out, ",\"endValue\":%llu", total_ns);
	put_samples(s, self_ns, path);
	put_weights(s, self_ns);
	sink__puts(s->out, "}");
}

static void put_cause(const struct speedscope *s, u32 cause, u64 *self_ns, u32 *path)
{
	u32 i;

	memset(self_ns, 0, s->tree.len * sizeof(*self_ns));
	for (i = 1; i < s->shown->waits_len; i++) {
		if (causes__shown(&s->causes, i) == cause)
			self_ns[s->tree.of_wait[i]] += wait_ns(&s->shown->waits[i]);
	}
	sink__puts(s->out, ",\n");
	put_profile(s, cause_shown_name(cause), self_ns, path);
}

/*
 * All of it first, which is what opens. The viewer knows nothing but stacks, so each cause is a
 * profile of its own behind it, and waits for work are one, as in pictures; unless all is of one.
 */
static void put_profiles(const struct speedscope *s, u64 *self_ns, u32 *path)
{
	u64 cause_ns[CAUSE_SHOWN_CNT] = { 0 };
	u32 cause, causes = 0, i;

	for (i = 0; i < s->tree.len; i++)
		self_ns[i] = s->tree.nodes[i].self_ns;
	put_profile(s, "", self_ns, path);
	for (i = 1; i < s->shown->waits_len; i++)
		cause_ns[causes__shown(&s->causes, i)] += wait_ns(&s->shown->waits[i]);
	for (cause = 0; cause < CAUSE_SHOWN_CNT; cause++)
		causes += cause_ns[cause] != 0;
	for (cause = 0; cause < CAUSE_SHOWN_CNT && causes > 1; cause++) {
		if (cause_ns[cause])
			put_cause(s, cause, self_ns, path);
	}
}

/* The viewer has no room for losses but the name. */
static int put_name(const struct speedscope *s)
{
	const char *target = profile__str(s->p, s->p->hdr.target);
	struct sink name;
	char text[256], scope[SCOPE_TEXT_SZ];
	int i, r;

	sink__init_mem(&name);
	sink__printf(&name, "%s of %s", render_view_noun(s->view),
		     *target ? target : "unknown threads");
	if (scope_windows_text(s->p, scope, sizeof(scope)))
		sink__printf(&name, "; %s", scope);
	if (scope_selection_text(s->p, scope, sizeof(scope)))
		sink__printf(&name, "; %s", scope);
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(s->p, (enum profile_loss_kind)i, text, sizeof(text)))
			sink__printf(&name, "; lost: %s", text);
	}
	r = sink__finish(&name, NULL);
	if (!r)
		json_text_put(s->out, name.buf);
	sink__done(&name);
	return r;
}

static int put_all(const struct speedscope *s)
{
	u32 *path = mem_array((size_t)s->tree.depth + 1, sizeof(*path));
	u64 *self_ns = mem_array(s->tree.len, sizeof(*self_ns));
	int r = path && self_ns ? 0 : -ENOMEM;

	if (!r) {
		sink__puts(s->out,
			   "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
			   "\"exporter\":\"coldspot\",\n\"name\":");
		r = put_name(s);
		sink__puts(s->out, ",\n\"activeProfileIndex\":0,\n");
		put_frames(s);
		sink__puts(s->out, "\"profiles\":[");
		put_profiles(s, self_ns, path);
		sink__puts(s->out, "]}\n");
	}
	mem_free(path);
	mem_free(self_ns);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	const struct tree_options tree_opt = { .root = opt->root,
					       .sides = opt->sides,
					       .delimiter = opt->delimiter,
					       .invert = opt->invert,
					       .view = shown_opt.view,
					       .idle_apart = opt->idle_apart,
					       .memo = opt->memo };
	struct speedscope s = { .p = p, .out = out, .view = shown_opt.view };
	struct shown shown;
	struct arena a;
	int r;

	arena__init(&a);
	r = shown__init(&shown, p, &shown_opt, NULL);
	s.shown = shown.p;
	if (!r)
		r = causes__recall(&s.causes, shown.p, opt->memo, NULL);
	if (!r)
		r = tree__build(shown.p, &tree_opt, &a, &s.tree, NULL);
	if (!r)
		r = add_frames(&s);
	if (!r)
		r = put_all(&s);
	mem_free(s.frame_of);
	intern__done(&s.frames);
	strtab__done(&s.names);
	causes__done(&s.causes);
	shown__done(&shown);
	arena__done(&a);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_speedscope = {
	.name = "speedscope",
	.endings = ".speedscope.json",
	.mime = "application/json",
	.help = "for the flame graph viewer speedscope",
	.takes_root = true,
	.takes_invert = true,
	.render = render,
};
