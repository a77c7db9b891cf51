# make fuzz [FUZZ_SECONDS=60] [FUZZ='fat nvxml']: fuzz/fuzz_*.c with libFuzzer, ASan and UBSan, as
# many at a time as there are cores. Each starts from fuzz/corpus/NAME, and from files of
# tests/golden; a finding is a failed test, the bytes that did it lie in build/fuzz/NAME.
#
# make fuzz-coverage [FUZZ_SECONDS=10]: does the same, and then tells which functions that read what
# others wrote a fuzzer reaches with its first inputs. Fails if no fuzzer reaches a function (scripts/fuzz-coverage).
# How far fuzzers come in some seconds depends on the machine, so what they find by themselves does not count.
FUZZ_SECONDS ?= $(if $(filter fuzz-coverage,$(MAKECMDGOALS)),10,60)
FUZZ_CC ?= clang
FUZZ ?= $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
F := build/fuzz
FUZZ_CHECKS := -fsanitize=address,undefined -fno-sanitize-recover=all -fprofile-instr-generate
# Counts are of functions by the name of their file, whose folder tells it from others of that name.
FUZZ_CFLAGS = $(WARN) -std=gnu11 -D_GNU_SOURCE -DDPK_VERSION='"$(VERSION)"' -O1 -g -fno-omit-frame-pointer \
              -fsanitize=fuzzer-no-link $(FUZZ_CHECKS) -Xclang -main-file-name -Xclang $< \
              -iquote . -Ilib -Iruntime -Iinclude -Iinclude/doca -Itools $(PKG_CFLAGS)
FUZZ_SOURCES := $(filter-out runtime/gpu/%,$(patsubst $(O)/%.o,%.c,$(LIB_OBJS) $(RT_OBJS))) \
                $(wildcard runtime/api/flexio/*.c runtime/api/verbs/*.c runtime/api/devx/*.c runtime/api/nic/*.c runtime/api/flexio/resources/*.c runtime/api/addresses/*.c $(MST_CARD) $(IN_doca_argp) runtime/api/doca/comch/*.c $(foreach r,dma eth rdma verbs,runtime/api/doca/$(r)/*.c)) $(IN_doca_common) \
                $(wildcard tools/dpapcc/model/*.c tools/common/*.c tools/dpacu/ptx/*.c) tools/dpacc-extract/core.c tools/dpacc/dpaobject.c tools/dpacc/target_section.c tools/dpacc/labels.c tools/dpacc/database.c tools/dpadev/processes.c tools/urom-worker/domain.c runtime/api/urom/rdmo/request.c runtime/api/memh/handle.c \
                tools/dpa-app-attributes2blob/attributes.c tools/dpa-resource-mgmt/apply.c \
                tools/dpaeumgmt/groups.c tools/dpaeumgmt/partitions.c tools/dpaeumgmt/read.c
FUZZ_OBJS := $(FUZZ_SOURCES:%.c=$(F)/obj/%.o)

# Warnings are for what runs elsewhere, too.
$(F)/obj/fuzz/%.o: WARN :=
$(call hold,$(F)/flags,$(FUZZ_CC): $(shell $(FUZZ_CC) --version 2>/dev/null | head -n 1): $(FUZZ_CFLAGS))
$(F)/obj/%.o: %.c Makefile fuzz/fuzz.mk $(F)/flags
	$(call say,FUZZCC,$<)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) $(FUZZ_CFLAGS) -MMD -MP -c $< -o $@
$(F)/libdpk.a: $(FUZZ_OBJS) $(O)/sources
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar crD $@ $(filter %.o,$^)
$(F)/bin/%: $(F)/obj/fuzz/fuzz_%.o $(F)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) -rdynamic -fuse-ld=lld -fsanitize=fuzzer $(FUZZ_CHECKS) $^ -o $@ $(PKG_LIBS) -pthread
# The translator, which fuzzers load as the engine does: from ../lib. Its counters are the fuzzer's.
FUZZ_LLVM_OBJS := $(patsubst %.c,$(F)/obj/%.o,$(wildcard runtime/engine/llvm/*.c lib/base/*.c))
$(FUZZ_LLVM_OBJS): FUZZ_CFLAGS += -fPIC $(CLANG_CFLAGS)
$(F)/lib/libdpakit-llvm.so.$(SO): $(FUZZ_LLVM_OBJS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) -shared -fsanitize=fuzzer-no-link $(FUZZ_CHECKS) $^ -o $@ $(LLVM_LIBS) $(PKG_LIBS) -pthread

# make clang-warnings: warnings of clang in the sources that no fuzzer is built of. Those of the others are errors there.
CLANG_READS = $(filter-out $(FUZZ_SOURCES) runtime/engine/llvm/% runtime/api/forward/find.c $(if $(UCX),,runtime/api/urom/sandbox/% runtime/api/urom/rdmo/%),$(shell find lib runtime tools -name '*.c'))
.PHONY: clang-warnings
clang-warnings:
	$(Q)$(MAKE) B=build/clang CC=clang CFLAGS=-fsyntax-only $(CLANG_READS:%.c=build/clang/obj/%.o)

.PHONY: fuzz-coverage
$(FUZZ:%=$(F)/bin/%): | $(F)/lib/libdpakit-llvm.so.$(SO)
fuzz: $(FUZZ:%=$(F)/bin/%) all $(TEST_PROGRAMS)
	$(Q)FUZZ_SECONDS='$(FUZZ_SECONDS)' fuzz/run '$(F)' $(FUZZ)
fuzz-coverage: fuzz
	$(Q)rm -rf '$(F)/counts' && mkdir -p '$(F)/counts'
	$(Q)LLVM_PROFILE_FILE='$(CURDIR)/$(F)/counts/%p.profraw' FUZZ_RUNS=1 fuzz/run '$(F)' $(FUZZ) >'$(F)/first.log' || { cat '$(F)/first.log'; exit 1; }
	$(Q)scripts/fuzz-coverage '$(F)'
-include $(shell find $(F)/obj -name '*.d' 2>/dev/null)
