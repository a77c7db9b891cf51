# Programs that bench/*.sh run.
KERNELS := $(basename $(notdir $(filter-out %/start.c,$(wildcard bench/kernels/*.c))))
BENCH_KERNELS := $(KERNELS:%=$(B)/bench/native-%) $(KERNELS:%=$(B)/bench/rv64-%)
bench: $(B)/bench/rv64_bench $(BENCH_KERNELS) $(B)/bench/measure $(B)/bench/rdma_nic $(B)/bench/steering_bench $(B)/bench/cc_bench $(B)/bench/pcc_bench $(B)/bench/reflector_native $(B)/bench/reflector_feed
$(B)/bench/measure: $(O)/bench/measure.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(exe_link) $^ -o $@

$(B)/bench/rv64_bench $(B)/bench/rdma_nic $(B)/bench/steering_bench $(B)/bench/cc_bench $(B)/bench/pcc_bench $(B)/bench/reflector_native $(B)/bench/reflector_feed: $(B)/bench/%: $(O)/bench/%.o $(O)/libdpkcli.a $(O)/libdpktools.a $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(exe_link) $^ -o $@ $(PKG_LIBS) -pthread

# A kernel for the host, and as dpacc compiles device code (tools/dpacc/commands.c).
KERNEL_CFLAGS := -std=gnu11 -O2 -ffreestanding -Wall -Wextra -Wshadow -Werror
$(BENCH_KERNELS): bench/kernels/start.c bench/kernels/kernel.h bench/bench.mk
$(B)/bench/native-%: bench/kernels/%.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(KERNEL_CFLAGS) bench/kernels/start.c $< -o $@
$(B)/bench/rv64-%: bench/kernels/%.c
	$(call say,DEVCC,$@)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) $(KERNEL_CFLAGS) --target=riscv64-unknown-elf \
	  -march=rv64imac_zbb_zbs -mabi=lp64 -mcmodel=medany -fno-pic -mno-relax \
	  -nostdlib -static -fuse-ld=lld bench/kernels/start.c $< -o $@
