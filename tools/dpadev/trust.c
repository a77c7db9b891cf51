/* The command trust: adds a CA certificate to a device. */
#include <string.h>

#include <openssl/evp.h>

#include "own.h"

/* Gets the UUID from --cert-uuid, else from the file beside the certificate, else makes a UUID. */
static enum dpk_status find_cert_uuid(const struct own_work *w, const char *root,
                                      struct dpk_uuid *out, struct dpk_error *err)
{
    struct dpk_error why = {0};
    *out = w->options->cert_uuid;
    if (!dpk_uuid_is_zero(out))
        return DPK_OK;
    enum dpk_status status = dpadev_own_uuid_beside(root, out, &why);
    if (status == DPK_ERR_NOT_FOUND)
        dpk_uuid_new_time(out);
    else if (status != DPK_OK)
        return dpk_fail(err, status, "%s", why.message);
    return DPK_OK;
}

/* Returns DPK_ERR_EXISTS if the device already has this certificate. */
static enum dpk_status refuse_second(const struct own_work *w, const struct dpk_buf *der,
                                     struct dpk_error *err)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    uint8_t digest[EVP_MAX_MD_SIZE];
    char text[DPK_UUID_TEXT];
    enum dpk_status status = dpk_device_certs(w->dev, certs, &count, err);
    if (status == DPK_OK && EVP_Digest(der->data, der->size, digest, NULL, EVP_sha256(), NULL) != 1)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "cannot hash");
    for (size_t i = 0; i < count && status == DPK_OK; i++) {
        dpk_uuid_format(&certs[i].uuid, text);
        if (memcmp(certs[i].sha256, digest, sizeof certs[i].sha256) == 0)
            status = dpk_fail(err, DPK_ERR_EXISTS, "%s trusts this certificate already, as %s",
                              dpk_device_name(w->dev), text);
    }
    return status;
}

/* Adds the commands that make the container, sign it and burn it. */
static void put_commands(struct own_work *w, const char *root, const struct dpk_uuid *cert)
{
    dpk_put_format(&w->script, "mlxdpa --cert_container_type add -c");
    dpadev_own_put_word(&w->script, root);
    dpk_put_format(&w->script, " -o");
    dpadev_own_put_word(&w->script, w->source_path);
    dpk_put_format(&w->script, " --life_cycle_priority OEM create_cert_container\n"
                               "mlxdpa --cert_container");
    dpadev_own_put_word(&w->script, w->source_path);
    dpadev_own_put_key(&w->script, &w->key);
    dpadev_own_put_uuid(&w->script, "--keypair_uuid", &w->keypair);
    dpadev_own_put_uuid(&w->script, "--cert_uuid", cert);
    dpk_put_format(&w->script, " --life_cycle_priority OEM -o");
    dpadev_own_put_word(&w->script, w->signed_path);
    dpk_put_format(&w->script, " sign_cert_container\nflint-lite -d %s -i",
                   dpk_device_name(w->dev));
    dpadev_own_put_word(&w->script, w->signed_path);
    dpk_put_format(&w->script, " -y b\n");
}

static enum dpk_status sign_container(struct own_work *w, const struct dpk_uuid *cert,
                                      struct dpk_error *err)
{
    struct dpk_signer *signer = NULL;
    enum dpk_status status = dpk_signer_open_with(&w->key, &signer, err);
    const struct dpk_container_signing how = {.signer = signer,
                                              .priority = DPK_LIFECYCLE_OEM,
                                              .cert_uuid = *cert,
                                              .keypair_uuid = w->keypair};
    if (status == DPK_OK)
        status = dpk_container_sign(w->source.data, w->source.size, &how, &w->signed_file, err);
    dpk_signer_close(signer);
    return status;
}

static enum dpk_status make_trust(struct own_work *w, struct dpk_error *err)
{
    const char *root = w->args->words[1];
    struct dpk_uuid cert;
    char text[DPK_UUID_TEXT];
    struct dpk_buf der = {0}, shown = {0};
    struct dpk_container c;
    w->is_container = true;
    enum dpk_status status = dpadev_own_need_owner(w, err);
    if (status == DPK_OK)
        status = dpk_cert_read(root, &der, err);
    if (status == DPK_OK)
        status = find_cert_uuid(w, root, &cert, err);
    if (status == DPK_OK)
        status = dpadev_own_name_files(w, "root.container", "root.signed", err);
    const struct dpk_container_plan plan = {.kind = DPK_CONTAINER_ADD,
                                            .priority = DPK_LIFECYCLE_OEM,
                                            .cert = der.data ? der.data : (const uint8_t *)"",
                                            .cert_size = der.size};
    if (status == DPK_OK) {
        status = dpk_container_create(&plan, &w->source, err);
        if (status == DPK_OK)
            status = dpk_container_parse(w->source.data, w->source.size, &c, err);
        if (status == DPK_OK)
            status = dpk_container_check_root(&c, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s", dpk_key_shown(root, &shown));
    }
    if (status == DPK_OK)
        status = refuse_second(w, &der, err);
    dpk_buf_free(&der);
    if (status == DPK_OK)
        put_commands(w, dpk_key_shown(root, &shown), &cert);
    dpk_buf_free(&shown);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&cert, text);
    dpk_put_format(&w->result, "Device %s trusts programs under certificate %s.\n",
                   dpk_device_name(w->dev), text);
    return w->options->shared.dry_run ? DPK_OK : sign_container(w, &cert, err);
}

static enum dpk_status trust(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    return dpadev_own_run(options, args, make_trust, err);
}

static const struct dpk_option trust_options[] = {
    {"cert-uuid", DPK_UUID, "UUID", offsetof(struct own_options, cert_uuid),
     .help = "UUID of the certificate (default: from the file .uuid in its folder, or new)"},
    {0},
};

const struct dpk_command dpadev_trust = {"trust",
                                         "NAME ROOT",
                                         "add a CA certificate; -p is the owner's key",
                                         .needs = "p|sign-command",
                                         .takes = OWN_TAKES,
                                         .options = trust_options,
                                         .size = sizeof(struct own_options),
                                         .run = trust};
