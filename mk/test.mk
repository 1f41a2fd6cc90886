# SPDX-License-Identifier: Apache-2.0
#
# tests/unit/<layer>/test_*.c   linked with that layer and what it reaches, and tests/lib
# tests/<suite>/test_*.c        linked with everything but main.c, and tests/lib
# tests/<suite>/*.c             workloads: plain programs, built into O/tests/<suite>/, not run;
#                               verifier_counts, which loads as capture does, is linked with it
# tests/<suite>/*.t             scripts (sh or python3) that print TAP
# All run in the root of the tree with COLDSPOT (the program) and COLDSPOT_BUILD (O) set.
SUITES := golden formats cli fault replay bpf truth stacks causes storm lint vm web mutation
##= L: Layer whose unit tests run (test-unit)
L ?= *
##= T: Only tests whose name has this word; the fuzzer of `make fuzz`
T ?=
##= TEST_SECONDS: Longest time of one test program
TEST_SECONDS ?= 300
##= STORM_SECONDS: Length of each recording of test-storm
STORM_SECONDS ?= 60

TEST_SRCS := $(filter-out %.bpf.c,$(wildcard tests/unit/*/test_*.c $(SUITES:%=tests/%/*.c)))
TEST_BINS := $(TEST_SRCS:%.c=$(O)/%)
TEST_LIB_OBJS := $(patsubst %.c,$(O)/%.o,$(wildcard tests/lib/*.c tests/lib/*/*.c))
TEST_LIB := $(if $(TEST_LIB_OBJS),$(O)/tests/libtest.a)

# $(1): path below tests/ without .c; what it is linked with.
test_layers = $(if $(filter unit/%,$(1)),$(or $(call layer_closure,$(word 2,$(subst /, ,$(1)))),\
	$(layers_all)),$(if $(filter test_% verifier_counts,$(notdir $(1))),$(layers_all)))
test_inputs = $(if $(filter test_%,$(notdir $(1))),$(TEST_LIB)) \
	$(call archives,$(O)/lib,$(call test_layers,$(1)))

$(TEST_BINS:%=%.o) $(TEST_LIB_OBJS): $(O)/%.o: %.c $(O)/flags-c | $(GEN)
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -Itests $(CFLAGS_ALL) $(DEPS) -c $< -o $@

$(patsubst %.c,$(O)/%.o,$(filter tests/bpf/%,$(TEST_SRCS))): | $(SKEL) $(TASK_SKEL) \
	$(BPF_TEST_SKELS)

$(O)/tests/libtest.a: $(TEST_LIB_OBJS) $(wildcard tests/lib tests/lib/*/)
	$(call msg,AR,$@)
	$(Q)$(archive)

# The walker of bpf/ is compiled for this machine; what it walks has nothing but unwind tables.
$(O)/tests/lib/walk_world.o: private CPPFLAGS_ALL += -Ibpf
$(O)/tests/lib/walk_world.o: private CFLAGS_ALL += -fno-sanitize=alignment
# All of bpf/ that runs at a switch, each of its loads and stores a call of tests/lib/line_model.c.
# By clang, as for the kernel, so that the counts are those of one compiler.
$(O)/tests/lib/switch_world.o: private CC = $(CLANG)
$(O)/tests/lib/switch_world.o: private CPPFLAGS_ALL += -Ibpf
$(O)/tests/lib/switch_world.o: private CFLAGS_ALL += -fno-sanitize=all -fsanitize=thread
# Likewise what tells kernel stacks apart, and single switches, alone.
HOST_SWITCH_TESTS := $(addprefix $(O)/tests/replay/,test_gap.o test_kernel_prints.o \
	test_switches.o)
$(HOST_SWITCH_TESTS): private CC = $(CLANG)
$(HOST_SWITCH_TESTS): private CPPFLAGS_ALL += -Ibpf
# With any sanitizer, gcc has declarations of its own for the functions of this file.
$(O)/tests/lib/line_model.o: private CFLAGS_ALL += -fno-sanitize=all
$(O)/tests/replay/stacks.o: private CFLAGS_ALL += -fomit-frame-pointer -fno-sanitize=all
$(O)/tests/replay/stacks: private LDFLAGS_ALL += -Wl,-z,lazy

$(TEST_BINS): $(O)/tests/%: $(O)/tests/%.o $$(call test_inputs,$$*)
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $^ $(LIBS_TEST)

-include $(TEST_BINS:%=%.d) $(TEST_LIB_OBJS:.o=.d)

# $(1): suite; its programs, and its programs and scripts that run.
suite_bins = $(filter $(O)/tests/$(1)/%,$(TEST_BINS))
suite_runs = $(foreach t,$(call suite_bins,$(1)),$(if $(filter test_%,$(notdir $(t))),$(t))) \
	$(wildcard tests/$(1)/*.t)
run_tests = $(Q)COLDSPOT='$(abspath $(O)/coldspot)' COLDSPOT_BUILD='$(abspath $(O))' CC='$(CC)' \
	tests/run --suite $(1) --timeout $(TEST_SECONDS) $(if $(T),--only '$(T)') \
	$(RUN_FLAGS) -- $(2)

unit_bins = $(filter $(patsubst tests/unit/%,$(O)/tests/unit/%/%,\
	$(wildcard tests/unit/$(strip $(L)))),$(call suite_bins,unit))

.PHONY: test test-unit test-programs golden-accept $(SUITES:%=test-%)
test: test-formats
test: test-unit test-lint test-golden test-cli test-fault test-replay ## All tests that need no root
test-programs: $(TEST_BINS) ## Only build the test programs
test-unit: $$(unit_bins) ## Unit tests (L=layer for one layer, T=word)
	$(call run_tests,unit,$(unit_bins))
test-golden: ## Every renderer against the outputs that are committed
test-formats: ## Each format opened by programs of others, and added up
test-cli: ## The program from outside: help, exit codes, pipes, no root
test-fault: ## The program where memory, descriptors or the disk run out
test-replay: ## The walker of user stacks on this machine, against libdwfl
test-lint: ## The checks of `make lint` can fail
test-bpf: ## BPF functions one by one, in the kernel (root)
test-truth: ## Known waits against what is recorded (root)
test-stacks: ## User stacks against other unwinders (root)
test-causes: ## Real servers: are waits for work idle, and others not? (root)
test-storm: ## As many switches, threads and stacks as the machine can make (root)
test-mutation: ## Faults put into a copy of the source: is each seen by a test? (root for some)
test-web: ## The HTML report in a browser (node, npm, Chromium)
test-vm: ## Other kernels, in emulated machines (root; fetches kernels)
test-cli test-fault test-truth test-bpf test-stacks test-causes test-storm test-vm test-web: \
	$(O)/coldspot
test-stacks test-causes: TEST_SECONDS = 600
test-truth: TEST_SECONDS = 900
test-storm: TEST_SECONDS = 1200
test-storm: export STORM_SECONDS := $(STORM_SECONDS)
test-web: TEST_SECONDS = 600
test-mutation: TEST_SECONDS = 800
test-mutation: RUN_FLAGS = --verbose
test-vm: TEST_SECONDS = 3600
test-vm: $(O)/tests/bpf/verifier_counts
$(SUITES:%=test-%): test-%: $$(call suite_bins,$$*)
	$(call run_tests,$*,$(call suite_runs,$*))

golden-accept: export GOLDEN_ACCEPT = 1
golden-accept: test-golden ## Take the present output of the renderers as right

VERIFIER_COUNTER := $(O)/tests/bpf/verifier_counts
.PHONY: verifier verifier-accept verifier-accept-vm
verifier: $(VERIFIER_COUNTER) ## What the verifier walks, against the committed table (root)
	$(call run_tests,verifier,'scripts/verifier-counts $<')
verifier-accept: $(VERIFIER_COUNTER) ## Write this kernel's rows of that table (root)
	$(Q)scripts/verifier-counts $< --accept
verifier-accept-vm: $(VERIFIER_COUNTER) ## Write the rows of 6.1 and 6.12 (root; as test-vm)
	$(Q)tests/vm/verifier-accept $<
