/*
 * doca_build_config: where programs run. Emulated devices are seen as a host sees a BlueField, or as its
 * own processors do (dpadev(1), "TWO SIDES"). A program that is to be built as for the BlueField's own processors is compiled
 * with -DDOCA_ARCH_DPU.
 */
#ifndef DOCA_BUILD_CONFIG_H
#define DOCA_BUILD_CONFIG_H

#if !defined(DOCA_ARCH_DPU) && !defined(DOCA_ARCH_HOST)
#define DOCA_ARCH_HOST 1
#endif

#endif
