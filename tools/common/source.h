/*
 * source: the DPA program that a command line names, and the device that runs it. A program is in a
 * host file (executable, library, object, archive), or is a separate device ELF.
 *
 *     struct dpk_source source = {0};
 *     struct dpk_image *image = NULL;
 *     if (dpk_source_open("prog.a", NULL, NULL, &source, &err) == DPK_OK &&
 *         dpk_source_device(NULL, &source.load.device, &err) == DPK_OK)
 *         dpk_load(&source.load, &image, NULL, &err);
 *     dpk_device_close(source.load.device);
 *     dpk_source_close(&source);
 */
#ifndef DPK_COMMON_SOURCE_H
#define DPK_COMMON_SOURCE_H

#include "base/base.h"
#include "engine/loader/loader.h"
#include "hostfile/hostfile.h"

struct dpk_source {
    struct dpk_hostfile *host;    /* the program's host file, or NULL */
    struct dpk_buf elf, crypto;   /* the file; crypto data of a device ELF */
    struct dpk_load_request load; /* load request without the device */
    bool no_program; /* after a failure: no readable program in the file (BAD_FORMAT) */
};

/* Finds a program. `app` selects a program of a host file (NULL: the only program); for a device
 * ELF it is the name in messages. `signature` is a file with the crypto data of a device ELF, or
 * NULL. Close `out` after a failure, too. */
enum dpk_status dpk_source_open(const char *path, const char *app, const char *signature,
                                struct dpk_source *out, struct dpk_error *err);
void dpk_source_close(struct dpk_source *s);

/* Opens the device with this name, or the only device if `name` is NULL. Errors: DPK_ERR_NOT_FOUND
 * if there is no device, DPK_ERR_USAGE if there are several. */
enum dpk_status dpk_source_device(const char *name, struct dpk_device **out, struct dpk_error *err);

#endif
