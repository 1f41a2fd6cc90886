/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_PROGRAM_BPF_H
#define LIB_PROGRAM_BPF_H

/* Which programs are asked for by name: the file that runs, or argv[0]. */
#include "lib/maps.bpf.h"

#define TEXT_CHUNK 64
/* A name of a file has at most 255 bytes; of a longer argv[0] the first ones count. */
#define TEXT_CHUNKS 5

/* A global function: the verifier reads it once. */
__noinline int program_text_matches(u64 addr, bool is_users)
{
	const struct cs_program_glob *glob = (const void *)&program_glob;
	u64 set = glob->begin;
	char text[TEXT_CHUNK];
	u32 chunk, i;
	long len;

	for (chunk = 0; chunk < TEXT_CHUNKS; chunk++) {
		len = is_users ? bpf_probe_read_user_str(text, sizeof(text), (void *)addr) :
				 bpf_probe_read_kernel_str(text, sizeof(text), (void *)addr);
		if (len < 0)
			return 0;
		/* Turns behind the end would double the paths of the verifier. */
		for (i = 0; i < TEXT_CHUNK - 1 && i + 1 < (u32)len; i++)
			set = cs_program_glob_step(glob, set, (u8)text[i]);
		if (len < TEXT_CHUNK)
			break;
		addr += TEXT_CHUNK - 1;
	}
	return (set & glob->end) != 0;
}

/* The program that the calling thread has just started. */
static __always_inline bool program_matches(struct task_struct *task)
{
	const unsigned char *file = BPF_CORE_READ(task, mm, exe_file, f_path.dentry, d_name.name);

	return program_text_matches((u64)file, false) ||
	       program_text_matches(BPF_CORE_READ(task, mm, arg_start), true);
}

#endif
