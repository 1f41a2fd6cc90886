# SPDX-License-Identifier: Apache-2.0
#
# bpf/*.bpf.c -> objects -> one linked object -> the skeleton that src/capture includes as
# "gen/coldspot.skel.h". tests/bpf/NAME.bpf.c is linked with the same objects into
# "gen/NAME.skel.h", for tests that run our BPF functions one by one. bpf/tasks/ is an object of its
# own, "gen/go_waits.skel.h": recordings that do not measure waits of goroutines do not load it.
##= CLANG: For bpf/ and fuzzers
CLANG ?= $(or $(shell command -v clang-16),$(shell command -v clang),clang-16)
BPFTOOL ?= $(or $(shell PATH="$$PATH:/usr/local/sbin:/usr/sbin:/sbin" command -v bpftool),bpftool)

MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_FLAGS := -target bpf -mcpu=v3 -g -O2 -Wall -Wtype-limits -Werror \
	-D__TARGET_ARCH_$(TARGET_ARCH) -Isrc -Ibpf \
	-idirafter /usr/include/$(or $(MULTIARCH),$(ARCH_WORD)-linux-gnu) \
	-ffile-prefix-map=$(CURDIR)/= $(BPF_CFLAGS)
# bpftool 7.1 loses the offset of a map that it meets as extern before its definition: maps first.
BPF_SRCS := bpf/maps.bpf.c $(filter-out bpf/maps.bpf.c,$(wildcard bpf/*.bpf.c))
BPF_OBJS := $(BPF_SRCS:%.c=$(O)/%.o)
BPF_TEST_SRCS := $(wildcard tests/bpf/*.bpf.c)
SKEL := $(O)/gen/coldspot.skel.h
TASK_BPF_SRCS := $(wildcard bpf/tasks/*.bpf.c)
TASK_BPF_OBJS := $(TASK_BPF_SRCS:%.c=$(O)/%.o)
TASK_SKEL := $(O)/gen/go_waits.skel.h
KERNEL_TYPES := $(O)/gen/kernel_types.h
BPF_TEST_SKELS := $(BPF_TEST_SRCS:tests/bpf/%.bpf.c=$(O)/gen/%.skel.h)

$(O)/flags-bpf: FORCE
	$(call fingerprint,$@,$(CLANG) $(BPF_FLAGS))

$(BPF_OBJS) $(TASK_BPF_OBJS) $(BPF_TEST_SRCS:%.c=$(O)/%.o): $(O)/%.o: %.c $(O)/flags-bpf
	$(call msg,BPF,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) $(DEPS) -c $< -o $@

$(O)/coldspot.bpf.o: $(BPF_OBJS)
	$(call msg,BPF-LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(O)/go_waits.bpf.o: $(TASK_BPF_OBJS)
	$(call msg,BPF-LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(O)/tests/bpf/%.linked.o: $(BPF_OBJS) $(O)/tests/bpf/%.bpf.o
	$(call msg,BPF-LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

# The pragma keeps our warnings out of what bpftool wrote, without hiding it from -MMD.
skeleton = { echo '\#pragma GCC system_header'; $(BPFTOOL) gen skeleton $< name $(1); } > $@

$(SKEL): $(O)/coldspot.bpf.o
	$(call msg,GEN-SKEL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call skeleton,coldspot)

$(TASK_SKEL): $(O)/go_waits.bpf.o
	$(call msg,GEN-SKEL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call skeleton,go_waits)

# Names of types that the objects may have of the kernel, for the excerpt of its BTF.
$(KERNEL_TYPES): $(O)/coldspot.bpf.o
	$(call msg,GEN-TYPES,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(BPFTOOL) btf dump file $< > $@.tmp
	$(Q){ echo '/* SPDX-License-Identifier: Apache-2.0 */'; \
	echo '/* Types of coldspot.bpf.o. */'; \
	echo 'static const char *const kernel_types[] = {'; \
	sed -nE "s/^\[[0-9]+\] (STRUCT|UNION|ENUM|ENUM64|TYPEDEF) '([A-Za-z0-9_]+)'.*/\t\"\2\",/p" \
		$@.tmp | sed 's/___[A-Za-z0-9_]*//' | LC_ALL=C sort -u; \
	echo '	NULL,'; echo '};'; } > $@
	$(Q)rm $@.tmp

$(BPF_TEST_SKELS): $(O)/gen/%.skel.h: $(O)/tests/bpf/%.linked.o
	$(call msg,GEN-SKEL,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(call skeleton,$*)

-include $(BPF_OBJS:.o=.d) $(TASK_BPF_OBJS:.o=.d) $(BPF_TEST_SRCS:%.c=$(O)/%.d)
