/* A JSON file of options, as --json reads it: an error, or values of the parameters' types. */
#include <doca_argp.h>
#include <doca_log.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t seen;

static doca_error_t take_text(void *param, void *config)
{
    (void)config;
    seen += strlen(param);
    return DOCA_SUCCESS;
}

static doca_error_t take_number(void *param, void *config)
{
    (void)config;
    seen += (size_t) * (int *)param;
    return DOCA_SUCCESS;
}

static doca_error_t take_bool(void *param, void *config)
{
    (void)config;
    seen += *(bool *)param;
    return DOCA_SUCCESS;
}

static void add(const char *name, enum doca_argp_type type, doca_argp_param_cb_t take, bool many)
{
    struct doca_argp_param *param;
    if (doca_argp_param_create(&param) != DOCA_SUCCESS)
        abort();
    doca_argp_param_set_long_name(param, name);
    doca_argp_param_set_description(param, name);
    doca_argp_param_set_callback(param, take);
    doca_argp_param_set_type(param, type);
    if (many)
        doca_argp_param_set_multiplicity(param);
    if (doca_argp_register_param(param) != DOCA_SUCCESS)
        abort();
}

static void start(void)
{
    static bool started;
    if (started)
        return;
    started = true;
    doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE);
    if (doca_argp_init("fuzz", NULL) != DOCA_SUCCESS)
        abort();
    add("text", DOCA_ARGP_TYPE_STRING, take_text, false);
    add("texts", DOCA_ARGP_TYPE_STRING, take_text, true);
    add("number", DOCA_ARGP_TYPE_INT, take_number, false);
    add("numbers", DOCA_ARGP_TYPE_INT, take_number, true);
    add("on", DOCA_ARGP_TYPE_BOOLEAN, take_bool, false);
    add("objects", DOCA_ARGP_TYPE_JSON_OBJ, take_text, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40], json[] = "--json", program[] = "fuzz";
    char *words[] = {program, json, path, NULL};
    start();
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    (void)doca_argp_start(3, words);
    /* The file may have changed the level. */
    doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE);
    close(fd);
    return 0;
}
