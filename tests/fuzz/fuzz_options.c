/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"

/*
 * A command line of lines: the first byte chooses the command, each line is a word. The tables are
 * the real ones, so their custom parsers run too.
 */

#define MAX_WORDS 64
#define MAX_LINE_SZ 4096
#define VALUES_SZ 4096

static void check(int r, const struct err *err)
{
	if (r == -EINVAL && (!err->msg[0] || err->code != r))
		abort();
	if (r != 0 && r != OPT_HELP_ASKED && r != OPT_HELP_ALL_ASKED && r != -EINVAL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	static char text[MAX_LINE_SZ + 1];
	static _Alignas(16) char values[VALUES_SZ];
	const struct opt_command *cmd;
	char *argv[MAX_WORDS + 1] = { text };
	struct err err = { 0 };
	size_t n = 0;
	int argc = 0;
	char *p;

	if (!sz || sz > MAX_LINE_SZ)
		return 0;
	while (commands[n].opts)
		n++;
	cmd = commands[data[0] % n].opts;
	if (cmd->values_sz > VALUES_SZ)
		abort();
	memcpy(text, data, sz);
	text[sz] = '\0';
	for (p = text; p && argc < MAX_WORDS;) {
		argv[argc++] = p;
		p = strchr(p, '\n');
		if (p)
			*p++ = '\0';
	}
	argv[argc] = NULL;
	memset(values, 0x5a, sizeof(values));
	check(opt_parse(cmd, argc, argv, values, &err), &err);
	opt_release(cmd, values);
	return 0;
}
