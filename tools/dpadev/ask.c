/* Commands that query devices and change nothing. */
#include "common/device.h"
#include "dpadev.h"

enum dpk_status dpadev_name(const struct dpk_args *args, const char **out, struct dpk_error *err)
{
    *out = args->words[0];
    const enum dpk_status status = args->count ? DPK_OK : dpk_only_device(out, err);
    return status != DPK_ERR_USAGE ? status
                                   : dpk_fail(err, DPK_ERR_USAGE,
                                              "there are several devices (dpadev list): name one: "
                                              "dpadev %s NAME",
                                              args->command);
}

enum dpk_status dpadev_open(const struct dpk_args *args, struct dpk_device **out,
                            struct dpk_error *err)
{
    const char *name = NULL;
    const enum dpk_status status = dpadev_name(args, &name, err);
    return status == DPK_OK ? dpk_device_open(name, out, err) : status;
}

struct list_options {
    struct dpadev_options shared;
    bool more;
};

static enum dpk_status list(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct list_options *o = options;
    (void)args;
    return dpadev_print_list(o->more, o->shared.json, err);
}

static const struct dpk_option list_options[] = {
    {"l,long", .at = offsetof(struct list_options, more),
     .help = "also show type, PCI address and description"},
    {0},
};

static enum dpk_status show(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct dpadev_options *o = options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpadev_open(args, &dev, err);
    if (status == DPK_OK)
        status = dpadev_print_show(dev, o->json, err);
    dpk_device_close(dev);
    return status;
}

struct log_options {
    struct dpadev_options shared;
    unsigned last;
};

static enum dpk_status show_log(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct log_options *o = options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpadev_open(args, &dev, err);
    if (status == DPK_OK)
        status = dpadev_print_log(dev, o->last, o->shared.json, err);
    dpk_device_close(dev);
    return status;
}

static const struct dpk_option log_options[] = {
    {"n,last", DPK_NUMBER, "N", offsetof(struct log_options, last), 1, 1000000000,
     .help = "only the last N events"},
    {0},
};

struct ps_options {
    struct dpadev_options shared;
    bool threads;
};

static enum dpk_status ps(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct ps_options *o = options;
    return dpadev_print_ps(args->words[0], o->threads, o->shared.json, err);
}

static const struct dpk_option ps_options[] = {
    {"t,threads", .at = offsetof(struct ps_options, threads), .help = "also show threads"},
    {0},
};

const struct dpk_command dpadev_list = {"list",
                                        .help = "list all devices",
                                        .takes = "json",
                                        .options = list_options,
                                        .size = sizeof(struct list_options),
                                        .run = list};
const struct dpk_command dpadev_show = {"show", "[NAME]",
                                        "show a device: properties, trusted keys, programs that "
                                        "may load",
                                        .takes = "json", .run = show};
const struct dpk_command dpadev_log = {"log",
                                       "[NAME]",
                                       "show the events of a device",
                                       .takes = "json",
                                       .options = log_options,
                                       .size = sizeof(struct log_options),
                                       .run = show_log};
const struct dpk_command dpadev_ps = {"ps",
                                      "[NAME]",
                                      "show the DPA processes that run now",
                                      .takes = "json",
                                      .options = ps_options,
                                      .size = sizeof(struct ps_options),
                                      .run = ps};
