/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each runtime must be told before its code has frame pointers and names. Options are looked
 * for where the runtime takes them from: its command line and its environment.
 */
#include "cli/doctor_runtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "proc/code_place.h"
#include "proc/mapfile.h"
#include "symbol/jitdump.h"
#include "symbol/perfmap.h"
#include "unwind/python_module.h"

/* Where a process keeps what it was told. */
struct options {
	struct runtime_words cmdline;
	struct runtime_words environ;
};

static void options__read(struct options *o, u32 tgid)
{
	/* not ours to look at: as if nothing were said */
	if (runtime_words__read(&o->cmdline, tgid, RUNTIME_CMDLINE, NULL))
		o->cmdline = (struct runtime_words){ 0 };
	if (runtime_words__read(&o->environ, tgid, RUNTIME_ENVIRON, NULL))
		o->environ = (struct runtime_words){ 0 };
}

static void options__done(struct options *o)
{
	runtime_words__done(&o->cmdline);
	runtime_words__done(&o->environ);
}

static bool options__have(const struct options *o, const char *option)
{
	return runtime_words__has(&o->cmdline, option) || runtime_words__has(&o->environ, option);
}

#define SAY(field, ...) snprintf(rt->field, sizeof(rt->field), __VA_ARGS__)

static void advise_hotspot(struct doctor_runtime *rt, const struct options *o)
{
	rt->stacks_cut = !options__have(o, "-XX:+PreserveFramePointer");
	if (rt->stacks_cut)
		SAY(stacks, "cut off at compiled Java code: this JVM keeps no frame pointers");
	else
		SAY(stacks, "Java code by frame pointer");
	if (rt->unnamed)
		SAY(names, "compiled Java code has none before the JVM is asked for them");
	SAY(advice, "%s%s%s", rt->stacks_cut ? "start the JVM with -XX:+PreserveFramePointer" : "",
	    rt->stacks_cut && rt->unnamed ? "; " : "",
	    rt->unnamed ? "record with --java-symbols (Java 17 and newer)" : "");
}

static void advise_node(struct doctor_runtime *rt, const struct options *o)
{
	bool interpreted = options__have(o, "--interpreted-frames-native-stack");

	SAY(stacks, "JavaScript code by frame pointer");
	if (rt->unnamed)
		SAY(names, "JavaScript code has none");
	else if (!interpreted)
		SAY(names, "JavaScript functions that are not compiled yet are shown as "
			   "InterpreterEntryTrampoline");
	if (rt->unnamed || !interpreted)
		SAY(advice, "start node with%s%s (NODE_OPTIONS takes them too)",
		    rt->unnamed ? " --perf-basic-prof" : "",
		    interpreted ? "" : " --interpreted-frames-native-stack");
}

static void advise_dotnet(struct doctor_runtime *rt)
{
	SAY(stacks, ".NET code by frame pointer");
	if (!rt->unnamed)
		return;
	SAY(names, ".NET code has none");
	SAY(advice, "start it with DOTNET_PerfMapEnabled=1 in its environment");
}

static void advise_php(struct doctor_runtime *rt)
{
	SAY(stacks, "PHP functions that are interpreted are not shown, just execute_ex");
	if (!rt->mappings || !rt->unnamed)
		return;
	SAY(names, "PHP code that was compiled has none");
	SAY(advice, "run PHP with opcache.jit_debug=0x10 for a perf map");
}

static void advise_ruby(struct doctor_runtime *rt)
{
	SAY(stacks, "Ruby methods that are interpreted are not shown, just vm_exec");
	if (!rt->mappings || !rt->unnamed)
		return;
	SAY(names, "Ruby code that was compiled has none");
	SAY(advice, "start it with --yjit --yjit-perf (Ruby 3.3 and newer) for a perf map");
}

static int read_python(u32 tgid, const struct map_range *range, struct err *why)
{
	struct cs_python facts;
	int fd, r = module_file_open(tgid, range, &fd, why);

	if (r)
		return r;
	r = python_module__read(fd, range->path, &facts, why);
	close(fd);
	return r;
}

/* The interpreter is in the program or in its library: whichever has it. -ENOENT: none has. */
static int find_python(u32 tgid, const struct maps *maps, struct err *why)
{
	int r, failed = -ENOENT;
	size_t i;

	for (i = 0; i < maps->len; i++) {
		const struct map_range *range = &maps->ranges[i];
		struct err first = { 0 };

		if (!range->exec || !map_range__is_file(range))
			continue;
		r = read_python(tgid, range, &first);
		if (r == -ENOENT || (r && r != -ENOTSUP && failed != -ENOENT))
			continue;
		*why = first;
		if (!r || r == -ENOTSUP)
			return r;
		failed = r;
	}
	return failed;
}

static void advise_python(struct doctor_runtime *rt, u32 tgid, const struct maps *maps)
{
	struct err why = { 0 };
	int r = find_python(tgid, maps, &why);

	/* a program with Python built in has a name of its own */
	if (rt->kind == RUNTIME_NONE && (!r || r == -ENOTSUP))
		rt->kind = RUNTIME_CPYTHON;
	if (rt->kind != RUNTIME_CPYTHON || r == -ENOENT)
		return;
	rt->stacks_cut = r;
	if (!r)
		SAY(stacks, "Python functions are shown, with file and line");
	else if (r == -ENOTSUP)
		SAY(stacks, "%.400s", why.msg);
	else
		SAY(stacks, "Python functions are not shown: %.400s", why.msg);
}

/* Code that nobody known makes, and OpenJ9. */
static void advise_others(struct doctor_runtime *rt)
{
	if (!rt->mappings || !rt->unnamed)
		return;
	SAY(names, "code made at run time has none (%u mapping%s): no perf map, no jitdump",
	    rt->mappings, units_plural(rt->mappings));
	SAY(advice, rt->kind == RUNTIME_OPENJ9 ?
			    "start it with -Xjit:perfTool for a perf map" :
			    "see whether what makes the code can write a perf map or a jitdump");
}

static void advise(struct doctor_runtime *rt, u32 tgid, const struct maps *maps)
{
	struct options o;

	options__read(&o, tgid);
	switch (rt->kind) {
	case RUNTIME_HOTSPOT:
		advise_hotspot(rt, &o);
		break;
	case RUNTIME_NODE:
		advise_node(rt, &o);
		break;
	case RUNTIME_DOTNET:
		advise_dotnet(rt);
		break;
	case RUNTIME_PHP:
		advise_php(rt);
		break;
	case RUNTIME_RUBY:
		advise_ruby(rt);
		break;
	case RUNTIME_CPYTHON:
		advise_python(rt, tgid, maps);
		break;
	case RUNTIME_NONE:
		advise_python(rt, tgid, maps);
		advise_others(rt);
		break;
	default:
		advise_others(rt);
	}
	options__done(&o);
}

static int count_map(int fd, size_t *ret)
{
	struct perfmap *pm;
	int r = perfmap__new(&pm, NULL);

	if (r)
		return r;
	r = perfmap__update(pm, fd, NULL);
	*ret = perfmap__len(pm);
	perfmap__free(pm);
	return r;
}

static int count_dump(int fd, size_t *ret)
{
	struct jitdump *jd;
	int r = jitdump__new(&jd, NULL);

	if (r)
		return r;
	r = jitdump__update(jd, fd, NULL);
	*ret = jitdump__len(jd);
	jitdump__free(jd);
	return r;
}

/* What the process wrote down by now. -ENOMEM or 0. */
static int look_for_names(struct doctor_runtime *rt, u32 tgid, const struct maps *maps)
{
	struct code_place place;
	struct err why = { 0 };
	size_t n = 0;
	char count[32];
	bool dump;
	int r = 0;

	code_place__init(&place, tgid);
	if (code_place__look(&place, maps, &why))
		SAY(found, "%s", why.msg);
	dump = place.dump_fd >= 0;
	if (dump)
		r = count_dump(place.dump_fd, &n);
	else if (place.map_fd >= 0)
		r = count_map(place.map_fd, &n);
	code_place__done(&place);
	rt->unnamed = !n;
	units_format_count(n, count, sizeof(count));
	if (n)
		SAY(found, "%s functions in its %s", count, dump ? "jitdump" : "perf map");
	return r == -ENOMEM ? r : 0;
}

int doctor_runtime__look(struct doctor_runtime *rt, u32 tgid, const struct maps *maps,
			 struct err *err)
{
	size_t i;

	*rt = (struct doctor_runtime){ .kind = runtime_of(maps, NULL) };
	for (i = 0; i < maps->len; i++)
		rt->mappings += maps->ranges[i].exec && map_range__is_memory(&maps->ranges[i]);
	if (look_for_names(rt, tgid, maps))
		return err__nomem(err);
	advise(rt, tgid, maps);
	return 0;
}
