/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_PROC_FILES_H
#define VISIT_PROC_FILES_H

#include "base/types.h"
#include "base/view.h"

/* Of a file of a thread; status has some 1.5 KiB. */
#define PROC_TEXT_SZ 8192

/* The files of a thread that a visit reads. */
enum proc_file {
	PROC_SCHEDSTAT = 0,
	PROC_STAT,
	PROC_STATUS,
	PROC_SYSCALL,
	PROC_WCHAN,
	PROC_STACK,
	PROC_COMM,
	PROC_FILE_CNT,
};

const char *proc_file_name(enum proc_file file);
/*
 * Reads a file under `root_fd` at once; what is beyond `sz` bytes is left out. *ret is in `buf`.
 * False if it cannot be read, or is empty.
 */
bool proc_text_read(int root_fd, const char *path, char *buf, size_t sz, struct view *ret);

/*
 * A directory in the place of /proc. Counts what could not be read of threads that exist: 0, or the
 * errno of the last time. Not thread-safe.
 */
struct proc_files {
	int root_fd;
	int missing[PROC_FILE_CNT]; /* errno */
	u64 missing_cnt[PROC_FILE_CNT];
	u64 read_cnt[PROC_FILE_CNT];
	char text[PROC_TEXT_SZ];
};

/* A negative errno if the directory cannot be opened. */
int proc_files__init(struct proc_files *pf, const char *root);
/* NULL is fine. */
void proc_files__done(struct proc_files *pf);
/* An open file of a thread, to be read again and again; or a negative errno. */
int proc_files__open(struct proc_files *pf, u32 tgid, u32 tid, enum proc_file file);
/*
 * The text of a file as of now, which is valid until the next call. -ESRCH: the thread is gone;
 * other errors are counted. `fd`: of proc_files__open(), or -1.
 */
int proc_files__read(struct proc_files *pf, u32 tgid, u32 tid, enum proc_file file, int fd,
		     struct view *ret);

#endif
