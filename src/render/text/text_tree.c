/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of stacks for a terminal: one line per frame with its share and time, longest first.
 * Stacks are deep and mostly do not branch, so only a branch indents further, and a line without
 * numbers has the same time as the one above it. Small parts are omitted and summed up at that
 * place, so that every level adds up.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/model/tree_cause.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "base/vec.h"
#include "profile/estimate.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "render/render.h"
#include "render/by_waker.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"
#include "render/words/share_text.h"
#include "render/words/short_name.h"
#include "base/text/utf8.h"

/* Default for the smallest part of the whole that has a line, in millionths. */
#define MIN_PPM 5000
/* Columns of share and time, and of the error of the time. */
#define NUMBERS 15
#define ERROR 8
#define NAME_COLUMNS 160

struct text_tree {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	struct tree tree;
	struct tree_causes causes; /* for idle time, which shares leave out */
	struct vec todo; /* struct line, the next one last */
	u32 *children; /* scratch */
	u64 min_ns;
	enum time_view view;
	bool estimated; /* times have an error */
};

struct line {
	u32 node; /* 0: omitted frames */
	u32 indent;
	u32 left_out; /* frames */
	bool same; /* the only one below the line above, with the same time */
	struct shared_time part; /* as estimated: its share */
	u64 ns; /* exact, if known */
};

static struct shared_time time_of(const struct text_tree *t, u32 node)
{
	return (struct shared_time){ t->tree.nodes[node].total_ns,
				     t->causes.of_node[node].idle_ns };
}

static void put_numbers(const struct text_tree *t, const struct line *line)
{
	const struct tree_node *n = &t->tree.nodes[line->node];
	char time[32], error[32], share[SHARE_TEXT_SZ];

	units_format_ns(line->ns, time, sizeof(time));
	share_text(line->part, time_of(t, 0), 1, share, sizeof(share));
	sink__printf(t->out, "%6s%*s", share, utf8_pad(time, 9), time);
	if (!t->estimated)
		return;
	if (line->node && n->var_us2) {
		units_format_error_ns(line->ns, estimate_se_ns(n->var_us2), error, sizeof(error));
		sink__printf(t->out, " ±%-*s", ERROR - 2, error);
	} else {
		sink__printf(t->out, "%*s", ERROR, "");
	}
}

static void put_line(const struct text_tree *t, const struct line *line)
{
	const struct tree_node *n = &t->tree.nodes[line->node];

	if (line->same)
		sink__printf(t->out, "%*s", NUMBERS + (t->estimated ? ERROR : 0), "");
	else
		put_numbers(t, line);
	sink__printf(t->out, "%*s", (int)line->indent + 2, "");
	if (line->node)
		short_name_put(t->out, *n->name ? n->name : "[no name]", NAME_COLUMNS);
	else
		sink__printf(t->out, "[%u smaller]", line->left_out);
	sink__puts(t->out, "\n");
}

static int longest_first(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	const struct tree_node *x = &t->nodes[*(const u32 *)a], *y = &t->nodes[*(const u32 *)b];

	if (x->exact_ns != y->exact_ns)
		return x->exact_ns < y->exact_ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

static int push(struct text_tree *t, const struct line *line)
{
	struct line *slot = vec__push(&t->todo);

	if (!slot)
		return -ENOMEM;
	*slot = *line;
	return 0;
}

/* Pushes the children of a node, the last one first. */
static int push_children(struct text_tree *t, u32 node, u32 indent)
{
	const struct tree_node *n = &t->tree.nodes[node];
	struct line rest = { 0 };
	bool same;
	u32 len = 0, shown, i;
	int r = 0;

	for (i = node + 1; i < n->end; i = t->tree.nodes[i].end)
		t->children[len++] = i;
	qsort_r(t->children, len, sizeof(*t->children), longest_first, &t->tree);
	for (shown = 0; shown < len; shown++) {
		if (t->tree.nodes[t->children[shown]].exact_ns < t->min_ns)
			break;
		if (!node && t->opt->rows && shown == t->opt->rows)
			break;
	}
	same = node && len == 1 && !n->self_ns;
	if (node && (!same || n->depth == 1))
		indent++;
	rest.indent = indent;
	rest.left_out = len - shown;
	for (i = shown; i < len; i++) {
		rest.ns += t->tree.nodes[t->children[i]].exact_ns;
		rest.part.ns += time_of(t, t->children[i]).ns;
		rest.part.idle_ns += time_of(t, t->children[i]).idle_ns;
	}
	if (rest.left_out)
		r = push(t, &rest);
	for (i = shown; i-- > 0 && !r;) {
		u32 child = t->children[i];

		r = push(t, &(struct line){ .node = child,
					    .indent = indent,
					    .same = same,
					    .part = time_of(t, child),
					    .ns = t->tree.nodes[child].exact_ns });
	}
	return r;
}

static int put_lines(struct text_tree *t)
{
	int r = push_children(t, 0, 0);

	while (t->todo.len && !r) {
		struct line line = *(struct line *)vec__at(&t->todo, --t->todo.len);

		put_line(t, &line);
		if (line.node)
			r = push_children(t, line.node, line.indent);
	}
	return r;
}

static void put_idle(const struct text_tree *t)
{
	const struct shared_time all = time_of(t, 0);
	char idle[32], rest[32];

	if (!all.idle_ns || all.idle_ns == all.ns)
		return;
	units_format_ns(all.idle_ns, idle, sizeof(idle));
	units_format_ns(all.ns - all.idle_ns, rest, sizeof(rest));
	sink__printf(t->out, "%s of it idle, in waits for work; shares are of the other %s\n", idle,
		     rest);
}

static void put_head(const struct text_tree *t)
{
	const char *target = profile__str(t->p, t->p->hdr.target);
	char time[32], text[SCOPE_TEXT_SZ];
	enum scope scope;

	units_format_ns(t->tree.nodes[0].exact_ns, time, sizeof(time));
	sink__printf(t->out, "%s %s: ", time, render_view_words(t->view));
	utf8_put_harmless(t->out, *target ? target : "recording");
	sink__puts(t->out, t->opt->invert ? "; from what waited to its callers\n" : "\n");
	put_idle(t);
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(t->p, scope, text, sizeof(text)))
			sink__printf(t->out, "%s\n", text);
	}
	sink__puts(t->out, "\n");
}

static void put_foot(const struct text_tree *t)
{
	char text[320];

	sink__puts(t->out, "\n");
	losses_put(t->p, t->out);
	effort_seen_text(t->p, text, sizeof(text));
	sink__printf(t->out, "%s\n", text);
	if (render_samples_text(t->p, text, sizeof(text)))
		sink__printf(t->out, "Sampled: %s\n", text);
}

static int put_all(struct text_tree *t)
{
	double share = t->opt->min_share;
	u64 ppm = share > 0 ? (u64)(share * 1000000) : MIN_PPM;
	int r;

	t->min_ns = (u64)((unsigned __int128)t->tree.nodes[0].exact_ns * ppm / 1000000);
	t->children = mem_array(t->tree.len, sizeof(*t->children));
	if (!t->children)
		return -ENOMEM;
	put_head(t);
	r = put_lines(t);
	put_foot(t);
	mem_free(t->children);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_OFF);
	struct tree_options tree_opt;
	struct text_tree t = { .p = p,
			       .opt = opt,
			       .out = out,
			       .view = shown_opt.view,
			       .estimated = profile__is_sampled(p) || shown_opt.view >= VIEW_ON };
	struct by_waker rows;
	struct shown shown;
	struct arena a;
	int r;

	if (!(opt->min_share >= 0 && opt->min_share <= 1))
		return err__set(err, -EINVAL, "the smallest share is not between 0 and 1");
	r = by_waker__init(&rows, p, opt, err);
	if (r) {
		by_waker__done(&rows);
		return r;
	}
	tree_opt = render_tree_options(opt, shown_opt.view, rows.memo);
	arena__init(&a);
	vec__init(&t.todo, sizeof(struct line));
	r = shown__init(&shown, rows.p, &shown_opt, NULL);
	if (!r)
		r = tree__build(shown.p, &tree_opt, &a, &t.tree, NULL);
	if (!r)
		r = tree_causes__build(shown.p, &t.tree, &a, rows.memo, &t.causes, NULL);
	if (!r)
		r = put_all(&t);
	shown__done(&shown);
	by_waker__done(&rows);
	vec__done(&t.todo);
	arena__done(&a);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_tree = {
	.name = "tree",
	.endings = ".tree.txt",
	.mime = "text/plain; charset=utf-8",
	.help = "stacks as a text tree, longest first",
	.takes_root = true,
	.takes_invert = true,
	.takes_wakers = true,
	.is_screen = true,
	.render = render,
};
