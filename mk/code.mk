# SPDX-License-Identifier: Apache-2.0
#
# src/<layer>/[<room>/]*.c -> objects -> one archive per layer -> the program.
SRCS := $(call below,src,*.c)
OBJS := $(SRCS:%.c=$(O)/%.o)

$(OBJS): $(O)/%.o: %.c $(O)/flags-c | $(GEN)
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(BANNED) $(CFLAGS_ALL) $(DEPS) -c $< -o $@

# Only capture sees the BPF side; the other layers build and test without clang and bpftool.
$(call layer_objs,capture): | $(SKEL) $(TASK_SKEL) $(KERNEL_TYPES)

# The directory is a prerequisite so that a removed file leaves the archive.
archive = rm -f $@ && $(AR) rcsD $@ $(filter %.o,$^)

$(O)/lib/%.a: $$(call layer_objs,$$*) $$(call layer_dirs,$$*)
	$(call msg,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(archive)

# A static program loads no libraries: packaging/static has what is called in place of dlopen().
STATIC_LDFLAGS = $(if $(LINKED_IN),$(patsubst %,-Wl$(comma)--wrap=%,\
	dlopen dlsym dlclose dlerror getaddrinfo MHD_is_feature_supported))
STATIC_OBJS := $(if $(LINKED_IN),$(patsubst %.c,$(O)/%.o,$(wildcard packaging/static/*.c)))

$(STATIC_OBJS): $(O)/%.o: %.c $(O)/flags-c
	$(call msg,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(DEPS) -c $< -o $@

# The linker's map tells packaging/sbom which libraries are in the program.
$(O)/coldspot: $(O)/src/cli/main.o $(STATIC_OBJS) $(call archives,$(O)/lib,$(layers_all))
	$(call msg,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(STATIC_LDFLAGS) -Wl,-Map=$@.map -o $@ $^ $(LIBS)

-include $(OBJS:.o=.d) $(STATIC_OBJS:.o=.d)

# For editors and clang-tidy; clangd finds build/compile_commands.json by itself.
COMPDB_C := $(SRCS) $(wildcard tests/*/*.c tests/unit/*/*.c)
compdb_c = printf '%s\t%s\n' '$(1)' \
	'$(CC) $(CPPFLAGS_ALL) $(if $(filter src/%,$(1)),$(BANNED),-Itests) $(CFLAGS_ALL) -c $(1)'
compdb_bpf = printf '%s\t%s\n' '$(1)' '$(CLANG) $(BPF_FLAGS) -c $(1)'

.PHONY: compile_commands.json
compile_commands.json: $(O)/compile_commands.json ## Write O/compile_commands.json (C and BPF files)
$(O)/compile_commands.json: FORCE
	$(Q)mkdir -p $(@D)
	$(Q){ $(foreach f,$(filter-out %.bpf.c,$(COMPDB_C)),$(call compdb_c,$(f));) \
	$(foreach f,$(BPF_SRCS) $(TASK_BPF_SRCS) $(BPF_TEST_SRCS),$(call compdb_bpf,$(f));) \
	true; } \
		| awk -f mk/compdb.awk -v dir='$(CURDIR)' > $@
