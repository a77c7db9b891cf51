#include "commands.h"

#include <stdlib.h>

static enum dpk_status check_apart(const struct config *c, const struct paths *p, const char *name,
                                   const char *suffix, struct dpk_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s%s", p->dir, name, suffix) < 0)
        return dpk_fail_nomem(err);
    enum dpk_status status =
        dpk_file_apart(path, (const char *const *)c->inputs.at, c->inputs.count, err);
    free(path);
    return status;
}

enum dpk_status commands_keep_apart(const struct config *c, const struct paths *p,
                                    struct dpk_error *err)
{
    static const char *const of_source[] = {".dpa.device.c", ".dpa.host.c", ".dpa.o", ".stub.inc"};
    static const char *const of_target[] = {".o", ".dpa.device.o", ".dpa.join.o"};
    static const char *const of_program[] = {"device_exec.stub.inc", "hostStubs.o", "hostStubs.a"};
    const char *target = c->target->name;
    char suffix[64];
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < p->count; i++) {
        for (size_t n = 0; n < sizeof of_source / sizeof *of_source && status == DPK_OK; n++)
            status = check_apart(c, p, p->names[i], of_source[n], err);
        for (size_t n = 0; n < sizeof of_target / sizeof *of_target && status == DPK_OK; n++) {
            snprintf(suffix, sizeof suffix, ".%s%s", target, of_target[n]);
            status = check_apart(c, p, p->names[i], suffix, err);
        }
    }
    for (size_t n = 0; n < sizeof of_program / sizeof *of_program && status == DPK_OK; n++)
        status = check_apart(c, p, of_program[n], "", err);
    if (status == DPK_OK)
        status = check_apart(c, p, c->app, ".meta.c", err);
    if (status == DPK_OK)
        status = check_apart(c, p, c->app, ".meta.o", err);
    return status == DPK_OK ? check_apart(c, p, "device_exec.", target, err) : status;
}
