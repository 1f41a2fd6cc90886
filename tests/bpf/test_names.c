/* SPDX-License-Identifier: Apache-2.0 */

/* What the kernel says of single addresses is what all of /proc/kallsyms says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/symbol.h"
#include "base/vec.h"
#include "capture/program/kernel_names.h"
#include "gen/coldspot.skel.h"
#include "proc/kallsyms.h"

#define SYMBOLS_SZ (CS_SYMBOLS_LEN * sizeof(struct cs_symbol))
#define BATCHES 40

static struct coldspot *load(void)
{
	struct coldspot *skel = coldspot__open();
	struct bpf_program *prog;

	assert_non_null(skel);
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, prog == skel->progs.name_symbols);
	assert_int_equal(coldspot__load(skel), 0);
	return skel;
}

/* Addresses all over the kernel's text, most of them inside of a function. */
static void fill(struct cs_symbol *batch, u64 start, u64 step)
{
	for (u32 i = 0; i < CS_SYMBOLS_LEN; i++) {
		batch[i].addr = start + i * step;
		batch[i].text[0] = '\0';
	}
}

static u32 compare(const struct kallsyms *all, const struct kallsyms *some,
		   const struct cs_symbol *batch)
{
	u32 named = 0;

	for (u32 i = 0; i < CS_SYMBOLS_LEN; i++) {
		const char *name, *other = "", *module;
		u64 off, other_off = 0;

		if (!kallsyms__find(all, batch[i].addr, &name, &module, &off))
			continue;
		assert_true(kallsyms__find(some, batch[i].addr, &other, &module, &other_off));
		assert_string_equal(other, name);
		assert_int_equal(other_off, off);
		named++;
	}
	return named;
}

static void test_name_symbols__says_what_kallsyms_says(void **state)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct coldspot *skel = load();
	struct kallsyms *all, *some;
	struct cs_symbol *batch;
	u64 start, end, step;
	u32 named = 0;

	(void)state;
	assert_int_equal(kallsyms__load(&all, NULL), 0);
	assert_true(kallsyms__range(all, "schedule", &start, &end));
	batch = mmap(NULL, SYMBOLS_SZ, PROT_READ | PROT_WRITE, MAP_SHARED,
		     bpf_map__fd(skel->maps.symbols), 0);
	assert_ptr_not_equal(batch, MAP_FAILED);
	step = 0x137;
	for (u32 n = 0; n < BATCHES; n++, start -= CS_SYMBOLS_LEN * step) {
		struct vec text;

		vec__init(&text, 1);
		fill(batch, start, step);
		assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.name_symbols),
							&opts),
				 0);
		for (u32 i = 0; i < CS_SYMBOLS_LEN; i++)
			assert_true(kernel_names_add(&text, batch[i].addr, batch[i].text) >= 0);
		assert_int_equal(kallsyms__parse(&some, view__of(text.data, text.len), NULL), 0);
		named += compare(all, some, batch);
		kallsyms__free(some);
		vec__done(&text);
	}
	assert_true(named > BATCHES * CS_SYMBOLS_LEN / 2);
	munmap(batch, SYMBOLS_SZ);
	kallsyms__free(all);
	coldspot__destroy(skel);
}

/* A batch ends at the first 0. */
static void test_name_symbols__stops_at_nothing(void **state)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct coldspot *skel = load();
	struct cs_symbol symbol = { 0 };
	u32 zero = 0, one = 1;

	(void)state;
	symbol.addr = 1;
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.symbols), &one, &symbol, 0), 0);
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.name_symbols), &opts),
			 0);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.symbols), &one, &symbol), 0);
	assert_int_equal(symbol.text[0], 0);
	symbol.addr = 1;
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.symbols), &zero, &symbol, 0),
			 0);
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.name_symbols), &opts),
			 0);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.symbols), &one, &symbol), 0);
	assert_string_equal(symbol.text, "0x1");
	coldspot__destroy(skel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_symbols__says_what_kallsyms_says),
		cmocka_unit_test(test_name_symbols__stops_at_nothing),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
