/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/* Maximum number of options of a command, including headings. */
#define OPT_MAX 96

/*
 * The options of a command as one const table, from which the parser, --help, the man page and the
 * shell completions are generated. Values go into a struct of the caller:
 *
 *	struct cat_values { u64 min_ns; struct vec pids; bool follow; struct opt_rest cmd; };
 *	static const struct cat_values defaults = { .min_ns = 1000, .follow = true };
 *	static const struct opt opts[] = {
 *		OPT_HEADING("Targets"),
 *		{ 'p', "pid", OPT_IDS(struct cat_values, pids), "PID,...", "Trace these processes.",
 *		  .excludes = "all" },
 *		{ 'a', "all", OPT_FLAG(struct cat_values, all), NULL, "Trace every process." },
 *		{ 0, "follow", OPT_FLAG(struct cat_values, follow), NULL, "Trace their children.",
 *		  .flags = OPT_NEGATABLE },
 *		{ 'm', "min", OPT_NS(struct cat_values, min_ns), "TIME", "Leave out shorter waits.",
 *		  .bare_ns = NSEC_PER_USEC },
 *		OPT_END,
 *	};
 *
 * Every command accepts -h, --help and --help-all, unless it defines -h or --help itself.
 */
enum opt_type {
	OPT_TYPE_END = 0,
	OPT_TYPE_HEADING,
	OPT_TYPE_FLAG, /* bool */
	OPT_TYPE_STRING, /* const char *, borrowed from argv */
	OPT_TYPE_NS, /* u64, units_parse_ns() with bare_ns */
	OPT_TYPE_BYTES, /* u64, units_parse_bytes(); min and max in bytes */
	OPT_TYPE_U64, /* u64 in [min, max]; max 0 is no limit */
	/*
	 * struct vec of u32: "1,2,3" or "1 2 3", repeatable, each id kept once; min and max. Where
	 * the command has no positionals, also in several words: -p 1 2 3.
	 */
	OPT_TYPE_IDS,
	OPT_TYPE_CHOICE, /* u32: index into `choices` */
	OPT_TYPE_STRINGS, /* struct vec of const char *, repeatable, borrowed from argv */
	OPT_TYPE_CUSTOM, /* parsed by `parse` */
	OPT_TYPE_REST, /* struct opt_rest; only as the last positional: the words after "--" */
};

enum opt_flag {
	OPT_NEGATABLE = 1, /* flags: --no-NAME sets false */
	OPT_REQUIRED = 2, /* positional arguments: must be given */
	/* the type of the value, for completions */
	OPT_FILE = 4,
	OPT_PROCESS = 8,
	OPT_COMMAND = 16, /* a coldspot command */
	OPT_FORMAT = 32, /* one of render_formats */
	OPT_COMMON = 64, /* in --help; if a command has such, its others are in --help-all only */
};

struct opt_rest {
	char **argv; /* borrowed, NULL-terminated; NULL if there was no "--" */
	int argc;
};

struct opt {
	char letter; /* 0: no short option */
	const char *name; /* long name, NULL: none; positionals: NULL */
	enum opt_type type;
	size_t off; /* of the value in the caller's struct */
	const char *metavar; /* "TIME", for REST "-- COMMAND"; NULL for flags */
	const char *help; /* one sentence with a full stop; printers add the default */
	u8 flags; /* enum opt_flag */
	u64 bare_ns; /* NS: the unit of a bare number; 0 is seconds */
	u64 min, max;
	const char *const *choices; /* CHOICE: names, NULL-terminated */
	int (*parse)(const char *text, void *value, struct err *err); /* CUSTOM */
	const char *omitted; /* U64: the value if no number follows; NULL: one must */
	const char *excludes; /* long names, separated by spaces, that conflict with it */
};

#define OPT__AT(S, field, T) .off = offsetof(S, field) + _Generic(((S *)0)->field, T: 0)
#define OPT_FLAG(S, field) .type = OPT_TYPE_FLAG, OPT__AT(S, field, bool)
#define OPT_STRING(S, field) .type = OPT_TYPE_STRING, OPT__AT(S, field, const char *)
#define OPT_NS(S, field) .type = OPT_TYPE_NS, OPT__AT(S, field, u64)
#define OPT_BYTES(S, field) .type = OPT_TYPE_BYTES, OPT__AT(S, field, u64)
#define OPT_U64(S, field) .type = OPT_TYPE_U64, OPT__AT(S, field, u64)
#define OPT_IDS(S, field) .type = OPT_TYPE_IDS, OPT__AT(S, field, struct vec)
#define OPT_CHOICE(S, field) .type = OPT_TYPE_CHOICE, OPT__AT(S, field, u32)
#define OPT_STRINGS(S, field) .type = OPT_TYPE_STRINGS, OPT__AT(S, field, struct vec)
#define OPT_CUSTOM(S, field) .type = OPT_TYPE_CUSTOM, .off = offsetof(S, field)
#define OPT_REST(S, field) .type = OPT_TYPE_REST, OPT__AT(S, field, struct opt_rest)
#define OPT_HEADING(title)                                                                         \
	{                                                                                          \
		.type = OPT_TYPE_HEADING, .help = title                                            \
	}
#define OPT_END                                                                                    \
	{                                                                                          \
		.type = OPT_TYPE_END                                                               \
	}

struct opt_example {
	const char *line; /* as typed, without a prompt */
	const char *what; /* one sentence */
};

struct opt_command {
	const char *name; /* "record" */
	const char *summary; /* one line, lower case, no full stop */
	const char *description; /* paragraphs separated by an empty line; may be NULL */
	const struct opt *opts; /* up to OPT_END, at most 64 */
	const struct opt *args; /* positionals in order, up to OPT_END; NULL: none */
	const struct opt_example *examples; /* up to a NULL line; NULL: none */
	size_t values_sz; /* of the caller's struct */
	const void *defaults; /* such a struct; NULL: all zero. Must hold no vec memory. */
};

/* opt_parse() found --help, or --help-all, and stopped; the values are unusable. */
#define OPT_HELP_ASKED 1
#define OPT_HELP_ALL_ASKED 2

/*
 * Fills `values` (values_sz bytes, any content) with the defaults and then from argv[1] on; argv[0]
 * is the command's name and argv[argc] is NULL. Accepted: -p1 -p 1 --pid=1 --pid 1, bundled flags
 * (-af), unique prefixes of long names, --no-NAME, options after positionals; "--" ends options:
 * what follows goes to OPT_REST if declared, else to the positionals. If a single value is given
 * twice, the last one counts. Returns 0, OPT_HELP_ASKED, OPT_HELP_ALL_ASKED, -EINVAL with a message
 * about the offending word, or -ENOMEM. Call opt_release() in every case.
 */
int opt_parse(const struct opt_command *cmd, int argc, char **argv, void *values, struct err *err);
/* Frees the lists in `values`; may be called twice. */
void opt_release(const struct opt_command *cmd, void *values);

#endif
