/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "base/sink.h"
#include "base/text/units.h"
#include "recording/check.h"

/*
 * check: verifies a recording. Prints one line per fault, and one for each file without faults, so
 * that silence never stands for success.
 */

struct check_values {
	struct vec files;
	bool quiet;
};

static const struct opt check_table[] = {
	{ 'q', "quiet", OPT_FLAG(struct check_values, quiet), NULL,
	  "Print nothing for valid files." },
	OPT_END,
};

static const struct opt check_args[] = {
	{ 0, NULL, OPT_STRINGS(struct check_values, files), "FILE...", "The recordings.",
	  .flags = OPT_FILE | OPT_REQUIRED },
	OPT_END,
};

static const struct opt_example check_examples[] = {
	{ "coldspot check db.coldspot", "Verify a recording." },
	{ "coldspot check -q archive/*.coldspot || mail -s damage root </dev/null",
	  "Verify an archive from a script." },
	{ NULL, NULL },
};

const struct opt_command check_opts = {
	.name = "check",
	.summary = "verify recordings",
	.description =

		"Reads each file completely and verifies every checksum, including those of "
		"tables and views, the B-trees of SQLite, the sums of each thread and each "
		"window, and that the tables match the profiles.\n\n"
		"Prints a line for each fault, or one line if the file is sound. The exit "
		"status is 1 if any file has a fault or cannot be read. Readers recover "
		"what they can from a damaged file and state what is lost.",
	.opts = check_table,
	.args = check_args,
	.examples = check_examples,
	.values_sz = sizeof(struct check_values),
};

struct checking {
	struct sink out;
	const char *path;
};

static void print_fault(void *ctx, const char *sentence)
{
	struct checking *c = ctx;

	sink__printf(&c->out, "%s: %s\n", c->path, sentence);
}

/* STATUS_OK if the file is intact. */
static int check_file(struct checking *c, const char *path, bool quiet)
{
	struct recording_checked sum;
	struct err err = { 0 };

	c->path = path;
	if (recording_check(path, print_fault, c, &sum, &err)) {
		sink__printf(&c->out, "%s\n", err.msg);
		return STATUS_FAILED;
	}
	if (sum.faults)
		return STATUS_FAILED;
	if (!quiet)
		sink__printf(&c->out,
			     "%s: sound: %zu window%s, %llu thread%s, %llu wait%s, %llu node%s "
			     "of stacks\n",
			     path, sum.windows, units_plural(sum.windows), sum.threads,
			     units_plural(sum.threads), sum.waits, units_plural(sum.waits),
			     sum.stacks, units_plural(sum.stacks));
	return STATUS_OK;
}

int cmd_check(int argc, char **argv)
{
	struct check_values v;
	struct checking c = { 0 };
	struct err err = { 0 };
	int status, worst = STATUS_OK, r;
	size_t i;

	if (!command_begin(&check_opts, argc, argv, &v, &status))
		return status;
	sink__init_fd(&c.out, STDOUT_FILENO);
	for (i = 0; i < v.files.len; i++) {
		status = check_file(&c, *(const char **)vec__at(&v.files, i), v.quiet);
		if (status)
			worst = status;
	}
	r = sink__finish(&c.out, &err);
	sink__done(&c.out);
	opt_release(&check_opts, &v);
	if (r < 0 && command_fail(&check_opts, &err))
		return STATUS_FAILED;
	return worst;
}
