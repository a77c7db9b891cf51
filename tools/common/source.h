/*
 * source: the DPA program that a command line names, and the device that shall run it. A program is
 * in a host file (executable, library, object, archive), or is a device ELF of its own.
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
    struct dpk_hostfile *host;    /* owns the rest, or NULL */
    struct dpk_buf elf, crypto;   /* the file; its crypto data, with host NULL */
    struct dpk_load_request load; /* without the device */
    bool no_program;              /* after a failure: no program can be read from it (BAD_FORMAT) */
};

/* Finds a program. `app`: which of a host file, NULL: the only one; for a device ELF it is the
 * program's name in messages. `signature`: a file with the crypto data of a device ELF, or NULL.
 * Close it after a failure, too. */
enum dpk_status dpk_source_open(const char *path, const char *app, const char *signature,
                                struct dpk_source *out, struct dpk_error *err);
void dpk_source_close(struct dpk_source *s);

/* Opens the device with that name; NULL: the only one there is. DPK_ERR_NOT_FOUND: there is none.
 * DPK_ERR_USAGE: there are several to choose from. */
enum dpk_status dpk_source_device(const char *name, struct dpk_device **out, struct dpk_error *err);

#endif
