/* Commands that query devices and change nothing. */
#include "dpadev.h"

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
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
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
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
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
const struct dpk_command dpadev_show = {"show", "NAME",
                                        "show a device: properties, trusted keys, programs that "
                                        "may load",
                                        .takes = "json", .run = show};
const struct dpk_command dpadev_log = {"log",
                                       "NAME",
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
