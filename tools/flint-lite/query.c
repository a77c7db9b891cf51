/* The commands that query a device. */
#include <string.h>
#include <strings.h>

#include "flint.h"

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

static enum dpk_status query(struct dpk_device *dev, bool json, struct dpk_error *err)
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
    if (json)
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

static enum dpk_status run_query(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct flint_options *o = options;
    (void)args;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(o->device, &dev, err);
    if (status == DPK_OK)
        status = query(dev, o->json, err);
    dpk_device_close(dev);
    return status;
}

const struct dpk_command flint_query_command = {
    .names = "query,q",
    .help = "show the device's properties and CA certificates (-d)",
    .needs = "d",
    .takes = "i,y,json",
    .run = run_query};

/* ---- query_components ---- */

struct components_options {
    struct flint_options shared;
    const char *component_type;
    struct dpk_uuid cert_uuid;
};

static enum dpk_status list_certs(struct dpk_device *dev, bool json, struct dpk_error *err)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    enum dpk_status status = dpk_device_certs(dev, certs, &count, err);
    if (status == DPK_OK && json)
        return dpk_json_print(json_certs(certs, count), err);
    for (size_t i = 0; i < count && status == DPK_OK; i++)
        print_cert(&certs[i]);
    if (status == DPK_OK && count == 0)
        printf("No CA certificates.\n");
    return status;
}

/* Prints the container if the device kept it, else only the certificate. */
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

static enum dpk_status query_components(const struct components_options *o, const char *output,
                                        struct dpk_device *dev, struct dpk_error *err)
{
    if (o->component_type && strcasecmp(o->component_type, "digital_cacert") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "--component_type '%s' is not digital_cacert",
                        o->component_type);
    if (dpk_uuid_is_zero(&o->cert_uuid) != !output)
        return dpk_fail(err, DPK_ERR_USAGE,
                        "query_components: --cert_uuid and an output file go together");
    return output ? export_cert(dev, &o->cert_uuid, output, err)
                  : list_certs(dev, o->shared.json, err);
}

static enum dpk_status run_query_components(void *options, const struct dpk_args *args,
                                            struct dpk_error *err)
{
    const struct components_options *o = options;
    struct dpk_device *dev = NULL;
    enum dpk_status status = dpk_device_open(o->shared.device, &dev, err);
    if (status == DPK_OK)
        status = query_components(o, args->words[0], dev, err);
    dpk_device_close(dev);
    return status;
}

#define AT(field) offsetof(struct components_options, field)

static const struct dpk_option components_options[] = {
    {"component_type", DPK_TEXT, "TYPE", AT(component_type), .help = "digital_cacert"},
    {"cert_uuid", DPK_UUID, "UUID", AT(cert_uuid), .help = "the certificate to write"},
    {0},
};

const struct dpk_command flint_query_components_command = {
    .names = "query_components",
    .words = "[OUT]",
    .help = "list CA certificates, or write the one of --cert_uuid (-d)",
    .needs = "d",
    .takes = "i,y,json",
    .options = components_options,
    .size = sizeof(struct components_options),
    .run = run_query_components};
