# SPDX-License-Identifier: Apache-2.0
#
# The page of the HTML report. It is in the tree as built, web/dist/page.html, so that `make` needs
# no node; this makes it anew, in O, as npm puts its packages beside what it builds.
WEB := $(O)/web
WEB_FILES := $(wildcard web/*.json web/*.mjs web/src/* web/src/ui/* web/src/live/*)

.PHONY: web
web: $(WEB)/page.html ## Build the page of the HTML report anew (node, npm)
	$(Q)cp $< web/dist/page.html

# Names and colours of causes, from the rows that C has.
.PHONY: causes
causes: web/src/causes.ts ## Write what the page has of the table of causes
web/src/causes.ts: src/analysis/cause/causes.h scripts/check-causes
	$(call msg,GEN,$@)
	$(Q)CC='$(CC)' scripts/check-causes --web > $@.new && mv $@.new $@

$(WEB)/page.html: $(WEB_FILES) | $(WEB)/packages
	$(call msg,WEB,$@)
	$(Q)rm -rf $(WEB)/src && cp -R web/src web/*.json web/*.mjs $(WEB)/
	$(Q)cd $(WEB) && node_modules/.bin/tsc --noEmit && node build.mjs $(abspath $@)

$(WEB)/packages: web/package-lock.json
	$(call msg,NPM,$@)
	$(Q)scripts/npm-ci $(WEB)
	$(Q)touch $@
