/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_LITERAL_PRIV_H
#define TESTS_LIB_LITERAL_PRIV_H

#include "base/vec.h"
#include "profile/builder.h"

/* Between literal.c and the other literal_*.c. */
#define NAME_MAX_SZ 8192
#define MODULES_MAX 64

struct naming {
	u32 frame;
	char *name; /* NULL: none */
	u64 off;
	enum frame_reason reason;
};

struct lit_moment {
	struct profile_moment m;
	u32 line_no;
	char waker[16]; /* "": none */
};

struct lit {
	struct builder *b;
	struct err *err;
	u32 line_no;
	struct vec namings; /* struct naming */
	char *module_names[MODULES_MAX];
	u32 module_ids[MODULES_MAX];
	u32 modules_len;
	bool in_task;
	struct profile_task task;
	u64 task_waits; /* waits=N of a task: how many it had in all */
	u32 given; /* bits of totals that the text gave: state, then 16 runq, 17 preempted */
	struct vec waits; /* struct profile_wait of the task */
	struct vec replicates; /* struct profile_replicate; wait is the index of one of them */
	struct vec moments; /* struct lit_moment, likewise */
	struct vec woken_moments; /* struct lit_moment of all tasks; the waker comes later */
	struct vec bins; /* struct profile_bin of the task */
	struct vec threads; /* struct literal_thread: the tasks so far */
	struct vec waker_names; /* char *, by waker - 1 */
	struct vec woken; /* struct lit_woken */
	struct vec named_waits; /* struct lit_named_wait */
	struct profile_waker waker; /* the one at hand, until its stacks are known */
	bool in_waker;
};

/* -EINVAL with the line number. */
int lit__fault(struct lit *l, const char *what, const char *word);
/* The next word of a line; NULL at its end. */
char *lit_next_word(char **rest);
char *lit_rest_of(char **rest);
/* Resolves escapes into `buf` of NAME_MAX_SZ bytes. */
int lit__unescape(struct lit *l, const char *from, char *buf);
int lit__number(struct lit *l, const char *text, u64 *ret);

int lit__str(struct lit *l, const char *text, u32 *ret_id);

/* The object of a wait. */
int lit__object_line(struct lit *l, char **rest);
int lit__know_thread(struct lit *l, u32 tid, u32 task);
/* A known thread, or just a TID. */
int lit__owner(struct lit *l, const char *text, struct profile_wait *w);

/* Histograms of the current task. */
int lit__hists_line(struct lit *l, char **rest);
/* The intervals of the window, and the parts of the wait at hand that are in each. */
int lit__intervals_line(struct lit *l, char **rest);
int lit__each_list(struct lit *l, char *text);
/* When the wait at hand happened. */
int lit__at_list(struct lit *l, char *text);
/* Of the wait with this index, which is the builder's last one. */
int lit__add_moments(struct lit *l, u32 idx);

/* A part of a wait by its waker; the waker, and its own wait, may come later in the text. */
struct lit_woken {
	u32 line_no;
	u32 wait; /* index in `waits`, until its task is over */
	struct profile_wake wake; /* without its waker; then with its wait */
	char *waker;
	char *did; /* name of the waker's own wait, or NULL */
};

/* A wait that has a name. */
struct lit_named_wait {
	u32 wait; /* index in `waits`, until its task is over */
	bool is_over;
	char *name;
	struct profile_wait key;
};

int lit__name_wait(struct lit *l, const char *name);
int lit__woken_line(struct lit *l, char **rest);
int lit__waker_line(struct lit *l, char **rest);
/* The waker at hand has all its lines. */
int lit__end_waker(struct lit *l);
/* The wait with index `idx` of the task that is over, as it is in the builder. */
void lit__place_wait(struct lit *l, u32 idx, const struct profile_wait *w);
/* Adds all wakes, after the last line. */
int lit__end_wakes(struct lit *l);
void lit__free_wakers(struct lit *l);
int lit__duration(struct lit *l, const char *text, u64 *ret);

/* The lines of a stack. */
int lit__frame_line(struct lit *l, bool kernel, char **rest);
int lit__cut_line(struct lit *l);
int lit__truncated_line(struct lit *l, char **rest);

#endif
