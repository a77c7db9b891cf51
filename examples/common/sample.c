#include "sample.h"

#include <string.h>

DOCA_LOG_REGISTER(SAMPLE);

static struct sample_option *all;

static doca_error_t take(size_t number, const char *text)
{
    if (strlen(text) > SAMPLE_TEXT) {
        DOCA_LOG_ERR("--%s: at most %d bytes", all[number].long_name, SAMPLE_TEXT);
        return DOCA_ERROR_INVALID_VALUE;
    }
    strcpy(all[number].value, text);
    return DOCA_SUCCESS;
}

/* A callback does not learn for which option it is called. */
#define TAKE(number)                                                                               \
    static doca_error_t take_##number(void *text, void *config)                                    \
    {                                                                                              \
        (void)config;                                                                              \
        return take(number, text);                                                                 \
    }
TAKE(0)
TAKE(1)
TAKE(2)
TAKE(3)
TAKE(4)
TAKE(5)
TAKE(6)
TAKE(7)
static const doca_argp_param_cb_t takers[SAMPLE_OPTIONS] = {take_0, take_1, take_2, take_3,
                                                            take_4, take_5, take_6, take_7};

static void add_option(size_t number)
{
    struct doca_argp_param *param = NULL;
    TRY(doca_argp_param_create(&param));
    doca_argp_param_set_short_name(param, all[number].short_name);
    doca_argp_param_set_long_name(param, all[number].long_name);
    doca_argp_param_set_description(param, all[number].help);
    doca_argp_param_set_callback(param, takers[number]);
    doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
    TRY(doca_argp_register_param(param));
}

void sample_options(const char *program, int argc, char **argv, struct sample_option *options,
                    size_t count)
{
    static int config; /* the options are in `all` */
    all = options;
    TRY(doca_log_backend_create_standard());
    TRY(doca_argp_init(program, &config));
    for (size_t i = 0; i < count && i < SAMPLE_OPTIONS; i++)
        add_option(i);
    TRY(doca_argp_start(argc, argv));
    doca_argp_destroy();
}

struct doca_dev *sample_open(const char *device)
{
    struct doca_devinfo **list;
    struct doca_dev *dev = NULL;
    uint32_t count = 0;
    TRY(doca_devinfo_create_list(&list, &count));
    for (uint32_t i = 0; i < count && !dev; i++) {
        char name[DOCA_DEVINFO_IBDEV_NAME_SIZE] = "";
        uint8_t is_it = 0;
        (void)doca_devinfo_get_ibdev_name(list[i], name, sizeof name);
        (void)doca_devinfo_is_equal_pci_addr(list[i], device, &is_it);
        if (is_it || strcmp(name, device) == 0)
            TRY(doca_dev_open(list[i], &dev));
    }
    doca_devinfo_destroy_list(list);
    if (!dev) {
        DOCA_LOG_ERR("There is no device %s", device);
        exit(EXIT_FAILURE);
    }
    return dev;
}
