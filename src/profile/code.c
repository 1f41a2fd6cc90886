/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts for unresolved frames and for truncated stacks. They say what is wrong with the
 * address, not what to do, which depends on the reader.
 */
#include "profile/code.h"

#include <stdio.h>
#include <string.h>

struct file_id profile_module__file(const struct profile_module *m)
{
	return (struct file_id){ .dev = m->dev, .ino = m->ino, .generation = m->generation };
}

const char *frame_reason_sentence(enum frame_reason reason)
{
	static const char *const sentences[FRAME_REASON_CNT] = {
		[FRAME_NAMED] = "it has a name",
		[FRAME_NOT_TRIED] = "not resolved",
		[FRAME_NO_MAPPING] = "the address is in no mapping of the process",
		[FRAME_PROCESS_GONE] = "the process exited before its mappings were read",
		[FRAME_FILE_GONE] = "the file was deleted or replaced",
		[FRAME_FILE_BAD] = "the file is not a readable ELF file",
		[FRAME_NO_SYMBOL] = "the file has no symbol there: it is stripped",
		[FRAME_ANON] = "JIT-compiled code without a perf map",
		[FRAME_KERNEL_HIDDEN] =
			"the kernel hides its symbols: kptr_restrict or no CAP_SYSLOG",
		[FRAME_CODE_UNREAD] = "an interpreted function that could not be read",
		[FRAME_NO_MEMORY] = "no memory for the file's symbols: see --max-user-memory",
	};

	return (u32)reason < FRAME_REASON_CNT ? sentences[reason] : "unknown reason";
}

struct end_text {
	const char *name;
	const char *words;
	bool of_file; /* the file that it was in shows what to do about it */
};

static const struct end_text *text_of(enum stack_end end)
{
	static const struct end_text texts[STACK_END_CNT] = {
		[STACK_END_ROOT] = { "root", "the outermost frame", false },
		[STACK_END_DEPTH] = { "depth", "deeper than the limit", false },
		[STACK_END_FAULT] = { "fault", "stack memory not readable", false },
		[STACK_END_NO_MAPPING] = { "no_mapping", "return address in no mapping", false },
		[STACK_END_NO_TABLE] = { "no_table", "no unwind table yet", true },
		[STACK_END_NO_CFI] = { "no_cfi", "no CFI", true },
		[STACK_END_UNSUPPORTED] = { "unsupported", "unsupported unwind rule", true },
		[STACK_END_REGISTER] = { "register", "register not known", true },
		[STACK_END_FP] = { "frame_pointer", "broken frame pointers", true },
		[STACK_END_EXEC] = { "exec", "inside execve", false },
		[STACK_END_32BIT] = { "32bit", "32-bit program", false },
		[STACK_END_NO_REGS] = { "no_registers", "registers not known", false },
		[STACK_END_NO_CODE] = { "no_code", "no user code", false },
		[STACK_END_GAP] = { "gap", "callers may be missing: no CFI", true },
	};
	static const struct end_text unknown = { "unknown", "unknown reason", false };

	return (u32)end < STACK_END_CNT ? &texts[end] : &unknown;
}

const char *stack_end_name(enum stack_end end)
{
	return text_of(end)->name;
}

void stack_end_describe(enum stack_end end, const char *path, char *buf, size_t sz)
{
	const struct end_text *t = text_of(end);
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;

	if (t->of_file && *file)
		snprintf(buf, sz, "%s in %s", t->words, file);
	else
		snprintf(buf, sz, "%s", t->words);
}

bool stack_end_is_loss(enum stack_end end)
{
	return end != STACK_END_ROOT && end != STACK_END_EXEC && end != STACK_END_NO_CODE;
}
