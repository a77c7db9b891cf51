# Programs that bench/*.sh run.
RV64_KERNELS := sieve sha256 records_and_strings matrix
BENCH_RV64 := $(B)/bench/rv64_bench $(RV64_KERNELS:%=$(B)/bench/rv64-%)
bench: $(BENCH_RV64) $(B)/bench/measure $(B)/bench/rdma_nic
$(B)/bench/measure: $(O)/bench/measure.o
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(exe_link) $^ -o $@

$(B)/bench/rv64_bench $(B)/bench/rdma_nic: $(B)/bench/%: $(O)/bench/%.o $(O)/libdpkcli.a $(O)/libdpkrt.a $(O)/libdpk.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D) && $(exe_link) $^ -o $@ $(PKG_LIBS) -pthread
$(B)/bench/rv64-%: bench/rv64_kernels.c
	$(call say,DEVCC,$@)
	$(Q)mkdir -p $(@D) && $(DPA_CLANG) --target=riscv64-unknown-elf \
	  -march=rv64imac_zba_zbb_zbs -mabi=lp64 -mcmodel=medany -O2 -ffreestanding -fno-builtin \
	  -nostdlib -static -fuse-ld=lld -Wl,-e,_start -DKERNEL=$* $< -o $@
