/* urom-service: the UROM service of a DPU: it starts workers for host programs. */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/device.h"
#include "common/self.h"
#include "device/state/state.h"
#include "service.h"

#define PROCESSORS "16" /* of a BlueField-3 */

struct options {
    const char *device, *plugins;
    unsigned processors, max_workers;
};
static const struct options defaults = {.processors = 16, .max_workers = 256};

static enum dpk_status find_plugins(struct service *s, const char *given, struct dpk_error *err)
{
    char folder[PATH_MAX];
    const char *variable = getenv("UROM_PLUGIN_PATH");
    if (!given && variable && *variable)
        given = variable;
    enum dpk_status status = dpk_self_beside("bin/urom-worker", s->worker, err);
    if (status == DPK_OK && !given)
        status = dpk_self_beside("lib/dpakit/urom", folder, err);
    return status == DPK_OK ? service_find_plugins(s, given ? given : folder, err) : status;
}

static enum dpk_status ask_device(const char *name, struct dpk_device_info *info,
                                  struct dpk_error *err)
{
    const enum dpk_status status = dpk_device_info_by_name(name, info, err);
    if (status == DPK_OK && !info->pair)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED,
                        "%s: the device has no DPU's side: dpadev create NAME --pair", name);
    return status;
}

static enum dpk_status run(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    struct dpk_device_info info;
    struct service *s = calloc(1, sizeof *s);
    (void)args;
    if (!s)
        return dpk_fail_nomem(err);
    setenv("DPAKIT_SIDE", "dpu", 1);
    *s = (struct service){
        .device = o->device, .processors = o->processors, .max_workers = o->max_workers};
    enum dpk_status status = o->device ? DPK_OK : dpk_only_device(&s->device, err);
    if (status == DPK_OK)
        status = ask_device(s->device, &info, err);
    if (status == DPK_OK)
        status = find_plugins(s, o->plugins, err);
    if (status == DPK_OK)
        status = dpk_comch_listen(info.path, DPK_UROM_SERVER, &s->server, err);
    if (status == DPK_OK)
        status = service_serve(s, err);
    dpk_comch_close(s->server);
    free(s);
    return status;
}

static const struct dpk_option run_options[] = {
    {"d,device", DPK_TEXT, "DEV", offsetof(struct options, device),
     .help = "the device, a pair (the only one)"},
    {"p,plugins", DPK_FILE, "DIR", offsetof(struct options, plugins),
     .help = "folder of plugins ($UROM_PLUGIN_PATH, or lib/dpakit/urom)"},
    {"processors", DPK_NUMBER, "N", offsetof(struct options, processors), 1, 1024,
     .standard = PROCESSORS, .help = "processors of the DPU"},
    {"m,max-workers", DPK_NUMBER, "N", offsetof(struct options, max_workers), 1, 4096,
     .standard = "256", .help = "workers at once"},
    {0}};
static const struct dpk_command run_command = {.options = run_options, .run = run};
static const struct dpk_tool tool = {
    .name = "urom-service",
    .usage = "urom-service [-d DEV] [-p DIR]",
    .about = "Starts workers on the DPU's side of a device for host programs (DOCA UROM), until a\n"
             "signal ends it. The workers end with it.",
    .command = &run_command,
    .size = sizeof(struct options),
    .defaults = &defaults,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
