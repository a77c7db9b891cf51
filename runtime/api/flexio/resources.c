/* Execution units that an administrator's file gives to a program (flexio.h, "Resources"). */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/flexio/resources/resources.h"
#include "private.h"

struct flexio_resource {
    struct dpk_resources read;
};

static const char in_this_library = 0;

/* Loads the library that reads these files (resources.h), from the folder of this library. If it
 * returns NULL, `err` has the reason. */
static void *load_reader(struct dpk_error *err)
{
    char path[PATH_MAX];
    Dl_info self;
    if (!dladdr(&in_this_library, &self) || !self.dli_fname)
        self.dli_fname = "";
    const char *end = strrchr(self.dli_fname, '/');
    const size_t folder = end ? (size_t)(end + 1 - self.dli_fname) : 0;
    int n = snprintf(path, sizeof path, "%.*s" DPK_RESOURCES_LIBRARY, (int)folder, self.dli_fname);
    void *library = n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *reason = dlerror();
        dpk_fail(err, DPK_ERR_NOT_FOUND, "no library that reads such files: %s",
                 reason ? reason : "the path to it is too long");
    }
    return library;
}

static enum dpk_status read_file(const char *app, const void *bytes, size_t size,
                                 struct dpk_resources *out, struct dpk_error *err)
{
    void *library = load_reader(err);
    if (!library)
        return DPK_ERR_NOT_FOUND;
    __typeof__(dpk_resources_read) *read = dlsym(library, "dpk_resources_read");
    enum dpk_status status =
        read ? read(app, bytes, size, out, err)
             : dpk_fail(err, DPK_ERR_NOT_FOUND, DPK_RESOURCES_LIBRARY " is of another version");
    dlclose(library);
    return status;
}

flexio_status flexio_resources_create(const char *app_id, const void *file_buf, size_t file_bsize,
                                      struct flexio_resource **res)
{
    struct dpk_error err = {0};
    if (!res)
        return libflexio_failed_because("flexio_resources_create: res is NULL");
    *res = NULL;
    if (!app_id || !*app_id || !file_buf || !file_bsize || file_bsize > DPK_RESOURCES_FILE_MAX)
        return libflexio_failed_because(
            "flexio_resources_create: a program's id and its file, of at most "
            "%zu bytes, are wanted",
            DPK_RESOURCES_FILE_MAX);
    struct flexio_resource *made = calloc(1, sizeof *made);
    enum dpk_status status =
        made ? read_file(app_id, file_buf, file_bsize, &made->read, &err) : dpk_fail_nomem(&err);
    if (status != DPK_OK) {
        free(made);
        return libflexio_failed("flexio_resources_create", &err);
    }
    *res = made;
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_resources_destroy(struct flexio_resource *res)
{
    free(res);
    return FLEXIO_STATUS_SUCCESS;
}

uint32_t flexio_resources_get_eus_num(struct flexio_resource *res)
{
    return res ? res->read.units.count : 0;
}

uint32_t *flexio_resources_get_eus(struct flexio_resource *res)
{
    return res && res->read.units.count ? res->read.units.numbers : NULL;
}

uint32_t flexio_resources_get_eugs_num(struct flexio_resource *res)
{
    return res ? res->read.groups.count : 0;
}
