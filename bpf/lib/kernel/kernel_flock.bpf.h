/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_FLOCK_BPF_H
#define LIB_KERNEL_KERNEL_FLOCK_BPF_H

/* The part of lib/kernel.bpf.h about file locks; see there. Read in 6.1, 6.12 and 6.18. */
#include "lib/kernel/kernel.bpf.h"

/* include/uapi/asm-generic/fcntl.h: commands and types of locks */
#define F_SETLKW 7
#define F_OFD_SETLKW 38
#define F_RDLCK 0
#define F_WRLCK 1
/* likewise: arguments of flock() */
#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
/* include/uapi/linux/fs.h */
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define OFFSET_MAX 0x7fffffffffffffffLL

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct file_lock_core { /* 6.9+ */
	struct list_head flc_list;
	void *flc_owner;
	unsigned char flc_type;
	int flc_pid;
	struct file *flc_file;
};

struct file_lock {
	struct file_lock_core c; /* 6.9+ */
	struct list_head fl_list; /* before 6.9, as the next four */
	void *fl_owner;
	unsigned char fl_type;
	unsigned int fl_pid;
	struct file *fl_file;
	long long fl_start; /* all */
	long long fl_end; /* the last byte of it; all */
};

struct file_lock_context {
	struct list_head flc_flock; /* locks that are held; all */
	struct list_head flc_posix; /* likewise, those of open files included */
};

#pragma clang attribute pop

#endif
