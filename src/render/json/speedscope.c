/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of type "sampled" for https://www.speedscope.app: each node of the flame graph's tree is
 * one sample, weighted with its own time in ns, so that the weights add up to what is listed. A
 * profile per thread would hide that in a menu, so threads are frames at the root instead, if the
 * options say so. User and kernel functions with one name are two frames, the latter with
 * "[kernel]" as their file.
 */
#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/model/tree.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "render/encode/json_writer.h"
#include "render/by_waker.h"
#include "render/words/loss_text.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"

struct frame_key {
	u32 name; /* in `names` */
	u32 kernel;
};

struct speedscope {
	const struct profile *p;
	const struct profile *shown; /* the profile of the tree */
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

static void put_frames(const struct speedscope *s, struct json *to)
{
	u32 i;

	json__line(to);
	json__object(to, "shared");
	json__array(to, "frames");
	for (i = 1; i < intern__len(&s->frames); i++) {
		const struct frame_key *key = intern__at(&s->frames, i);

		json__line(to);
		json__object(to, NULL);
		json__text(to, "name", strtab__get(&s->names, key->name));
		if (key->kernel)
			json__text(to, "file", "[kernel]");
		json__end_object(to);
	}
	json__end_array(to);
	json__end_object(to);
}

/* The frames of a node, root first. `path` has room for the depth of the tree. */
static void put_samples(const struct speedscope *s, const u64 *self_ns, u32 *path, struct json *to)
{
	u32 i, d;

	json__line(to);
	json__array(to, "samples");
	for (i = 1; i < s->tree.len; i++) {
		const struct tree_node *n = &s->tree.nodes[i];

		path[n->depth] = s->frame_of[i] - 1;
		if (!self_ns[i])
			continue;
		json__line(to);
		json__array(to, NULL);
		for (d = 1; d <= n->depth; d++)
			json__u64(to, NULL, path[d]);
		json__end_array(to);
	}
	json__end_array(to);
}

static void put_weights(const struct speedscope *s, const u64 *self_ns, struct json *to)
{
	u32 i;

	json__line(to);
	json__array(to, "weights");
	for (i = 1; i < s->tree.len; i++) {
		if (self_ns[i])
			json__u64(to, NULL, self_ns[i]);
	}
	json__end_array(to);
}

static void put_profile(const struct speedscope *s, const char *cause, const u64 *self_ns,
			u32 *path, struct json *to)
{
	u64 total_ns = 0;
	char name[64];
	u32 i;

	for (i = 1; i < s->tree.len; i++)
		total_ns += self_ns[i];
	snprintf(name, sizeof(name), "%s%s%s",
		 s->view == VIEW_ON   ? "on-CPU" :
		 s->view == VIEW_WALL ? "wall-clock" :
					"off-CPU",
		 *cause ? ": " : "", cause);
	json__object(to, NULL);
	json__text(to, "type", "sampled");
	json__text(to, "name", name);
	json__text(to, "unit", "nanoseconds");
	json__u64(to, "startValue", 0);
	json__u64(to, "endValue", total_ns);
	put_samples(s, self_ns, path, to);
	put_weights(s, self_ns, to);
	json__end_object(to);
}

static void put_cause(const struct speedscope *s, u32 cause, u64 *self_ns, u32 *path,
		      struct json *to)
{
	u32 i;

	memset(self_ns, 0, s->tree.len * sizeof(*self_ns));
	for (i = 1; i < s->shown->waits_len; i++) {
		if (causes__shown(&s->causes, i) == cause)
			self_ns[s->tree.of_wait[i]] += wait_ns(&s->shown->waits[i]);
	}
	json__line(to);
	put_profile(s, cause_shown_name(cause), self_ns, path, to);
}

/*
 * A profile of everything comes first, which is what opens. The viewer knows only stacks, so each
 * cause is another profile after it, and waits for work are one, as in graphs; unless everything
 * has one cause.
 */
static void put_profiles(const struct speedscope *s, u64 *self_ns, u32 *path, struct json *to)
{
	u64 cause_ns[CAUSE_SHOWN_CNT] = { 0 };
	u32 cause, causes = 0, i;

	for (i = 0; i < s->tree.len; i++)
		self_ns[i] = s->tree.nodes[i].self_ns;
	json__line(to);
	json__array(to, "profiles");
	put_profile(s, "", self_ns, path, to);
	for (i = 1; i < s->shown->waits_len; i++)
		cause_ns[causes__shown(&s->causes, i)] += wait_ns(&s->shown->waits[i]);
	for (cause = 0; cause < CAUSE_SHOWN_CNT; cause++)
		causes += cause_ns[cause] != 0;
	for (cause = 0; cause < CAUSE_SHOWN_CNT && causes > 1; cause++) {
		if (cause_ns[cause])
			put_cause(s, cause, self_ns, path, to);
	}
	json__end_array(to);
}

/* The viewer can show losses only in the name. */
static int put_name(const struct speedscope *s, struct json *to)
{
	const char *target = profile__str(s->p, s->p->hdr.target);
	struct sink name;
	char text[256], part[SCOPE_TEXT_SZ];
	enum scope scope;
	int i, r;

	sink__init_mem(&name);
	sink__printf(&name, "%s of %s", render_view_noun(s->view),
		     *target ? target : "unknown threads");
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(s->p, scope, part, sizeof(part)))
			sink__printf(&name, "; %s", part);
	}
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(s->p, (enum profile_loss_kind)i, text, sizeof(text)))
			sink__printf(&name, "; lost: %s", text);
	}
	r = sink__finish(&name, NULL);
	if (!r)
		json__text(to, "name", name.buf);
	sink__done(&name);
	return r;
}

static int put_all(const struct speedscope *s)
{
	u32 *path = mem_array((size_t)s->tree.depth + 1, sizeof(*path));
	u64 *self_ns = mem_array(s->tree.len, sizeof(*self_ns));
	struct json j = JSON_TO(s->out), *to = &j;
	int r = path && self_ns ? 0 : -ENOMEM;

	if (!r) {
		json__object(to, NULL);
		json__text(to, "$schema", "https://www.speedscope.app/file-format-schema.json");
		json__line(to);
		json__text(to, "exporter", "coldspot");
		json__line(to);
		r = put_name(s, to);
		json__line(to);
		json__u64(to, "activeProfileIndex", 0);
		put_frames(s, to);
		put_profiles(s, self_ns, path, to);
		json__end_object(to);
		sink__puts(s->out, "\n");
	}
	mem_free(path);
	mem_free(self_ns);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct tree_options tree_opt;
	struct speedscope s = { .p = p, .out = out, .view = shown_opt.view };
	struct by_waker rows;
	struct shown shown;
	struct arena a;
	int r = by_waker__init(&rows, p, opt, err);

	if (r) {
		by_waker__done(&rows);
		return r;
	}
	tree_opt = render_tree_options(opt, shown_opt.view, rows.memo);
	arena__init(&a);
	r = shown__init(&shown, rows.p, &shown_opt, NULL);
	s.shown = shown.p;
	if (!r)
		r = causes__recall(&s.causes, shown.p, rows.memo, NULL);
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
	by_waker__done(&rows);
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
	.takes_wakers = true,
	.render = render,
};
