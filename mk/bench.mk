# SPDX-License-Identifier: Apache-2.0
#
# bench/run compares the cost of tracers; it needs programs of its own: empty ones on our hooks, and
# a workload with many stacks.
##= QUICK: 1 makes `make bench` a matter of a minute, and its numbers no proof
QUICK ?= 0
##= BENCH: More words for bench/run, e.g. '--loads pipe --also old=/tmp/old/coldspot'
BENCH ?=

BENCH_BINS := $(O)/bench/empty $(O)/bench/paths

$(O)/bench/empty.bpf.o: bench/empty.bpf.c $(O)/flags-bpf
	$(call msg,BPF,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) $(DEPS) -c $< -o $@

$(O)/gen/bench_empty.skel.h: $(O)/bench/empty.bpf.o
	$(call msg,GEN-SKEL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call skeleton,bench_empty)

$(BENCH_BINS:%=%.o): $(O)/%.o: %.c $(O)/flags-c
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(DEPS) -c $< -o $@

$(O)/bench/empty.o: | $(O)/gen/bench_empty.skel.h

$(BENCH_BINS): %: %.o
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(LIBS)

-include $(BENCH_BINS:%=%.d) $(O)/bench/empty.bpf.d

.PHONY: bench
bench: $(O)/coldspot $(BENCH_BINS) ## Measure the cost; a table in bench/results (root)
	$(Q)COLDSPOT='$(abspath $(O)/coldspot)' COLDSPOT_BUILD='$(abspath $(O))' \
		bench/run $(if $(filter-out 0,$(QUICK)),--quick) $(BENCH)
