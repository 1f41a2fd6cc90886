# SPDX-License-Identifier: Apache-2.0
#
# tests/fuzz/fuzz_NAME.c is a libFuzzer program, linked with the layers it includes (built once more
# with the fuzzer's instrumentation). Seeds lie in tests/fuzz/corpus/NAME; what is found grows in
# O/fuzz/corpus/NAME and never touches the tree.
##= FUZZ_SECONDS: Length of each fuzzer's run in fuzz-smoke
FUZZ_SECONDS ?= 5
FUZZ_FLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer -pthread \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZ_SRCS := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BINS := $(FUZZ_SRCS:tests/fuzz/%.c=$(O)/fuzz/%)
FUZZ_OBJS := $(SRCS:%.c=$(O)/fuzz/%.o)

$(FUZZ_OBJS): $(O)/fuzz/%.o: %.c $(O)/flags-c $(O)/flags-bpf | $(GEN)
	$(call msg,FUZZ-CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(CPPFLAGS_ALL) $(BANNED) $(FUZZ_FLAGS) $(DEPS) -c $< -o $@

$(filter $(O)/fuzz/src/capture/%,$(FUZZ_OBJS)): | $(SKEL) $(TASK_SKEL) $(KERNEL_TYPES)

# In a function, because a pattern rule would put its stem in place of this %.
fuzz_objs = $(patsubst $(O)/%,$(O)/fuzz/%,$(call layer_objs,$(1)))

$(O)/fuzz/lib/%.a: $$(call fuzz_objs,$$*) $$(call layer_dirs,$$*)
	$(call msg,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(archive)

$(FUZZ_BINS): $(O)/fuzz/%: tests/fuzz/%.c \
		$$(call archives,$(O)/fuzz/lib,$$(call layers_of_file,tests/fuzz/$$*.c))
	$(call msg,FUZZ-LINK,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(CPPFLAGS_ALL) $(FUZZ_FLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ \
		$(filter %.c %.a,$^) -Wl,--as-needed $(LIBS)

-include $(FUZZ_OBJS:.o=.d) $(FUZZ_BINS:=.d)

.PHONY: fuzz fuzz-smoke
fuzz: $$(if $$(T),$(O)/fuzz/fuzz_$$(T)) ## Run the fuzzer T=name until it finds something
	$(if $(T),,$(error which fuzzer? make fuzz T=NAME, one of: $(FUZZ_BINS:$(O)/fuzz/fuzz_%=%)))
	$(Q)mkdir -p $(O)/fuzz/corpus/$(T)
	$(Q)$(O)/fuzz/fuzz_$(T) $(O)/fuzz/corpus/$(T) $(wildcard tests/fuzz/corpus/$(T))

fuzz-smoke: $(FUZZ_BINS) ## Run every fuzzer for FUZZ_SECONDS
	$(Q)tests/run --suite fuzz --timeout 600 -- "tests/fuzz/smoke $(O)/fuzz $(FUZZ_SECONDS)"
