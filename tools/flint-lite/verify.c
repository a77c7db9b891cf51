/* The command that verifies a container without a device. */
#include "flint.h"

#include "certchain/certchain.h"
#include "hashlist/hashlist.h"
#include "signer/signer.h"

const char *flint_component_name(const struct dpk_container *c)
{
    return c->kind == DPK_CONTAINER_ADD ? "DIGITAL_CACERT" : "DIGITAL_CACERT_REMOVAL";
}

struct verify_options {
    struct flint_options shared;
    const char *key;
};

/* Makes the device's checks that need no device. */
static enum dpk_status check_container(const struct dpk_container *c, EVP_PKEY *key,
                                       struct dpk_error *err)
{
    enum dpk_status status = dpk_container_verify(c, key, err);
    if (status == DPK_OK)
        status = dpk_container_check_root(c, err);
    if (status == DPK_OK && c->kind == DPK_CONTAINER_ADD && dpk_uuid_is_zero(&c->cert_uuid))
        status = dpk_fail(err, DPK_ERR_FORMAT, "the certificate's UUID is zero");
    return status;
}

static enum dpk_status verify_json(const struct dpk_container *c, struct dpk_error *err)
{
    const uint8_t *der = NULL;
    size_t size = 0;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "component", flint_component_name(c));
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

static enum dpk_status run_verify(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    const struct verify_options *o = options;
    (void)args;
    struct dpk_buf file = {0};
    struct dpk_container c = {0};
    EVP_PKEY *key = NULL;
    char cert[DPK_UUID_TEXT], keypair[DPK_UUID_TEXT];
    enum dpk_status status = dpk_public_key_read(o->key, &key, err);
    if (status == DPK_OK)
        status = dpk_file_read(o->shared.image, DPK_CONTAINER_MAX, &file, err);
    if (status != DPK_OK)
        goto out;
    status = dpk_container_parse(file.data, file.size, &c, err);
    if (status == DPK_OK)
        status = check_container(&c, key, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", o->shared.image);
        goto out;
    }
    dpk_uuid_format(&c.cert_uuid, cert);
    dpk_uuid_format(&c.keypair_uuid, keypair);
    if (o->shared.json) {
        status = verify_json(&c, err);
        goto out;
    }
    printf("Component:             %s\n", flint_component_name(&c));
    printf("Life-cycle priority:   %s%s\n", dpk_lifecycle_name(c.priority),
           c.nvidia_signed_oem ? ", signed by NVIDIA" : "");
    printf("Certificate UUID:      %s\n", c.remove_all ? "all" : cert);
    printf("Key-pair UUID:         %s\n", keypair);
    printf("-I- %s: the signature is right.\n", o->shared.image);
out:
    EVP_PKEY_free(key);
    dpk_buf_free(&file);
    return status;
}

static const struct dpk_option verify_options[] = {
    {"key", DPK_FILE, "FILE", offsetof(struct verify_options, key),
     .help = "public key that signed (PEM)"},
    {0},
};

const struct dpk_command flint_verify_command = {
    .names = "verify,v",
    .help = "check the container without a device (-i --key)",
    .needs = "i,key",
    .takes = "d,y,json",
    .options = verify_options,
    .size = sizeof(struct verify_options),
    .run = run_verify};
