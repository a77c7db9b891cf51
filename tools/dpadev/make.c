/* Commands that make, change and delete devices. */
#include "dpadev.h"

enum { PRODUCTION = 1, DEVELOPMENT };

struct create_options {
    struct dpadev_options shared;
    struct dpk_device_plan plan;
    unsigned life_cycle, type;
};

/* In the order of the option's values. */
static const char *const types[] = {"bf3", "cx7", "cx8", "cx9"};

static enum dpk_status create(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct create_options *o = options;
    char name[DPK_DEVICE_NAME_MAX + 1] = "";
    o->plan.name = args->words[0];
    o->plan.target = o->type > 1 ? types[o->type - 1] : NULL;
    o->plan.development = o->life_cycle == DEVELOPMENT;
    enum dpk_status status = dpk_device_create(&o->plan, name, err);
    if (status == DPK_OK && o->plan.pair)
        printf("Card %s created: %s on the host, and on the DPU (DPAKIT_SIDE=dpu).\n", o->plan.name,
               name);
    else if (status == DPK_OK)
        printf("Device %s created.\n", name);
    return status;
}

#define AT(field) offsetof(struct create_options, field)

static const struct dpk_option create_options[] = {
    {"type", DPK_CHOICE, "bf3|cx7|cx8|cx9", AT(type), .standard = "bf3",
     .help = "BlueField-3 or ConnectX, permanently: sets the instructions of its DPA (dpacc "
             "-mcpu)"},
    {"psid", DPK_TEXT, "PSID", AT(plan.psid),
     .help = "PSID (default MT_0000000884, or DPK_ and the type)"},
    {"psid-branch", DPK_TEXT, "TEXT", AT(plan.psid_branch), .help = "PSID branch (default none)"},
    {"part-number", DPK_TEXT, "TEXT", AT(plan.part_number), .help = "part number"},
    {"description", DPK_TEXT, "TEXT", AT(plan.description), .help = "description"},
    {"serial", DPK_TEXT, "TEXT", AT(plan.serial), .help = "serial number (default random)"},
    {"nvidia-key", DPK_FILE, "FILE", AT(plan.nvidia_key), .with = "nvidia-key-uuid",
     .help = "trust this RSA public key (PEM) instead of making a test pair"},
    {"nvidia-key-uuid", DPK_UUID, "UUID", AT(plan.nvidia_uuid), .with = "nvidia-key",
     .help = "UUID of the key pair of --nvidia-key"},
    {"anti-rollback", .at = AT(plan.anti_rollback),
     .help = "refuse older files and removed certificates, permanently"},
    {"dma-max-buf", DPK_NUMBER, "BYTES", AT(plan.dma_max), DPK_DMA_MAX_LEAST, DPK_DMA_MAX_MOST,
     .help = "largest DMA task (default 2097152, as on a card)"},
    {"pair", .at = AT(plan.pair),
     .help = "both functions of a card: the host's, and the DPU's with its representors"},
    {"life-cycle", DPK_CHOICE, "production|development", AT(life_cycle), .standard = "production",
     .help = "permanently; in development debuggers may change code"},
    {0},
};

static enum dpk_status reset(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(args->words[0], &dev, err);
    if (status == DPK_OK)
        status = dpk_device_reset(dev, err);
    if (status == DPK_OK)
        printf("Device %s reset.\n", dpk_device_name(dev));
    dpk_device_close(dev);
    return status;
}

static enum dpk_status delete_device(void *options, const struct dpk_args *args,
                                     struct dpk_error *err)
{
    (void)options;
    enum dpk_status status = dpk_device_delete(args->words[0], err);
    if (status == DPK_OK)
        printf("Device %s deleted.\n", args->words[0]);
    return status;
}

const struct dpk_command dpadev_create = {"create",
                                          "NAME",
                                          "make a device",
                                          .options = create_options,
                                          .size = sizeof(struct create_options),
                                          .run = create};
const struct dpk_command dpadev_reset = {
    "reset", "NAME", "cold boot: settings for the next boot take effect", .run = reset};
const struct dpk_command dpadev_delete = {"delete", "NAME", "delete a device with its keys",
                                          .run = delete_device};
