# Code for the DPA: libflexio_dev.a (start-up, FlexIO calls), libdoca_dpa_dev.a, the linker script,
# and the C library: the integer part of picolibc and of gcc's run-time library.
DPA_AR ?= llvm-ar
DPA_OBJCOPY ?= llvm-objcopy
RISCV_GCC ?= riscv64-unknown-elf-gcc
PICOLIBC ?= /usr/lib/picolibc/riscv64-unknown-elf
PICOLIBC_A := $(PICOLIBC)/lib/release/rv64imac/lp64/libc.a
LIBGCC_A = $(shell $(RISCV_GCC) -march=rv64imac -mabi=lp64 -print-file-name=libgcc.a)

DEV_TARGET := --target=riscv64-unknown-elf -march=rv64imac_zbb_zbs -mabi=lp64 -mcmodel=medany \
              -ffreestanding -fno-pic -mno-relax
DEV_CFLAGS := $(DEV_TARGET) -std=gnu11 -O2 -g -ffunction-sections -fdata-sections \
              -Wall -Wextra -Wshadow -Wvla -Werror -ffile-compilation-dir=. \
              -nostdlibinc -Iruntime/dev -Iinclude \
              -Iinclude/doca -isystem $(PICOLIBC)/include
DEV_SOURCES := $(wildcard runtime/dev/*.c) runtime/dev/start.S
# Functions of the libraries have no lines: a fault in one is told with the line of its caller, which
# frame pointers lead to (dpaos/story.c). Debuggers find their way by .debug_frame.
DEV_LIB_CFLAGS := $(DEV_CFLAGS) -g0 -fforce-dwarf-frame -fno-omit-frame-pointer
# DOCA's three libraries: communication and verbs have files of their own, if any.
DOCA_COMM_SOURCES := $(filter runtime/dev/doca_comm%,$(DEV_SOURCES))
DOCA_VERBS_SOURCES := $(filter runtime/dev/doca_verbs%,$(DEV_SOURCES))
DOCA_DEV_SOURCES := $(filter-out $(DOCA_COMM_SOURCES) $(DOCA_VERBS_SOURCES), \
                      $(filter runtime/dev/doca_%,$(DEV_SOURCES)))
$(call hold,$(O)/dev-flags,$(DPA_CLANG): $(shell $(DPA_CLANG) --version 2>/dev/null | head -n 1): $(DEV_LIB_CFLAGS))
dev_objs = $(addsuffix .o,$(basename $(1:%=$(O)/%)))

device-libs: $(B)/lib/libflexio_dev.a $(B)/lib/libdoca_dpa_dev.a $(B)/lib/libflexio-libc.a \
             $(B)/lib/libdoca_dpa_dev_comm.a $(B)/lib/libdoca_dpa_dev_verbs.a \
             $(B)/share/dpakit/dpa.ld $(B)/share/dpakit/libc/string.h

$(O)/runtime/dev/%.o: runtime/dev/%.c Makefile runtime/dev/dev.mk $(O)/dev-flags
	$(call say,DPACC,$<)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_LIB_CFLAGS) -MMD -MP -c $< -o $@
$(O)/runtime/dev/%.o: runtime/dev/%.S Makefile runtime/dev/dev.mk $(O)/dev-flags
	$(call say,DPACC,$<)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_LIB_CFLAGS) -MMD -MP -c $< -o $@
# A library must not call itself through the builtin that it implements.
$(O)/runtime/dev/stdio.o $(O)/runtime/dev/strtol.o: DEV_LIB_CFLAGS += -fno-builtin

$(B)/lib/libdoca_dpa_dev.a: $(call dev_objs,$(DOCA_DEV_SOURCES))
$(B)/lib/libflexio_dev.a: $(call dev_objs,$(filter-out runtime/dev/doca_%,$(DEV_SOURCES)))
$(B)/lib/libdoca_dpa_dev_comm.a: $(call dev_objs,$(DOCA_COMM_SOURCES))
$(B)/lib/libdoca_dpa_dev_verbs.a: $(call dev_objs,$(DOCA_VERBS_SOURCES))
$(patsubst %,$(B)/lib/lib%.a,doca_dpa_dev doca_dpa_dev_comm doca_dpa_dev_verbs flexio_dev):
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(DPA_AR) crD $@ $^

# What needs a heap, files, thread-local variables (errno, strtok) or floating point stays out.
LIBC_MEMBERS := $(addsuffix .c.o,memcpy memmove-stub strcpy strlen) \
    $(addsuffix .S.o,memcpy-asm memmove memset strcmp) \
    $(patsubst %,libc_string_%.c.o,bcmp bcopy bzero explicit_bzero ffsl ffsll fls flsl flsll index \
        memccpy memchr memcmp memmem mempcpy memrchr rawmemchr rindex stpcpy stpncpy strcasecmp \
        strcasestr strcat strchr strchrnul strcspn strlcat strlcpy strncasecmp strncat strncmp \
        strncpy strnlen strnstr strpbrk strrchr strsep strspn strstr strtok_r strverscmp swab) \
    $(patsubst %,libc_ctype_%.c.o,ctype_ isalnum isalpha isascii isblank iscntrl isdigit islower \
        isprint ispunct isspace isupper isxdigit toascii tolower toupper) \
    $(patsubst %,libc_stdlib_%.c.o,abs labs llabs div ldiv lldiv atoi atol atoll imaxabs imaxdiv) \
    $(patsubst %,libc_search_%.c.o,bsearch qsort qsort_r) libc_misc_ffs.c.o
LIBGCC_MEMBERS := $(patsubst %,_%.o,divdi3 moddi3 divmoddi4 udivdi3 umoddi3 udivmoddi4 lshrdi3 \
        ashldi3 ashrdi3 negdi2 cmpdi2 ucmpdi2 clz clzsi2 clzdi2 ctzsi2 ctzdi2 ffssi2 ffsdi2 popcount_tab \
        popcountsi2 popcountdi2 paritysi2 paritydi2 bswapsi2 bswapdi2 clrsbsi2 clrsbdi2) \
        multi3.o
$(B)/lib/libflexio-libc.a: $(PICOLIBC_A) runtime/dev/dev.mk
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -rf $@ $(O)/libc && mkdir -p $(O)/libc && cd $(O)/libc && \
	  $(DPA_AR) x $(PICOLIBC_A) $(LIBC_MEMBERS) && $(DPA_AR) x $(LIBGCC_A) $(LIBGCC_MEMBERS) && \
	  for o in *.o; do $(DPA_OBJCOPY) --strip-debug --remove-section=.eh_frame $$o || exit; done && \
	  $(DPA_AR) crD $(abspath $@) *.o

$(B)/share/dpakit/dpa.ld: runtime/dev/dpa.ld ; $(put)
$(B)/share/dpakit/libc/string.h: $(PICOLIBC)/include/string.h
	$(call say,COPY,$(@D))
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && cp -RL $(PICOLIBC)/include/. $(@D)/ && \
	  rm -rf $(@D)/release && touch $@
