/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cascaded redistribution of wPerf (OSDI '18) is what a critical path is, of each wait: the
 * path of all of a thread's time says for each nanosecond of its waits on which edge it ended. So
 * the graph is the sum of the paths of all threads.
 *
 * Waits are not divided by the number of threads that wait at the same time, as wPerf does: times
 * would no longer add up to what the rest of a report shows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"
#include "analysis/path/critical_path.h"
#include "analysis/path/wait_graph_priv.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/mem.h"
#include "base/strtab.h"

struct node_key {
	u32 kind;
	u32 name; /* of `names` */
};

struct node {
	struct node_key key;
	u32 user_threads;
	u32 threads;
	u64 waited_ns;
	u64 ended_ns;
};

struct edge_key {
	u32 from; /* ids of nodes */
	u32 to;
};

struct edge {
	struct edge_key key;
	u64 ns;
	u64 full_ns;
	u64 runq_ns;
	u64 cause_ns; /* most time of one cause */
	u32 cause;
};

/* Of an edge, time by cause. */
struct edge_cause {
	u32 edge;
	u32 cause;
	u64 ns;
};

static const char *const kind_names[] = {
	[GRAPH_THREADS] = "threads", [GRAPH_UNRECORDED] = "not-recorded",
	[GRAPH_PEER] = "peer",	     [GRAPH_INTERRUPT] = "interrupt",
	[GRAPH_OPEN] = "open",	     [GRAPH_UNKNOWN] = "unknown",
};

const char *graph_node_kind_name(enum graph_node_kind kind)
{
	return kind_names[kind < GRAPH_NODE_KINDS ? kind : GRAPH_UNKNOWN];
}

static int node_named(struct graph_making *m, u32 kind, const char *name, u32 *ret)
{
	struct node n = { .key.kind = kind };
	int r = strtab__add(&m->names, name, &n.key.name);

	/* so that no key is all zero */
	n.key.kind++;
	return r ? r : intern__add(&m->nodes, &n, ret);
}

int wait_graph_node_of_task(struct graph_making *m, u32 task, u32 *ret)
{
	const struct profile_task *t = &m->p->tasks[task];
	const char *comm = profile__str(m->p, t->comm);
	char name[96];
	int r;

	*ret = m->node_of_task[task];
	if (*ret)
		return 0;
	if (t->flags & TASK_KTHREAD && waker_kind_of_worker(comm))
		comm = waker_kind_of_worker(comm);
	if (t->comm == t->group_comm || !t->group_comm || t->flags & TASK_KTHREAD)
		snprintf(name, sizeof(name), "%s", *comm ? comm : "[no name]");
	else
		snprintf(name, sizeof(name), "%s of %s", comm, profile__str(m->p, t->group_comm));
	r = node_named(m, GRAPH_THREADS, name, ret);
	m->node_of_task[task] = *ret;
	return r;
}

/* The peer, if the wait was for one, else the kind of interrupt. */
static int node_of_interrupt(struct graph_making *m, const struct graph_end *end, u32 *ret)
{
	u32 object = m->p->waits[end->wait].object;
	char name[OBJECT_LABEL_SZ];

	waker_label_shared(m->p, end->waker, name, sizeof(name));
	/* a timer ends the waits for a socket that time out */
	if (m->p->objects[object].kind == OBJECT_SOCKET && object_says_something(m->p, object) &&
	    strcmp(name, "[timer interrupt]") != 0)
		return node_named(m, GRAPH_PEER, object_label(m->p, object, name, sizeof(name)),
				  ret);
	return node_named(m, GRAPH_INTERRUPT, *name ? name : "[I/O]", ret);
}

static int make_node_of_end(struct graph_making *m, const struct graph_end *end, u32 *ret)
{
	char name[WAKER_LABEL_SZ];

	switch (end->kind) {
	case PATH_INTERRUPT:
	case PATH_IO:
		return node_of_interrupt(m, end, ret);
	case PATH_UNRECORDED:
		waker_label_shared(m->p, end->waker, name, sizeof(name));
		return node_named(m, GRAPH_UNRECORDED, name, ret);
	case PATH_SELF:
		return node_named(m, GRAPH_UNKNOWN, "[woke itself]", ret);
	case PATH_OPEN:
		return node_named(m, GRAPH_OPEN, "[not over]", ret);
	case PATH_UNSEEN:
		return node_named(m, GRAPH_UNKNOWN, "[waker unknown]", ret);
	default:
		return node_named(m, GRAPH_UNKNOWN, "[not known]", ret);
	}
}

int wait_graph_node_of_end(struct graph_making *m, const struct graph_end *end, u32 *ret)
{
	u64 key = (u64)end->wait << 32 | (u64)end->kind << 27 | (end->waker & 0x7ffffff);
	u64 node;
	int r;

	if (map64__get(&m->known, key, &node)) {
		*ret = (u32)node;
		return 0;
	}
	r = make_node_of_end(m, end, ret);
	return r ? r : map64__set(&m->known, key, *ret);
}

static int add_cause(struct graph_making *m, struct edge *e, u32 edge, u32 cause, u64 ns)
{
	struct edge_cause fresh = { .edge = edge, .cause = cause }, *ec;
	u32 id;
	int r = intern__add(&m->edge_causes, &fresh, &id);

	if (r)
		return r;
	ec = intern__at(&m->edge_causes, id);
	ec->ns += ns;
	if (ec->ns > e->cause_ns) {
		e->cause_ns = ec->ns;
		e->cause = cause;
	}
	return 0;
}

int wait_graph_add_edge(struct graph_making *m, const struct graph_addend *add)
{
	struct edge fresh = { .key = { .from = add->from, .to = add->to } }, *e;
	u32 id, cause = CAUSE_UNKNOWN;
	int r = intern__add(&m->edges, &fresh, &id);

	if (r)
		return r;
	e = intern__at(&m->edges, id);
	e->ns += add->ns;
	e->runq_ns += add->runq_ns;
	e->full_ns += add->full_ns;
	((struct node *)intern__at(&m->nodes, add->to))->ended_ns += add->ns;
	if (add->wait)
		cause = causes__of(&m->causes, add->wait);
	return add_cause(m, e, id, cause, add->ns + add->full_ns);
}

void wait_graph_add_waited(struct graph_making *m, u32 node, u64 ns)
{
	((struct node *)intern__at(&m->nodes, node))->waited_ns += ns;
}

/* `moment`: 1 + index; 0: none. */
static u32 wait_of(const struct graph_making *m, u32 moment)
{
	return moment ? m->p->moments[moment - 1].wait : 0;
}

static bool is_of_thread(const struct path_part *part)
{
	return part->kind == PATH_RUNNING || part->kind == PATH_RUNQ ||
	       (part->kind == PATH_LOST && !part->moment);
}

/* The last edge of the part's chain. Of the thread's own time on or for a CPU there is none. */
static int add_last_edge(struct graph_making *m, const struct critical_path *path,
			 const struct path_part *part)
{
	const struct path_link *link = vec__at(&path->links, part->link);
	struct graph_addend add = { .ns = part->ns };
	int r;

	if (is_of_thread(part) && !part->link)
		return 0;
	if (is_of_thread(part)) {
		add.wait = wait_of(m, link->moment + 1);
		add.runq_ns = part->kind == PATH_RUNQ ? part->ns : 0;
		r = wait_graph_node_of_task(m, link->task, &add.from);
		if (!r)
			r = wait_graph_node_of_task(m, part->task, &add.to);
	} else {
		add.wait = wait_of(m, part->moment);
		r = wait_graph_node_of_task(m, part->task, &add.from);
		/* who waits for a thread that is not there yet, waits for it all the same */
		if (!r && part->kind == PATH_UNBORN)
			r = wait_graph_node_of_task(m, m->p->wakers[part->waker].task, &add.to);
		else if (!r)
			r = wait_graph_node_of_end(m,
						   &(struct graph_end){ (enum path_kind)part->kind,
									add.wait, part->waker },
						   &add.to);
		if (!part->link)
			add.full_ns = part->ns;
	}
	return r ? r : wait_graph_add_edge(m, &add);
}

/* The thread's own wait that the part is in, in full; UNBORN parts are of the link before. */
static int add_first_edge(struct graph_making *m, const struct critical_path *path,
			  const struct path_part *part)
{
	const struct path_link *link = vec__at(&path->links, part->link);
	struct graph_addend add = { .full_ns = part->ns };
	int r;

	while (link->depth > 1)
		link = vec__at(&path->links, link->parent);
	if (!part->link && is_of_thread(part))
		return 0;
	add.wait = wait_of(m, part->link ? link->moment + 1 : part->moment);
	r = wait_graph_node_of_task(m, part->link ? link->task : part->task, &add.from);
	if (r)
		return r;
	wait_graph_add_waited(m, add.from, part->ns);
	if (!part->link)
		return 0; /* add_last_edge() did it */
	r = wait_graph_node_of_task(m, m->p->wakers[link->waker].task, &add.to);
	return r ? r : wait_graph_add_edge(m, &add);
}

static int add_paths(struct graph_making *m)
{
	struct critical_path path = { 0 };
	u32 lane, i;
	int r = 0;

	for (lane = 0; lane < m->lanes->len && !r; lane++) {
		const struct lane *l = &m->lanes->lanes[lane];
		const struct path_range range = { lane, l->begin_ns, l->end_ns };

		if (!l->len)
			continue;
		r = path.lanes ? critical_path__again(&path, range) :
				 critical_path__init(&path, m->lanes, range);
		for (i = 0; i < path.parts.len && !r; i++) {
			r = add_last_edge(m, &path, vec__at(&path.parts, i));
			if (!r)
				r = add_first_edge(m, &path, vec__at(&path.parts, i));
		}
	}
	critical_path__done(&path);
	return r;
}

/* A thread counts in each of the groups in which it was. */
static int count_threads(struct graph_making *m)
{
	struct map64 seen; /* node << 32 | lane */
	u32 i, node;
	u64 known;
	int r = 0;

	map64__init(&seen);
	for (i = 1; i < m->p->tasks_len && !r; i++) {
		struct node *n;
		u64 key;

		r = wait_graph_node_of_task(m, i, &node);
		if (r)
			break;
		key = (u64)node << 32 | m->lanes->of_task[i];
		n = intern__at(&m->nodes, node);
		if (map64__get(&seen, key, &known))
			continue;
		n->threads++;
		n->user_threads += !(m->p->tasks[i].flags & TASK_KTHREAD);
		r = map64__set(&seen, key, 1);
	}
	map64__done(&seen);
	return r;
}

static int most_ended_first(const void *a, const void *b, void *arg)
{
	const struct intern *nodes = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 x_ns = ((const struct node *)intern__at(nodes, x))->ended_ns;
	u64 y_ns = ((const struct node *)intern__at(nodes, y))->ended_ns;

	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int longest_first(const void *a, const void *b)
{
	const struct graph_edge *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->full_ns != y->full_ns)
		return x->full_ns > y->full_ns ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* `order` has the ids of nodes, `place` the index of each. */
static int place_nodes(struct graph_making *m, u32 *order, u32 *place, struct arena *a,
		       struct wait_graph *ret)
{
	u32 i;

	for (i = 0; i < ret->nodes_len; i++)
		order[i] = i + 1;
	qsort_r(order, ret->nodes_len, sizeof(*order), most_ended_first, &m->nodes);
	for (i = 0; i < ret->nodes_len; i++) {
		const struct node *n = intern__at(&m->nodes, order[i]);

		place[order[i]] = i;
		ret->nodes[i] = (struct graph_node){
			.kind = n->key.kind - 1,
			.name = arena__strdup(a, strtab__get(&m->names, n->key.name)),
			.threads = n->threads,
			.is_kernel = n->threads && !n->user_threads,
			.waited_ns = n->waited_ns,
			.ended_ns = n->ended_ns,
		};
		if (!ret->nodes[i].name)
			return -ENOMEM;
	}
	return 0;
}

static void place_edges(struct graph_making *m, const u32 *place, struct wait_graph *ret)
{
	u32 i;

	for (i = 0; i < ret->edges_len; i++) {
		const struct edge *e = intern__at(&m->edges, i + 1);

		ret->edges[i] = (struct graph_edge){
			.from = place[e->key.from],
			.to = place[e->key.to],
			.cause = e->cause,
			.ns = e->ns,
			.full_ns = e->full_ns,
			.runq_ns = e->runq_ns,
		};
		ret->ns += e->ns;
	}
	if (ret->edges_len)
		qsort(ret->edges, ret->edges_len, sizeof(*ret->edges), longest_first);
}

static int place_all(struct graph_making *m, struct arena *a, struct wait_graph *ret)
{
	u32 nodes = intern__len(&m->nodes);
	u32 *order = mem_array(nodes, sizeof(*order)), *place = mem_array(nodes, sizeof(*place));
	u32 i;
	int r = -ENOMEM;

	ret->nodes_len = nodes - 1;
	ret->edges_len = intern__len(&m->edges) - 1;
	ret->threads = m->lanes->len;
	ret->nodes = arena__array(a, nodes, sizeof(*ret->nodes));
	ret->edges = arena__array(a, (size_t)ret->edges_len + 1, sizeof(*ret->edges));
	ret->node_of_task = arena__array(a, m->p->tasks_len, sizeof(*ret->node_of_task));
	if (order && place && ret->nodes && ret->edges && ret->node_of_task)
		r = place_nodes(m, order, place, a, ret);
	if (!r) {
		place_edges(m, place, ret);
		for (i = 1; i < m->p->tasks_len; i++)
			ret->node_of_task[i] = place[m->node_of_task[i]];
		r = wait_graph_find_knots(ret, m->p->hdr.window_ns, a);
	}
	mem_free(order);
	mem_free(place);
	return r;
}

static int begin(struct graph_making *m, struct cause_memo *memo)
{
	int r = causes__recall(&m->causes, m->p, memo, NULL);

	if (!r)
		r = strtab__init(&m->names);
	if (!r)
		r = intern__init(&m->nodes, sizeof(struct node), sizeof(struct node_key));
	if (!r)
		r = intern__init(&m->edges, sizeof(struct edge), sizeof(struct edge_key));
	if (!r)
		r = intern__init(&m->edge_causes, sizeof(struct edge_cause),
				 offsetof(struct edge_cause, ns));
	m->node_of_task = mem_array(m->p->tasks_len, sizeof(*m->node_of_task));
	return m->node_of_task ? r : -ENOMEM;
}

int wait_graph__build(const struct lanes *lanes, struct cause_memo *memo, struct arena *a,
		      struct wait_graph *ret, struct err *err)
{
	struct graph_making m = { .lanes = lanes, .p = lanes->p };
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->is_direct = !lanes->p->hdr.max_moments;
	map64__init(&m.known);
	r = begin(&m, memo);
	if (!r)
		r = count_threads(&m);
	if (!r)
		r = ret->is_direct ? wait_graph_add_direct(&m) : add_paths(&m);
	if (!r)
		r = place_all(&m, a, ret);
	map64__done(&m.known);
	mem_free(m.node_of_task);
	intern__done(&m.edge_causes);
	intern__done(&m.edges);
	intern__done(&m.nodes);
	strtab__done(&m.names);
	causes__done(&m.causes);
	return r ? err__nomem(err) : 0;
}
