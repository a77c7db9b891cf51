/* flint-lite: burns certificate containers into an emulated device, and shows what it holds. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/cli.h"
#include "hashlist/hashlist.h"
#include "provision/provision.h"

struct flint_options {
    const char *device, *image, *key;
    const char *component_type, *output;
    struct dpk_uuid cert_uuid;
    bool yes, json;
};

static const char *component_name(const struct dpk_container *c)
{
    return c->kind == DPK_CONTAINER_ADD ? "DIGITAL_CACERT" : "DIGITAL_CACERT_REMOVAL";
}

/* Asks on the terminal. The end of the input counts as no. */
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

/* Prints the progress bar of NVIDIA's tool. The transfer takes no time, so no step waits. */
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
    /* This parses the container for the component's name only; the device checks it itself. */
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

static cJSON *json_certs(const struct dpk_device_cert *certs, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        const struct dpk_device_cert *c = &certs[i];
        char digest[65];
        cJSON *o = cJSON_CreateObject();
        dpk_json_uuid(o, "uuid", &c->uuid);
        dpk_json_uuid(o, "keypair_uuid", &c->keypair);
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
        dpk_json_uuid(o, "owner", &info->owner);
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

/* ---- query_components, verify ---- */

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

/* Prints the container if the device kept it, else the certificate alone. */
static enum dpk_status export_cert(struct dpk_device *dev, const struct dpk_uuid *uuid,
                                   const char *path, struct dpk_error *err)
{
    struct dpk_buf out = {0};
    bool kept = true;
    enum dpk_status status = dpk_device_cert_export(dev, uuid, true, &out, err);
    if (status == DPK_ERR_NOT_FOUND) {
        kept = false;
        status = dpk_device_cert_export(dev, uuid, false, &out, err);
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
    if (dpk_uuid_is_zero(&o->cert_uuid) != !o->output)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "query_components: --cert_uuid and an output file go together");
    return o->output ? export_cert(dev, &o->cert_uuid, o->output, err) : list_certs(o, dev, err);
}

/* Makes those checks of a device that need no device. */
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
        dpk_json_uuid(o, "cert_uuid", &c->cert_uuid);
    dpk_json_uuid(o, "keypair_uuid", &c->keypair_uuid);
    if (c->kind == DPK_CONTAINER_ADD && dpk_container_certificate(c, &der, &size, NULL) == DPK_OK) {
        char digest[65];
        dpk_sha256_text(der, size, digest);
        cJSON_AddStringToObject(o, "certificate_sha256", digest);
    }
    return dpk_json_print(o, err);
}

static enum dpk_status verify(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct flint_options *o = options;
    (void)args;
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

/* ---- The command line ---- */

static enum dpk_status on_device(const struct flint_options *o,
                                 enum dpk_status (*run)(const struct flint_options *o,
                                                        struct dpk_device *dev,
                                                        struct dpk_error *err),
                                 struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = run(o, dev, err);
    dpk_device_close(dev);
    return status;
}

static enum dpk_status run_burn(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)args;
    return on_device(options, burn, err);
}

static enum dpk_status run_query(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)args;
    return on_device(options, query, err);
}

static enum dpk_status run_query_components(void *options, const struct dpk_args *args,
                                            struct dpk_error *err)
{
    struct flint_options *o = options;
    o->output = args->words[0];
    return on_device(o, query_components, err);
}

#define AT(field) offsetof(struct flint_options, field)

static const struct dpk_option shared_options[] = {
    {"d,device", DPK_TEXT, "DEVICE", AT(device), .help = "name or path of a device"},
    {"i,image", DPK_FILE, "FILE", AT(image), .help = "signed container to burn"},
    {"json", .at = AT(json), .help = "query, query_components, verify: print JSON"},
    {"y,yes", .at = AT(yes), .help = "answer yes to every question"},
    {0},
};
static const struct dpk_option components_options[] = {
    {"component_type", DPK_TEXT, "TYPE", AT(component_type), .help = "digital_cacert"},
    {"cert_uuid", DPK_UUID, "UUID", AT(cert_uuid), .help = "which certificate to write"},
    {0},
};
static const struct dpk_option verify_options[] = {
    {"key", DPK_FILE, "FILE", AT(key), .help = "public key that signed (PEM)"},
    {0},
};

static const struct dpk_command *const commands[] = {
    &(const struct dpk_command){"burn,b", .help = "burn the container (-d -i)", .needs = "d,i",
                                .takes = "y", .run = run_burn},
    &(const struct dpk_command){
        "query,q", .help = "show what the device is and which CA certificates it holds (-d)",
        .needs = "d", .takes = "i,y,json", .run = run_query},
    &(const struct dpk_command){"query_components", "[OUT]",
                                "list CA certificates, or write the one of --cert_uuid (-d)", "d",
                                "i,y,json", components_options, .run = run_query_components},
    &(const struct dpk_command){
        "verify,v", .help = "check the container without a device (-i --key)", .needs = "i,key",
        .takes = "d,y,json", .options = verify_options, .run = verify},
    NULL,
};
static const struct dpk_tool tool = {
    .name = "flint-lite",
    .usage = "flint-lite [OPTIONS] COMMAND",
    .about = "Burns certificate containers into an emulated device.",
    .commands = commands,
    .options = shared_options,
    .size = sizeof(struct flint_options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
