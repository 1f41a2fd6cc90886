/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_RUNTIME_H
#define CAPTURE_RUNTIME_RUNTIME_H

#include "base/err.h"
#include "base/notices.h"
#include "base/types.h"
#include "proc/ended.h"
#include "proc/maps.h"
#include "proc/words.h"
#include "profile/interpreted.h"
#include "profile/loss.h"

/*
 * A language runtime: what compiles or interprets code in a process. Each is one const row, named
 * in runtimes.c; everything that depends on the runtime is in the row or called through it. Its
 * half in the kernel is a row of bpf/lib/runtime/runtimes.bpf.h. Its idle waits are rules of
 * src/analysis/cause, which know it by the names of its functions.
 */

/* Recognises a runtime by a mapped file's name. Names can lie: only advice may depend on them. */
struct runtime_file {
	const char *start; /* of the name; NULL ends a list */
	bool whole; /* the name is exactly that */
};

/* A process that is looked at; borrowed. */
struct runtime_process {
	u32 tgid;
	const struct maps *maps;
	struct process_words cmdline; /* empty if unreadable */
	struct process_words environ;
};

#define RUNTIME_SENTENCE_SZ 512

/* What to tell the user about the stacks and names of a process. */
struct runtime_advice {
	/* Input. */
	u32 mappings; /* with code and without a file */
	bool unnamed; /* no perf map or jitdump names its code so far */
	/* Output. Sentences are "" where there is nothing to say. */
	bool stacks_cut; /* stacks end at its code */
	char stacks[RUNTIME_SENTENCE_SZ];
	char names[RUNTIME_SENTENCE_SZ];
	char todo[RUNTIME_SENTENCE_SZ];
};

struct runtime_code_sink {
	int (*fn)(void *arg, const struct interpreted_code *code);
	void *arg;
};

#define RUNTIME_FACTS_SZ 256

/*
 * Reads the frames of an interpreter: the BPF programs find the functions, and this half tells them
 * the layout of the interpreter and keeps the names. Its state is one per trace. Functions that may
 * be NULL say so; those that return int return -ENOMEM or 0 unless they say more. Not thread-safe.
 */
struct runtime_reader {
	const char *code_label; /* the module that its functions are shown in: "[java]" */
	u64 code_flag; /* its value of CS_CODE_RUNTIME in cs_pc_code_addr() */
	const char *facts_map; /* the BPF map that holds the layouts */
	u32 event; /* enum cs_event_kind: the record with the names of a function */
	size_t event_sz;
	enum profile_loss_kind loss; /* functions whose names or lines were lost */
	/*
	 * For an interpreter that is known by its file: fills `facts`, of RUNTIME_FACTS_SZ, with
	 * the value in the map for that file. -ENOENT: the file holds none; -ENOTSUP with a message
	 * for the user: it does, but its frames cannot be read. NULL: it is known by its process.
	 */
	int (*read_file)(int fd, const char *path, void *facts, struct err *err);
	u16 module_flag; /* enum cs_module_flag of such a file */
	/* The state. */
	size_t state_sz;
	int (*init)(void *state, int facts_fd, volatile u32 *tables_gen);
	void (*done)(void *state);
	/* A process has code without a file. May be NULL. */
	int (*see)(void *state, u32 tgid, u64 image, struct notices *notices);
	/* Does what is due; lowers *due_mono_ns to when it must be called again. May be NULL. */
	int (*tick)(void *state, u64 now_mono_ns, u64 *due_mono_ns, struct notices *notices);
	/* A record of the ring buffer. Call it soon: the process may end. Also -EINVAL. */
	int (*take)(void *state, const void *ev, size_t sz);
	/* Functions received so far whose names or lines are missing. May shrink. */
	u64 (*lost)(const void *state);
	/* Gives each function once, until the sink returns other than 0, and returns that. */
	int (*give)(void *state, const struct runtime_code_sink *sink);
	void (*forget)(void *state, const struct ended *ended);
};

struct runtime {
	const char *words; /* "OpenJDK (HotSpot)" */
	struct runtime_file files[4]; /* the last one is empty */
	/* Is it in this process, whatever its files are called? NULL: only the names count. */
	bool (*is_in)(const struct runtime_process *p);
	void (*advise)(struct runtime_advice *a, const struct runtime_process *p);
	const struct runtime_reader *reader; /* NULL: interpreted functions are not shown */
};

/* Did the process get this option, on its command line or in its environment? */
bool runtime_process__has(const struct runtime_process *p, const char *option);

#endif
