# make fuzz [FUZZ_SECONDS=60]: every fuzz/fuzz_*.c with libFuzzer, ASan and UBSan, one after the other.
# Seeds: golden files of the same name (fuzz/seeds maps them); what is found lies in build/fuzz/NAME.
FUZZ_SECONDS ?= 60
FUZZERS := $(notdir $(basename $(wildcard fuzz/fuzz_*.c)))
F := build/fuzz
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DDPK_VERSION='"$(VERSION)"' -O1 -g -fno-omit-frame-pointer \
              -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
              -Ilib -Iruntime -Iinclude $(PKG_CFLAGS)
FUZZ_SOURCES := $(patsubst $(O)/%.o,%.c,$(LIB_OBJS) $(RT_OBJS))
FUZZ_OBJS := $(FUZZ_SOURCES:%.c=$(F)/obj/%.o)

$(F)/obj/%.o: %.c Makefile fuzz/fuzz.mk
	$(call say,FUZZCC,$<)
	$(Q)mkdir -p $(@D) && clang $(FUZZ_CFLAGS) -MMD -MP -c $< -o $@
$(F)/bin/%: $(F)/obj/fuzz/%.o $(FUZZ_OBJS)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && clang -fsanitize=fuzzer,address,undefined $^ -o $@ $(PKG_LIBS) -pthread


fuzz: $(FUZZERS:%=$(F)/bin/%) tools
	$(Q)FUZZ_SECONDS='$(FUZZ_SECONDS)' fuzz/run '$(F)'
-include $(shell find $(F)/obj -name '*.d' 2>/dev/null)
