/* Devices come and go. */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "state.h"

#define ALIASES_MAX 1000

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static int remove_tree(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- Keys at NVIDIA level -------------------------------------------------------------------- */

/* Writes what a BIO in memory holds. */
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

static enum dpk_status write_pair(const char *directory, EVP_PKEY *key, const struct dpk_uuid *uuid,
                                  struct dpk_error *err)
{
    char text[DPK_UUID_TEXT];
    /* A secure BIO wipes what it held. */
    BIO *secret = BIO_new(BIO_s_secmem());
    BIO *open = BIO_new(BIO_s_mem());
    BIO *id = BIO_new(BIO_s_mem());
    enum dpk_status status = DPK_OK;
    dpk_uuid_format(uuid, text);
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
    BIO_free(id);
    BIO_free(open);
    BIO_free(secret);
    ERR_clear_error();
    return status;
}

static enum dpk_status install_nvidia_key(sqlite3 *db, const char *staging,
                                          const struct dpk_device_plan *plan, struct dpk_error *err)
{
    char factory[PATH_MAX];
    EVP_PKEY *key = NULL;
    struct dpk_uuid uuid = plan->nvidia_uuid;
    enum dpk_status status = dpk_device_join(staging, "factory", factory, err);
    if (status == DPK_OK && mkdir(factory, 0700) != 0)
        status = dpk_fail_errno(err, "%s", factory);
    if (status != DPK_OK)
        return status;
    if (plan->nvidia_key) {
        status = dpk_public_key_read(plan->nvidia_key, &key, err);
        int bits = key ? EVP_PKEY_get_bits(key) : 0;
        if (status == DPK_OK && bits != 4096 && bits != 2048)
            status = dpk_fail(err, DPK_ERR_UNSUPPORTED, "%s: RSA-%d, must be RSA-4096 or RSA-2048",
                              plan->nvidia_key, bits);
    } else {
        dpk_uuid_new_time(&uuid);
        key = EVP_RSA_gen(4096);
        status = key ? write_pair(factory, key, &uuid, err)
                     : dpk_fail(err, DPK_ERR_CRYPTO, "no factory key pair could be made");
    }
    if (status == DPK_OK)
        status = dpk_device_add_nvidia_key(db, &uuid, key, err);
    EVP_PKEY_free(key);
    return status;
}

/* ---- Creating -------------------------------------------------------------------------------- */

static enum dpk_status put_text(sqlite3 *db, const char *key, const char *given, const char *usual,
                                size_t max, struct dpk_error *err)
{
    const char *value = given ? given : usual;
    size_t length = strlen(value);
    if (length > max)
        return dpk_fail(err, DPK_ERR_USAGE, "%s: at most %zu characters", key, max);
    for (size_t i = 0; i < length; i++)
        if (value[i] < 0x20 || value[i] > 0x7e)
            return dpk_fail(err, DPK_ERR_USAGE, "%s: printable ASCII only", key);
    return dpk_db_put_meta(db, key, value, err);
}

static enum dpk_status put_identity(sqlite3 *db, const struct dpk_device_plan *plan,
                                    struct dpk_error *err)
{
    char serial[32], created[32];
    uint8_t random[4] = {0};
    RAND_bytes(random, sizeof random);
    snprintf(serial, sizeof serial, "DPK%02X%02X%02X%02X", random[0], random[1], random[2],
             random[3]);
    snprintf(created, sizeof created, "%lld", (long long)time(NULL));
    enum dpk_status status = put_text(db, "psid", plan->psid, "MT_0000000884", 16, err);
    if (status == DPK_OK)
        status = put_text(db, "psid_branch", plan->psid_branch, "", 16, err);
    if (status == DPK_OK)
        status = put_text(db, "part_number", plan->part_number, "900-9D3B6-00CV-A_Ax", 63, err);
    if (status == DPK_OK)
        status = put_text(db, "description", plan->description,
                          "Emulated BlueField-3 B3220 function (dpakit)", 255, err);
    if (status == DPK_OK)
        status = put_text(db, "serial", plan->serial, serial, 63, err);
    if (status == DPK_OK)
        status = put_text(db, "hw_target", NULL, "bf3", 15, err);
    if (status == DPK_OK)
        status = dpk_db_put_meta(db, "created", created, err);
    return status;
}

static enum dpk_status fill(const char *staging, const struct dpk_device_plan *plan,
                            struct dpk_error *err)
{
    char path[PATH_MAX];
    sqlite3 *db = NULL;
    enum dpk_status status = dpk_device_join(staging, "device.db", path, err);
    if (status == DPK_OK)
        status = dpk_db_create(path, &db, err);
    if (status != DPK_OK)
        goto out;
    status = dpk_db_begin(db, err);
    if (status != DPK_OK)
        goto out;
    status = put_identity(db, plan, err);
    if (status == DPK_OK)
        status = install_nvidia_key(db, staging, plan, err);
    if (status == DPK_OK)
        status = dpk_device_log_in(db, "create", "OK", plan->name, err);
    status = dpk_db_end(db, status, err);
out:
    sqlite3_close(db);
    return status;
}

/* The first alias of a BlueField-3 that is free. Without one a device is as good. */
static void make_alias(const char *root, const char *name)
{
    for (unsigned i = 0; i < ALIASES_MAX; i++) {
        char alias[64], path[PATH_MAX];
        snprintf(alias, sizeof alias, "mt41692_pciconf%u", i);
        if (dpk_device_join(root, alias, path, NULL) != DPK_OK)
            return;
        if (symlink(name, path) == 0 || errno != EEXIST)
            return;
    }
}

static enum dpk_status build(char *staging, const char *root, const char *path,
                             const struct dpk_device_plan *plan, struct dpk_error *err)
{
    if (!mkdtemp(staging))
        return dpk_fail_errno(err, "%s", root);
    enum dpk_status status = fill(staging, plan, err);
    if (status == DPK_OK && rename(staging, path) != 0)
        status =
            errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
                ? dpk_fail(err, DPK_ERR_EXISTS, "%s: there is a device of that name", plan->name)
                : dpk_fail_errno(err, "%s", path);
    if (status != DPK_OK)
        remove_tree(staging);
    return status;
}

enum dpk_status dpk_device_create(const struct dpk_device_plan *plan, struct dpk_error *err)
{
    char root[PATH_MAX], staging[PATH_MAX], path[PATH_MAX];
    struct stat st;
    sigset_t signals;
    enum dpk_status status = dpk_device_check_name(plan->name, err);
    if (status == DPK_OK && plan->nvidia_key && dpk_uuid_is_zero(&plan->nvidia_uuid))
        status = dpk_fail(err, DPK_ERR_USAGE, "an NVIDIA key needs its UUID, which is not zero");
    if (status == DPK_OK)
        status = dpk_device_root(true, root, err);
    if (status == DPK_OK)
        status = dpk_device_check_directory(root, true, err);
    if (status == DPK_OK)
        status = dpk_device_join(root, plan->name, path, err);
    if (status == DPK_OK)
        status = dpk_device_join(root, ".new-XXXXXX", staging, err);
    if (status != DPK_OK)
        return status;
    if (lstat(path, &st) == 0)
        return dpk_fail(err, DPK_ERR_EXISTS, "%s: there is a device (or alias) of that name",
                        plan->name);
    /* The staging directory holds a private key: nothing may end us before it is in place, or
     * gone. */
    dpk_signals_hold(&signals);
    status = build(staging, root, path, plan, err);
    dpk_signals_release(&signals);
    if (status != DPK_OK)
        return status;
    make_alias(root, plan->name);
    return DPK_OK;
}

static void remove_aliases(const char *root, const char *name)
{
    char alias[64], path[PATH_MAX];
    for (unsigned i = 0; i < ALIASES_MAX; i++) {
        dpk_device_alias_of(root, name, alias, sizeof alias);
        if (!*alias || dpk_device_join(root, alias, path, NULL) != DPK_OK || unlink(path) != 0)
            return;
    }
}

enum dpk_status dpk_device_delete(const char *word, struct dpk_error *err)
{
    char name[DPK_DEVICE_NAME_MAX + 1], root[PATH_MAX], path[PATH_MAX], grave[PATH_MAX];
    enum dpk_status status = dpk_device_resolve(word, name, path, err);
    if (status == DPK_OK)
        status = dpk_device_root(false, root, err);
    if (status == DPK_OK)
        status = dpk_device_join(root, ".del-XXXXXX", grave, err);
    if (status != DPK_OK)
        return status;
    /* Renamed first, so that it is gone at once or not at all. */
    if (!mkdtemp(grave) || rename(path, grave) != 0)
        return dpk_fail_errno(err, "%s", path);
    remove_aliases(root, name);
    if (remove_tree(grave) != 0)
        return dpk_fail_errno(err, "%s", grave);
    return DPK_OK;
}
