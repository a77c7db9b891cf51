/* flint-lite: burns certificate containers into an emulated device, and shows what it holds. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

struct flint_options {
    const char *device, *image;
    bool yes;
};

static const char *component_name(const struct dpk_container *c)
{
    return c->kind == DPK_CONTAINER_ADD ? "DIGITAL_CACERT" : "DIGITAL_CACERT_REMOVAL";
}

/* Asks on the terminal. No answer is no. */
static bool confirmed(const struct flint_options *o)
{
    char answer[16];
    if (o->yes)
        return true;
    printf("\n Do you want to burn %s into %s ? (y/n) [n] : ", o->image, o->device);
    fflush(stdout);
    if (!fgets(answer, sizeof answer, stdin)) {
        printf("\n");
        return false;
    }
    answer[strcspn(answer, "\r\n")] = 0;
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

/* The transfer takes no time here, so the bar only goes through its steps. */
static void show_progress(const char *what)
{
    for (int percent = 0; percent <= 100 && isatty(STDOUT_FILENO); percent += 25) {
        printf("\r%s - %3d%%", what, percent);
        fflush(stdout);
    }
    printf("%s%s -   OK\n", isatty(STDOUT_FILENO) ? "\r" : "", what);
}

static enum dpk_status burn(const struct flint_options *o, struct dpk_device *dev,
                            struct dpk_error *err)
{
    struct dpk_buf file = {0};
    struct dpk_container container;
    char writing[64] = "Writing component";
    enum dpk_status status = dpk_file_read(o->image, DPK_CONTAINER_MAX, &file, err);
    if (status != DPK_OK)
        return status;
    /* Only for the component's name; the device judges for itself. */
    if (dpk_container_parse(file.data, file.size, &container, NULL) == DPK_OK)
        snprintf(writing, sizeof writing, "Writing %s component", component_name(&container));
    if (!confirmed(o)) {
        status = dpk_fail(err, DPK_ERR_REFUSED, "%s: not burned, the answer was no", o->image);
        goto out;
    }
    printf("-I- Downloading FW ...\n");
    status = dpk_device_burn(dev, file.data, file.size, NULL, err);
    if (status == DPK_OK) {
        show_progress("FSMST_INITIALIZE");
        show_progress(writing);
        printf("-I- Component FW burn finished successfully.\n");
    } else if (status == DPK_ERR_REFUSED) {
        dpk_error_prefix(err, "%s: burning failed", o->image);
    }
out:
    dpk_buf_free(&file);
    return status;
}

static void print_cert(const struct dpk_device_cert *cert)
{
    char uuid[DPK_UUID_TEXT], keypair[DPK_UUID_TEXT];
    dpk_uuid_format(&cert->uuid, uuid);
    dpk_uuid_format(&cert->keypair, keypair);
    printf("CA certificate:        %s, %s, key pair %s, %zu bytes%s\n"
           "                       %s\n",
           uuid, dpk_lifecycle_name(cert->priority), keypair, cert->der_size,
           cert->container_size ? ", container kept" : "", cert->subject);
}

static enum dpk_status query(struct dpk_device *dev, struct dpk_error *err)
{
    struct dpk_device_info info;
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    char owner[DPK_UUID_TEXT] = "none";
    enum dpk_status status = dpk_device_info(dev, &info, err);
    if (status == DPK_OK)
        status = dpk_device_certs(dev, certs, &count, err);
    if (status != DPK_OK)
        return status;
    if (info.has_owner)
        dpk_uuid_format(&info.owner, owner);
    printf("Image type:            emulated\n");
    printf("Device:                %s\n", dpk_device_name(dev));
    printf("Part number:           %s\n", info.part_number);
    printf("Description:           %s\n", info.description);
    printf("Serial number:         %s\n", info.serial);
    printf("PSID:                  %s\n", info.psid);
    printf("PSID branch:           %s\n", info.psid_branch[0] ? info.psid_branch : "none");
    printf("Device owner key pair: %s\n", owner);
    printf("CA certificates:       %zu of %d places taken\n", count, DPK_DEVICE_CERT_PLACES);
    for (size_t i = 0; i < count; i++)
        print_cert(&certs[i]);
    return DPK_OK;
}

static enum dpk_status run(const struct flint_options *o, const struct dpk_args *args,
                           struct dpk_error *err)
{
    static const char *const names[] = {"b", "burn", "q", "query", NULL};
    struct dpk_device *dev = NULL;
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command: burn or query; see flint-lite --help");
    const char *command = args->words[0];
    bool burning = strcmp(command, "b") == 0 || strcmp(command, "burn") == 0;
    bool asking = strcmp(command, "q") == 0 || strcmp(command, "query") == 0;
    if (!burning && !asking) {
        const char *near = dpk_closest(command, names);
        return dpk_fail(err, DPK_ERR_USAGE, "unknown command %s%s%s%s", command,
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    if (args->count > 1)
        return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s after %s", args->words[1],
                        command);
    if (!o->device)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs -d DEVICE", command);
    if (burning && !o->image)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs -i FILE", command);
    enum dpk_status status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = burning ? burn(o, dev, err) : query(dev, err);
    dpk_device_close(dev);
    return status;
}

static void print_help(const struct dpk_option *options)
{
    printf("Usage: flint-lite -d DEVICE [-i FILE] [-y] COMMAND\n\n"
           "Burns certificate containers into an emulated device.\n\nCommands:\n"
           "  b, burn   burn the container -i FILE\n"
           "  q, query  show what the device is and which CA certificates it holds\n"
           "\nOptions:\n");
    dpk_options_help(options, stdout);
}

int main(int argc, char **argv)
{
    struct flint_options o = {0};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    bool help = false, version = false;
    const struct dpk_option options[] = {
        {.names = "d,device",
         .arg = "DEVICE",
         .value = &o.device,
         .help = "name or path of a device"},
        {.names = "i,image", .arg = "FILE", .value = &o.image, .help = "signed container to burn"},
        {.names = "y,yes", .flag = &o.yes, .help = "answer yes to every question"},
        {.names = "h,help", .flag = &help, .help = "show this text"},
        {.names = "v,version", .flag = &version, .help = "show the version"},
        {0},
    };
    enum dpk_status status = dpk_options_parse(options, false, argc, argv, &args, &err);
    if (status == DPK_OK && help)
        print_help(options);
    else if (status == DPK_OK && version)
        printf("flint-lite dpakit %s\n", dpk_version);
    else if (status == DPK_OK)
        status = run(&o, &args, &err);
    free(args.words);
    if (status != DPK_OK) {
        fflush(stdout);
        return dpk_tool_fail(&err);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        dpk_fail_errno(&err, "standard output");
        return dpk_tool_fail(&err);
    }
    return 0;
}
