# SPDX-License-Identifier: Apache-2.0
#
# bench/run compares the cost of tracers; it needs programs of its own: empty ones on our hooks,
# workloads with many stacks and with deep ones. It also runs programs that measure parts of us:
# bench/tables, and bench/walk, whose BPF side is linked with all of bpf/ as those of tests/bpf are;
# and bench/cores, which runs our programs as part of itself, once as they are and once under a
# model of CPUs.
##= QUICK: 1 makes `make bench` a matter of two minutes, and its numbers no proof
QUICK ?= 0
##= BENCH: More words for bench/run, e.g. '--loads pipe --modes every'
BENCH ?=
##= TABLES: Files whose unwind tables bench-tables builds
MULTILIB = /usr/lib/$(MULTIARCH)
TABLES ?= $(wildcard $(MULTILIB)/libc.so.6 $(MULTILIB)/libstdc++.so.6 $(MULTILIB)/libcrypto.so.3 \
	$(MULTILIB)/libLLVM-16.so.1 /usr/bin/python3 /usr/bin/node \
	/usr/lib/postgresql/*/bin/postgres /usr/sbin/mariadbd)

BENCH_BINS := $(addprefix $(O)/bench/,crowd empty formats paths pingpong recording tables walk \
	cores cores_count)
BENCH_DEEPS := $(O)/bench/deep_framed.o $(O)/bench/deep_bare.o
BENCH_BPF := $(O)/bench/empty.bpf.o $(O)/bench/walk.bpf.o

$(BENCH_BPF): $(O)/%.o: %.c $(O)/flags-bpf
	$(call msg,BPF,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) $(DEPS) -c $< -o $@

$(O)/bench/walk.linked.o: $(BPF_OBJS) $(O)/bench/walk.bpf.o
	$(call msg,BPF-LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(O)/gen/bench_empty.skel.h: $(O)/bench/empty.bpf.o
$(O)/gen/bench_walk.skel.h: $(O)/bench/walk.linked.o
$(O)/gen/bench_empty.skel.h $(O)/gen/bench_walk.skel.h: $(O)/gen/%.skel.h:
	$(call msg,GEN-SKEL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call skeleton,$*)

$(BENCH_BINS:%=%.o): $(O)/%.o: %.c $(O)/flags-c
$(BENCH_DEEPS): bench/deep.c $(O)/flags-c
$(O)/bench/deep_bare.o: private CFLAGS_ALL += -fomit-frame-pointer
$(BENCH_DEEPS): private CPPFLAGS_ALL += -DDEEP=$(basename $(@F))
$(BENCH_BINS:%=%.o) $(BENCH_DEEPS):
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(DEPS) -c $< -o $@

$(O)/bench/empty.o: | $(O)/gen/bench_empty.skel.h
$(O)/bench/walk.o: | $(O)/gen/bench_walk.skel.h

$(O)/bench/walk: $(BENCH_DEEPS)

# What the kernel runs is made by clang, so this is too.
$(O)/bench/switch_world.o: tests/lib/switch_world.c $(O)/flags-c
	$(call msg,CC,$< without a model)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(CPPFLAGS_ALL) -Itests -Ibpf $(CFLAGS_ALL) -fno-sanitize=all $(DEPS) \
		-c $< -o $@
$(O)/bench/cores.o $(O)/bench/cores_count.o: private CPPFLAGS_ALL += -Itests
$(O)/bench/cores: $(O)/bench/switch_world.o
$(O)/bench/cores_count: $(O)/tests/lib/switch_world.o
$(O)/bench/cores $(O)/bench/cores_count: $(O)/tests/lib/line_model.o \
	$(O)/tests/lib/switch_stream.o
$(BENCH_BINS): $(O)/%: $(O)/%.o \
		$$(call archives,$(O)/lib,$$(call layers_of_file,$$*.c))
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -lm

-include $(BENCH_BINS:%=%.d) $(BENCH_DEEPS:.o=.d) $(BENCH_BPF:.o=.d) $(O)/bench/switch_world.d

.PHONY: bench bench-programs
.PHONY: bench-tables bench-walk bench-cores bench-estimator bench-formats bench-recording \
	bench-visits bench-coverage bench-events bench-whatif bench-start
bench-formats: $(O)/bench/formats ## Size of each format, time to write it
	$(Q)$<
bench-recording: $(O)/bench/recording ## Size of recordings, time to write and to read them
	$(Q)$<
bench-tables: $(O)/bench/tables ## Time and memory of unwind tables
	$(Q)$< $(TABLES)
bench-walk: $(O)/bench/walk ## Time of a walk of a user stack, ours and the kernel's (root)
	$(Q)$<
bench-cores: $(O)/bench/cores_count $(O)/bench/cores ## What many CPUs share, and what it costs
	$(Q)$(O)/bench/cores_count $(wildcard bench/switches/*)
	$(Q)$(O)/bench/cores $(wildcard bench/switches/*)
bench-estimator: $(O)/coldspot ## 50 recordings, exact and sampled: no bias? (root, minutes)
	$(Q)COLDSPOT='$(abspath $(O)/coldspot)' bench/estimator $(BENCH)

bench-visits: $(O)/coldspot $(O)/bench/crowd ## Cost of visits beside hooks (root, ten minutes)
	$(Q)COLDSPOT='$(abspath $(O)/coldspot)' COLDSPOT_BUILD='$(abspath $(O))' \
		bench/visits $(BENCH)

bench-coverage: $(O)/coldspot ## Are the standard errors of visits right? (root, 20 minutes)
	$(Q)COLDSPOT='$(abspath $(O)/coldspot)' bench/coverage $(BENCH)

bench-events: $(O)/coldspot ## Cost of instants beside perf sched record; losses (root, a minute)
	$(Q)bench/events --coldspot '$(abspath $(O)/coldspot)' $(BENCH)
bench-whatif: $(O)/coldspot ## Predictions of whatif, and what programs then took (root, a minute)
	$(Q)bench/whatif --coldspot '$(abspath $(O)/coldspot)' $(BENCH)
bench-start: $(O)/coldspot ## Time from exec to the begin of the window, by mode (root, a minute)
	$(Q)bench/start --coldspot '$(abspath $(O)/coldspot)' $(BENCH)

bench-programs: $(BENCH_BINS) ## Only build what bench/run needs
bench: $(VERIFIER_COUNTER)
bench: $(O)/coldspot $(BENCH_BINS) ## Measure the cost; a table in bench/results (root)
	$(Q)COLDSPOT='$(abspath $(O)/coldspot)' COLDSPOT_BUILD='$(abspath $(O))' \
		TABLES='$(TABLES)' bench/run $(if $(filter-out 0,$(QUICK)),--quick) $(BENCH)
