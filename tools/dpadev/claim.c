/* The command claim: makes a key the owner of a device. */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "own.h"

#define KEY_BITS 4096

/* Finds the signing key: NVIDIA's key (-p and --nvidia-uuid), or the emulated device's test key. */
static enum dpk_status find_nvidia(struct own_work *w, struct dpk_error *err)
{
    const bool given = dpk_key_given(&w->key);
    if (given != !dpk_uuid_is_zero(&w->options->nvidia_uuid))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "claim: NVIDIA's key (-p) and --nvidia-uuid go together");
    w->keypair = w->options->nvidia_uuid;
    if (given)
        return DPK_OK;
    if (w->key.passin || w->key.sign_timeout)
        return dpk_fail(err, DPK_ERR_USAGE, "claim: --passin and --sign-timeout need -p");
    int n = snprintf(w->test_key, sizeof w->test_key, "%s/factory/nvidia.pem", w->info.path);
    if (n < 0 || (size_t)n >= sizeof w->test_key)
        return dpk_fail(err, DPK_ERR_RANGE, "path too long");
    w->key.key = w->test_key;
    enum dpk_status status = dpadev_own_uuid_beside(w->test_key, &w->keypair, err);
    if (status == DPK_ERR_NOT_FOUND)
        return dpk_fail(err, status,
                        "%s has no test key of NVIDIA's any more: give -p KEY and --nvidia-uuid",
                        dpk_device_name(w->dev));
    return status;
}

/* Reads the owner's public key from a file with the public key or the key pair. */
static enum dpk_status read_owner(const char *path, EVP_PKEY **out, struct dpk_error *err)
{
    struct dpk_signer *signer = NULL;
    struct dpk_error why = {0};
    const struct dpk_key_options key = {.key = path, .ask = dpk_ask_terminal};
    *out = NULL;
    if (!dpk_key_in_token(path) && dpk_public_key_read(path, out, &why) == DPK_OK)
        return DPK_OK;
    if (why.status == DPK_ERR_NOT_FOUND)
        return dpk_fail(err, why.status, "%s", why.message);
    enum dpk_status status = dpk_signer_open_with(&key, &signer, err);
    if (status == DPK_OK) {
        *out = dpk_signer_public(signer);
        EVP_PKEY_up_ref(*out);
    }
    dpk_signer_close(signer);
    return status;
}

/* Appends the three TLVs with the owner's public key. */
static enum dpk_status put_owner(struct own_work *w, EVP_PKEY *key, const struct dpk_uuid *uuid,
                                 struct dpk_error *err)
{
    BIGNUM *n = NULL, *e = NULL;
    char text[DPK_UUID_TEXT];
    enum dpk_status status = DPK_OK;
    dpk_uuid_format(uuid, text);
    if (EVP_PKEY_get_bits(key) != KEY_BITS)
        return dpk_fail(err, DPK_ERR_UNSUPPORTED, "an owner's key is RSA-4096, and this is RSA-%d",
                        EVP_PKEY_get_bits(key));
    (void)EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n);
    (void)EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e);
    char *modulus = n ? BN_bn2hex(n) : NULL, *exponent = e ? BN_bn2dec(e) : NULL;
    if (modulus && exponent && strlen(modulus) == KEY_BITS / 4)
        dpk_put_format(&w->source,
                       "<nv_ls_nv_public_key_0 ovr_en='0' rd_en='1' writer_id='0'>\n"
                       "    <public_key_exp>%s</public_key_exp>\n"
                       "    <keypair_uuid>%s</keypair_uuid>\n"
                       "</nv_ls_nv_public_key_0>\n"
                       "<nv_ls_nv_public_key_1 ovr_en='0' rd_en='1' writer_id='0'>\n"
                       "    <key>%.512s</key>\n"
                       "</nv_ls_nv_public_key_1>\n"
                       "<nv_ls_nv_public_key_2 ovr_en='0' rd_en='1' writer_id='0'>\n"
                       "    <key>%s</key>\n"
                       "</nv_ls_nv_public_key_2>\n"
                       "</config>\n",
                       exponent, text, modulus, modulus + 512);
    else
        status = dpk_fail(err, DPK_ERR_CRYPTO, "the owner's public key cannot be read");
    OPENSSL_free(modulus);
    OPENSSL_free(exponent);
    BN_free(n);
    BN_free(e);
    ERR_clear_error();
    return status;
}

static enum dpk_status make_claim(struct own_work *w, struct dpk_error *err)
{
    const char *owner = w->args->words[1];
    struct dpk_uuid uuid = w->options->owner_uuid;
    char text[DPK_UUID_TEXT];
    EVP_PKEY *key = NULL;
    enum dpk_status status = DPK_OK;
    dpk_uuid_format(&w->info.owner, text);
    if (w->info.has_owner)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s has an owner already, key pair %s: only that key makes another the "
                        "owner (dpa-provisioning(7))",
                        dpk_device_name(w->dev), text);
    if (dpk_uuid_is_zero(&uuid) && dpk_key_in_token(owner))
        return dpk_fail(err, DPK_ERR_USAGE, "claim: a key in a token needs --owner-uuid");
    /* A file that is missing or not a key is reported before a missing UUID file. */
    status = find_nvidia(w, err);
    if (status == DPK_OK && (status = read_owner(owner, &key, err)) != DPK_OK)
        dpk_error_prefix(err, "claim: the owner's key");
    if (status == DPK_OK && dpk_uuid_is_zero(&uuid)) {
        status = dpadev_own_uuid_beside(owner, &uuid, err);
        if (status == DPK_ERR_NOT_FOUND)
            dpk_error_prefix(err, "no UUID of the owner's key (--owner-uuid)");
    }
    if (status == DPK_OK)
        status = dpadev_own_name_files(w, "claim.xml", "claim.bin", err);
    if (status == DPK_OK)
        status = dpadev_own_configuration_begin(w, err);
    if (status == DPK_OK)
        status = put_owner(w, key, &uuid, err);
    EVP_PKEY_free(key);
    if (status != DPK_OK)
        return status;
    dpk_uuid_format(&uuid, text);
    dpk_put_format(&w->result, "Device %s belongs to key pair %s.\n", dpk_device_name(w->dev),
                   text);
    return dpadev_own_configuration_end(w, err);
}

static enum dpk_status claim(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    return dpadev_own_run(options, args, make_claim, err);
}

static const struct dpk_option claim_options[] = {
    {"owner-uuid", DPK_UUID, "UUID", offsetof(struct own_options, owner_uuid),
     .help = "UUID of the owner's key pair (default: from the file .uuid in its folder)"},
    {"nvidia-uuid", DPK_UUID, "UUID", offsetof(struct own_options, nvidia_uuid),
     .help = "UUID of the key pair of -p (default: the device's test key)"},
    {0},
};

const struct dpk_command dpadev_claim = {"claim",
                                         "NAME OWNERKEY",
                                         "make this key the owner of a device without an owner",
                                         .takes = "p,sign-command," OWN_TAKES,
                                         .options = claim_options,
                                         .size = sizeof(struct own_options),
                                         .run = claim};
