# SPDX-License-Identifier: Apache-2.0
#
# Source that is made from the machine's own headers, and texts that are built into the program:
# src/render/svg/flame.js is "gen/flame.js.inc", web/dist/page.html is "gen/page.html.inc". GEN is
# there before any C file is compiled. docs/coldspot.schema.json
# and docs/openapi.json likewise.
GEN_TEXTS := $(patsubst src/render/svg/%,$(O)/gen/%.inc,$(wildcard src/render/svg/*.js \
	src/render/svg/*.css))
GEN_PAGES := $(patsubst web/dist/%,$(O)/gen/%.inc,$(wildcard web/dist/*.html))
GEN_SCHEMAS := $(patsubst docs/%,$(O)/gen/%.inc,$(wildcard docs/*.schema.json docs/openapi.json))
GEN := $(O)/gen/syscall_names.inc $(GEN_TEXTS) $(GEN_PAGES) $(GEN_SCHEMAS)

$(O)/gen/syscall_names.inc: mk/syscalls.awk
	$(call msg,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) -E -dM - | LC_ALL=C awk -f $< > $@

$(GEN_TEXTS): $(O)/gen/%.inc: src/render/svg/% mk/ctext.awk
$(GEN_PAGES): $(O)/gen/%.inc: web/dist/% mk/ctext.awk
$(GEN_SCHEMAS): $(O)/gen/%.inc: docs/% mk/ctext.awk
$(GEN_TEXTS) $(GEN_PAGES) $(GEN_SCHEMAS):
	$(call msg,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)LC_ALL=C awk -f mk/ctext.awk $< > $@
