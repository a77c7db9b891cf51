/*
 * doca_build_config: the side for which a program is built. A program sees an emulated device as a host
 * sees a BlueField, or as the processors of the BlueField see it (dpadev(1), "TWO SIDES"). Compile with
 * -DDOCA_ARCH_DPU to build a program as for the processors of the BlueField.
 */
#ifndef DOCA_BUILD_CONFIG_H
#define DOCA_BUILD_CONFIG_H

#if !defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_HOST)
#define DOCA_ARCH_HOST 1
#endif

#endif
