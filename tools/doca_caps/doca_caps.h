/* Shared by the files of doca_caps. The tool is a normal host program: it loads the libraries
 * libdoca_* and prints what their functions return. */
#ifndef DPK_DOCA_CAPS_DOCA_CAPS_H
#define DPK_DOCA_CAPS_DOCA_CAPS_H

#include "cli/cli.h"

#include <doca_dev.h>

/* ---- library.c: libraries, and functions of them ---- */

/* Opens a DOCA library by name ("dma"). Returns NULL if it is not installed. */
void *caps_library_open(const char *name);
/* Returns a function of the library, or NULL if the library lacks it. */
void *caps_library_find(const char *name, const char *function);
/* Returns a required function with its own type. The tool ends if the library lacks it. */
#define LIBRARY_FUNCTION(name, function) ((__typeof__(&function))caps_library_need(name, #function))
void *caps_library_need(const char *name, const char *function);

/* ---- caps.c: capabilities of libraries with a device ---- */

/* Prints the capabilities of `library`, or of all libraries if it is NULL. */
void caps_print(const struct doca_devinfo *info, const char *library);
/* Returns true for a library of dpakit, installed or not. */
bool caps_knows_library(const char *name);
/* Lists the libraries. */
void caps_print_libraries(void);

/* ---- devices.c: properties of devices and representors ---- */

void caps_device_print(const struct doca_devinfo *info);
/* Prints the representors of the device. */
enum dpk_status caps_device_print_representors(struct doca_devinfo *info, struct dpk_error *err);
/* Prints the device's line, above its other lines. */
void caps_device_print_address(const struct doca_devinfo *info);

#endif
