/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/runtime/jit_runtimes.h"

#include <stdio.h>

#include "base/text/units.h"

#define SAY(field, ...) snprintf(a->field, sizeof(a->field), __VA_ARGS__)

static void advise_openj9(struct runtime_advice *a, const struct runtime_process *p)
{
	(void)p;
	if (!a->mappings || !a->unnamed)
		return;
	SAY(names, "JIT-compiled code has none (%u mapping%s): no perf map, no jitdump",
	    a->mappings, units_plural(a->mappings));
	SAY(todo, "start it with -Xjit:perfTool for a perf map");
}

static void advise_node(struct runtime_advice *a, const struct runtime_process *p)
{
	bool interpreted = runtime_process__has(p, "--interpreted-frames-native-stack");

	SAY(stacks, "JavaScript code by frame pointer");
	if (a->unnamed)
		SAY(names, "JavaScript code has none");
	else if (!interpreted)
		SAY(names, "JavaScript functions not compiled yet are shown as "
			   "InterpreterEntryTrampoline");
	if (a->unnamed || !interpreted)
		SAY(todo, "start node with%s%s (or set them in NODE_OPTIONS)",
		    a->unnamed ? " --perf-basic-prof" : "",
		    interpreted ? "" : " --interpreted-frames-native-stack");
}

static void advise_dotnet(struct runtime_advice *a, const struct runtime_process *p)
{
	(void)p;
	SAY(stacks, ".NET code by frame pointer");
	if (!a->unnamed)
		return;
	SAY(names, ".NET code has none");
	SAY(todo, "start it with DOTNET_PerfMapEnabled=1 in its environment");
}

static void advise_php(struct runtime_advice *a, const struct runtime_process *p)
{
	(void)p;
	SAY(stacks, "interpreted PHP functions are shown as execute_ex");
	if (!a->mappings || !a->unnamed)
		return;
	SAY(names, "compiled PHP code has none");
	SAY(todo, "run PHP with opcache.jit_debug=0x10 for a perf map");
}

static void advise_ruby(struct runtime_advice *a, const struct runtime_process *p)
{
	(void)p;
	SAY(stacks, "interpreted Ruby methods are shown as vm_exec");
	if (!a->mappings || !a->unnamed)
		return;
	SAY(names, "compiled Ruby code has none");
	SAY(todo, "start it with --yjit --yjit-perf (Ruby 3.3 and newer) for a perf map");
}

const struct runtime runtime_openj9 = {
	.words = "OpenJ9",
	.files = { { "libj9vm", false } },
	.advise = advise_openj9,
};

const struct runtime runtime_node = {
	.words = "Node.js",
	.files = { { "libnode.so", false }, { "node", true }, { "nodejs", true } },
	.advise = advise_node,
};

const struct runtime runtime_dotnet = {
	.words = ".NET",
	.files = { { "libcoreclr.so", true } },
	.advise = advise_dotnet,
};

const struct runtime runtime_php = {
	.words = "PHP",
	.files = { { "libphp", false }, { "php-fpm", false }, { "php", false } },
	.advise = advise_php,
};

const struct runtime runtime_ruby = {
	.words = "Ruby",
	.files = { { "libruby", false }, { "ruby", false } },
	.advise = advise_ruby,
};
