#include "select.h"

#include <stdlib.h>

enum dpk_status hostfile_select_programs(const struct dpk_hostfile *host, const char *const *apps,
                                         size_t count, bool **out, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    *out = NULL;
    if (host->program_count == 0)
        return dpk_fail(err, DPK_ERR_NOT_FOUND, "%s: no DPA program in it", host->name);
    bool *wanted = calloc(host->program_count, sizeof *wanted);
    if (!wanted)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < host->program_count; i++)
        wanted[i] = !apps;
    for (size_t i = 0; apps && i < count && status == DPK_OK; i++) {
        const struct dpk_program *p = NULL;
        status = dpk_hostfile_find(host, apps[i], &p, err);
        if (status == DPK_OK)
            wanted[p->index] = true;
    }
    if (status != DPK_OK)
        free(wanted);
    else
        *out = wanted;
    return status;
}
