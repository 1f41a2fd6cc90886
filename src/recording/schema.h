/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_SCHEMA_H
#define RECORDING_SCHEMA_H

#include "base/types.h"

/*
 * The tables of the file: `blocks` contains the windows, all others are for queries. Readers of
 * format 1 find windows by block ids alone. docs/format.md explains the tables.
 */
#define SCHEMA_FORMAT 1 /* a reader of another one cannot read the file */
/* Grows with tables, views and columns, and with sections that a reader has to know. */
#define SCHEMA_MINOR 9
#define SCHEMA_APPLICATION_ID 0x436f6c64 /* "Cold", in the header of the file */
#define SCHEMA_PAGE_SZ 4096
/* A block has the id window * SCHEMA_BLOCK_IDS + kind. */
#define SCHEMA_BLOCK_IDS 8
#define SCHEMA_WINDOW_MAX 0x7fffffff

/*
 * Creates `blocks` and `windows`, in this order: they are always the trees at pages 2 and 3, so
 * that a file whose first page is lost can be read with that of an empty recording.
 */
extern const char schema_first[];
/* The other tables and the views. */
extern const char schema_rest[];

/* What each window protects with a checksum. Append only. */
enum sealed_table {
	SEALED_SCHEMA = 0, /* the text of all tables and views */
	SEALED_RECORDING = 1,
	SEALED_WINDOWS = 2,
	SEALED_TASKS = 3,
	SEALED_CAUSES = 4,
	SEALED_LOSSES = 5,
	SEALED_OBJECTS = 6,
	SEALED_WAITS = 7,
	SEALED_ON_CPU = 8,
	SEALED_HISTOGRAMS = 9,
	SEALED_WAKES = 10,
	SEALED_STACK_NODES = 11,
	SEALED_STACK_FRAMES = 12,
	SEALED_PLACE_WAITS = 13,
	SEALED_IMPORTS = 14,
	SEALED_CNT,
};

/* "tasks" */
const char *sealed_table_name(enum sealed_table table);
/* The minor version that introduced it: older files do not have it. */
u32 sealed_table_minor(enum sealed_table table);
/* A query for the rows that window ?1 seals, in that order. */
const char *sealed_table_rows(enum sealed_table table);
/* The same rows with the columns of a file of that minor version. */
const char *sealed_table_rows_of(enum sealed_table table, u32 minor);
/* A query for the number of rows of all windows; NULL: not by window. */
const char *sealed_table_count(enum sealed_table table);

#endif
