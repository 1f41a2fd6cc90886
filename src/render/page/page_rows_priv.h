/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_ROWS_PRIV_H
#define RENDER_PAGE_PAGE_ROWS_PRIV_H

/* The columns of the page's tables, and what puts rows into them. Only for page_*.c. */
#include "analysis/name/place.h"
#include "profile/row_type.h"
#include "render/page/page_rows.h"

/* X(NAME, name, is delta) */
#define COLUMNS(X)                                                                                 \
	X(MODULE_KIND, "module.kind", false)                                                       \
	X(MODULE_PATH, "module.path", true)                                                        \
	X(MODULE_BUILD_ID, "module.build_id", true)                                                \
	X(FRAME_LABEL, "frame.label", true)                                                        \
	X(FRAME_KIND, "frame.kind", false)                                                         \
	X(FRAME_MODULE, "frame.module", true)                                                      \
	X(FRAME_FILE, "frame.file", true)                                                          \
	X(FRAME_LINE, "frame.line", false)                                                         \
	X(FRAME_REASON, "frame.reason", true)                                                      \
	X(STACK_PARENT, "stack.parent", true)                                                      \
	X(STACK_FRAME, "stack.frame", true)                                                        \
	X(STACK_OF_WAKER, "stack.waker", false)                                                    \
	X(TASK_TID, "task.tid", true)                                                              \
	X(TASK_TGID, "task.tgid", true)                                                            \
	X(TASK_COMM, "task.comm", true)                                                            \
	X(TASK_GROUP_COMM, "task.group_comm", true)                                                \
	X(TASK_FLAGS, "task.flags", false)                                                         \
	X(TASK_WALL, "task.wall_ns", true)                                                         \
	X(TASK_ON, "task.on_ns", false)                                                            \
	X(TASK_PREEMPTED, "task.preempted_ns", false)                                              \
	X(TASK_RUNQ, "task.runq_ns", false)                                                        \
	X(TASK_BLOCKED, "task.blocked_ns", false)                                                  \
	X(TASK_UNACCOUNTED, "task.unaccounted_ns", false)                                          \
	X(TASK_SWITCHES, "task.switches", false)                                                   \
	X(TASK_CGROUP, "task.cgroup", true)                                                        \
	X(OBJECT_LABEL, "object.label", true)                                                      \
	X(OBJECT_SAYS, "object.says", false)                                                       \
	X(WAIT_TASK, "wait.task", true)                                                            \
	X(WAIT_USER, "wait.user_stack", true)                                                      \
	X(WAIT_KERNEL, "wait.kernel_stack", true)                                                  \
	X(WAIT_NOTES, "wait.notes", false)                                                         \
	X(WAIT_CAUSE, "wait.cause", false)                                                         \
	X(WAIT_SYSCALL, "wait.syscall", true)                                                      \
	X(WAIT_STATE, "wait.state", false)                                                         \
	X(WAIT_FLAGS, "wait.flags", false)                                                         \
	X(WAIT_BLOCKED, "wait.blocked_ns", false)                                                  \
	X(WAIT_RUNQ, "wait.runq_ns", false)                                                        \
	X(WAIT_COUNT, "wait.count", false)                                                         \
	X(WAIT_MAX, "wait.max_ns", false)                                                          \
	X(WAIT_SAMPLES, "wait.samples", false)                                                     \
	X(WAIT_VAR, "wait.var_us2", false)                                                         \
	X(WAIT_PLACE, "wait.place", true)                                                          \
	X(WAIT_OWN, "wait.own", true)                                                              \
	X(WAIT_ON, "wait.on_ns", false)                                                            \
	X(WAIT_BUCKETS, "wait.buckets", false)                                                     \
	X(WAIT_KIND, "wait.kind", false)                                                           \
	X(WAIT_CLASS, "wait.class", false)                                                         \
	X(WAIT_OBJECT, "wait.object", true)                                                        \
	X(WAIT_OWNER, "wait.owner", true)                                                          \
	X(WAIT_OWNER_TASK, "wait.owner_task", true)                                                \
	X(HIST_BUCKET, "hist.bucket", false)                                                       \
	X(HIST_COUNT, "hist.count", false)                                                         \
	X(BIN_TASK, "bin.task", true)                                                              \
	X(BIN_KIND, "bin.kind", false)                                                             \
	X(BIN_BUCKET, "bin.bucket", false)                                                         \
	X(BIN_COUNT, "bin.count", false)                                                           \
	X(INTERVAL_BEGIN, "interval.begin_ns", true)                                               \
	X(INTERVAL_LENGTH, "interval.length_ns", false)                                            \
	X(PART_WAIT, "part.wait", true)                                                            \
	X(PART_INTERVAL, "part.interval", false)                                                   \
	X(PART_NS, "part.ns", false)                                                               \
	X(LANE_BEGIN, "lane.begin_ns", true)                                                       \
	X(LANE_END, "lane.end_ns", true)                                                           \
	X(LANE_ALL, "lane.all", false)                                                             \
	X(LANE_WHOLE, "lane.whole", false)                                                         \
	X(WAKER_TASK, "waker.task", true)                                                          \
	X(WAKER_LABEL, "waker.label", true)                                                        \
	X(MOMENT_WAIT, "moment.wait", true)                                                        \
	X(MOMENT_BEGIN, "moment.begin_ns", true)                                                   \
	X(MOMENT_BLOCKED, "moment.blocked_ns", false)                                              \
	X(MOMENT_RUNQ, "moment.runq_ns", false)                                                    \
	X(MOMENT_WAKER, "moment.waker", true)                                                      \
	X(WAKER_CONTEXT, "waker.context", false)                                                   \
	X(WAKER_FLAGS, "waker.flags", false)                                                       \
	X(WAKER_SHARED, "waker.shared", true)                                                      \
	X(NODE_NAME, "node.name", true)                                                            \
	X(NODE_KIND, "node.kind", false)                                                           \
	X(NODE_THREADS, "node.threads", false)                                                     \
	X(NODE_WAITED, "node.waited_ns", false)                                                    \
	X(NODE_ENDED, "node.ended_ns", false)                                                      \
	X(NODE_KNOT, "node.knot", false)                                                           \
	X(EDGE_FROM, "edge.from", true)                                                            \
	X(EDGE_TO, "edge.to", true)                                                                \
	X(EDGE_CAUSE, "edge.cause", false)                                                         \
	X(EDGE_NS, "edge.ns", false)                                                               \
	X(EDGE_FULL, "edge.full_ns", false)                                                        \
	X(EDGE_RUNQ, "edge.runq_ns", false)                                                        \
	X(TASK_NODE, "task.node", true)                                                            \
	X(TASK_THREAD, "task.thread", true)                                                        \
	X(CLASS_NAME, "class.name", true)                                                          \
	X(CLASS_COUNT, "class.count", false)                                                       \
	X(CLASS_BEFORE, "class.before", false)                                                     \
	X(CLASS_OPEN, "class.open", false)                                                         \
	X(CLASS_NESTED, "class.nested", false)                                                     \
	X(CLASS_HANDED, "class.handed", false)                                                     \
	X(CLASS_OVERLAPPING, "class.overlapping", false)                                           \
	X(CLASS_P50, "class.p50_ns", false)                                                        \
	X(CLASS_P90, "class.p90_ns", false)                                                        \
	X(CLASS_P99, "class.p99_ns", false)                                                        \
	X(CLASS_MAX, "class.max_ns", false)                                                        \
	X(CLASS_SLOW, "class.slow", false)                                                         \
	X(CLASS_MIDDLE, "class.middle", false)                                                     \
	X(CLASS_ROWS, "class.rows", false)                                                         \
	X(CLASS_SLOWEST, "class.slowest", false)                                                   \
	X(DOING_PART, "doing.part", false)                                                         \
	X(DOING_CAUSE, "doing.cause", false)                                                       \
	X(DOING_IDLE, "doing.idle", false)                                                         \
	X(DOING_PLACE, "doing.place", true)                                                        \
	X(DOING_NS, "doing.ns", false)                                                             \
	X(DOING_SLOW, "doing.slow_ns", false)                                                      \
	X(DOING_MIDDLE, "doing.middle_ns", false)                                                  \
	X(DOING_ERROR, "doing.error_ns", false)                                                    \
	X(REQUEST_BEGIN, "request.begin_ns", true)                                                 \
	X(REQUEST_NS, "request.ns", false)                                                         \
	X(REQUEST_TASK, "request.task", true)                                                      \
	X(REQUEST_WRITER, "request.writer", true)                                                  \
	X(REQUEST_TRACE, "request.trace", true)                                                    \
	X(REQUEST_SPANS, "request.spans", false)                                                   \
	X(SPAN_TASK, "span.task", true)                                                            \
	X(SPAN_NS, "span.ns", false)                                                               \
	X(SPAN_SPLIT, "span.split", false)

/* For a diff only, after all others. */
#define DIFF_COLUMNS(X)                                                                            \
	X(WAIT_PATH, "wait.path", true)                                                            \
	X(PATH_PARENT, "path.parent", true)                                                        \
	X(PATH_VERDICT, "path.verdict", false)                                                     \
	X(PATH_P, "path.p", false)                                                                 \
	X(FUNC_LABEL, "func.label", true)                                                          \
	X(FUNC_KIND, "func.kind", false)                                                           \
	X(FUNC_VERDICT, "func.verdict", false)                                                     \
	X(FUNC_P, "func.p", false)

enum {
#define X(NAME, name, is_delta) COL_##NAME,
	COLUMNS(X)
#undef X
		COL_CNT
};

enum {
	COL_DIFF = COL_CNT - 1,
#define X(NAME, name, is_delta) COL_##NAME,
	DIFF_COLUMNS(X)
#undef X
		COL_DIFF_CNT
};

extern const struct column_kind page_column_kinds[COL_DIFF_CNT];

/* Rows of one profile, after those of the earlier profile. */
struct page_builder {
	struct page_rows *rows;
	const struct page_side *side;
	const struct profile *p;
	struct places places;
	u8 of_wait[ROW_COLUMNS_MAX]; /* by column of wait_row_type: ours, or COL_CNT */
};

void page_rows__put(struct page_builder *b, u32 column, u64 value);
void page_rows__put_text(struct page_builder *b, u32 column, const char *text);
/* An id of this profile, offset by `base`, the rows of the earlier profile; 0 stays 0. */
void page_rows__put_id(struct page_builder *b, u32 column, u32 base, u32 id);
/* All waits of the profile. Errors are kept in the rows. In page_waits.c. */
void page_rows__put_waits(struct page_builder *b);
/*
 * When each wait happened, if that was recorded, not of a diff; before the waits. Errors are kept
 * in the rows. In page_moments.c.
 */
void page_rows__put_moments(struct page_builder *b);

#endif
