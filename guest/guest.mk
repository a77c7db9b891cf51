# Code for the DPA: libflexio_dev.a (start-up, FlexIO calls), libdoca_dpa_dev.a, the linker script,
# and the C library: the integer part of picolibc and of gcc's run-time library.
DPA_AR ?= llvm-ar
RISCV_GCC ?= riscv64-unknown-elf-gcc
PICOLIBC ?= /usr/lib/picolibc/riscv64-unknown-elf
PICOLIBC_A := $(firstword $(wildcard $(PICOLIBC)/lib/release/rv64imac/lp64/libc.a) \
                $(PICOLIBC)/lib/rv64imac/lp64/libc.a)
LIBGCC_A = $(shell $(RISCV_GCC) -march=rv64imac -mabi=lp64 -print-file-name=libgcc.a)

DEV_TARGET := --target=riscv64-unknown-elf -march=rv64imac_zbb_zbs -mabi=lp64 -mcmodel=medany \
              -ffreestanding -fno-pic -mno-relax
DEV_CFLAGS := $(DEV_TARGET) -std=gnu11 -O2 -g -ffunction-sections -fdata-sections \
              -Wall -Wextra -Wshadow -Wvla -Werror -ffile-compilation-dir=. \
              -nostdlibinc -iquote . -Iinclude \
              -Iinclude/doca -isystem $(PICOLIBC)/include
DEV_SOURCES := $(wildcard guest/*.c) guest/start.S
# Functions of the libraries have no lines: a fault in one is told with the line of its caller, which
# frame pointers lead to (engine/proc/crash.c). Debuggers find their way by .debug_frame.
DEV_LIB_CFLAGS := $(DEV_CFLAGS) -g0 -fforce-dwarf-frame -fno-omit-frame-pointer
# DOCA's three libraries: communication and verbs have files of their own, if any.
DOCA_COMM_SOURCES := $(filter guest/doca_comm%,$(DEV_SOURCES))
DOCA_VERBS_SOURCES := $(filter guest/doca_verbs%,$(DEV_SOURCES))
# Programs of congestion control: one library for each role, and what both have.
PCC_SOURCES := $(filter guest/doca_pcc_%,$(DEV_SOURCES))
DOCA_DEV_SOURCES := $(filter-out $(DOCA_COMM_SOURCES) $(DOCA_VERBS_SOURCES) $(PCC_SOURCES), \
                      $(filter guest/doca_%,$(DEV_SOURCES)))
$(call hold,$(O)/dev-flags,$(DPA_CLANG): $(shell $(DPA_CLANG) --version 2>/dev/null | head -n 1): $(DEV_LIB_CFLAGS))
dev_objs = $(addsuffix .o,$(basename $(1:%=$(O)/%)))

device-libs: $(B)/lib/libflexio_dev.a $(B)/lib/libdoca_dpa_dev.a $(B)/lib/libflexio-libc.a \
             $(B)/lib/libdoca_dpa_dev_comm.a $(B)/lib/libdoca_dpa_dev_verbs.a \
             $(B)/lib/libdoca_pcc_dev.a $(B)/lib/libdoca_pcc_np_dev.a \
             $(B)/share/dpakit/dpa.ld $(B)/share/dpakit/libc/string.h $(B)/share/dpakit/libc/pthread.h

$(O)/guest/%.o: guest/%.c Makefile guest/guest.mk $(O)/dev-flags
	$(call say,DPACC,$<)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_LIB_CFLAGS) -MMD -MP -c $< -o $@
$(O)/guest/%.o: guest/%.S Makefile guest/guest.mk $(O)/dev-flags
	$(call say,DPACC,$<)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(DEV_LIB_CFLAGS) -MMD -MP -c $< -o $@
# What the C library of the DPA has of ours.
LIBC_OWN := $(patsubst %,$(O)/guest/%.o,string strtol)
# A library must not call itself through the builtin that it implements.
$(O)/guest/stdio.o $(LIBC_OWN): DEV_LIB_CFLAGS += -fno-builtin

$(B)/lib/libdoca_dpa_dev.a: $(call dev_objs,$(DOCA_DEV_SOURCES))
$(B)/lib/libflexio_dev.a: $(filter-out $(LIBC_OWN),$(call dev_objs,$(filter-out guest/doca_%,$(DEV_SOURCES))))
$(B)/lib/libdoca_dpa_dev_comm.a: $(call dev_objs,$(DOCA_COMM_SOURCES))
$(B)/lib/libdoca_dpa_dev_verbs.a: $(call dev_objs,$(DOCA_VERBS_SOURCES))
$(B)/lib/libdoca_pcc_dev.a: $(call dev_objs,$(filter-out %_np.c,$(PCC_SOURCES)))
$(B)/lib/libdoca_pcc_np_dev.a: $(call dev_objs,$(filter-out %_rp.c,$(PCC_SOURCES)))
$(patsubst %,$(B)/lib/lib%.a,doca_dpa_dev doca_dpa_dev_comm doca_dpa_dev_verbs doca_pcc_dev doca_pcc_np_dev flexio_dev): $(O)/sources
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(DPA_AR) crD $@ $(filter %.o,$^)

# What needs a heap, files, thread-local variables (errno, strtok) or floating point stays out. Functions
# are named, not the objects that have them: those are called otherwise in every release.
LIBC_SYMBOLS := memset strlen bcmp bcopy bzero explicit_bzero ffs ffsl ffsll \
    fls flsl flsll index memccpy memchr memcmp memmem mempcpy memrchr rawmemchr rindex stpncpy \
    strcasecmp strcasestr strcat strchr strchrnul strcspn strlcat strlcpy strncasecmp strncat strncmp \
    strncpy strnlen strnstr strpbrk strrchr strsep strspn strstr strtok_r strverscmp swab \
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper \
    isxdigit toascii tolower toupper abs labs llabs div ldiv lldiv atoi atol atoll imaxabs imaxdiv \
    bsearch qsort qsort_r
LIBGCC_SYMBOLS := $(patsubst %,__%,ashlti3 ashrti3 bswapdi2 bswapsi2 clrsbdi2 clrsbti2 clz_tab clzdi2 \
    clzti2 cmpti2 ctzdi2 ctzti2 divmodti4 divti3 ffsdi2 ffsti2 lshrti3 modti3 multi3 negti2 paritydi2 \
    parityti2 popcount_tab popcountdi2 popcountti2 ucmpti2 udivmodti4 udivti3 umodti3)
$(B)/lib/libflexio-libc.a: $(LIBC_OWN) $(PICOLIBC_A) scripts/pick-members guest/guest.mk
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && echo $(LIBC_SYMBOLS) $(LIBGCC_SYMBOLS) | \
	  CROSS='$(RISCV_GCC:gcc=)' scripts/pick-members $@ $(LIBC_OWN) $(PICOLIBC_A) $(LIBGCC_A)

$(B)/share/dpakit/dpa.ld: guest/dpa.ld ; $(put)
$(B)/share/dpakit/libc/string.h: $(PICOLIBC)/include/string.h
	$(call say,COPY,$(@D))
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && cp -RL $(PICOLIBC)/include/. $(@D)/ && \
	  rm -rf $(@D)/release && touch $@
# Headers of glibc's insides that device code names, since editors put them there.
$(B)/share/dpakit/libc/%: share/libc/% $(B)/share/dpakit/libc/string.h ; $(put)
$(B)/share/dpakit/libc/pthread.h: include/libflexio-libc/pthread.h $(B)/share/dpakit/libc/string.h ; $(put)
