/* doca_caps: lists emulated devices, their representors and DOCA libraries with their
 * capabilities. */
#include "doca_caps.h"

#include <doca_log.h>
#include <doca_version.h>

#include "device/state/state.h"

struct options {
    bool devices, representors, libraries, loggers;
    const char *address, *library;
};

#define ASK(function) LIBRARY_FUNCTION("common", function)

/* Returns true if the options select the device. */
static bool is_wanted(const struct options *o, const struct doca_devinfo *info)
{
    uint8_t equal = 0;
    if (!o->address)
        return true;
    return ASK(doca_devinfo_is_equal_pci_addr)(info, o->address, &equal) == DOCA_SUCCESS && equal;
}

static enum dpk_status print_device(const struct options *o, struct doca_devinfo *info,
                                    struct dpk_error *err)
{
    enum dpk_status status = DPK_OK;
    if (o->devices)
        caps_device_print(info);
    if (o->representors)
        status = caps_device_print_representors(info, err);
    if (!o->devices && !o->representors)
        caps_print(info, o->library);
    return status;
}

static enum dpk_status print_devices(const struct options *o, struct dpk_error *err)
{
    struct doca_devinfo **list = NULL;
    uint32_t count = 0;
    bool found = false;
    enum dpk_status status = DPK_OK;
    const doca_error_t result = ASK(doca_devinfo_create_list)(&list, &count);
    if (result != DOCA_SUCCESS)
        return dpk_fail(err, DPK_ERR_IO, "devices cannot be listed: %s",
                        ASK(doca_error_get_descr)(result));
    for (uint32_t i = 0; status == DPK_OK && i < count; i++)
        if (is_wanted(o, list[i])) {
            found = true;
            status = print_device(o, list[i], err);
        }
    (void)ASK(doca_devinfo_destroy_list)(list);
    if (status == DPK_OK && o->address && !found)
        status = dpk_fail(err, DPK_ERR_NOT_FOUND, "no device at PCI address %s", o->address);
    return status;
}

/* "unsupported" is not an error here, so the libraries must not print advice about it. */
static void quiet_libraries(void)
{
    struct doca_log_backend *log = NULL;
    if (ASK(doca_log_backend_create_with_file_sdk)(stderr, &log) == DOCA_SUCCESS)
        (void)ASK(doca_log_backend_set_sdk_level)(log, DOCA_LOG_LEVEL_CRIT);
}

/* The libraries would return only an error code, without the reason. */
static enum dpk_status check_devices(struct dpk_error *err)
{
    struct dpk_names names = {0};
    const enum dpk_status status = dpk_device_list(&names, err);
    dpk_names_free(&names);
    return status;
}

static enum dpk_status run(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct options *o = options;
    (void)args;
    if (o->library && !caps_knows_library(o->library))
        return dpk_fail(err, DPK_ERR_USAGE, "no library %s; doca_caps --list-libs has them",
                        o->library);
    if (o->libraries)
        caps_print_libraries();
    if (o->loggers)
        puts("DOCA");
    if ((o->libraries || o->loggers) && !o->devices && !o->representors)
        return DPK_OK;
    if (!caps_library_open("common"))
        return dpk_fail(err, DPK_ERR_TOOL, "the library libdoca_common.so.2 is not installed");
    enum dpk_status status = check_devices(err);
    if (status != DPK_OK)
        return status;
    quiet_libraries();
    return print_devices(o, err);
}

#define AT(field) offsetof(struct options, field)
static const struct dpk_option options[] = {
    {"list-devs", .at = AT(devices), .help = "list devices and their properties"},
    {"list-rep-devs", .at = AT(representors), .help = "list the representors of each device"},
    {"list-libs", .at = AT(libraries), .help = "list libraries, and whether they are installed"},
    {"list-loggers", .at = AT(loggers), .help = "list the loggers of the libraries"},
    {"b,lib", DPK_TEXT, "LIBRARY", AT(library), .help = "only the capabilities of this library"},
    {"p,pci-addr", DPK_TEXT, "ADDRESS", AT(address), .help = "only the device at this PCI address"},
    {0},
};
static const struct dpk_command command = {.options = options, .run = run};
static const struct dpk_tool tool = {
    .name = "doca_caps",
    .usage = "doca_caps [--list-devs] [--list-rep-devs] [--list-libs] [--list-loggers]\n"
             "                 [-p ADDRESS] [-b LIBRARY]",
    .about = "Lists emulated devices as DOCA sees them, with the capabilities of its libraries.",
    .version = "doca_caps " DOCA_VER_STRING " (dpakit " DPK_VERSION ")",
    .command = &command,
    .size = sizeof(struct options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
