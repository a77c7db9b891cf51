/* doca_caps: what its files share. It is a host program like any other: all that it prints, functions
 * of libdoca_* said, which it loads. */
#ifndef DPK_DOCA_CAPS_DOCA_CAPS_H
#define DPK_DOCA_CAPS_DOCA_CAPS_H

#include "cli/cli.h"

#include <doca_dev.h>

/* ---- library.c: libraries, and functions of them ---- */

/* A library of DOCA by name, "dma"; NULL: it is not installed. */
void *library_open(const char *name);
/* A function of it; NULL: there is none. */
void *library_find(const char *name, const char *function);
/* A function with its own type, without which nothing goes: the tool ends if there is none. */
#define LIBRARY_FUNCTION(name, function) ((__typeof__(&function))library_need(name, #function))
void *library_need(const char *name, const char *function);

/* ---- caps.c: capabilities of libraries with a device ---- */

/* `library`: only of this one; NULL: of all. */
void caps_print(const struct doca_devinfo *info, const char *library);
/* Whether it is one of dpakit's, installed or not. */
bool caps_knows_library(const char *name);
/* Which libraries there are. */
void caps_print_libraries(void);

/* ---- devices.c: properties of devices and representors ---- */

void device_print(const struct doca_devinfo *info);
/* The representors that the device sees. */
enum dpk_status device_print_representors(struct doca_devinfo *info, struct dpk_error *err);
/* The device's own line, which the others stand below. */
void device_print_address(const struct doca_devinfo *info);

#endif
