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

static enum dpk_status check_all(const struct config *c, const struct paths *p, const char *name,
                                 const char *const *suffixes, struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; suffixes[i] && status == DPK_OK; i++)
        status = check_apart(c, p, name, suffixes[i], err);
    return status;
}

enum dpk_status dpacc_commands_keep_apart(const struct config *c, const struct paths *p,
                                          struct dpk_error *err)
{
    static const char *const of_source[] = {
        ".dpa.device.c", ".dpa.host.c", ".dpa.entries", ".dpa.o", ".dpa.host.o", ".stub.inc", NULL};
    static const char *const of_object[] = {".dpa.host.o", NULL};
    static const char *const of_target[] = {".o", ".dpa.device.o", ".dpa.join.o", ".count.s",
                                            ".s", ".dpa.source.o", NULL};
    static const char *const of_program[] = {".stub.inc", ".a", NULL};
    static const char *const of_host[] = {".o", ".a", ".so", NULL};
    static const char *const of_app[] = {".meta.c", ".meta.o", NULL};
    enum dpk_status status = DPK_OK;
    char name[300];
    for (size_t i = 0; i < p->count && status == DPK_OK; i++) {
        status = check_all(c, p, p->names[i],
                           dpacc_config_is_source(c->units.at[i]) ? of_source : of_object, err);
        for (size_t t = 0; t < c->target_count && status == DPK_OK; t++) {
            snprintf(name, sizeof name, "%s.%s", p->names[i], c->targets[t]->name);
            status = check_all(c, p, name, of_target, err);
        }
    }
    for (size_t t = 0; t < c->target_count && status == DPK_OK; t++) {
        snprintf(name, sizeof name, "device_exec.%s", c->targets[t]->name);
        status = check_apart(c, p, name, "", err);
        if (status == DPK_OK)
            status = check_apart(c, p, name, ".a", err);
    }
    if (status == DPK_OK)
        status = check_all(c, p, "device_exec", of_program, err);
    if (status == DPK_OK)
        status = check_all(c, p, "hostStubs", of_host, err);
    return status == DPK_OK ? check_all(c, p, c->app, of_app, err) : status;
}
