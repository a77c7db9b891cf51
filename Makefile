# dpakit: one Makefile, no recursion. Rooms are found by their folders: a .c file added to a room is
# built without a word here.
#
#   make [V=1] [SANITIZE=1|thread] [CROSS=aarch64-linux-gnu-] [PREFIX=/usr/local] [DESTDIR=]
#                                    all test coverage demo bench fuzz html figures format tidy
#                                    fuzz-coverage check-layers install uninstall install-compat
#                                    uninstall-compat deb clean
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SHELL = /bin/sh

COVERAGE := $(filter coverage,$(MAKECMDGOALS))
# Of a cross compiler, up to "gcc": aarch64-linux-gnu-. What runs is for that host, what builds is not.
CROSS ?=
B := build$(CROSS:%-=/cross/%)$(if $(COVERAGE),/coverage,$(if $(SANITIZE),/$(if $(filter thread,$(SANITIZE)),tsan,sanitize)))
O := $(B)/obj
PREFIX ?= /usr/local
VERSION := $(shell cat VERSION)
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' '$(1)' '$(2)')

# One word for the shell, whatever is in it.
quote = '$(subst ','\'',$(1))'

# ---- Compilers and libraries -----------------------------------------------------------------------
CC := $(if $(filter default,$(origin CC))$(CROSS),$(CROSS)gcc,$(CC))
# Where only releases have names (llvm-config-19), the newest.
LLVM_CONFIG ?= $(or $(shell { command -v llvm-config || ls -v /usr/lib/llvm-*/bin/llvm-config | tail -n 1; \
                      } 2>/dev/null),llvm-config)
DPA_CLANG ?= clang
PKGS := libcrypto uuid zlib libxml-2.0 sqlite3 liblzma yaml-0.1 libcjson p11-kit-1
# Everything but these is needed without any library there: no questions asked for them.
ifneq ($(filter-out clean format html figures check-layers help,$(or $(MAKECMDGOALS),all)),)
PKG_CFLAGS := $(shell $(CROSS)pkg-config --cflags $(PKGS))
PKG_LIBS := $(shell $(CROSS)pkg-config --libs $(PKGS)) -lm
CURSES_CFLAGS = $(shell $(CROSS)pkg-config --cflags ncursesw)
CURSES_LIBS = $(shell $(CROSS)pkg-config --libs ncursesw)
CMOCKA_LIBS = $(shell $(CROSS)pkg-config --libs cmocka)
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir)
CLANG_CFLAGS := -I$(LLVM_INCLUDE)
LLVM_LIBS := -L$(shell $(LLVM_CONFIG) --libdir) $(shell $(LLVM_CONFIG) --link-shared --libs)
CLANG_LIBS := -L$(shell $(LLVM_CONFIG) --libdir) -lclang
# Those of the options $(1) that the compiler knows.
known = $(foreach o,$(1),$(if $(filter ok,$(shell $(CC) -Werror $(o) -E -x c /dev/null >/dev/null 2>&1 && echo ok)),$(o)))
# The file $(1) holds the value $(2): what depends on it is made again when the value changes.
hold = $(if $(filter-out x$(subst $() ,_,$(file <$(1))),x$(subst $() ,_,$(2))),$(shell mkdir -p $(dir $(1)))$(file >$(1),$(2)))
endif

WARN := -Wall -Wextra -Wconversion -Wshadow -Wvla -Wformat-security -Werror
# Sanitized code is compiled in two thirds of the time without the later passes, and runs hardly slower.
CFLAGS ?= $(if $(SANITIZE),-O1,-O2) -g
# What an attacker meets where a check is missing. Sanitizers find more, and stand for it in their
# builds; FORTIFY needs an optimizer.
HARDEN := $(call known,-fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard) \
          $(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),$(if $(findstring _FORTIFY_SOURCE,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
, := ,
SAN := $(if $(SANITIZE),$(if $(filter thread,$(SANITIZE)),-fsanitize=thread -Wno-tsan,-fsanitize=address$(,)undefined \
         -fno-sanitize-recover=all) -fno-omit-frame-pointer)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DDPK_VERSION='"$(VERSION)"' $(WARN) $(if $(SAN),,$(HARDEN)) $(CFLAGS) $(SAN) -fPIC \
             -ffile-prefix-map=$(call quote,$(CURDIR))=. -iquote . -Ilib -Iruntime -Iinclude -Iinclude/doca $(PKG_CFLAGS)
ALL_LDFLAGS = -Wl,--as-needed -Wl,-z,relro,-z,now $(SAN) $(if $(COVERAGE),--coverage) $(LDFLAGS)
exe_link = $(CC) -pie $(ALL_LDFLAGS)
$(call hold,$(O)/flags,$(CC): $(shell $(CC) --version 2>/dev/null | head -n 1): $(ALL_CFLAGS): $(ALL_LDFLAGS))

# ---- Rooms -----------------------------------------------------------------------------------------
LIB_ROOMS := base yaml chart trace profile coverage elf archive fat hashlist certchain signer elfcrypto hostfile container policy appcontainer nvconfig
# Of runtime/api, libraries have what is theirs; the rest of runtime is in each, but for the translator.
RT_ROOMS := $(filter-out engine/llvm,$(patsubst runtime/%/,%,$(sort $(wildcard $(foreach w,device bus engine gpu rdma net,runtime/$(w)/*/))))) \
            api/host api/pcc
TOOLS := $(notdir $(patsubst %/,%,$(dir $(wildcard tools/*/main.c))))
DOCA_LIBS := argp rdma dma comch pcc eth flow gpunetio dpdk_bridge verbs telemetry_dpa devemu urom
HOST_LIBS := flexio doca_common $(DOCA_LIBS:%=doca_%)
# Rooms are by object, libraries by name: which files of runtime/api/doca each library has. All that is
# named nowhere here is in libdoca_common.so, as most of it is in DOCA's.
IN_doca_argp := runtime/api/doca/argp/*.c
IN_doca_comch := runtime/api/doca/comch/*.c runtime/bus/comch/*.c runtime/bus/ring/*.c $(foreach f,cc comm_channel comm_channel_io,runtime/api/doca-2.5/$(f).c)
IN_doca_devemu := runtime/api/doca/devemu/*.c runtime/bus/pci/*.c runtime/bus/virtio/*.c
IN_doca_dma := runtime/api/doca/dma/*.c
IN_doca_dpdk_bridge := runtime/api/doca/dpdk_bridge/*.c
IN_doca_eth := runtime/api/doca/eth/*.c runtime/api/doca-2.5/eth.c
IN_doca_flow := runtime/api/doca/flow/*.c runtime/api/doca-2.5/flow*.c
IN_doca_gpunetio := runtime/api/doca/gpunetio/*.c
IN_doca_pcc := runtime/api/doca/pcc/*.c
IN_doca_telemetry_dpa := runtime/api/doca/telemetry_dpa/*.c runtime/device/running/*.c
MEMH := runtime/api/memh/*.c runtime/api/paths/slots.c
IN_doca_urom := runtime/api/doca/urom/*.c runtime/bus/urom/*.c runtime/bus/comch/*.c runtime/bus/ring/*.c runtime/bus/exports/*.c $(MEMH)
IN_doca_verbs := runtime/api/doca/verbs/*.c
IN_doca_rdma := $(foreach f,rdma settings connections tasks,runtime/api/doca/rdma/$(f).c) $(foreach f,rdma srq tasks,runtime/api/doca-2.5/$(f).c)
IN_doca_common = $(filter-out $(wildcard $(foreach l,$(DOCA_LIBS),$(IN_doca_$(l)))),$(wildcard runtime/api/doca/*/*.c runtime/api/doca-2.2/*.c runtime/api/doca-2.5/*.c))

objs = $(patsubst %.c,$(O)/%.o,$(sort $(wildcard $(1))))
LIB_OBJS := $(call objs,$(foreach r,$(LIB_ROOMS),lib/$(r)/*.c))
RT_OBJS := $(call objs,$(foreach r,$(RT_ROOMS),runtime/$(r)/*.c))
HELPERS := $(patsubst %.c,$(O)/%,$(sort $(filter-out %_shim.c,$(wildcard tests/helpers/*.c)))) \
           $(patsubst %.c,$(O)/%.so,$(wildcard tests/helpers/*_shim.c))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(O)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))

.PHONY: all test coverage demo bench fuzz html figures format tidy check-layers install uninstall clean help
all: tools libs device-libs tree
.PHONY: tools libs device-libs tree
tools: $(TOOLS:%=$(B)/bin/%)

$(O)/%.o: %.c Makefile VERSION $(O)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@
$(O)/tools/dpacc/interface/%.o $(O)/runtime/engine/llvm/%.o $(O)/tools/dpacu/%.o $(O)/tests/unit/test_llvm_bases.o $(O)/tests/helpers/api.o: ALL_CFLAGS += $(CLANG_CFLAGS)
LLVM_HEADER := $(LLVM_INCLUDE)/llvm-c/Core.h
$(call objs,runtime/engine/llvm/*.c tools/dpacu/lower/*.c): | $(LLVM_HEADER)
$(LLVM_HEADER):
	@echo "no $@: LLVM's development files are needed (Debian: the package llvm-dev, as ./bootstrap" \
	  "installs it), and LLVM_CONFIG=$(LLVM_CONFIG) must be theirs" >&2; false
# What `make coverage` counts, from nothing.
$(if $(COVERAGE),$(shell find $(O) -name '*.gcda' -delete 2>/dev/null))
$(if $(COVERAGE),$(eval $(O)/lib/%.o: ALL_CFLAGS += --coverage))
# Races of programs of the DPA are theirs.
$(if $(filter thread,$(SANITIZE)),$(eval $(O)/runtime/engine/rv64/%.o: SAN :=))
# The model gives the same figures on every machine: no multiplication is fused with an addition.
$(O)/tools/dpapcc/model/%.o: ALL_CFLAGS += -ffp-contract=off
# The interpreter loop: gcc must not merge the dispatch jumps of a computed goto.
INTERPRETER_CFLAGS := $(if $(SANITIZE),-O2) $(call known,-fno-gcse -fno-crossjumping)
$(O)/runtime/engine/rv64/%.o: ALL_CFLAGS += $(INTERPRETER_CFLAGS)

# Which sources there are: what is linked is linked again when one comes or goes.
$(call hold,$(O)/sources,$(sort $(shell find lib runtime guest tools -name '*.c')))
$(O)/libdpk.a $(O)/libdpkbase.a $(O)/libdpkcli.a $(O)/libdpktools.a $(O)/libdpkrt.a $(TOOLS:%=$(B)/bin/%): $(O)/sources
$(O)/libdpk.a: $(LIB_OBJS)
# Errors and buffers, which each host library has for itself.
$(O)/libdpkbase.a: $(call objs,lib/base/*.c)
# For tools alone: libraries do not print.
$(O)/libdpkcli.a: $(call objs,lib/cli/*.c)
# What several tools have, and what benchmarks and tests take of one.
$(O)/libdpktools.a: $(call objs,tools/common/*.c tools/dpapcc/model/*.c)
$(O)/libdpkrt.a: $(RT_OBJS)
$(O)/%.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(CROSS)ar crD $@ $(filter %.o,$^)

# ---- Tools: bin/<name> from tools/<name>/*.c -------------------------------------------------------
$(O)/tools/%.o: ALL_CFLAGS += -Itools
define tool_rule
$(B)/bin/$(1): $$(filter-out $(O)/tools/dpacc/interface/% $(O)/tools/dpapcc/model/%,$$(call objs,tools/$(1)/*.c tools/$(1)/*/*.c)) $(O)/libdpkcli.a $(O)/libdpktools.a $(O)/libdpkrt.a $(O)/libdpk.a
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(exe_link) $$(filter %.o,$$^) $$(filter %.a,$$^) -o $$@ $(PKG_LIBS) $$(LIBS_$(1)) -pthread
endef
# The card itself, which attach answers for; front.c is for the library that other programs load.
MST_CARD := $(filter-out %/front.c,$(wildcard runtime/api/mst/*.c))
$(B)/bin/dpadev: $(call objs,$(MST_CARD))
# It gives its plugins functions of UCX.
$(B)/bin/urom-worker: $(call objs,$(MEMH))
# The one tool that draws on a terminal.
LIBS_dpatop = $(CURSES_LIBS)
# The one that makes code for the host's processor.
LIBS_dpacu = $(LLVM_LIBS) -ldl
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$(t))))
$(O)/tools/dpatop/%.o: ALL_CFLAGS += $(CURSES_CFLAGS)

# ---- Host libraries: what programs link ------------------------------------------------------------
# libdpakit-engine.so has what runs programs, and of that exports what runtime/engine.map names; the
# others stand on it. A library is the file lib<name>.so.$(SO) and the link lib<name>.so, which is what
# link lines find.
SO := 1
# Those of DOCA have the number that programs of DOCA 2 and 3 load.
$(patsubst %,$(B)/lib/lib%.so,doca_common $(DOCA_LIBS:%=doca_%)): private SO := 2
SHARED := $(patsubst %,$(B)/lib/lib%.so,dpakit-engine dpakit-resources dpakit-vfio dpakit-mst dpkverify $(HOST_LIBS))
# Two that are loaded when they are needed. Nothing is linked with them.
INTERFACE := $(B)/lib/libdpakit-interface.so.$(SO)
TRANSLATOR := $(B)/lib/libdpakit-llvm.so.$(SO)
libs: $(SHARED) $(B)/lib/dpakit/cuda/libcudart.so $(INTERFACE) $(TRANSLATOR) $(B)/lib/libdoca_dpa.a $(B)/lib/libibverbs.so.1 $(B)/lib/libmlx5.so.1 $(B)/lib/librdmacm.so.1
$(SHARED) $(INTERFACE) $(TRANSLATOR): $(O)/sources
so_link = $(CC) -shared -Wl,-soname,$(@F).$(SO) -Wl,-rpath,'$$ORIGIN' $(ALL_LDFLAGS) -Wl,--no-undefined \
          -Wl,--version-script=$(filter %.map,$^) -o $@.$(SO) $(filter %.o,$^)
so_name = ln -sfn $(@F).$(SO) $@
$(B)/lib/libdpakit-engine.so: runtime/engine.map $(call objs,runtime/api/verbs/*.c runtime/api/nic/*.c runtime/api/devx/*.c) $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) $$(sed -n 's/^    \(dpk_[a-z0-9_]*\);/-Wl,-u,\1/p' $<) $(filter %.a,$^) \
	  $(PKG_LIBS) -pthread && $(so_name)
$(B)/lib/libflexio.so: runtime/api/flexio/exports.map $(call objs,runtime/api/flexio/*.c runtime/api/addresses/*.c) $(B)/lib/libdpakit-engine.so $(O)/libdpkbase.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) -L$(B)/lib -ldpakit-engine $(O)/libdpkbase.a $(PKG_LIBS) -pthread && $(so_name)
# libflexio.so loads it when a program reads such a file.
$(B)/lib/libdpakit-resources.so: runtime/api/flexio/resources/exports.map $(call objs,runtime/api/flexio/resources/*.c lib/yaml/*.c) $(O)/libdpkbase.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) $(O)/libdpkbase.a $(PKG_LIBS) && $(so_name)
# Programs of the host are started with it, for emulated PCI functions: these come before the C library's.
VFIO_FRONT := open open64 close close_range closefrom ioctl pwrite pwrite64 readlink dup dup2 dup3 fcntl fcntl64
$(B)/lib/libdpakit-vfio.so: runtime/api/vfio/exports.map $(call objs,runtime/api/vfio/*.c) $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) $(foreach f,$(VFIO_FRONT),-Wl,--defsym=$(f)=vfio_front_$(f)) $(filter %.a,$^) $(PKG_LIBS) -ldl -pthread && $(so_name)
# `dpadev exec` starts tools of cards with it.
$(B)/lib/libdpakit-mst.so: runtime/api/mst/exports.map $(call objs,runtime/api/mst/*.c runtime/api/paths/*.c) $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) $(filter %.a,$^) $(PKG_LIBS) -ldl -pthread && $(so_name)
# The runtime of CUDA programs, with the emulated GPU.
$(B)/lib/dpakit/cuda/libcudart.so: private SO := 12
$(B)/lib/dpakit/cuda/libcudart.so: runtime/api/cuda/exports.map $(O)/sources $(call objs,runtime/api/cuda/*.c runtime/gpu/*/*.c) $(O)/libdpkbase.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) $(filter %.a,$^) $(PKG_LIBS) -ldw -ldl -pthread && $(so_name)
# For programs that check what they load: it stands alone.
$(B)/lib/libdpkverify.so: runtime/api/dpkverify/exports.map $(call objs,runtime/api/dpkverify/*.c) $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) $(filter %.a,$^) $(PKG_LIBS) -pthread && $(so_name)
loaded_link = $(CC) -shared -Wl,-soname,$(@F) $(ALL_LDFLAGS) -Wl,--no-undefined \
              -Wl,--version-script=$(filter %.map,$^) -o $@ $(filter %.o %.a,$^)
# The engine loads it when device code is hot.
$(TRANSLATOR): runtime/engine/llvm/exports.map $(call objs,runtime/engine/llvm/*.c) $(O)/libdpkbase.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(loaded_link) $(LLVM_LIBS) -pthread
# dpacc loads it when it reads a source.
$(B)/bin/dpacc: | $(INTERFACE)
$(INTERFACE): tools/dpacc/interface/exports.map $(call objs,tools/dpacc/interface/*.c tools/dpacc/unit.c tools/common/words.c) $(O)/libdpkbase.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(loaded_link) $(CLANG_LIBS) $(PKG_LIBS)
$(B)/lib/libdoca_common.so: runtime/api/doca/common.map $(call objs,$(IN_doca_common) runtime/api/addresses/*.c) $(B)/lib/libdpakit-engine.so
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(so_link) -L$(B)/lib -ldpakit-engine $(O)/libdpkbase.a $(PKG_LIBS) -pthread && $(so_name)
define doca_rule
$(B)/lib/libdoca_$(1).so: runtime/api/doca/$(1)/exports.map $$(call objs,$(IN_doca_$(1))) $(B)/lib/libdoca_common.so
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(so_link) -L$(B)/lib -ldoca_common -ldpakit-engine $(O)/libdpkbase.a \
	  $(NEEDS_doca_$(1)) $(PKG_LIBS) -pthread && $$(so_name)
endef
# The emulated GPU is in the runtime of CUDA programs.
NEEDS_doca_gpunetio := -ldoca_verbs -L$(B)/lib/dpakit/cuda -lcudart -Wl,-rpath,'$$$$ORIGIN/dpakit/cuda'
$(B)/lib/libdoca_gpunetio.so: $(B)/lib/libdoca_verbs.so $(B)/lib/dpakit/cuda/libcudart.so
# Files that give execution units to programs.
NEEDS_doca_pcc := -ldpakit-resources
$(B)/lib/libdoca_pcc.so: $(B)/lib/libdpakit-resources.so
$(foreach r,$(DOCA_LIBS),$(eval $(call doca_rule,$(r))))
# Plugins of UROM workers: room runtime/api/urom/NAME is worker_NAME.so. Those of UCX are left out where libucx-dev is missing.
UCX := $(shell $(CROSS)pkg-config --exists ucx 2>/dev/null && echo yes)
UROM_PLUGINS := graph $(if $(UCX),sandbox rdmo)
UROM_LIBS := $(UROM_PLUGINS:%=$(B)/lib/dpakit/urom/worker_%.so)
libs: $(UROM_LIBS)
$(call objs,runtime/api/urom/sandbox/*.c runtime/api/urom/rdmo/*.c): ALL_CFLAGS += $(if $(UCX),$(shell $(CROSS)pkg-config --cflags ucx))
define plugin_rule
$(B)/lib/dpakit/urom/worker_$(1).so: runtime/api/urom/exports.map $$(call objs,runtime/api/urom/$(1)/*.c) $(O)/libdpkbase.a
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D) && $$(loaded_link) $(if $(filter-out graph,$(1)),-lucp -lucs) $(PKG_LIBS) -pthread
endef
$(foreach p,$(UROM_PLUGINS),$(eval $(call plugin_rule,$(p))))
# Functions of doca_comch under their first names.
$(B)/lib/libdoca_comch.so: so_link += runtime/api/doca-2.5/cc.ld
$(B)/lib/libdoca_comch.so: runtime/api/doca-2.5/cc.ld
# Its functions are in libdoca_common.so; link lines want it by name, as they do libpthread.a.
$(B)/lib/libdoca_dpa.a:
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(CROSS)ar crD $@

# libibverbs.so.1, libmlx5.so.1 and librdmacm.so.1 stand in front of the system's (runtime/api/forward). They need the
# system's by its path: `by_path` is an empty library of that name, to link with.
SYSTEM_LIBDIR = $(shell realpath -ms "$$(dirname "$$(env -u LIBRARY_PATH $(CC) -print-file-name=libibverbs.so.1)")")
$(O)/runtime/api/forward/find-%.o: runtime/api/forward/find.c Makefile VERSION $(O)/flags
	$(call say,CC,$< ($*))
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -DDPK_SYSTEM_LIBRARY='"$(SYSTEM_LIBDIR)/lib$*.so.1"' \
	  -MMD -MP -c $< -o $@
$(B)/lib/libibverbs.so.1: $(call objs,runtime/api/forward/list.c runtime/api/forward/ibverbs.c runtime/api/sysfs/*.c runtime/api/paths/*.c) \
                          $(O)/runtime/api/forward/find-ibverbs.o
$(B)/lib/libmlx5.so.1: $(call objs,runtime/api/forward/mlx5.c) $(O)/runtime/api/forward/find-mlx5.o
$(B)/lib/librdmacm.so.1: $(call objs,runtime/api/rdmacm/*.c) $(O)/runtime/api/forward/find-rdmacm.o $(B)/lib/libibverbs.so.1
$(B)/lib/libibverbs.so.1 $(B)/lib/libmlx5.so.1 $(B)/lib/librdmacm.so.1: $(B)/lib/lib%.so.1: scripts/version-map $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) $(O)/by_path && \
	  scripts/version-map '$(SYSTEM_LIBDIR)/lib$*.so.1' $(filter %.o,$^) >$(O)/by_path/$*.map && \
	  $(CC) -shared -nostdlib -x c /dev/null -Wl,-soname,$(SYSTEM_LIBDIR)/lib$*.so.1 -o $(O)/by_path/$*.so && \
	  $(CC) -shared -Wl,-soname,$(@F) -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' $(ALL_LDFLAGS) -Wl,--no-undefined -Wl,-z,nodelete \
	  -Wl,--version-script=$(O)/by_path/$*.map -o $@ $(filter %.o %.so.1,$^) $(filter %.a,$^) \
	  -Wl,--push-state,--no-as-needed $(O)/by_path/$*.so -Wl,--pop-state $(PKG_LIBS) -pthread

# ---- Device libraries: code for the DPA ------------------------------------------------------------
include guest/guest.mk

# ---- The tree: headers, data, manual pages as they install -----------------------------------------
TREE := $(patsubst %,$(B)/%,$(shell find include -type f)) \
        $(patsubst share/%,$(B)/share/dpakit/%,$(filter-out share/bash-completion/% share/zsh/% share/fish/%,$(shell find share -type f))) \
        $(TOOLS:%=$(B)/share/bash-completion/completions/%) \
        $(TOOLS:%=$(B)/share/fish/vendor_completions.d/%.fish) \
        $(B)/share/zsh/site-functions/_dpakit $(B)/share/zsh/vendor-completions/_dpakit \
        $(patsubst %,$(B)/share/doc/dpakit/%,$(shell find examples -type f)) \
        $(patsubst man/%.1,$(B)/share/man/man1/%.1,$(wildcard man/*.1)) \
        $(patsubst man/%.3,$(B)/share/man/man3/%.3,$(wildcard man/*.3)) \
        $(patsubst man/%.7,$(B)/share/man/man7/%.7,$(wildcard man/*.7))
# Headers of DOCA 2.5 that are as those of later DOCA.
AS_LATER := $(filter-out doca_dpa_dev_rdma_2_7.h $(notdir $(wildcard include/doca-2.5/*.h)),$(notdir $(wildcard include/doca/*.h)))
TREE += $(AS_LATER:%=$(B)/include/doca-2.5/%)
$(AS_LATER:%=$(B)/include/doca-2.5/%): Makefile
	$(Q)mkdir -p $(@D) && printf '/* As in later DOCA. */\n#include "doca_2_5.h"\n#include "../doca/%s"\n' $(@F) >$@
tree: $(TREE)
put = $(Q)mkdir -p $(@D) && cp $< $@
$(B)/include/%: include/% ; $(put)
$(B)/share/dpakit/%: share/% ; $(put)
$(B)/share/bash-completion/completions/%: share/bash-completion/dpakit ; $(put)
$(B)/share/fish/vendor_completions.d/%.fish: share/fish/dpakit.fish ; $(put)
$(B)/share/zsh/site-functions/%: share/zsh/% ; $(put)
$(B)/share/zsh/vendor-completions/%: share/zsh/% ; $(put)
$(B)/share/doc/dpakit/examples/%: examples/% ; $(put)
$(B)/share/man/man1/%: man/% ; $(put)
$(B)/share/man/man3/%: man/% ; $(put)
$(B)/share/man/man7/%: man/% ; $(put)

# ---- Tests -----------------------------------------------------------------------------------------
# each_test.c stands around cmocka: it tells tests/run of each test.
AROUND_CMOCKA := -Wl,--wrap=_cmocka_run_group_tests,--wrap=_skip
# Hundreds of test programs are linked with whole libraries: mold needs a quarter of the time of the default linker.
TEST_LINKER := $(if $(shell command -v mold),$(call known,-fuse-ld=mold))
$(O)/tests/%: $(O)/tests/unit/%.o $(O)/tests/unit/each_test.o $(O)/libdpkcli.a $(O)/libdpktools.a $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)$(exe_link) $(TEST_LINKER) $(AROUND_CMOCKA) $(filter %.o,$^) $(filter %.a,$^) -o $@ $(CMOCKA_LIBS) $(PKG_LIBS) -pthread
$(O)/tests/test_llvm_addresses: $(O)/runtime/engine/llvm/addresses.o $(O)/runtime/engine/llvm/groups.o
$(O)/tests/test_llvm_bases: $(O)/runtime/engine/llvm/bases.o
$(O)/tests/test_ptx: $(call objs,tools/dpacu/lower/*.c tools/dpacu/ptx/*.c)
$(O)/tests/unit/test_ptx.o: ALL_CFLAGS += -Itools $(CLANG_CFLAGS)
$(O)/tests/test_llvm_words: $(O)/runtime/engine/llvm/words.o $(O)/runtime/engine/llvm/groups.o
$(O)/tests/test_mst $(O)/tests/test_mst_messages $(O)/tests/test_cuse: $(call objs,$(MST_CARD))
$(O)/tests/test_gpu: PKG_LIBS += -ldw -ldl
$(O)/tests/test_llvm_bases $(O)/tests/test_ptx: PKG_LIBS += $(LLVM_LIBS) -ldl
$(O)/tests/test_dpapcc: $(filter-out %/main.o,$(call objs,tools/dpapcc/*.c))
$(O)/tests/unit/%.o $(O)/bench/%.o: ALL_CFLAGS += -Itools
# For LD_PRELOAD, behind what a sanitizer brings.
$(O)/tests/helpers/%_shim.so: SAN :=
$(O)/tests/helpers/%_shim.so: $(O)/tests/helpers/%_shim.o
	$(call say,LD,$@)
	$(Q)$(CC) -shared $^ -o $@
$(O)/tests/helpers/%: $(O)/tests/helpers/%.o $(O)/libdpkcli.a $(O)/libdpktools.a $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)$(exe_link) $(TEST_LINKER) $^ -o $@ $(PKG_LIBS) -pthread
$(O)/tests/helpers/api: PKG_LIBS += $(CLANG_LIBS)
.SECONDARY:
# Device programs of the tests: they bring their own start-up, so only compiler and linker count.
TEST_PROGRAMS := $(patsubst tests/data/%.c,$(O)/tests/data/%.elf,$(sort $(wildcard tests/data/*.c)))
$(O)/tests/data/%.elf: tests/data/%.c guest/abi/dpa_abi.h
	$(call say,DPA,$<)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_CFLAGS) -Wall -Werror -nostdlib -static \
	  -fuse-ld=lld -Wl,-e,_dpa_start -Wl,-z,max-page-size=4096 $< -o $@
# The same at the addresses of NVIDIA's programs.
NVIDIA_PROGRAMS := $(patsubst %,$(O)/tests/data/nvidia/%.elf,kernels faults)
TEST_PROGRAMS += $(NVIDIA_PROGRAMS)
$(NVIDIA_PROGRAMS): $(O)/tests/data/nvidia/%.elf: tests/data/%.c tests/data/nvidia.ld guest/abi/dpa_abi.h
	$(call say,DPA,$@)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_CFLAGS) -Wall -Werror -nostdlib -static \
	  -fuse-ld=lld -Wl,-T,tests/data/nvidia.ld -Wl,-e,_dpa_start -Wl,-z,max-page-size=4096 $< -o $@
# Programs of congestion control, each with the library of its role.
PCC_PROGRAMS := $(patsubst tests/data/pcc/%.c,$(O)/tests/data/pcc/%.elf,$(sort $(wildcard tests/data/pcc/*.c)))
TEST_PROGRAMS += $(PCC_PROGRAMS)
$(PCC_PROGRAMS): $(O)/tests/data/pcc/%.elf: tests/data/pcc/%.c $(wildcard tests/data/pcc/*.h include/doca/doca_pcc*.h) \
                 $(patsubst %,$(B)/lib/lib%.a,doca_pcc_dev doca_pcc_np_dev flexio_dev flexio-libc) guest/dpa.ld
	$(call say,DPA,$<)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_CFLAGS) -static -nostdlib -fuse-ld=lld \
	  -Wl,-T,guest/dpa.ld -Wl,-z,max-page-size=4096 $< -Wl,--whole-archive \
	  $(B)/lib/libdoca_pcc_$(if $(filter np,$*),np_)dev.a -Wl,--no-whole-archive \
	  $(B)/lib/libflexio_dev.a $(B)/lib/libflexio-libc.a -o $@
# Reaction points that are rp.c, for other events.
$(patsubst %,$(O)/tests/data/pcc/%.elf,rp_2_5 rp_cx8): tests/data/pcc/rp.c
$(UNIT_TESTS): | $(TEST_PROGRAMS)
# The translator, where tests find it as the engine does: beside themselves.
$(O)/tests/libdpakit-llvm.so.$(SO): $(TRANSLATOR)
	$(Q)mkdir -p $(@D) && ln -sfn ../../lib/$(@F) $@
$(UNIT_TESTS): | $(O)/tests/libdpakit-llvm.so.$(SO)

# TESTS='test_base mlxdpa' builds and runs only those; STRICT=1 runs nothing again that failed (tests/run).
test: all $(if $(TESTS),$(filter $(TESTS:%=$(O)/tests/%),$(UNIT_TESTS)),$(UNIT_TESTS)) $(HELPERS) $(TEST_PROGRAMS)
	$(Q)DPAKIT_BUILD=$(call quote,$(CURDIR)/$(B)) TEST_HOST_CFLAGS='$(SAN)' tests/run $(TESTS)

# Lines of lib/ that the suite runs; fails under 90 %. $(B)/lines has each file with its counts.
coverage: export GCOV_ERROR_FILE = /dev/null
coverage: test
	$(Q)scripts/coverage '$(B)'

demo: all
	$(Q)DPAKIT_BUILD=$(call quote,$(CURDIR)/$(B)) examples/hello/demo.sh

bench: all
	$(Q)DPAKIT_BUILD=$(call quote,$(CURDIR)/$(B)) bench/run

# The texts and the manual as pages for a browser.
html:
	$(Q)docs/site/make '$(B)/html'
# What speaks for the project in numbers: counted, and from the last runs.
figures:
	$(Q)scripts/figures

-include bench/bench.mk
-include fuzz/fuzz.mk
include packaging/packaging.mk

# ---- Upkeep ----------------------------------------------------------------------------------------
SOURCES = $(shell git ls-files '*.c' '*.h' '*.cuh' ':!tests/golden')
format:
	clang-format -i $(SOURCES)
# One file a run: the analyzer mixes up files that it is given together.
tidy:
	$(Q)find lib tools runtime -name '*.c' | sort | xargs -P $$(nproc) -I{} \
	  clang-tidy --quiet {} -- $(ALL_CFLAGS) -Itools $(CLANG_CFLAGS)
check-layers:
	$(Q)scripts/check-layers
	$(Q)[ ! -d $(O)/tools ] || scripts/check-circles $(O)

install: all
	$(Q)packaging/install '$(B)' $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))
	$(Q)$(if $(DESTDIR),,packaging/ldconf dpakit $(call quote,$(PREFIX)/lib/dpakit) $(call quote,$(PREFIX)/lib))
uninstall:
	$(Q)packaging/install --remove $(call quote,$(PREFIX)) $(call quote,$(DESTDIR))
	$(Q)$(if $(DESTDIR),,packaging/ldconf --remove dpakit $(call quote,$(PREFIX)/lib/dpakit) $(call quote,$(PREFIX)/lib))
clean:
	rm -rf build

-include $(shell find $(O) -name '*.d' 2>/dev/null)

help:
	@echo 'make all | test [TESTS=...] | coverage | demo | bench [BENCH=jit] | fuzz | fuzz-coverage | html | figures | format | tidy | check-layers'
	@echo '     install | uninstall [PREFIX=/usr/local] [DESTDIR=] | clean | deb'
	@echo '     install-compat [ROOT=/opt/mellanox] [DOCA=3|2.5|2.2] [DESTDIR=] | uninstall-compat'
	@echo 'test STRICT=1 runs no file again that failed'
	@echo 'V=1 shows commands; SANITIZE=1 builds with ASan and UBSan into build/sanitize,'
	@echo 'SANITIZE=thread with TSan into build/tsan; CROSS=aarch64-linux-gnu- with that'
	@echo 'cross compiler into build/cross/aarch64-linux-gnu'
