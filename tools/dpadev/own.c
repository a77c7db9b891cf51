/* Commands that give a device an owner, a CA certificate, and its policy: each makes the files of
 * NVIDIA's guide, applies them, and prints the commands that do the same by hand. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "dpadev.h"

struct own_options {
    struct dpadev_options shared;
    struct dpk_uuid owner_uuid, nvidia_uuid, cert_uuid;
};

#define CERT_FILE_MAX ((size_t)65536)
#define KEY_BITS      4096

/* One of the commands at work. */
struct work {
    const struct own_options *o;
    struct dpk_device *dev;
    struct dpk_device_info info;
    struct dpk_key_options key; /* who signs, with its default */
    char default_key[PATH_MAX];
    struct dpk_uuid keypair; /* that signs */
    struct dpk_buf said;     /* the commands */
    struct dpk_buf source;   /* XML, or the unsigned container */
    struct dpk_buf made;     /* what the device gets */
    char source_path[PATH_MAX], made_path[PATH_MAX];
    bool is_container;
};

/* ---- The commands as text ---- */

/* A word for a shell. */
static void put_word(struct dpk_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (*word && strspn(word, plain) == strlen(word)) {
        dpk_put_format(out, " %s", word);
        return;
    }
    dpk_put_format(out, " '");
    for (; *word; word++)
        dpk_put_format(out, *word == '\'' ? "'\\''" : "%c", *word);
    dpk_put_format(out, "'");
}

/* How the key was given; a PIN in a URI and a passphrase are left out, and then asked for. */
static void put_key(struct work *w)
{
    const struct dpk_key_options *k = &w->key;
    if (k->key && strncmp(k->key, "pkcs11:", 7) == 0) {
        char *uri = strndup(k->key, strcspn(k->key, "?"));
        dpk_put_format(&w->said, " -p");
        put_word(&w->said, uri ? uri : "");
        w->said.failed = w->said.failed || !uri;
        free(uri);
    } else if (k->key) {
        dpk_put_format(&w->said, " -p");
        put_word(&w->said, k->key);
    }
    if (k->passin && strncmp(k->passin, "pass:", 5) != 0) {
        dpk_put_format(&w->said, " --passin");
        put_word(&w->said, k->passin);
    }
    if (k->sign_command) {
        dpk_put_format(&w->said, " --sign-command");
        put_word(&w->said, k->sign_command);
    }
    if (k->sign_timeout) {
        dpk_put_format(&w->said, " --sign-timeout");
        put_word(&w->said, k->sign_timeout);
    }
}

static void put_uuid(struct work *w, const char *option, const struct dpk_uuid *uuid)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(uuid, text);
    dpk_put_format(&w->said, " %s %s", option, text);
}

/* The commands that make the configuration file of w->source and apply it. */
static void say_configuration(struct work *w)
{
    dpk_put_format(&w->said, "cat >");
    put_word(&w->said, w->source_path);
    dpk_put_format(&w->said, " <<'END'\n");
    dpk_put(&w->said, w->source.data, w->source.size);
    dpk_put_format(&w->said, "END\nmlxconfig-lite");
    put_key(w);
    put_uuid(w, "-u", &w->keypair);
    dpk_put_format(&w->said, " create_conf");
    put_word(&w->said, w->source_path);
    put_word(&w->said, w->made_path);
    dpk_put_format(&w->said, "\nmlxconfig-lite -d %s apply", dpk_device_name(w->dev));
    put_word(&w->said, w->made_path);
    dpk_put_format(&w->said, "\n");
}

static void say_container(struct work *w, const char *root, const struct dpk_uuid *cert)
{
    dpk_put_format(&w->said, "mlxdpa --cert_container_type add -c");
    put_word(&w->said, root);
    dpk_put_format(&w->said, " -o");
    put_word(&w->said, w->source_path);
    dpk_put_format(&w->said, " --life_cycle_priority OEM create_cert_container\n"
                             "mlxdpa --cert_container");
    put_word(&w->said, w->source_path);
    put_key(w);
    put_uuid(w, "--keypair_uuid", &w->keypair);
    put_uuid(w, "--cert_uuid", cert);
    dpk_put_format(&w->said, " --life_cycle_priority OEM -o");
    put_word(&w->said, w->made_path);
    dpk_put_format(&w->said, " sign_cert_container\nflint-lite -d %s -i", dpk_device_name(w->dev));
    put_word(&w->said, w->made_path);
    dpk_put_format(&w->said, " -y b\n");
}

/* ---- The files ---- */

static enum dpk_status name_file(const struct work *w, const char *suffix, char out[PATH_MAX],
                                 struct dpk_error *err)
{
    const char *folder = w->o->shared.folder;
    int n = snprintf(out, PATH_MAX, "%s%s%s.%s", folder ? folder : "", folder ? "/" : "",
                     dpk_device_name(w->dev), suffix);
    return n > 0 && n < PATH_MAX ? DPK_OK : dpk_fail(err, DPK_ERR_RANGE, "-o: path too long");
}

static enum dpk_status name_files(struct work *w, const char *source, const char *made,
                                  struct dpk_error *err)
{
    enum dpk_status status = name_file(w, source, w->source_path, err);
    return status == DPK_OK ? name_file(w, made, w->made_path, err) : status;
}

/* Now, or when $SOURCE_DATE_EPOCH says. */
static enum dpk_status get_date(struct tm *out, struct dpk_error *err)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long given = text ? strtoll(text, &end, 10) : 0;
    time_t when = text ? (time_t)given : time(NULL);
    if (text && (end == text || *end || given < 0))
        return dpk_fail(err, DPK_ERR_USAGE, "SOURCE_DATE_EPOCH: '%.40s' is no number", text);
    return gmtime_r(&when, out) ? DPK_OK : dpk_fail(err, DPK_ERR_RANGE, "no such date");
}

/* Anti-rollback refuses a lower version than the highest of this key pair. */
static enum dpk_status get_version(struct work *w, uint32_t *out, struct dpk_error *err)
{
    struct dpk_device_rollback r;
    enum dpk_status status = dpk_device_rollback(w->dev, &r, err);
    if (status != DPK_OK)
        return status;
    *out = 0;
    for (size_t i = 0; i < r.floor_count; i++)
        if (!r.floors[i].mlnx && dpk_uuid_equal(&r.floors[i].keypair, &w->keypair))
            *out = r.floors[i].version;
    dpk_device_rollback_free(&r);
    return DPK_OK;
}

/* The beginning of a file of an owner that leaves everything else as it is. */
static enum dpk_status begin_xml(struct work *w, struct dpk_error *err)
{
    struct tm tm;
    uint32_t version;
    enum dpk_status status = get_date(&tm, err);
    if (status == DPK_OK)
        status = get_version(w, &version, err);
    if (status != DPK_OK)
        return status;
    dpk_put_format(&w->source,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<config xmlns=\"http://www.mellanox.com/config\">\n"
                   "<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'>\n"
                   "    <psid></psid>\n    <psid_branch></psid_branch>\n"
                   "</file_applicable_to>\n"
                   "<nv_file_id_vendor ovr_en='0' rd_en='1' writer_id='0'>\n"
                   "    <disable_override>False</disable_override>\n"
                   "    <keep_same_priority>True</keep_same_priority>\n"
                   "    <per_tlv_priority>False</per_tlv_priority>\n"
                   "    <erase_lower_priority>False</erase_lower_priority>\n"
                   "    <file_version>%u</file_version>\n"
                   "    <day>%x</day>\n    <month>%x</month>\n    <year>%x</year>\n"
                   "    <seconds>%x</seconds>\n    <minutes>%x</minutes>\n    <hour>%x</hour>\n"
                   "</nv_file_id_vendor>\n",
                   version, (unsigned)tm.tm_mday, (unsigned)tm.tm_mon + 1,
                   (unsigned)tm.tm_year + 1900, (unsigned)tm.tm_sec, (unsigned)tm.tm_min,
                   (unsigned)tm.tm_hour);
    return DPK_OK;
}

/* As mlxconfig-lite create_conf. */
static enum dpk_status sign_configuration(struct work *w, struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_nv_list tlvs = {0};
    struct dpk_signer *signer = NULL;
    enum dpk_status status = w->source.failed ? dpk_fail_nomem(err) : DPK_OK;
    if (status == DPK_OK)
        status = dpk_nv_defs_load(NULL, &defs, err);
    if (status == DPK_OK)
        status = dpk_nv_xml_parse(defs, w->source.data, w->source.size, &tlvs, err);
    if (status == DPK_OK)
        status = dpk_signer_open_with(&w->key, &signer, err);
    if (status == DPK_OK)
        status = dpk_nv_file_make(&tlvs, signer, &w->keypair, &w->made, err);
    dpk_signer_close(signer);
    dpk_nv_list_free(&tlvs);
    dpk_nv_defs_free(defs);
    return status;
}

static enum dpk_status sign_container(struct work *w, const struct dpk_uuid *cert,
                                      struct dpk_error *err)
{
    struct dpk_signer *signer = NULL;
    enum dpk_status status = dpk_signer_open_with(&w->key, &signer, err);
    const struct dpk_container_signing how = {.signer = signer,
                                              .priority = DPK_LIFECYCLE_OEM,
                                              .cert_uuid = *cert,
                                              .keypair_uuid = w->keypair};
    if (status == DPK_OK)
        status = dpk_container_sign(w->source.data, w->source.size, &how, &w->made, err);
    dpk_signer_close(signer);
    return status;
}

/* ---- The device ---- */

typedef enum dpk_status apply_fn(struct dpk_device *dev, const void *bytes, size_t size,
                                 enum dpk_reject *reject, struct dpk_error *err);

/* Hands the file over, and says of a refusal what it means here. */
static enum dpk_status hand_over(struct work *w, apply_fn *apply, struct dpk_error *err)
{
    enum dpk_reject reject = DPK_REJECT_NONE;
    char uuid[DPK_UUID_TEXT];
    const char *name = dpk_device_name(w->dev);
    enum dpk_status status = apply(w->dev, w->made.data, w->made.size, &reject, err);
    dpk_uuid_format(&w->keypair, uuid);
    if (status == DPK_ERR_REFUSED &&
        (reject == DPK_REJECT_AUTH_FAILED || reject == DPK_REJECT_CERT_SIGNATURE))
        return dpk_error_prefix(err, "the key that signs is not the one that %s knows as %s", name,
                                uuid);
    if (status == DPK_ERR_REFUSED)
        dpk_error_prefix(err, "%s refuses it", name);
    return status;
}

/* Asks the device first: what it refuses leaves neither a file nor an entry in its log. */
static enum dpk_status finish(struct work *w, struct dpk_error *err)
{
    enum dpk_status status =
        hand_over(w, w->is_container ? dpk_device_try_burn : dpk_device_try_apply, err);
    if (status == DPK_OK)
        status = dpk_file_replace(w->source_path, w->source.data, w->source.size, 0644, err);
    if (status == DPK_OK)
        status = dpk_file_replace(w->made_path, w->made.data, w->made.size, 0644, err);
    if (status == DPK_OK)
        status = hand_over(w, w->is_container ? dpk_device_burn : dpk_device_apply, err);
    return status;
}

static enum dpk_status print_commands(struct work *w, struct dpk_error *err)
{
    if (w->said.failed)
        return dpk_fail_nomem(err);
    fwrite(w->said.data, 1, w->said.size, stdout);
    return DPK_OK;
}

static enum dpk_status open_work(struct work *w, const struct own_options *o, const char *name,
                                 struct dpk_error *err)
{
    *w = (struct work){.o = o, .key = o->shared.key};
    w->key.ask = dpk_ask_terminal;
    enum dpk_status status = dpk_device_open(name, &w->dev, err);
    if (status == DPK_OK)
        status = dpk_device_info(w->dev, &w->info, err);
    if (status == DPK_OK)
        w->keypair = w->info.owner;
    return status;
}

static void close_work(struct work *w)
{
    dpk_buf_free(&w->said);
    dpk_buf_free(&w->source);
    dpk_buf_free(&w->made);
    dpk_device_close(w->dev);
}

static enum dpk_status need_owner(const struct work *w, struct dpk_error *err)
{
    const char *name = dpk_device_name(w->dev);
    if (w->info.has_owner)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_REFUSED, "%s has no owner yet: dpadev claim %s OWNERKEY first",
                    name, name);
}

/* The UUID in the file beside `path`: a.pem has a.uuid. DPK_ERR_NOT_FOUND: there is none. */
static enum dpk_status uuid_beside(const char *path, struct dpk_uuid *out, struct dpk_error *err)
{
    char name[PATH_MAX];
    struct dpk_buf text = {0};
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    int n = snprintf(name, sizeof name, "%.*s.uuid", (int)stem, path);
    if (n < 0 || (size_t)n >= sizeof name)
        return dpk_fail(err, DPK_ERR_RANGE, "%.200s: path too long", path);
    enum dpk_status status = dpk_file_read(name, 64, &text, err);
    if (status != DPK_OK)
        return status;
    while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
        text.size--;
    dpk_put_u8(&text, 0);
    status = text.failed ? dpk_fail_nomem(err) : dpk_uuid_parse((char *)text.data, out, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", name);
    dpk_buf_free(&text);
    return status;
}

/* ---- claim ---- */

/* NVIDIA's part: -p with its UUID, or the test key of the emulated device. */
static enum dpk_status find_nvidia(struct work *w, struct dpk_error *err)
{
    const bool given = dpk_key_given(&w->key);
    if (given != !dpk_uuid_is_zero(&w->o->nvidia_uuid))
        return dpk_fail(err, DPK_ERR_USAGE,
                        "claim: NVIDIA's key (-p) and --nvidia-uuid go together");
    w->keypair = w->o->nvidia_uuid;
    if (given)
        return DPK_OK;
    if (w->key.passin || w->key.sign_timeout)
        return dpk_fail(err, DPK_ERR_USAGE, "claim: --passin and --sign-timeout need -p");
    int n = snprintf(w->default_key, sizeof w->default_key, "%s/factory/nvidia.pem", w->info.path);
    if (n < 0 || (size_t)n >= sizeof w->default_key)
        return dpk_fail(err, DPK_ERR_RANGE, "path too long");
    w->key.key = w->default_key;
    enum dpk_status status = uuid_beside(w->default_key, &w->keypair, err);
    if (status == DPK_ERR_NOT_FOUND)
        return dpk_fail(err, status,
                        "%s has no test key of NVIDIA's any more: give -p KEY and --nvidia-uuid",
                        dpk_device_name(w->dev));
    return status;
}

/* The owner's public key: of a file with the public half, or with both. */
static enum dpk_status read_owner(const char *path, EVP_PKEY **out, struct dpk_error *err)
{
    struct dpk_signer *signer = NULL;
    struct dpk_error why = {0};
    const struct dpk_key_options key = {.key = path, .ask = dpk_ask_terminal};
    *out = NULL;
    if (strncmp(path, "pkcs11:", 7) != 0 && dpk_public_key_read(path, out, &why) == DPK_OK)
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

static enum dpk_status put_owner(struct work *w, EVP_PKEY *key, const struct dpk_uuid *uuid,
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

static enum dpk_status claim_with(struct work *w, const char *owner, struct dpk_uuid *uuid,
                                  struct dpk_error *err)
{
    char text[DPK_UUID_TEXT];
    EVP_PKEY *key = NULL;
    enum dpk_status status = DPK_OK;
    dpk_uuid_format(&w->info.owner, text);
    if (w->info.has_owner)
        return dpk_fail(err, DPK_ERR_REFUSED,
                        "%s has an owner already, key pair %s: only that key makes another the "
                        "owner (dpa-provisioning(7))",
                        dpk_device_name(w->dev), text);
    *uuid = w->o->owner_uuid;
    if (dpk_uuid_is_zero(uuid) && strncmp(owner, "pkcs11:", 7) == 0)
        return dpk_fail(err, DPK_ERR_USAGE, "claim: a key in a token needs --owner-uuid");
    if (dpk_uuid_is_zero(uuid))
        status = uuid_beside(owner, uuid, err);
    if (status == DPK_ERR_NOT_FOUND)
        dpk_error_prefix(err, "no UUID of the owner's key (--owner-uuid)");
    if (status == DPK_OK)
        status = find_nvidia(w, err);
    if (status == DPK_OK)
        status = read_owner(owner, &key, err);
    if (status == DPK_OK)
        status = name_files(w, "claim.xml", "claim.bin", err);
    if (status == DPK_OK)
        status = begin_xml(w, err);
    if (status == DPK_OK)
        status = put_owner(w, key, uuid, err);
    EVP_PKEY_free(key);
    if (status != DPK_OK)
        return status;
    say_configuration(w);
    if (!w->o->shared.dry_run)
        status = sign_configuration(w, err);
    return status;
}

static enum dpk_status claim(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct work w;
    struct dpk_uuid uuid;
    char text[DPK_UUID_TEXT];
    const struct own_options *o = options;
    enum dpk_status status = open_work(&w, o, args->words[0], err);
    if (status == DPK_OK)
        status = claim_with(&w, args->words[1], &uuid, err);
    if (status == DPK_OK && !o->shared.dry_run)
        status = finish(&w, err);
    if (status == DPK_OK)
        status = print_commands(&w, err);
    if (status == DPK_OK && !o->shared.dry_run) {
        dpk_uuid_format(&uuid, text);
        printf("Device %s belongs to key pair %s.\n", dpk_device_name(w.dev), text);
    }
    close_work(&w);
    return status;
}

/* ---- trust ---- */

static enum dpk_status find_cert_uuid(const struct work *w, const char *root, struct dpk_uuid *out,
                                      struct dpk_error *err)
{
    struct dpk_error why = {0};
    *out = w->o->cert_uuid;
    if (!dpk_uuid_is_zero(out))
        return DPK_OK;
    enum dpk_status status = uuid_beside(root, out, &why);
    if (status == DPK_ERR_NOT_FOUND)
        dpk_uuid_new_time(out);
    else if (status != DPK_OK)
        return dpk_fail(err, status, "%s", why.message);
    return DPK_OK;
}

static enum dpk_status refuse_second(const struct work *w, const struct dpk_buf *der,
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

static enum dpk_status trust_with(struct work *w, const char *root, struct dpk_uuid *cert,
                                  struct dpk_error *err)
{
    struct dpk_buf der = {0};
    struct dpk_container c;
    w->is_container = true;
    enum dpk_status status = need_owner(w, err);
    if (status == DPK_OK)
        status = dpk_file_read(root, CERT_FILE_MAX, &der, err);
    if (status == DPK_OK)
        status = find_cert_uuid(w, root, cert, err);
    if (status == DPK_OK)
        status = name_files(w, "root.container", "root.signed", err);
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
            dpk_error_prefix(err, "%s", root);
    }
    if (status == DPK_OK)
        status = refuse_second(w, &der, err);
    dpk_buf_free(&der);
    if (status != DPK_OK)
        return status;
    say_container(w, root, cert);
    if (!w->o->shared.dry_run)
        status = sign_container(w, cert, err);
    return status;
}

static enum dpk_status trust(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct work w;
    struct dpk_uuid cert;
    char text[DPK_UUID_TEXT];
    const struct own_options *o = options;
    enum dpk_status status = open_work(&w, o, args->words[0], err);
    if (status == DPK_OK)
        status = trust_with(&w, args->words[1], &cert, err);
    if (status == DPK_OK && !o->shared.dry_run)
        status = finish(&w, err);
    if (status == DPK_OK)
        status = print_commands(&w, err);
    if (status == DPK_OK && !o->shared.dry_run) {
        dpk_uuid_format(&cert, text);
        printf("Device %s trusts programs under certificate %s.\n", dpk_device_name(w.dev), text);
    }
    close_work(&w);
    return status;
}

/* ---- lock ---- */

/* Locked: on from the next reset, and users cannot change it. */
static enum dpk_status refuse_locked(const struct work *w, struct dpk_error *err)
{
    bool on = false;
    struct dpk_nv_list tlvs = {0};
    size_t hidden = 0;
    enum dpk_status status = dpk_device_dpa_authentication(w->dev, DPK_VIEW_NEXT, &on, err);
    if (status == DPK_OK)
        status = dpk_device_next_tlvs(w->dev, &tlvs, &hidden, err);
    for (size_t i = 0; i < tlvs.count && status == DPK_OK; i++) {
        const struct dpk_nv_tlv *t = &tlvs.items[i];
        if (on && t->class_id == DPK_NV_GLOBAL && t->index == DPK_NV_INDEX_DPA_AUTH &&
            t->priority != DPK_NV_USER && !t->ovr_en)
            status = dpk_fail(err, DPK_ERR_EXISTS, "%s is locked already", dpk_device_name(w->dev));
    }
    dpk_nv_list_free(&tlvs);
    return status;
}

static enum dpk_status lock_with(struct work *w, struct dpk_error *err)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    const char *name = dpk_device_name(w->dev);
    enum dpk_status status = need_owner(w, err);
    if (status == DPK_OK)
        status = dpk_device_certs(w->dev, certs, &count, err);
    if (status == DPK_OK && count == 0)
        status =
            dpk_fail(err, DPK_ERR_REFUSED,
                     "%s has no CA certificate, and would load no program at all: dpadev trust "
                     "%s ROOT first",
                     name, name);
    if (status == DPK_OK)
        status = refuse_locked(w, err);
    if (status == DPK_OK)
        status = name_files(w, "lock.xml", "lock.bin", err);
    if (status == DPK_OK)
        status = begin_xml(w, err);
    if (status != DPK_OK)
        return status;
    dpk_put_format(&w->source, "<nv_dpa_auth ovr_en='0' rd_en='1' writer_id='0'>\n"
                               "    <dpa_auth_en>True</dpa_auth_en>\n</nv_dpa_auth>\n</config>\n");
    say_configuration(w);
    if (!w->o->shared.dry_run)
        status = sign_configuration(w, err);
    return status;
}

static enum dpk_status lock(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    struct work w;
    const struct own_options *o = options;
    enum dpk_status status = open_work(&w, o, args->words[0], err);
    if (status == DPK_OK)
        status = lock_with(&w, err);
    if (status == DPK_OK && !o->shared.dry_run)
        status = finish(&w, err);
    if (status == DPK_OK)
        status = print_commands(&w, err);
    if (status == DPK_OK && !o->shared.dry_run)
        printf("Device %s refuses unsigned programs from the next reset on: dpadev reset %s\n",
               dpk_device_name(w.dev), dpk_device_name(w.dev));
    close_work(&w);
    return status;
}

/* ---- Options ---- */

#define AT(field) offsetof(struct own_options, field)
#define SHARED    "o,dry-run,passin,sign-timeout"

static const struct dpk_option claim_options[] = {
    {"owner-uuid", DPK_UUID, "UUID", AT(owner_uuid),
     .help = "of the owner's key pair (default: in the file .uuid beside it)"},
    {"nvidia-uuid", DPK_UUID, "UUID", AT(nvidia_uuid),
     .help = "of the key pair of -p (default: the device's test key)"},
    {0},
};
static const struct dpk_option trust_options[] = {
    {"cert-uuid", DPK_UUID, "UUID", AT(cert_uuid),
     .help = "of the certificate (default: in the file .uuid beside it, or a new one)"},
    {0},
};

const struct dpk_command dpadev_claim = {"claim",
                                         "NAME OWNERKEY",
                                         "make this key the owner of a device that has none",
                                         .takes = "p,sign-command," SHARED,
                                         .options = claim_options,
                                         .size = sizeof(struct own_options),
                                         .run = claim};
const struct dpk_command dpadev_trust = {"trust",
                                         "NAME ROOT",
                                         "add a CA certificate; -p is the owner's key",
                                         .needs = "p|sign-command",
                                         .takes = SHARED,
                                         .options = trust_options,
                                         .size = sizeof(struct own_options),
                                         .run = trust};
const struct dpk_command dpadev_lock = {"lock",
                                        "NAME",
                                        "authentication on, for good; -p is the owner's key",
                                        .needs = "p|sign-command",
                                        .takes = SHARED,
                                        .size = sizeof(struct own_options),
                                        .run = lock};
