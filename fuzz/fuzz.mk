# make fuzz [FUZZ_SECONDS=60] [FUZZ='fat nvxml']: fuzz/fuzz_*.c with libFuzzer, ASan and UBSan, as
# many at a time as there are cores. Each starts from fuzz/corpus/NAME, and from files of
# tests/golden; a finding is a failed test, the bytes that did it lie in build/fuzz/NAME.
FUZZ_SECONDS ?= 60
FUZZ_CC ?= clang
FUZZ ?= $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
F := build/fuzz
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DDPK_VERSION='"$(VERSION)"' -O1 -g -fno-omit-frame-pointer \
              -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
              -Ilib -Iruntime -Iinclude $(PKG_CFLAGS)
FUZZ_SOURCES := $(patsubst $(O)/%.o,%.c,$(LIB_OBJS) $(RT_OBJS))
FUZZ_OBJS := $(FUZZ_SOURCES:%.c=$(F)/obj/%.o)

$(call hold,$(F)/flags,$(FUZZ_CC): $(shell $(FUZZ_CC) --version 2>/dev/null | head -n 1): $(FUZZ_CFLAGS))
$(F)/obj/%.o: %.c Makefile fuzz/fuzz.mk $(F)/flags
	$(call say,FUZZCC,$<)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) $(FUZZ_CFLAGS) -MMD -MP -c $< -o $@
$(F)/libdpk.a: $(FUZZ_OBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && ar crD $@ $^
$(F)/bin/%: $(F)/obj/fuzz/fuzz_%.o $(F)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) -fsanitize=fuzzer,address,undefined $^ -o $@ $(PKG_LIBS) -pthread

fuzz: $(FUZZ:%=$(F)/bin/%) tools $(TEST_PROGRAMS)
	$(Q)FUZZ_SECONDS='$(FUZZ_SECONDS)' fuzz/run '$(F)' $(FUZZ)
-include $(shell find $(F)/obj -name '*.d' 2>/dev/null)
