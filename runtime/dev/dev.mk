# Code for the DPA: libflexio_dev.a (start-up, FlexIO calls), libdoca_dpa_dev.a, the linker script.
DEV_CFLAGS := --target=riscv64-unknown-elf -march=rv64imac_zbb_zbs -mabi=lp64 -mcmodel=medany \
              -ffreestanding -fno-pic -mno-relax -O2 -g -ffile-prefix-map=$(CURDIR)/=
