/* flint-lite: burns certificate containers into an emulated device, and shows what it holds. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"
#include "provision/provision.h"
#include "hashlist/hashlist.h"

struct flint_options {
    const char *device, *image, *key;
    const char *component_type, *cert_uuid, *output;
    bool yes, json;
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

static void add_uuid(cJSON *o, const char *key, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    cJSON_AddStringToObject(o, key, text);
}

static cJSON *json_certs(const struct dpk_device_cert *certs, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        const struct dpk_device_cert *c = &certs[i];
        char digest[65];
        cJSON *o = cJSON_CreateObject();
        add_uuid(o, "uuid", &c->uuid);
        add_uuid(o, "keypair_uuid", &c->keypair);
        cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(c->priority));
        cJSON_AddNumberToObject(o, "size", (double)c->der_size);
        cJSON_AddBoolToObject(o, "container_kept", c->container_size > 0);
        dpk_json_text(o, "subject", c->subject);
        dpk_hex_text(c->sha256, sizeof c->sha256, digest);
        cJSON_AddStringToObject(o, "sha256", digest);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static enum dpk_status query_json(struct dpk_device *dev, const struct dpk_device_info *info,
                                  const struct dpk_device_cert *certs, size_t count,
                                  struct dpk_error *err)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "image_type", "emulated");
    cJSON_AddStringToObject(o, "device", dpk_device_name(dev));
    dpk_json_text(o, "part_number", info->part_number);
    dpk_json_text(o, "description", info->description);
    dpk_json_text(o, "serial", info->serial);
    dpk_json_text(o, "psid", info->psid);
    dpk_json_text(o, "psid_branch", info->psid_branch);
    if (info->has_owner)
        add_uuid(o, "owner", &info->owner);
    else
        cJSON_AddNullToObject(o, "owner");
    cJSON_AddNumberToObject(o, "certificate_places", DPK_DEVICE_CERT_PLACES);
    cJSON_AddItemToObject(o, "certificates", json_certs(certs, count));
    return dpk_json_print(o, err);
}

static enum dpk_status query(const struct flint_options *o, struct dpk_device *dev,
                             struct dpk_error *err)
{
    struct dpk_device_info info;
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    char owner[DPK_UUID_TEXT] = "none";
    enum dpk_status status = dpk_device_begin_looking(dev, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_info(dev, &info, err);
    if (status == DPK_OK)
        status = dpk_device_certs(dev, certs, &count, err);
    dpk_device_end_looking(dev);
    if (status != DPK_OK)
        return status;
    if (o->json)
        return query_json(dev, &info, certs, count, err);
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

/* ---- query_components, verify ---------------------------------------------------------------- */

static enum dpk_status list_certs(const struct flint_options *o, struct dpk_device *dev,
                                  struct dpk_error *err)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    enum dpk_status status = dpk_device_certs(dev, certs, &count, err);
    if (status == DPK_OK && o->json)
        return dpk_json_print(json_certs(certs, count), err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        print_cert(&certs[i]);
    if (status == DPK_OK && count == 0)
        printf("No CA certificates.\n");
    return status;
}

/* The container if the device kept it, else the certificate alone. */
static enum dpk_status export_cert(struct dpk_device *dev, const char *uuid_text, const char *path,
                                   struct dpk_error *err)
{
    struct dpk_uuid uuid;
    struct dpk_buf out = {0};
    bool kept = true;
    enum dpk_status status = dpk_uuid_option("--cert_uuid", uuid_text, &uuid, err);
    if (status != DPK_OK)
        return status;
    status = dpk_device_cert_export(dev, &uuid, true, &out, err);
    if (status == DPK_ERR_NOT_FOUND) {
        kept = false;
        status = dpk_device_cert_export(dev, &uuid, false, &out, err);
    }
    if (status == DPK_OK)
        status = dpk_file_replace(path, out.data, out.size, 0644, err);
    if (status == DPK_OK)
        fprintf(dpk_file_messages(path), "-I- %s: %s, %zu bytes\n", path,
                kept ? "container" : "DER certificate", out.size);
    dpk_buf_free(&out);
    return status;
}

static enum dpk_status query_components(const struct flint_options *o, struct dpk_device *dev,
                                        struct dpk_error *err)
{
    if (o->component_type && strcasecmp(o->component_type, "digital_cacert") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "--component_type '%s' is not digital_cacert",
                        o->component_type);
    if (!o->cert_uuid != !o->output)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "query_components: --cert_uuid and an output file go together");
    return o->output ? export_cert(dev, o->cert_uuid, o->output, err) : list_certs(o, dev, err);
}

/* Checks a container as a device would, as far as that goes without one. */
static enum dpk_status check_container(const struct dpk_container *c, EVP_PKEY *key,
                                       struct dpk_error *err)
{
    const uint8_t *der;
    size_t size;
    enum dpk_status status = dpk_container_verify(c, key, err);
    if (status != DPK_OK || c->kind != DPK_CONTAINER_ADD)
        return status;
    if (!c->dpa_root || dpk_uuid_is_zero(&c->cert_uuid))
        return dpk_fail(err, DPK_ERR_FORMAT, "%s",
                        c->dpa_root ? "the certificate's UUID is zero"
                                    : "the metadata does not make it a DPA root of trust");
    status = dpk_container_certificate(c, &der, &size, err);
    return status == DPK_OK ? dpk_cert_check_root(der, size, err) : status;
}

static enum dpk_status verify_json(const struct dpk_container *c, struct dpk_error *err)
{
    const uint8_t *der = NULL;
    size_t size = 0;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "component", component_name(c));
    cJSON_AddStringToObject(o, "priority", dpk_lifecycle_name(c->priority));
    cJSON_AddBoolToObject(o, "nvidia_signed_oem", c->nvidia_signed_oem);
    cJSON_AddBoolToObject(o, "remove_all", c->remove_all);
    if (!c->remove_all)
        add_uuid(o, "cert_uuid", &c->cert_uuid);
    add_uuid(o, "keypair_uuid", &c->keypair_uuid);
    if (c->kind == DPK_CONTAINER_ADD && dpk_container_certificate(c, &der, &size, NULL) == DPK_OK) {
        char digest[65];
        dpk_sha256_text(der, size, digest);
        cJSON_AddStringToObject(o, "certificate_sha256", digest);
    }
    return dpk_json_print(o, err);
}

static enum dpk_status verify(const struct flint_options *o, struct dpk_device *dev,
                              struct dpk_error *err)
{
    (void)dev;
    struct dpk_buf file = {0};
    struct dpk_container c = {0};
    EVP_PKEY *key = NULL;
    char cert[DPK_UUID_TEXT], keypair[DPK_UUID_TEXT];
    enum dpk_status status = dpk_public_key_read(o->key, &key, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->image, DPK_CONTAINER_MAX, &file, err);
    if (status != DPK_OK)
        goto out;
    status = dpk_container_parse(file.data, file.size, &c, err);
    if (status == DPK_OK)
        status = check_container(&c, key, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", o->image);
        goto out;
    }
    dpk_uuid_format(&c.cert_uuid, cert);
    dpk_uuid_format(&c.keypair_uuid, keypair);
    if (o->json) {
        status = verify_json(&c, err);
        goto out;
    }
    printf("Component:             %s\n", component_name(&c));
    printf("Life-cycle priority:   %s%s\n", dpk_lifecycle_name(c.priority),
           c.nvidia_signed_oem ? ", signed by NVIDIA" : "");
    printf("Certificate UUID:      %s\n", c.remove_all ? "all" : cert);
    printf("Key-pair UUID:         %s\n", keypair);
    printf("-I- %s: the signature is right.\n", o->image);
out:
    EVP_PKEY_free(key);
    dpk_buf_free(&file);
    return status;
}

static const struct command {
    const char *name;
    enum dpk_status (*run)(const struct flint_options *o, struct dpk_device *dev,
                           struct dpk_error *err);
    bool device, image, key, output; /* what it needs; may have an output file */
} commands[] = {
    {"burn", burn, true, true, false, false},
    {"b", burn, true, true, false, false},
    {"query", query, true, false, false, false},
    {"q", query, true, false, false, false},
    {"query_components", query_components, true, false, false, true},
    {"verify", verify, false, true, true, false},
    {"v", verify, false, true, true, false},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static enum dpk_status choose(const struct dpk_args *args, const struct command **out,
                              struct dpk_error *err)
{
    const char *names[COMMAND_COUNT + 1] = {NULL};
    *out = NULL;
    if (args->count == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "no command; see flint-lite --help");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(names[i], args->words[0]) == 0)
            *out = &commands[i];
    }
    if (*out)
        return DPK_OK;
    return dpk_fail_command(err, "flint-lite", args->words[0], names);
}

static enum dpk_status run(struct flint_options *o, const struct dpk_args *args,
                           struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    const struct command *command = NULL;
    enum dpk_status status = choose(args, &command, err);
    if (status != DPK_OK)
        return status;
    if (o->json && command->run == burn)
        return dpk_fail(err, DPK_ERR_USAGE, "%s prints no JSON", command->name);
    if (o->json)
        dpk_json_start();
    size_t most = command->output ? 2 : 1;
    if (args->count > most)
        return dpk_fail(err, DPK_ERR_USAGE, "unexpected argument %s after %s", args->words[most],
                        args->words[most - 1]);
    o->output = args->count > 1 ? args->words[1] : NULL;
    if (command->device && !o->device)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs -d DEVICE", command->name);
    if (command->image && !o->image)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs -i FILE", command->name);
    if (command->key && !o->key)
        return dpk_fail(err, DPK_ERR_USAGE, "%s needs --key FILE", command->name);
    if (command->device)
        status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = command->run(o, dev, err);
    dpk_device_close(dev);
    return status;
}

static void print_help(const struct dpk_option *options)
{
    printf("Usage: flint-lite [OPTIONS] COMMAND\n\n"
           "Burns certificate containers into an emulated device.\n\nCommands:\n"
           "  b, burn                 burn the container (-d -i)\n"
           "  q, query                show what the device is and which CA certificates it holds "
           "(-d)\n"
           "  query_components [OUT]  list CA certificates, or write the one of --cert_uuid (-d)\n"
           "  v, verify               check the container without a device (-i --key)\n"
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
        {.names = "key",
         .arg = "FILE",
         .value = &o.key,
         .help = "verify: public key that signed (PEM)"},
        {.names = "component_type",
         .arg = "TYPE",
         .value = &o.component_type,
         .help = "query_components: digital_cacert"},
        {.names = "cert_uuid",
         .arg = "UUID",
         .value = &o.cert_uuid,
         .help = "query_components: which certificate to write"},
        {.names = "json", .flag = &o.json, .help = "query, query_components, verify: print JSON"},
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
    return dpk_tool_end(status, &err);
}
