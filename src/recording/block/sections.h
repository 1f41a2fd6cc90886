/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_SECTIONS_H
#define RECORDING_BLOCK_SECTIONS_H

#include "recording/block/block_columns.h"
#include "recording/block/column.h"

/*
 * What the sections and their columns are, by number. Append only, before the _CNT: numbers are in
 * files. Strings of a block are numbered in the order of their first use; a reference to one is 0
 * for none (the empty string), 1 for the next new one, 1 + n for the one n before that.
 */
enum section_tag {
	SECTION_HEADER = 1, /* head: one row, strings as they are */
	SECTION_LOSSES = 2, /* head: of profile/loss.h */
	SECTION_BLOCKS = 3, /* head: sizes and checksums of the other blocks */
	SECTION_TABLES = 4, /* head: rows and checksums of what people query */
	SECTION_STRINGS = 5, /* tasks, code: before whatever refers to them */
	SECTION_TASKS = 6,
	SECTION_MODULES = 7,
	SECTION_FRAMES = 8,
	SECTION_STACKS = 9, /* parents before children */
	SECTION_WAITS = 10,
	SECTION_INTERVALS = 11, /* waits: of profile/replicate.h; not needed */
	SECTION_REPLICATES = 12, /* waits: behind both; not needed */
	SECTION_HOTS = 13, /* waits; where threads on a CPU were sampled */
	SECTION_BINS = 14, /* histograms of threads; behind the tasks that they are of */
	SECTION_OBJECTS = 15, /* waits, before them, with strings of their own */
	SECTION_WAKERS = 16, /* waits, behind them, with strings of their own; if recorded */
	SECTION_WAKES = 17, /* waits: behind the wakers */
	SECTION_MOMENTS = 18, /* waits: behind the wakers; not needed */
	SECTION_MARKS = 19, /* waits: behind whatever has strings; not needed */
	/*
	 * These make a code block one that adds to those before it (code_tables.h): the first
	 * section, and behind the stacks, what the window uses.
	 */
	SECTION_BASE = 20, /* one row */
	SECTION_USED_MODULES = 21,
	SECTION_USED_FRAMES = 22, /* only if they do not follow from the stacks */
	SECTION_USED_STACKS = 23, /* those that end a run */
	SECTION_MEASURED = 24, /* waits; measured waits of tasks; not needed */
	SECTION_TAG_CNT,
};

enum header_column {
	HEADER_BEGIN_WALL,
	HEADER_BEGIN_MONO,
	HEADER_WINDOW,
	HEADER_HOST, /* and six more strings, in the order of enum head_string */
	HEADER_NCPU = HEADER_HOST + 7,
	HEADER_PERIOD,
	HEADER_PERIOD_MIN,
	HEADER_PERIOD_MAX,
	HEADER_PERIOD_SUM,
	HEADER_MIN,
	HEADER_MAX,
	HEADER_SWITCHES_SEEN,
	HEADER_WAITS_CHOSEN,
	HEADER_PROG_RUNS,
	HEADER_PROG_NS,
	HEADER_SELF_CPU,
	HEADER_KERNEL_BYTES,
	HEADER_FILTERED,
	HEADER_SIDES,
	HEADER_PERIOD_CHANGES,
	HEADER_LISTED_WAITS, /* sums of the list, to know what is lost with it */
	HEADER_LISTED_BLOCKED,
	HEADER_LISTED_RUNQ,
	HEADER_BOOT, /* string, and the next */
	HEADER_SELECTION,
	HEADER_WINDOWS,
	HEADER_GAP,
	HEADER_OVERLAP,
	HEADER_MACHINE,
	HEADER_WHOLE_OFF,
	HEADER_WHOLE_WALL,
	HEADER_WHOLE_THREADS,
	HEADER_ON_CPU_HZ,
	HEADER_ON_CPU_SAMPLES,
	HEADER_LISTED_SAMPLES, /* sums of the hots, likewise */
	HEADER_LISTED_ON,
	HEADER_HIST_UNIT,
	HEADER_IDLE_KNOWN,
	HEADER_IDLE_VAR,
	HEADER_IDLE, /* and eight more: by state, in the order of "RSDTtXZPI" */
	HEADER_WHOLE_ON = HEADER_IDLE + 9,
	HEADER_WAKERS,
	HEADER_SOURCE, /* string */
	HEADER_UNKNOWN, /* needed where it is not 0 */
	HEADER_VISIT_HZ,
	HEADER_VISITS,
	HEADER_VISITS_CHANGED,
	HEADER_VISIT_PASSES,
	HEADER_VISIT_PASSES_MISSED,
	HEADER_VISIT_LATE,
	HEADER_VISIT_LATE_MAX,
	HEADER_VISIT_SOURCES, /* needed unless BPF visited */
	HEADER_VISITED,
	HEADER_MAX_MOMENTS,
	HEADER_TRIGGER, /* string */
	HEADER_MEASURED,
	HEADER_MEASURED_NS,
	HEADER_MEASURE_HITS,
	HEADER_MEASURE_COST,
	HEADER_COLUMNS,
};

enum losses_column {
	LOSSES_KIND,
	LOSSES_EVENTS,
	LOSSES_NS,
	LOSSES_COLUMNS,
};

enum blocks_column {
	BLOCKS_KIND,
	BLOCKS_SZ, /* as stored, with the head */
	BLOCKS_CRC,
	BLOCKS_COLUMNS,
};

enum tables_column {
	TABLES_TABLE, /* enum sealed_table */
	TABLES_ROWS,
	TABLES_CRC,
	TABLES_COLUMNS,
};

enum strings_column {
	STRINGS_SZ,
	STRINGS_BYTES,
	STRINGS_COLUMNS,
};

enum modules_column {
	MODULES_KIND, /* enum module_kind */
	MODULES_PATH, /* reference */
	MODULES_BUILD_ID, /* reference */
	MODULES_TGID,
	MODULES_DEV,
	MODULES_INO,
	MODULES_GENERATION,
	MODULES_HAS_BIAS,
	MODULES_BIAS,
	MODULES_COLUMNS,
};

enum frames_column {
	FRAMES_MODULE,
	FRAMES_ADDR, /* difference to the frame before of that module */
	FRAMES_FLAGS, /* enum profile_frame_flag */
	FRAMES_REASON, /* enum frame_reason; 0: it has a name */
	FRAMES_NAME, /* reference */
	FRAMES_NAME_OFF,
	FRAMES_FILE, /* reference */
	FRAMES_LINE,
	FRAMES_COLUMNS,
};

enum stacks_column {
	STACKS_PARENT, /* how far before this one; 0: none */
	STACKS_FRAME, /* difference to one more than the highest so far */
	STACKS_FLAGS, /* enum profile_stack_flag */
	STACKS_COLUMNS,
};

/* Of struct code_base. */
enum base_column {
	BASE_ROOT,
	BASE_CRC,
	BASE_STRINGS,
	BASE_MODULES,
	BASE_FRAMES,
	BASE_STACKS,
	BASE_COLUMNS,
};

enum used_column {
	USED_NUMBER, /* difference to one more than the one before */
	USED_COLUMNS,
};

/* Columns of each section that this version knows, by tag. */
extern const u8 section_columns[SECTION_TAG_CNT];

/* The numbers of tasks, objects, wakers and of the header that are stored as they are. */
extern const struct section_field task_fields[];
extern const size_t task_fields_len;
extern const struct section_field object_fields[];
extern const size_t object_fields_len;
extern const struct section_field waker_fields[];
extern const size_t waker_fields_len;
extern const struct section_field header_fields[];
extern const size_t header_fields_len;

#endif
