/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/image.h"
#include "lib/workdir.h"
#include "proc/mapfile.h"
#include "profile/builder.h"
#include "symbol/resolver.h"

static const char source[] =
	"__asm__(\".text; .p2align 4; .globl never_returns; .type never_returns,%function;\"\n"
	"	\"never_returns: .fill 16,1,0x90; .size never_returns,16;\"\n"
	"	\".globl next_one; .type next_one,%function;\"\n"
	"	\"next_one: .fill 16,1,0x90; .size next_one,16;\"\n"
	"	\".type secret,%function; secret: .fill 16,1,0x90; .size secret,16;\"\n"
	"	\".fill 16,1,0x90; .globl by_hand; .type by_hand,%function;\"\n"
	"	\"by_hand: .fill 16,1,0x90; .size by_hand,16\");\n"
	"int main(void) { return 0; }\n";

#define ID(d, i) (&(struct file_id){ .dev = (d), .ino = (i) })

static struct workdir dir;
static struct stat lib;
static u64 never_returns, secret, by_hand;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "p.c", source, sizeof(source) - 1);
	if (!workdir_have("cc nm strip"))
		return 0;
	/* a shared object with its text at the same place in the file and in memory */
	if (!workdir__run(&dir, "$CC -shared -nostdlib -Wl,--build-id=0xdeadbeef -o lib p.c") ||
	    !workdir__run(&dir, "cp lib whole") || stat(workdir__path(&dir, "lib"), &lib))
		return -1;
	never_returns = workdir__addr_of(&dir, "lib", "never_returns");
	secret = workdir__addr_of(&dir, "lib", "secret");
	by_hand = workdir__addr_of(&dir, "lib", "by_hand");
	return workdir__run(&dir, "strip lib") ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* A profile under construction, and the resolver that names it. */
struct scene {
	struct builder *b;
	struct profile *p;
	struct kallsyms *k;
	struct resolver *r;
};

static void scene__init_with(struct scene *s, const char *kallsyms, bool demangle)
{
	struct resolver_options opt = { .debug_dir = "", .demangle = demangle };

	*s = (struct scene){ .b = builder__new() };
	assert_non_null(s->b);
	if (kallsyms)
		assert_int_equal(kallsyms__parse(&s->k, view__of_str(kallsyms), NULL), 0);
	assert_int_equal(resolver__new(&opt, s->k, &s->r, NULL), 0);
}

static void scene__init(struct scene *s)
{
	scene__init_with(s, NULL, true);
}

static void scene__done(struct scene *s)
{
	builder__free(s->b);
	profile__free(s->p);
	resolver__free(s->r);
	kallsyms__free(s->k);
}

static u32 scene__module(struct scene *s, enum module_kind kind, const char *path, u64 dev, u64 ino)
{
	struct profile_module m = { .kind = kind, .dev = dev, .ino = ino };
	u32 id;

	assert_int_equal(builder__str(s->b, path, &m.path), 0);
	if (kind == MODULE_ANON)
		m.tgid = (u32)ino;
	if (kind == MODULE_ANON)
		m.ino = 0;
	assert_int_equal(builder__module(s->b, &m, &id), 0);
	return id;
}

static u32 scene__frame(struct scene *s, u32 module, u64 addr, u32 flags)
{
	u32 id;

	assert_int_equal(builder__frame(s->b, module, addr, flags, FRAME_NOT_TRIED, &id), 0);
	return id;
}

static void scene__name(struct scene *s)
{
	u32 i;

	if (s->b)
		assert_int_equal(builder__freeze(s->b, &s->p, NULL), 0);
	builder__free(s->b);
	s->b = NULL;
	assert_int_equal(resolver__name_profile(s->r, s->p, NULL), 0);
	for (i = 1; i < s->p->frames_len; i++) {
		const struct profile_frame *f = &s->p->frames[i];

		/* a name or exactly one reason */
		assert_true((f->name != 0) == (f->reason == FRAME_NAMED));
		assert_true(f->reason != FRAME_NOT_TRIED);
		assert_non_null(frame_reason_sentence((enum frame_reason)f->reason));
	}
}

static void check(const struct scene *s, u32 frame, const char *want, u64 want_off)
{
	const struct profile_frame *f = &s->p->frames[frame];

	assert_string_equal(profile__str(s->p, f->name), want);
	assert_true(f->name_off == want_off);
}

static void check_reason(const struct scene *s, u32 frame, enum frame_reason want)
{
	assert_int_equal(s->p->frames[frame].reason, want);
}

static void need_lib(void)
{
	if (!never_returns)
		skip();
}

#define KALLSYMS                                                                                   \
	"ffffffff81000000 T first\n"                                                               \
	"ffffffff81000100 T second\n"                                                              \
	"ffffffff81000200 t _RNvCs1234_6kernel4rust\n"                                             \
	"ffffffff81000300 D data\n"

static void test_resolver__name_profile_names_kernel_frames(void **state)
{
	struct scene s;
	u32 m, plain, ret, rust, data;

	(void)state;
	scene__init_with(&s, KALLSYMS, true);
	m = scene__module(&s, MODULE_KERNEL, "[kernel]", 0, 0);
	plain = scene__frame(&s, m, 0xffffffff81000100, FRAME_KERNEL);
	/* the call was the last instruction of first() */
	ret = scene__frame(&s, m, 0xffffffff81000100, FRAME_KERNEL | FRAME_RETURN);
	rust = scene__frame(&s, 0, 0xffffffff81000210, FRAME_KERNEL);
	data = scene__frame(&s, m, 0xffffffff81000310, FRAME_KERNEL);
	scene__name(&s);
	check(&s, plain, "second", 0);
	check(&s, ret, "first", 0x100);
	check(&s, rust, "kernel::rust", 0x10);
	check_reason(&s, data, FRAME_NO_SYMBOL);
	scene__done(&s);
}

static void test_resolver__name_profile_never_names_by_hidden_kallsyms(void **state)
{
	static const char *const texts[] = { "0000000000000000 T first\n", NULL };
	struct scene s;
	size_t i;
	u32 frame;

	(void)state;
	for (i = 0; i < ARRAY_LEN(texts); i++) {
		scene__init_with(&s, texts[i], true);
		frame = scene__frame(&s, scene__module(&s, MODULE_KERNEL, "[kernel]", 0, 0),
				     0xffffffff81000100, FRAME_KERNEL);
		scene__name(&s);
		check_reason(&s, frame, FRAME_KERNEL_HIDDEN);
		scene__done(&s);
	}
}

static void test_resolver__name_profile_looks_before_a_return_address(void **state)
{
	struct scene s;
	u32 m, at, ret, ret_end, begin;

	(void)state;
	need_lib();
	scene__init(&s);
	m = scene__module(&s, MODULE_ELF, "/gone", 5, 6);
	assert_int_equal(resolver__give_file(s.r, ID(5, 6), workdir__open(&dir, "lib")), 0);
	at = scene__frame(&s, m, never_returns + 16, 0);
	ret = scene__frame(&s, m, never_returns + 5, FRAME_RETURN);
	ret_end = scene__frame(&s, m, never_returns + 16, FRAME_RETURN);
	/* put on the stack by hand, as by a signal: there was no call before it */
	m = scene__module(&s, MODULE_ELF, "/gone too", 5, 7);
	assert_int_equal(resolver__give_file(s.r, ID(5, 7), workdir__open(&dir, "whole")), 0);
	begin = scene__frame(&s, m, by_hand, FRAME_RETURN);
	scene__name(&s);
	check(&s, begin, "by_hand", 0);
	check(&s, at, "next_one", 0);
	check(&s, ret, "never_returns", 5);
	check(&s, ret_end, "never_returns", 16);
	scene__done(&s);
}

static void test_resolver__name_profile_gives_elf_frames_their_reason(void **state)
{
	struct scene s;
	u32 stripped, outside, gone, other, bad;
	u32 m;

	(void)state;
	need_lib();
	scene__init(&s);
	m = scene__module(&s, MODULE_ELF, workdir__path(&dir, "lib"), lib.st_dev, lib.st_ino);
	stripped = scene__frame(&s, m, secret, 0);
	outside = scene__frame(&s, m, 1ULL << 40, 0);
	m = scene__module(&s, MODULE_ELF, "/no/such/file", 1, 2);
	gone = scene__frame(&s, m, never_returns, 0);
	/* a file is there, but it is not the one that was mapped */
	m = scene__module(&s, MODULE_ELF, workdir__path(&dir, "lib"), lib.st_dev, lib.st_ino + 1);
	other = scene__frame(&s, m, never_returns, 0);
	m = scene__module(&s, MODULE_ELF, "/no/elf", 7, 8);
	assert_int_equal(resolver__give_file(s.r, ID(7, 8), workdir__open(&dir, "p.c")), 0);
	bad = scene__frame(&s, m, never_returns, 0);
	scene__name(&s);
	check_reason(&s, stripped, FRAME_NO_SYMBOL);
	check_reason(&s, outside, FRAME_NO_SYMBOL);
	check_reason(&s, gone, FRAME_FILE_GONE);
	check_reason(&s, other, FRAME_FILE_GONE);
	check_reason(&s, bad, FRAME_FILE_BAD);
	scene__done(&s);
}

static void test_resolver__name_profile_keeps_what_it_read(void **state)
{
	struct scene s;
	struct stat st;
	u32 frame;

	(void)state;
	need_lib();
	scene__init(&s);
	assert_true(workdir__run(&dir, "cp lib copy"));
	assert_int_equal(stat(workdir__path(&dir, "copy"), &st), 0);
	frame = scene__frame(&s,
			     scene__module(&s, MODULE_ELF, workdir__path(&dir, "copy"), st.st_dev,
					   st.st_ino),
			     never_returns, 0);
	scene__name(&s);
	check(&s, frame, "never_returns", 0);
	assert_true(workdir__run(&dir, "rm copy"));
	scene__name(&s);
	check(&s, frame, "never_returns", 0);
	scene__done(&s);
}

static void test_resolver__name_profile_names_the_vdso(void **state)
{
	void *handle = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	u8 *base = (u8 *)getauxval(AT_SYSINFO_EHDR);
	struct scene s;
	u32 frame, head, m;
	u8 *at;

	(void)state;
	at = handle ? dlsym(handle, "__vdso_clock_gettime") : NULL;
	if (!at || !base)
		skip();
	scene__init(&s);
	m = scene__module(&s, MODULE_VDSO, "[vdso]", 0, 0);
	frame = scene__frame(&s, m, (u64)(at - base) + 1, 0);
	head = scene__frame(&s, m, 0, FRAME_RETURN);
	scene__name(&s);
	check(&s, frame, "clock_gettime", 1);
	check_reason(&s, head, FRAME_NO_SYMBOL);
	scene__done(&s);
	dlclose(handle);
}

static void test_resolver__name_profile_without_a_mapping(void **state)
{
	struct scene s;
	u32 none, early;

	(void)state;
	scene__init(&s);
	none = scene__frame(&s, 0, 0x1234, 0);
	/* what is known already stays */
	assert_int_equal(builder__frame(s.b, 0, 0x5678, 0, FRAME_PROCESS_GONE, &early), 0);
	scene__name(&s);
	check_reason(&s, none, FRAME_NO_MAPPING);
	check_reason(&s, early, FRAME_PROCESS_GONE);
	scene__done(&s);
}

static int give_map(struct resolver *r, u32 tgid, const char *text)
{
	struct code_place place;

	code_place__init(&place, tgid);
	workdir__write(&dir, "map", text, strlen(text));
	place.map_fd = workdir__open(&dir, "map");
	return resolver__give_code(r, &place);
}

static void test_resolver__give_code_names_run_time_code(void **state)
{
	struct scene s;
	u32 named, ret, outside, stranger, m;

	(void)state;
	scene__init(&s);
	/* no such process: pid_max is lower */
	m = scene__module(&s, MODULE_ANON, "[anon]", 0, 1U << 30);
	named = scene__frame(&s, m, 0x7f0010, 0);
	ret = scene__frame(&s, m, 0x7f0020, FRAME_RETURN);
	outside = scene__frame(&s, m, 0x7f0100, 0);
	m = scene__module(&s, MODULE_ANON, "[anon]", 0, (1U << 30) + 1);
	stranger = scene__frame(&s, m, 0x7f0010, 0);
	assert_int_equal(give_map(s.r, 1U << 30, "7f0000 20 LazyCompile:~f a.js:1\n"), 0);
	scene__name(&s);
	check(&s, named, "LazyCompile:~f a.js:1", 0x10);
	check(&s, ret, "LazyCompile:~f a.js:1", 0x20);
	check_reason(&s, outside, FRAME_ANON);
	check_reason(&s, stranger, FRAME_ANON);
	scene__done(&s);
}

static void write_own_map(const char *text)
{
	char path[40];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void remove_own_map(void)
{
	char path[40];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
}

static void test_resolver__name_profile_reads_maps_of_live_processes_anew(void **state)
{
	struct scene s;
	u32 frame;

	(void)state;
	scene__init(&s);
	frame = scene__frame(&s, scene__module(&s, MODULE_ANON, "[anon]", 0, (u64)getpid()),
			     0x7f0010, 0);
	scene__name(&s);
	check_reason(&s, frame, FRAME_ANON);
	write_own_map("7f0000 20 early\n");
	scene__name(&s);
	check(&s, frame, "early", 0x10);
	write_own_map("7f0000 20 early\n7f0008 20 late\n");
	s.p->frames[frame].name = 0;
	scene__name(&s);
	check(&s, frame, "late", 8);
	/* gone, but what was read last still serves */
	remove_own_map();
	s.p->frames[frame].name = 0;
	scene__name(&s);
	check(&s, frame, "late", 8);
	scene__done(&s);
}

/* A process that wrote a map and ended: what was kept open of it is enough. */
static void test_resolver__give_code_names_the_dead(void **state)
{
	struct code_place place;
	int ready[2], go[2];
	char path[40], byte;
	struct scene s;
	u32 frame;
	pid_t pid;
	FILE *f;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		write_own_map("7f0000 20 early\n");
		_exit(write(ready[1], "x", 1) != 1 || read(go[0], &byte, 1) != 1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	code_place__init(&place, (u32)pid);
	assert_int_equal(code_place__look(&place, NULL, NULL), 0);
	/* the last words before the end, and then nobody finds the file any more */
	f = fopen(path, "a");
	assert_non_null(f);
	fputs("8f0000 20 late\n", f);
	fclose(f);
	assert_int_equal(write(go[1], "x", 1), 1);
	waitpid(pid, NULL, 0);
	unlink(path);
	scene__init(&s);
	frame = scene__frame(&s, scene__module(&s, MODULE_ANON, "[anon]", 0, (u64)pid), 0x8f0010,
			     0);
	assert_int_equal(resolver__give_code(s.r, &place), 0);
	assert_int_equal(place.map_fd, -1);
	scene__name(&s);
	check(&s, frame, "late", 0x10);
	scene__done(&s);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

static void test_resolver__build_id_of_a_given_file(void **state)
{
	struct scene s;

	(void)state;
	need_lib();
	scene__init(&s);
	assert_string_equal(resolver__build_id(s.r, ID(5, 6)), "");
	assert_int_equal(resolver__give_file(s.r, ID(5, 6), workdir__open(&dir, "lib")), 0);
	assert_string_equal(resolver__build_id(s.r, ID(5, 6)), "deadbeef");
	scene__done(&s);
}

static void test_resolver__name_profile_counts_unnamed_waits(void **state)
{
	struct profile_task task = {
		.tid = 7, .tgid = 7, .wall_ns = 100, .blocked_ns = { 0, 100 }
	};
	struct profile_wait wait = { .sysno = -1, .state = 1, .blocked_ns = 100, .count = 1 };
	struct scene s;

	(void)state;
	wait.max_ns = 100;
	wait.hist[0] = 1;
	scene__init(&s);
	assert_int_equal(builder__task(s.b, &task, &wait.task), 0);
	assert_int_equal(builder__stack(s.b, 0, scene__frame(&s, 0, 1, 0), &wait.ustack), 0);
	assert_int_equal(builder__wait(s.b, &wait), 0);
	scene__name(&s);
	assert_true(s.p->losses[LOSS_UNNAMED].events == 1);
	assert_true(s.p->losses[LOSS_UNNAMED].ns == 100);
	scene__done(&s);
}

/* The first symbol of a file in the directory that holds `part`, and its address. */
static u64 find_symbol(const char *file, const char *part)
{
	char *text, *end;
	size_t sz;
	u64 addr;

	assert_true(workdir__run(&dir, "nm %s | awk '/ [tT] / && /%s/ { print $1; exit }' >addr",
				 file, part));
	text = workdir__read(&dir, "addr", &sz);
	addr = strtoull(text, &end, 16);
	mem_free(text);
	assert_true(addr != 0);
	return addr;
}

/* Where in a file the byte lies that is at `vaddr` in memory. */
static u64 off_of(const char *file, u64 vaddr)
{
	const struct image_segment *segment;
	struct image *img;
	int fd = workdir__open(&dir, file);
	u64 off;

	assert_int_equal(image__open(fd, file, &img, NULL), 0);
	close(fd);
	segment = image__segment_at(img, vaddr);
	assert_non_null(segment);
	off = vaddr - segment->vaddr + segment->off;
	image__free(img);
	return off;
}

/* What the function at `addr` of a file is called. */
static void check_language(const char *file, u64 addr, bool demangle, const char *want)
{
	struct scene s;
	u32 frame;

	scene__init_with(&s, NULL, demangle);
	assert_int_equal(resolver__give_file(s.r, ID(5, 6), workdir__open(&dir, file)), 0);
	frame = scene__frame(&s, scene__module(&s, MODULE_ELF, file, 5, 6), off_of(file, addr), 0);
	scene__name(&s);
	check(&s, frame, want, 0);
	scene__done(&s);
}

static void test_resolver__name_profile_demangles_cxx(void **state)
{
	static const char text[] =
		"namespace shop { struct Cart { int add(const char *, long); };\n"
		"int Cart::add(const char *, long) { return 1; } }\n";
	u64 addr;

	(void)state;
	if (!workdir_have("g++ nm"))
		skip();
	workdir__write(&dir, "cart.cc", text, sizeof(text) - 1);
	assert_true(workdir__run(&dir, "g++ -shared -nostdlib -fPIC -o cart cart.cc"));
	addr = find_symbol("cart", "Cart");
	check_language("cart", addr, true, "shop::Cart::add");
	check_language("cart", addr, false, "_ZN4shop4Cart3addEPKcl");
}

static void test_resolver__name_profile_demangles_rust(void **state)
{
	static const char text[] = "pub mod till { #[inline(never)] #[no_mangle]\n"
				   "pub extern \"C\" fn anchor() { open_drawer(3); }\n"
				   "#[inline(never)] pub fn open_drawer(n: u32) {"
				   " std::hint::black_box(n); } }\n";
	static const char *const schemes[] = { "v0", "legacy" };
	size_t i;

	(void)state;
	if (!workdir_have("rustc nm"))
		skip();
	workdir__write(&dir, "till.rs", text, sizeof(text) - 1);
	for (i = 0; i < ARRAY_LEN(schemes); i++) {
		/* the older scheme is for the compiler's own developers by now */
		if (!workdir__run(&dir,
				  "RUSTC_BOOTSTRAP=1 rustc -Awarnings --crate-type cdylib"
				  " --crate-name shop -Zunstable-options"
				  " -Csymbol-mangling-version=%s -o till till.rs >rustc.log 2>&1",
				  schemes[i])) {
			print_error("SKIPPED: this rustc cannot mangle by %s\n", schemes[i]);
			continue;
		}
		check_language("till", find_symbol("till", "open_drawer"), true,
			       "shop::till::open_drawer");
	}
}

static pid_t start_program(void)
{
	char started[256];
	pid_t pid;
	u32 tries;

	unlink(workdir__path(&dir, "started"));
	snprintf(started, sizeof(started), "%s", workdir__path(&dir, "started"));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(workdir__path(&dir, "program"), "program", started, NULL);
		_exit(1);
	}
	for (tries = 0; tries < 1000 && access(started, F_OK); tries++)
		usleep(5000);
	return pid;
}

/* As the recorder does it: mappings and files when first seen, names when all is over. */
static void check_program(const char *spoil)
{
	const struct map_range *text = NULL;
	struct maps maps;
	struct scene s;
	pid_t pid;
	size_t i;
	u32 frame;
	int fd;

	assert_true(workdir__run(&dir, "$CC -w -o program prog.c"));
	scene__init(&s);
	pid = start_program();
	assert_true(workdir__run(&dir, "%s", spoil));
	assert_int_equal(maps__read(&maps, (u32)pid, NULL), 0);
	for (i = 0; i < maps.len && !text; i++) {
		if (strstr(maps.ranges[i].path, "/program"))
			text = &maps.ranges[i];
	}
	assert_non_null(text);
	assert_int_equal(module_file_open((u32)pid, text, &fd, NULL), 0);
	assert_int_equal(resolver__give_file(s.r, ID(text->dev, text->ino), fd), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	frame = scene__frame(&s, scene__module(&s, MODULE_ELF, text->path, text->dev, text->ino),
			     off_of("kept", workdir__addr_of(&dir, "kept", "wait_here")) + 2, 0);
	scene__name(&s);
	check(&s, frame, "wait_here", 2);
	scene__done(&s);
	maps__done(&maps);
}

static void test_resolver__name_profile_after_the_program_is_gone(void **state)
{
	static const char text[] = "#include <fcntl.h>\n#include <unistd.h>\n"
				   "void wait_here(void) { for (;;) pause(); }\n"
				   "int main(int argc, char **argv)\n"
				   "{ creat(argv[argc - 1], 0600); wait_here(); return 0; }\n";

	(void)state;
	if (!workdir_have("cc nm") || getuid())
		skip();
	workdir__write(&dir, "prog.c", text, sizeof(text) - 1);
	check_program("cp program kept");
	check_program("cp program kept && rm program");
	check_program("cp program kept && rm program && cp lib program");
}

static void test_resolver__survives_every_failed_allocation(void **state)
{
	u64 nth;
	int r;

	(void)state;
	need_lib();
	for (nth = 1;; nth++) {
		struct resolver_options opt = { .debug_dir = "", .demangle = true };
		struct resolver *resolver = NULL;
		struct err err = { 0 };
		struct scene s;
		u32 m;

		scene__init(&s);
		m = scene__module(&s, MODULE_ELF, workdir__path(&dir, "lib"), lib.st_dev,
				  lib.st_ino);
		scene__frame(&s, m, never_returns, 0);
		scene__frame(&s, scene__module(&s, MODULE_VDSO, "[vdso]", 0, 0), 0x1000, 0);
		scene__frame(&s, scene__module(&s, MODULE_ANON, "[anon]", 0, 1U << 30), 0x1000, 0);
		assert_int_equal(builder__freeze(s.b, &s.p, NULL), 0);
		mem_fail_nth(nth);
		r = resolver__new(&opt, NULL, &resolver, &err);
		if (!r)
			r = give_map(resolver, 1U << 30, "1 2 x\n") ? err__nomem(&err) : 0;
		if (!r)
			r = resolver__name_profile(resolver, s.p, &err);
		resolver__free(resolver);
		scene__done(&s);
		if (!mem_fail_fired())
			break;
		/* an allocation for what can be done without may fail unseen */
		if (r)
			assert_true(r == -ENOMEM && err.msg[0]);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolver__name_profile_names_kernel_frames),
		cmocka_unit_test(test_resolver__name_profile_never_names_by_hidden_kallsyms),
		cmocka_unit_test(test_resolver__name_profile_looks_before_a_return_address),
		cmocka_unit_test(test_resolver__name_profile_gives_elf_frames_their_reason),
		cmocka_unit_test(test_resolver__name_profile_keeps_what_it_read),
		cmocka_unit_test(test_resolver__name_profile_names_the_vdso),
		cmocka_unit_test(test_resolver__name_profile_without_a_mapping),
		cmocka_unit_test(test_resolver__give_code_names_run_time_code),
		cmocka_unit_test(test_resolver__name_profile_reads_maps_of_live_processes_anew),
		cmocka_unit_test(test_resolver__give_code_names_the_dead),
		cmocka_unit_test(test_resolver__build_id_of_a_given_file),
		cmocka_unit_test(test_resolver__name_profile_counts_unnamed_waits),
		cmocka_unit_test(test_resolver__name_profile_demangles_cxx),
		cmocka_unit_test(test_resolver__name_profile_demangles_rust),
		cmocka_unit_test(test_resolver__name_profile_after_the_program_is_gone),
		cmocka_unit_test(test_resolver__survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("resolver", tests, setup, teardown);
}
