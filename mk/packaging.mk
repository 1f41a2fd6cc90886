# SPDX-License-Identifier: Apache-2.0
#
# What users install. All of it is made of the newest commit, in directories of its own, and written
# to O/packages; packaging/README.md says what each is. Only `static` builds this tree as it is.
PACKAGES := $(O)/packages

.PHONY: dist deb rpm static static-arm64 image release
dist: ## Write the source of the newest commit as an archive: the same bytes everywhere
	$(Q)packaging/dist $(PACKAGES)
	$(Q)packaging/checksums $(PACKAGES)

deb: ## Build Debian packages of the newest commit, and check them with lintian
	$(Q)packaging/deb $(PACKAGES)

rpm: ## Build an rpm and a source rpm of the newest commit, and check them with rpmlint
	$(Q)packaging/rpm $(PACKAGES)

static: ## Build one file that runs on every Linux of this architecture
	$(Q)$(MAKE) -s STATIC=1 O=$(O)/static all
	$(Q)mkdir -p $(PACKAGES)
	$(Q)$(OBJCOPY) --strip-all $(O)/static/coldspot $(PACKAGES)/coldspot-$(ARCH_WORD)
	@echo $(abspath $(PACKAGES))/coldspot-$(ARCH_WORD)

# With clang and the libraries of Debian for arm64, unpacked beside tests/vm's kernels.
ARM64_ROOT = $(or $(COLDSPOT_VM_CACHE),/var/cache/coldspot-vm)
static-arm64: ## Likewise for arm64, built on any machine (root; fetches libraries)
	$(Q)tests/vm/cross "$$(tests/vm/root $(ARM64_ROOT) arm64)" arm64 \
		$(O)/static-arm64 STATIC=1 $(O)/static-arm64/coldspot
	$(Q)mkdir -p $(PACKAGES)
	$(Q)aarch64-linux-gnu-objcopy --strip-all $(O)/static-arm64/coldspot \
		$(PACKAGES)/coldspot-aarch64
	@echo $(abspath $(PACKAGES))/coldspot-aarch64

image: static ## Build a container image of the static program (buildah)
	$(Q)packaging/container/build $(PACKAGES)/coldspot-$(ARCH_WORD) $(PACKAGES)

release: dist deb rpm static static-arm64 image ## All packages, bills of materials, checksums
	$(Q)packaging/assemble $(PACKAGES) $(O)/static $(O)/static-arm64 $(O)/release

# What CI has time for, and all of it.
.PHONY: test-packages test-packaging
test-packages: $(O)/coldspot deb rpm ## Archive, Debian package and rpm: what is in them
	$(call run_tests,packages,$(patsubst %,tests/packaging/%.t,dist deb rpm sbom))

test-packaging: $(O)/coldspot release ## All packages, where they run (root)
	$(call run_tests,packaging,$(wildcard tests/packaging/*.t))
