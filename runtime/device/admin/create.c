/* Creates a device: its keys and its first state. */
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "private.h"

#define FUNCTIONS_MAX 1000u

/* ---- Keys at NVIDIA level ---- */

/* Writes the contents of a BIO in memory to a file. */
static enum dpk_status write_bio(const char *directory, const char *name, BIO *bio, unsigned mode,
                                 struct dpk_error *err)
{
    char path[PATH_MAX];
    char *data = NULL;
    long size = BIO_get_mem_data(bio, &data);
    enum dpk_status status = dpk_device_join(directory, name, path, err);
    if (status == DPK_OK)
        status = dpk_file_replace(path, data, size > 0 ? (size_t)size : 0, mode, err);
    return status;
}

enum dpk_status dpk_device_write_pair(const char *staging, EVP_PKEY *key,
                                      const struct dpk_uuid *uuid, struct dpk_error *err)
{
    char text[DPK_UUID_TEXT], directory[PATH_MAX];
    /* A secure BIO wipes its memory. */
    BIO *secret = BIO_new(BIO_s_secmem());
    BIO *open = BIO_new(BIO_s_mem());
    BIO *id = BIO_new(BIO_s_mem());
    enum dpk_status status = dpk_device_join(staging, "factory", directory, err);
    if (status == DPK_OK && mkdir(directory, 0700) != 0)
        status = dpk_fail_errno(err, "%s", directory);
    dpk_uuid_format(uuid, text);
    if (status != DPK_OK)
        goto out;
    if (!secret || !open || !id ||
        PEM_write_bio_PKCS8PrivateKey(secret, key, NULL, NULL, 0, NULL, NULL) != 1 ||
        PEM_write_bio_PUBKEY(open, key) != 1 || BIO_printf(id, "%s\n", text) <= 0)
        status = dpk_fail(err, DPK_ERR_CRYPTO, "the factory key pair cannot be encoded");
    if (status == DPK_OK)
        status = write_bio(directory, "nvidia.pem", secret, 0600, err);
    if (status == DPK_OK)
        status = write_bio(directory, "nvidia.pub.pem", open, 0600, err);
    if (status == DPK_OK)
        status = write_bio(directory, "nvidia.uuid", id, 0600, err);
out:
    BIO_free(id);
    BIO_free(open);
    BIO_free(secret);
    ERR_clear_error();
    return status;
}

static enum dpk_status install_nvidia_key(sqlite3 *db, const char *staging,
                                          const struct dpk_device_plan *plan, struct dpk_error *err)
{
    EVP_PKEY *key = NULL;
    struct dpk_uuid uuid = plan->nvidia_uuid;
    enum dpk_status status = DPK_OK;
    if (plan->nvidia_key) {
        status = dpk_public_key_read(plan->nvidia_key, &key, err);
        int bits = key ? EVP_PKEY_get_bits(key) : 0;
        if (status == DPK_OK && bits != 4096 && bits != 2048)
            status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: RSA-%d, must be RSA-4096 or RSA-2048",
                              plan->nvidia_key, bits);
    } else {
        dpk_uuid_new_time(&uuid);
        key = EVP_RSA_gen(4096);
        status = key ? dpk_device_write_pair(staging, key, &uuid, err)
                     : dpk_fail(err, DPK_ERR_CRYPTO, "no factory key pair could be made");
    }
    if (status == DPK_OK)
        status = dpk_device_add_nvidia_key(db, &uuid, key, err);
    EVP_PKEY_free(key);
    return status;
}

/* ---- Creating ---- */

static const struct {
    const char *key;
    size_t max;
} texts[DPK_IDENTITY_TEXTS] = {
    {"psid", 16},        {"psid_branch", 16},
    {"part_number", 63}, {"description", DPK_IDENTITY_TEXT_MAX},
    {"serial", 63},      {"hw_target", 15},
    {"created", 19},
};

const char *dpk_device_text_key(size_t number)
{
    return texts[number].key;
}

enum dpk_status dpk_device_check_text(size_t number, const char *value, struct dpk_error *err)
{
    size_t length = strlen(value);
    if (length > texts[number].max)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: at most %zu characters", texts[number].key,
                        texts[number].max);
    for (size_t i = 0; i < length; i++)
        if (value[i] < 0x20 || value[i] > 0x7e)
            return dpk_fail(err, DPK_ERR_USAGE, "%s: printable ASCII only", texts[number].key);
    if (number == DPK_IDENTITY_TARGET && !dpk_device_type_find(value))
        return dpk_fail(err, DPK_ERR_USAGE, "no type '%s': there are bf3, cx7, cx8, cx9", value);
    return DPK_OK;
}

enum dpk_status dpk_device_check_pair(const struct dpk_device_type *type, bool pair,
                                      struct dpk_error *err)
{
    if (type->has_dpu || !pair)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_USAGE, "a %s has no processors of its own: only a bf3 is a pair",
                    type->text);
}

static const struct dpk_device_type *type_of(const struct dpk_device_plan *plan)
{
    return dpk_device_type_find(plan->target ? plan->target : "bf3");
}

/* Stores the identity. A BlueField-3 has by default that of a product; for other types we chose
 * it. */
static enum dpk_status put_identity(sqlite3 *db, const struct dpk_device_plan *plan,
                                    struct dpk_error *err)
{
    const struct dpk_device_type *type = type_of(plan);
    char serial[32], created[32], description[64], psid[17], part[64];
    snprintf(description, sizeof description, "Emulated %s%s function (dpakit)", type->text,
             type->has_dpu ? " B3220" : "");
    snprintf(psid, sizeof psid, type->has_dpu ? "MT_0000000884" : "DPK_%s", type->target);
    snprintf(part, sizeof part, type->has_dpu ? "900-9D3B6-00CV-A_Ax" : "dpakit-%s", type->target);
    uint8_t random[4] = {0};
    if (RAND_bytes(random, sizeof random) != 1)
        return dpk_fail(err, DPK_ERR_CRYPTO, "no random numbers for the serial number");
    snprintf(serial, sizeof serial, "DPK%02X%02X%02X%02X", random[0], random[1], random[2],
             random[3]);
    snprintf(created, sizeof created, "%lld", (long long)time(NULL));
    const char *const values[DPK_IDENTITY_TEXTS] = {
        plan->psid ? plan->psid : psid,
        plan->psid_branch ? plan->psid_branch : "",
        plan->part_number ? plan->part_number : part,
        plan->description ? plan->description : description,
        plan->serial ? plan->serial : serial,
        type->target,
        created,
    };
    enum dpk_status status = DPK_OK;
    for (size_t i = 0; i < DPK_IDENTITY_TEXTS && status == DPK_OK; i++) {
        status = dpk_device_check_text(i, values[i], err);
        if (status == DPK_OK)
            status = dpk_db_put_meta(db, texts[i].key, values[i], err);
    }
    return status;
}

static enum dpk_status put_dma_max(sqlite3 *db, unsigned wanted, struct dpk_error *err)
{
    char text[16];
    if (wanted == 0 || wanted == DPK_DMA_MAX_CARD)
        return DPK_OK;
    if (wanted < DPK_DMA_MAX_LEAST || wanted > DPK_DMA_MAX_MOST)
        return dpk_fail(err, DPK_ERR_RANGE, "tasks of DMA of %u bytes, not %u to %u", wanted,
                        DPK_DMA_MAX_LEAST, DPK_DMA_MAX_MOST);
    snprintf(text, sizeof text, "%u", wanted);
    return dpk_db_put_meta(db, DPK_DMA_MAX_KEY, text, err);
}

static enum dpk_status fill(void *context, const char *staging, struct dpk_error *err)
{
    const struct dpk_device_plan *plan = context;
    char path[PATH_MAX], detail[DPK_DEVICE_NAME_MAX + 70];
    sqlite3 *db = NULL;
    snprintf(detail, sizeof detail, "%s%s%s%s%s%s", plan->name, plan->target ? ", " : "",
             plan->target ? plan->target : "", plan->pair ? ", a pair" : "",
             plan->anti_rollback ? ", anti-rollback" : "",
             plan->development ? ", in its development life cycle" : "");
    enum dpk_status status = dpk_device_join(staging, "device.db", path, err);
    if (status == DPK_OK)
        status = dpk_db_create(path, &db, err);
    if (status == DPK_OK)
        status = dpk_db_begin(db, err);
    if (status != DPK_OK)
        goto out;
    status = put_identity(db, plan, err);
    if (status == DPK_OK)
        status = put_dma_max(db, plan->dma_max, err);
    if (status == DPK_OK)
        status = dpk_rollback_put_on(db, plan->anti_rollback, err);
    if (status == DPK_OK)
        status = dpk_device_put_life_cycle(db, plan->development, err);
    if (status == DPK_OK)
        status = install_nvidia_key(db, staging, plan, err);
    if (status == DPK_OK && plan->pair)
        status = dpk_device_make_pair(staging, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(db, "create", "OK", detail, err);
    status = dpk_db_end(db, status, err);
out:
    return dpk_db_finish_new(db, status, err);
}

/* Builds a card. Its function gets the first free name that a driver would choose, and the card's
 * own name becomes an alias. */
static enum dpk_status build_card(struct dpk_device_plan *plan, char name[DPK_DEVICE_NAME_MAX + 1],
                                  struct dpk_error *err)
{
    const struct dpk_device_names names = {name, plan->name, type_of(plan)};
    char root[PATH_MAX], path[PATH_MAX];
    struct stat st;
    enum dpk_status status = dpk_device_check_name(plan->name, err);
    if (status == DPK_OK)
        status = dpk_device_root(false, root, err);
    if (status == DPK_OK)
        status = dpk_device_join(root, plan->name, path, err);
    if (status == DPK_OK && lstat(path, &st) == 0)
        status = dpk_fail(err, DPK_ERR_EXISTS, "%s: there is a device (or alias) of that name",
                          plan->name);
    for (unsigned i = 0; status == DPK_OK && i < FUNCTIONS_MAX; i++) {
        snprintf(name, DPK_DEVICE_NAME_MAX + 1, DPK_FUNCTION_PREFIX "%u", i);
        status = dpk_device_build(&names, fill, plan, err);
        if (status != DPK_ERR_EXISTS || lstat(path, &st) == 0)
            return status;
        status = DPK_OK;
    }
    return status == DPK_OK ? dpk_fail(err, DPK_ERR_EXISTS, "no name is free below %s%u",
                                       DPK_FUNCTION_PREFIX, FUNCTIONS_MAX)
                            : status;
}

enum dpk_status dpk_device_create(const struct dpk_device_plan *plan,
                                  char name[DPK_DEVICE_NAME_MAX + 1], struct dpk_error *err)
{
    char called[DPK_DEVICE_NAME_MAX + 1] = "";
    struct dpk_device_plan mine = *plan;
    if (plan->nvidia_key && dpk_uuid_is_zero(&plan->nvidia_uuid))
        return dpk_fail(err, DPK_ERR_USAGE, "an NVIDIA key needs its UUID, which is not zero");
    enum dpk_status status = DPK_OK;
    if (plan->target)
        status = dpk_device_check_text(DPK_IDENTITY_TARGET, plan->target, err);
    if (status == DPK_OK)
        status = dpk_device_check_pair(type_of(plan), plan->pair, err);
    if (status != DPK_OK)
        return status;
    const struct dpk_device_names names = {plan->name, NULL, type_of(plan)};
    const bool named = !plan->pair || dpk_device_is_function(plan->name);
    status = named ? dpk_device_build(&names, fill, &mine, err) : build_card(&mine, called, err);
    if (name && status == DPK_OK)
        snprintf(name, DPK_DEVICE_NAME_MAX + 1, "%s", named ? plan->name : called);
    return status;
}
