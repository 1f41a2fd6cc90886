/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQL tables of waits and of samples on a CPU are written by hand: their text is sealed, and
 * they add up rows that differ only in columns they lack. Each column of a row is in its table or
 * is listed here as left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <string.h>

#include "profile/row_type.h"
#include "recording/schema.h"

struct special {
	const char *column; /* of the row type */
	const char *sql; /* its name in the table; NULL: only in the blocks */
};

/* Rows that differ in what only the blocks have are one row of the table. */
static const struct special specials_of_waits[] = {
	{ "state", NULL },	  { "sysno", NULL },   { "flags", NULL },   { "pad", NULL },
	{ "samples", NULL },	  { "var_us2", NULL }, { "hist", NULL },    { "user_stack", NULL },
	{ "kernel_stack", NULL }, { "on_ns", NULL },   { "part_of", NULL }, { "waker", NULL },
};

static const struct special specials_of_hots[] = {
	{ "user_stack", "ustack" }, { "kernel_stack", "kstack" },
	{ "flags", "sampled" },	    { "pad", NULL },
	{ "var_us2", NULL },
};

static const struct special *find(const struct special *specials, size_t len, const char *column)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (strcmp(specials[i].column, column) == 0)
			return &specials[i];
	}
	return NULL;
}

static sqlite3 *open_schema(void)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_first, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, schema_rest, NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

static void check_table(const char *table, const struct row_type *type,
			const struct special *specials, size_t len)
{
	sqlite3 *db = open_schema();
	size_t i, used = 0;

	for (i = 0; i < type->columns_len; i++) {
		const char *name = type->columns[i].name;
		const struct special *s = find(specials, len, name);

		used += s ? 1 : 0;
		if (s && !s->sql) {
			if (has_column(db, table, name))
				fail_msg("%s.%s is listed as left out", table, name);
		} else if (!has_column(db, table, s ? s->sql : name)) {
			fail_msg("%s.%s: neither in the table nor left out", table, name);
		}
	}
	assert_int_equal(used, len);
	sqlite3_close(db);
}

static void test_schema__has_the_columns_of_waits(void **state)
{
	(void)state;
	check_table("waits", &wait_row_type, specials_of_waits, ARRAY_LEN(specials_of_waits));
}

static void test_schema__has_the_columns_of_samples_on_a_cpu(void **state)
{
	(void)state;
	check_table("on_cpu", &hot_row_type, specials_of_hots, ARRAY_LEN(specials_of_hots));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema__has_the_columns_of_waits),
		cmocka_unit_test(test_schema__has_the_columns_of_samples_on_a_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
