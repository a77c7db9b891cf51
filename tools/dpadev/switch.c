/* dpadev switch: connects the ports of devices while it runs. */
#include "net/switch/switch.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "dpadev.h"
#include "net/wire/wire.h"

struct switch_options {
    struct dpadev_options shared;
    unsigned ageing;
};

enum dpk_status dpadev_switch_folder(const char *name, char out[PATH_MAX], struct dpk_error *err)
{
    char root[PATH_MAX], spec[DPK_WIRE_SPEC_MAX];
    enum dpk_status status = DPK_OK;
    if (snprintf(spec, sizeof spec, "switch:%s", name) >= (int)sizeof spec)
        status = dpk_fail(err, DPK_ERR_USAGE, "'%.80s' is not a name of a switch", name);
    if (status == DPK_OK)
        status = dpk_wire_check(spec, spec, err);
    if (status == DPK_OK)
        status = dpk_folder_of_devices(root, err);
    if (status == DPK_OK &&
        snprintf(out, PATH_MAX, "%s/" DPK_SWITCH_PREFIX "%s", root, name) >= PATH_MAX)
        status = dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", root);
    return status;
}

static void tell(void *context, const char *text)
{
    (void)context;
    printf("%s\n", text);
    fflush(stdout);
}

static enum dpk_status run(const char *name, const struct dpk_switch_options *options,
                           struct dpk_error *err)
{
    sigset_t signals;
    struct dpk_switch *s = NULL;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const int stop = signalfd(-1, &signals, SFD_CLOEXEC);
    enum dpk_status status =
        stop >= 0 ? dpk_switch_open(options, &s, err) : dpk_fail_errno(err, "signalfd");
    if (status == DPK_ERR_EXISTS)
        status = dpk_fail(err, DPK_ERR_EXISTS, "a switch %s runs already", name);
    if (status == DPK_OK) {
        char text[256];
        snprintf(text, sizeof text,
                 "Switch %s runs until it is interrupted. Plug in: dpadev wire NAME switch:%s",
                 name, name);
        tell(NULL, text);
        status = dpk_switch_run(s, stop, err);
    }
    dpk_switch_close(s);
    if (stop >= 0)
        close(stop);
    return status;
}

static enum dpk_status run_switch(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct switch_options *o = options;
    const char *name = args->words[0];
    char folder[PATH_MAX];
    struct dpk_counters *counters = NULL;
    enum dpk_status status = dpadev_switch_folder(name, folder, err);
    if (status == DPK_OK)
        status = dpk_folder_make(folder, err);
    if (status == DPK_OK)
        status = dpk_counters_open(folder, &counters, err);
    if (status == DPK_OK)
        status =
            run(name,
                &(struct dpk_switch_options){
                    .folder = folder, .ageing_s = o->ageing, .counters = counters, .tell = tell},
                err);
    dpk_counters_close(counters);
    return status;
}

static const struct dpk_option switch_options[] = {
    {"ageing", DPK_NUMBER, "SECONDS", offsetof(struct switch_options, ageing), 1, 1000000,
     .standard = "300", .help = "time after which an unused address is forgotten"},
    {0},
};

const struct dpk_command dpadev_switch = {"switch",
                                          "NAME",
                                          "join the ports that are connected to switch:NAME",
                                          .options = switch_options,
                                          .size = sizeof(struct switch_options),
                                          .run = run_switch};
