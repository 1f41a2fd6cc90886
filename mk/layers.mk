# SPDX-License-Identifier: Apache-2.0
#
# The layers, as the file LAYERS names them. Every layer becomes one archive, and a layer's tests
# are linked only with that layer and what stands below it: a test that links proves the layer.

# Words of the form layer=a,b,c: the layer and all it reaches, in link order (users first).
CLOSURES := $(shell awk -f mk/layers.awk LAYERS)
LAYERS := $(foreach c,$(CLOSURES),$(firstword $(subst =, ,$(c))))

comma := ,
# $(1): folders, $(2): patterns; every file below them, however deep.
below = $(foreach f,$(wildcard $(addsuffix /*,$(1))),\
	$(filter $(subst *,%,$(2)),$(f)) $(call below,$(f),$(2)))
layer_srcs = $(filter-out src/cli/main.c,$(call below,src/$(1),*.c))
# $(1): layer; its folder and its rooms.
layer_dirs = src/$(1) $(patsubst %/,%,$(wildcard src/$(1)/*/))
layer_objs = $(patsubst src/%.c,$(O)/src/%.o,$(call layer_srcs,$(1)))
# $(1): layer; the layer and what it reaches, only those that have code, users first.
layer_closure = $(foreach l,$(subst $(comma), ,$(patsubst $(1)=%,%,$(filter $(1)=%,$(CLOSURES)))),\
	$(if $(call layer_srcs,$(l)),$(l)))
# Every layer that has code, users first.
layers_all := $(foreach l,$(LAYERS),$(if $(call layer_srcs,$(l)),$(l)))
# $(1): root of the archives, $(2): layers
archives = $(patsubst %,$(1)/%.a,$(2))

# The layers a C file includes from, with all that they reach.
layers_of_file = $(call layers_reached,$(shell sed -n \
	's|^\#include "\([a-z]*\)/.*|\1|p' $(1) | sort -u))
layers_reached = $(filter $(foreach l,$(1),$(call layer_closure,$(l))),$(layers_all))
