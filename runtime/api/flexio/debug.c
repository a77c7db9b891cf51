/* Core files, crash reports and debuggers. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

/* Writes BASE.PID.SUFFIX. If BASE is relative, the file is in the current directory, or in /tmp if
 * the former fails. */
static enum dpk_status write_dump(struct flexio_process *process, const char *base,
                                  const char *suffix,
                                  enum dpk_status (*write)(struct flexio_process *process,
                                                           const char *path, struct dpk_error *err),
                                  struct dpk_error *err)
{
    static const char *const directories[] = {"", "/tmp/"};
    enum dpk_status status = DPK_ERR_IO;
    char path[PATH_MAX];
    base = base ? base : "flexio_dev";
    for (size_t i = 0; i < 2; i++) {
        int n = snprintf(path, sizeof path, "%s%s.%ld.%s", directories[i], base, (long)getpid(),
                         suffix);
        if (n < 0 || (size_t)n >= sizeof path)
            return dpk_fail(err, DPK_ERR_RANGE, "the name of the file is too long");
        status = write(process, path, err);
        if (status == DPK_OK)
            dpk_host_log(DPK_HOST_LOG_INFO, "wrote %s", path);
        if (status == DPK_OK || base[0] == '/')
            break;
    }
    return status;
}

static enum dpk_status write_core(struct flexio_process *process, const char *path,
                                  struct dpk_error *err)
{
    return dpk_process_core(process->dpa, path, err);
}

static enum dpk_status write_report(struct flexio_process *process, const char *path,
                                    struct dpk_error *err)
{
    struct dpk_buf text = {0};
    dpk_process_report(process->dpa, &text);
    enum dpk_status status =
        text.failed ? dpk_fail_nomem(err) : dpk_file_create(path, text.data, text.size, 0600, err);
    dpk_buf_free(&text);
    return status;
}

flexio_status flexio_coredump_create(struct flexio_process *process, const char *corefile)
{
    struct dpk_error err = {0};
    if (!process)
        return libflexio_failed_because("flexio_coredump_create: no process");
    if (write_dump(process, corefile, "core", write_core, &err) != DPK_OK)
        return libflexio_failed_because("flexio_coredump_create: %s", err.message);
    return FLEXIO_STATUS_SUCCESS;
}

flexio_status flexio_crash_data(struct flexio_process *process, const char *outfile)
{
    struct dpk_error err = {0};
    if (!process)
        return libflexio_failed_because("flexio_crash_data: no process");
    if (write_dump(process, outfile, "crash", write_report, &err) != DPK_OK)
        return libflexio_failed_because("flexio_crash_data: %s", err.message);
    return FLEXIO_STATUS_SUCCESS;
}

uint64_t flexio_process_udbg_token_get(struct flexio_process *process)
{
    return process ? dpk_process_token(process->dpa) : 0;
}
