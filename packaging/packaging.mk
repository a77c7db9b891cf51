# What a distribution or a script written for NVIDIA's tree needs: pkg-config files in the built
# tree, the same tree under the names of NVIDIA's installation, a Debian package.
PC_FILES := $(patsubst packaging/pkgconfig/%.pc.in,$(B)/lib/pkgconfig/%.pc,$(wildcard packaging/pkgconfig/*.pc.in))
# The version of DOCA's interfaces, as build files and scripts ask for it.
DOCA_VERSION := 3.2.0
# The version of CUDA whose command line, headers and libraries dpacu has.
CUDA_VERSION := 12.4
# The same of FlexIO's: the latest that its headers know, and that of the guide's generation.
flexio_version = $(shell sed -n 's/^.define $(1) FLEXIO_VER(\([0-9]*\), \([0-9]*\), \([0-9]*\))/\1.\2.\3/p' \
                   include/libflexio/flexio_ver.h)
# Those that only install-compat gives a name that pkg-config finds: they stand in front of the system's.
PC_FILES += $(patsubst packaging/pkgconfig/compat/%.pc.in,$(B)/share/dpakit/pkgconfig/%.pc,$(wildcard packaging/pkgconfig/compat/*.pc.in))
all: $(PC_FILES) $(B)/share/dpakit/VERSION
version_of = $(if $(filter cuda%,$*),$(CUDA_VERSION),$(if $(findstring dpkverify,$*),$(file <VERSION),$(if $(findstring doca,$*),$(DOCA_VERSION),$(call flexio_version,$(if $(findstring 2.2,$*),FLEXIO_VER_2_2,FLEXIO_VER_LATEST)))))
$(B)/lib/pkgconfig/%.pc: packaging/pkgconfig/%.pc.in include/libflexio/flexio_ver.h packaging/packaging.mk
	$(Q)mkdir -p $(@D) && sed 's/@VERSION@/$(version_of)/' $< > $@
$(B)/share/dpakit/pkgconfig/%.pc: packaging/pkgconfig/compat/%.pc.in
	$(Q)mkdir -p $(@D) && sed "s/@VERSION@/$$(pkg-config --modversion $*)/" $< > $@
$(B)/share/dpakit/VERSION: packaging/packaging.mk ; $(Q)mkdir -p $(@D) && echo $(DOCA_VERSION) > $@

# Samples at the guides' paths: the examples under those names, with what packaging/samples adds. Each is whole in its
# folder, but those of DOCA 2.2 share common.
# Two programs that talk to each other are one example: a sample has the files of both, and builds the one that its folder
# is called after.
WITH_COMMON := $(foreach n,client server,doca/doca_comch/comch_ctrl_path_$(n):comch_ctrl_path) \
               $(foreach n,send receive,doca/doca_rdma/rdma_$(n):rdma_send_receive) \
               $(foreach n,txq_send_ethernet_frames rxq_regular_receive,doca/doca_eth/eth_$(n):eth_send_receive)
SAMPLE_OF = doca/doca_dpa/dpa_kernel_launch:dpa_kernel_launch doca/doca_dma/dma_local_copy:dma_local_copy \
            doca-2.5/doca_dma/dma_local_copy:dma_local_copy flexio/flexio_rpc:flexio_rpc \
            $(WITH_COMMON) flexio/packet_processor:packet_swap $(foreach d,$(DOCA_2_2),doca-2.2/doca_dpa/$(d):doca-2.2/$(d))
DOCA_2_2 := common $(notdir $(wildcard examples/doca-2.2/dpa_*))
SAMPLES := $(patsubst packaging/samples/%,$(B)/share/dpakit/samples/%,$(shell find packaging/samples -type f))
# $(call sample,FOLDER OF THE SAMPLE,FOLDER OF THE EXAMPLE)
define sample
SAMPLES += $(patsubst examples/$(2)/%,$(B)/share/dpakit/samples/$(1)/%,$(filter-out %/README.md,$(shell find examples/$(2) -type f)))
$(B)/share/dpakit/samples/$(1)/%: examples/$(2)/% ; $$(put)
endef
$(foreach s,$(SAMPLE_OF),$(eval $(call sample,$(firstword $(subst :, ,$(s))),$(lastword $(subst :, ,$(s))))))
# What those share.
define common_of
SAMPLES += $(B)/share/dpakit/samples/$(1)/sample.c $(B)/share/dpakit/samples/$(1)/sample.h
$(B)/share/dpakit/samples/$(1)/sample.%: examples/common/sample.% ; $$(put)
endef
$(foreach s,$(WITH_COMMON),$(eval $(call common_of,$(firstword $(subst :, ,$(s))))))
SAMPLES += $(patsubst %,$(B)/share/dpakit/samples/doca-2.2/doca_dpa/%/meson.build,$(filter dpa_%,$(DOCA_2_2)))
$(B)/share/dpakit/samples/doca-2.2/doca_dpa/%/meson.build: packaging/doca-2.2-sample.meson.in
	$(Q)mkdir -p $(@D) && sed 's/@NAME@/$*/g' $< >$@
$(B)/share/dpakit/samples/%: packaging/samples/% ; $(put)
all: $(SAMPLES)

# Where a static library is looked for, one that says why there is none.
SHARED_ONLY := $(HOST_LIBS:%=$(B)/lib/lib%.a)
all: $(SHARED_ONLY)
$(SHARED_ONLY): $(B)/lib/lib%.a: packaging/shared-only.a.in
	$(Q)mkdir -p $(@D) && sed 's/@NAME@/$*/' $< > $@

# Names that build files of NVIDIA's tree link: dpacc takes libflexio-libc by itself, and libflexio_dev, which has all of
# libflexio-os; libdoca_dpa_dev_comm has another name in DOCA 2.5 and 2.6.
all: $(B)/lib/libflexio_libc.a $(B)/lib/libflexio_os.a $(B)/lib/libflexio-os.a $(B)/lib/libdoca_dpa_comm_dev.a $(B)/lib/libdoca_gpunetio_device.a
$(B)/lib/libflexio_libc.a: $(B)/lib/libflexio-libc.a ; $(Q)ln -sf $(<F) $@
$(B)/lib/libdoca_dpa_comm_dev.a: $(B)/lib/libdoca_dpa_dev_comm.a ; $(Q)ln -sf $(<F) $@
# Headers have all of the device's part of DOCA GPUNetIO, too.
$(B)/lib/libflexio_os.a $(B)/lib/libflexio-os.a $(B)/lib/libdoca_gpunetio_device.a: packaging/packaging.mk
	$(Q)mkdir -p $(@D) && printf '!<arch>\n' >$@

# The folders of a CUDA toolkit, for build systems: nvcc and what links beside it, headers, libraries, the version.
CUDA := $(B)/lib/dpakit/cuda
CUDA_LIBS := libcudart.so libcudart.so.12 libcuda.so libcuda.so.1
CUDA_TREE := $(CUDA)/bin/nvcc $(CUDA)/bin/nvlink $(CUDA)/bin/dpacu-link $(CUDA)/include $(CUDA_LIBS:%=$(CUDA)/lib64/%) \
             $(CUDA)/lib64/libcudadevrt.a $(CUDA)/lib64/libcudart_static.a $(CUDA)/version.txt
all: $(CUDA_TREE) $(CUDA)/libcuda.so $(CUDA)/libcuda.so.1
# The driver's API is in libcudart, since both have one GPU: libcuda is another name of the file.
$(CUDA)/libcuda.so $(CUDA)/libcuda.so.1: $(CUDA)/libcudart.so ; $(Q)ln -sfn libcudart.so.12 $@
$(CUDA)/bin/%: packaging/packaging.mk ; $(Q)mkdir -p $(@D) && ln -sfn ../../../../bin/dpacu $@
$(CUDA)/include: packaging/packaging.mk ; $(Q)mkdir -p $(@D) && ln -sfn ../../../include/dpakit-cuda $@
$(CUDA_LIBS:%=$(CUDA)/lib64/%): packaging/packaging.mk ; $(Q)mkdir -p $(@D) && ln -sfn ../$(@F) $@
$(CUDA)/lib64/libcudadevrt.a: packaging/packaging.mk ; $(Q)mkdir -p $(@D) && printf '!<arch>\n' >$@
$(CUDA)/lib64/libcudart_static.a: packaging/packaging.mk
	$(Q)mkdir -p $(@D) && echo '/* The emulated GPU is one for a process: it is never linked statically. */ INPUT(-lcudart)' >$@
$(CUDA)/version.txt: packaging/packaging.mk ; $(Q)mkdir -p $(@D) && echo 'CUDA Version $(CUDA_VERSION).0' >$@

# ROOT: where NVIDIA's packages put theirs. DOCA: the release whose headers are in doca/include.
ROOT ?= /opt/mellanox
DOCA ?= 3
.PHONY: install-compat uninstall-compat deb
compat_dirs = $(call quote,$(ROOT)/dpakit/lib/dpakit) $(call quote,$(ROOT)/dpakit/lib)
install-compat: all
	$(Q)packaging/install-compat '$(B)' $(call quote,$(DESTDIR)) $(call quote,$(ROOT)) '$(DOCA)'
	$(Q)packaging/system-compat $(call quote,$(DESTDIR)) $(call quote,$(ROOT))
	$(Q)$(if $(DESTDIR),,packaging/ldconf dpakit-compat $(compat_dirs))
uninstall-compat:
	$(Q)packaging/system-compat --remove $(call quote,$(DESTDIR)) $(call quote,$(ROOT))
	$(Q)packaging/install-compat --remove $(call quote,$(DESTDIR)) $(call quote,$(ROOT))
	$(Q)$(if $(DESTDIR),,packaging/ldconf --remove dpakit-compat $(compat_dirs))
deb:
	$(Q)packaging/deb . '$(B)/deb'
