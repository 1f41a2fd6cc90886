/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sentences for frames without a name. They say what is the matter with the address, not what
 * to do: that depends on who reads.
 */
#include "profile/code.h"

const char *frame_reason_sentence(enum frame_reason reason)
{
	static const char *const sentences[FRAME_REASON_CNT] = {
		[FRAME_NAMED] = "it has a name",
		[FRAME_NOT_TRIED] = "no name was looked for",
		[FRAME_NO_MAPPING] = "the address is in no mapping of the process",
		[FRAME_PROCESS_GONE] = "the process ended before its mappings were read",
		[FRAME_FILE_GONE] = "the file was deleted or replaced, and is not to be had",
		[FRAME_FILE_BAD] = "the file is not an ELF file that can be read",
		[FRAME_NO_SYMBOL] = "the file has no symbol there: it is stripped",
		[FRAME_ANON] = "code made at run time, without a perf map",
		[FRAME_KERNEL_HIDDEN] =
			"the kernel hides its names: kptr_restrict or no CAP_SYSLOG",
	};

	return (u32)reason < FRAME_REASON_CNT ? sentences[reason] : "unknown reason";
}
