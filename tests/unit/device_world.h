/* For tests of devices: three key pairs made once, a fresh device for every test, files to apply,
 * and what must hold when a device accepts or refuses one. */
#ifndef TESTS_DEVICE_WORLD_H
#define TESTS_DEVICE_WORLD_H

#include "device/admin/admin.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <openssl/pem.h>
#include <sqlite3.h>

#include "golden.h"

#include "certs.h"

#define NVIDIA_UUID "11111111-1111-1111-8111-111111111111"
#define OWNER_UUID  "22222222-2222-1222-8222-222222222222"
#define OTHER_UUID  "33333333-3333-1333-8333-333333333333"
#define CERT_UUID   "44444444-4444-1444-8444-444444444444"

/* ---- The world: three key pairs, made once; a fresh device for every test ---- */

struct world {
    char dir[64];
    struct dpk_signer *nvidia, *owner, *other;
    EVP_PKEY *root_key;
    struct dpk_buf root; /* a good root certificate */
};
static struct world world;
static struct dpk_device *dev;

static inline struct dpk_uuid uuid(const char *text)
{
    struct dpk_uuid u;
    assert_int_equal(dpk_uuid_parse(text, &u, NULL), DPK_OK);
    return u;
}

static inline const char *file_in_world(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", world.dir, name);
    return path;
}

/* A golden test key, for it takes a second to make one. */
static inline EVP_PKEY *test_key(const char *golden_name)
{
    char name[64];
    snprintf(name, sizeof name, "keys/%s.pem", golden_name);
    FILE *f = fopen(golden_path(name), "r");
    EVP_PKEY *key = f ? PEM_read_PrivateKey(f, NULL, NULL, NULL) : NULL;
    if (f)
        fclose(f);
    if (!key)
        fail_msg("%s: no private key", name);
    return key;
}

static inline EVP_PKEY *make_key(const char *name, const char *golden_name,
                                 struct dpk_signer **signer)
{
    EVP_PKEY *key = test_key(golden_name);
    char public_name[32];
    FILE *f = fopen(file_in_world(name), "w");
    PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL);
    fclose(f);
    snprintf(public_name, sizeof public_name, "%s.pub", name);
    f = fopen(file_in_world(public_name), "w");
    PEM_write_PUBKEY(f, key);
    fclose(f);
    if (dpk_signer_open(file_in_world(name), NULL, signer, NULL) != DPK_OK)
        abort();
    return key;
}

static inline int make_world(void **state)
{
    (void)state;
    snprintf(world.dir, sizeof world.dir, "/tmp/test_device.XXXXXX");
    if (!mkdtemp(world.dir))
        return -1;
    EVP_PKEY_free(make_key("nvidia", "inter", &world.nvidia));
    EVP_PKEY_free(make_key("owner", "owner", &world.owner));
    world.root_key = make_key("other", "root", &world.other);
    X509 *cert = make_cert(&(struct cert_spec){.subject = "Root",
                                               .key = world.root_key,
                                               .constraints = "critical,CA:TRUE",
                                               .usage = "critical,keyCertSign"});
    put_cert(&world.root, cert);
    X509_free(cert);
    setenv("DPAKIT_DEVICES", file_in_world("devices"), 1);
    setenv("DPAKIT_CACHE", "off", 1); /* whose secret would be there, too */
    return 0;
}

static inline int free_world(void **state)
{
    (void)state;
    char command[128];
    dpk_buf_free(&world.root);
    EVP_PKEY_free(world.root_key);
    dpk_signer_close(world.nvidia);
    dpk_signer_close(world.owner);
    dpk_signer_close(world.other);
    rmdir(file_in_world("devices"));
    static const char *const left[] = {"nvidia",    "nvidia.pub", "owner",
                                       "owner.pub", "other",      "other.pub"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        unlink(file_in_world(left[i]));
    snprintf(command, sizeof command, "%s", world.dir);
    return rmdir(command);
}

static inline enum dpk_status create_in_life_cycle(const char *name, bool development)
{
    struct dpk_error err = {0};
    char key[256];
    snprintf(key, sizeof key, "%s", file_in_world("nvidia.pub"));
    struct dpk_device_plan plan = {.name = name,
                                   .psid = "MT_0000000884",
                                   .nvidia_key = key,
                                   .nvidia_uuid = uuid(NVIDIA_UUID),
                                   .development = development};
    return dpk_device_create(&plan, NULL, &err);
}

static inline enum dpk_status create_device(const char *name)
{
    return create_in_life_cycle(name, false);
}

static inline int fresh_development(void **state)
{
    (void)state;
    return create_in_life_cycle("dev0", true) == DPK_OK &&
                   dpk_device_open("dev0", &dev, NULL) == DPK_OK
               ? 0
               : -1;
}

static inline int fresh_device(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    if (create_device("dev0") == DPK_OK && dpk_device_open("dev0", &dev, &err) == DPK_OK)
        return 0;
    print_error("%s\n", err.message);
    return -1;
}

static inline int drop_device(void **state)
{
    (void)state;
    dpk_device_close(dev);
    dev = NULL;
    return dpk_device_delete("dev0", NULL) == DPK_OK ? 0 : -1;
}

/* SQL that makes a device one of dpakit 0.1. */
#define BECOMES_UNSEALED                                                                           \
    "DROP TABLE seal; DROP TABLE version_floor; DROP TABLE removed_ca; PRAGMA user_version = 1"

/* Everything the device's state says but the log, as text. */
static inline char *dump(void)
{
    static const char *const queries[] = {
        "SELECT * FROM meta ORDER BY key",
        "SELECT hex(uuid), hex(spki) FROM nvidia_key",
        "SELECT view, class, idx, priority, ovr_en, rd_en, writer_id, version, hex(data) FROM tlv "
        "ORDER BY 1, 2, 3, 4",
        "SELECT id, hex(uuid), hex(keypair), priority, hex(der), hex(container) FROM ca "
        "ORDER BY id",
        "SELECT hex(keypair), mlnx, version FROM version_floor ORDER BY 1, 2",
        "SELECT hex(uuid) FROM removed_ca ORDER BY 1"};
    struct dpk_buf out = {0};
    sqlite3 *db = NULL;
    assert_int_equal(
        sqlite3_open_v2(file_in_world("devices/dev0/device.db"), &db, SQLITE_OPEN_READWRITE, NULL),
        SQLITE_OK);
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        sqlite3_stmt *stmt = NULL;
        assert_int_equal(sqlite3_prepare_v2(db, queries[i], -1, &stmt, NULL), SQLITE_OK);
        while (sqlite3_step(stmt) == SQLITE_ROW)
            for (int c = 0; c < sqlite3_column_count(stmt); c++)
                dpk_put_format(&out, "%s|", (const char *)sqlite3_column_text(stmt, c));
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
    dpk_put_u8(&out, 0);
    assert_false(out.failed);
    return (char *)out.data;
}

struct last_event {
    int count;
    char action[32], result[64];
};

static inline void note_event(void *context, const struct dpk_device_event *event)
{
    struct last_event *last = context;
    last->count++;
    snprintf(last->action, sizeof last->action, "%s", event->action);
    snprintf(last->result, sizeof last->result, "%s", event->result);
}

static inline struct last_event last_event(void)
{
    struct last_event last = {0};
    assert_int_equal(dpk_device_events(dev, 0, note_event, &last, NULL), DPK_OK);
    return last;
}

typedef enum dpk_status change(struct dpk_device *, const void *, size_t, enum dpk_reject *,
                               struct dpk_error *);

static inline void accept(change *how, struct dpk_buf file)
{
    struct dpk_error err = {0};
    enum dpk_reject reject;
    if (how(dev, file.data, file.size, &reject, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(reject, DPK_REJECT_NONE);
    assert_string_equal(last_event().result, "OK");
    dpk_buf_free(&file);
}

/* The device refuses with this code, is as before, and its log has one line more. */
static inline void refuse(change *how, struct dpk_buf file, enum dpk_reject code)
{
    struct dpk_error err = {0};
    enum dpk_reject reject;
    char *before = dump();
    int events = last_event().count;
    enum dpk_status status = how(dev, file.data, file.size, &reject, &err);
    char *after = dump();
    if (status != DPK_ERR_REFUSED || reject != code)
        fail_msg("status %d, %s, not %s: %s", status, dpk_reject_name(reject),
                 dpk_reject_name(code), err.message);
    assert_non_null(strstr(err.message, dpk_reject_name(code)));
    assert_string_equal(before, after);
    assert_int_equal(last_event().count, events + 1);
    assert_string_equal(last_event().result, dpk_reject_name(code));
    free(after);
    free(before);
    dpk_buf_free(&file);
}

/* ---- NV configuration files ---- */

enum { KEEP = 1 << 29, PER_TLV = 1 << 30, DISABLE = 1 << 28 };
#define ERASE (1u << 31)

static inline void put_tlv(struct dpk_nv_list *list, unsigned class_id, uint32_t index, size_t size,
                           bool ovr_en, const void *data, size_t data_size)
{
    struct dpk_nv_tlv tlv = {.class_id = class_id,
                             .index = index,
                             .priority = DPK_NV_MLNX,
                             .ovr_en = ovr_en,
                             .rd_en = true,
                             .size = size};
    memcpy(tlv.data, data, data_size);
    assert_int_equal(dpk_nv_list_add(list, &tlv, NULL), DPK_OK);
}

static inline struct dpk_nv_list identity(uint32_t index, uint32_t flags, const char *psid)
{
    struct dpk_nv_list list = {0};
    uint8_t id[16] = {0};
    dpk_store_be32(id, flags);
    put_tlv(&list, DPK_NV_GLOBAL, index, 16, false, id, sizeof id);
    put_tlv(&list, DPK_NV_FILE, DPK_NV_INDEX_APPLICABLE_TO, 32, false, psid, strlen(psid));
    return list;
}

static inline struct dpk_nv_list vendor(uint32_t flags)
{
    return identity(DPK_NV_INDEX_ID_VENDOR, flags, "");
}

static inline struct dpk_nv_list mlnx(uint32_t flags)
{
    return identity(DPK_NV_INDEX_ID_MLNX, flags, "");
}

static inline void put_key(struct dpk_nv_list *list, const struct dpk_signer *s,
                           const char *keypair)
{
    BIGNUM *n = NULL;
    uint8_t first[32] = {0}, modulus[512];
    struct dpk_uuid u = uuid(keypair);
    assert_int_equal(EVP_PKEY_get_bn_param(dpk_signer_public(s), "n", &n), 1);
    assert_int_equal(BN_bn2binpad(n, modulus, 512), 512);
    BN_free(n);
    dpk_store_be32(first + 12, 65537);
    memcpy(first + 16, u.bytes, 16);
    put_tlv(list, DPK_NV_GLOBAL, DPK_NV_INDEX_PUBLIC_KEY_0, 32, false, first, 32);
    put_tlv(list, DPK_NV_GLOBAL, DPK_NV_INDEX_PUBLIC_KEY_0 + 1, 256, false, modulus, 256);
    put_tlv(list, DPK_NV_GLOBAL, DPK_NV_INDEX_PUBLIC_KEY_0 + 2, 256, false, modulus + 256, 256);
}

static inline void put_auth(struct dpk_nv_list *list, bool on, bool ovr_en)
{
    uint8_t data[4] = {on ? 0x80 : 0};
    put_tlv(list, DPK_NV_GLOBAL, DPK_NV_INDEX_DPA_AUTH, 4, ovr_en, data, 4);
}

/* Another TLV, that no meaning is attached to. */
static inline void put_other(struct dpk_nv_list *list, uint8_t value)
{
    put_tlv(list, DPK_NV_GLOBAL, 1000, 4, true, &value, 1);
}

static inline struct dpk_buf sign(struct dpk_nv_list list, const struct dpk_signer *s,
                                  const char *keypair)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_uuid u = uuid(keypair);
    if (dpk_nv_file_make(&list, s, &u, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_nv_list_free(&list);
    return out;
}

static inline struct dpk_buf by_owner(struct dpk_nv_list list)
{
    return sign(list, world.owner, OWNER_UUID);
}

static inline struct dpk_buf by_nvidia(struct dpk_nv_list list)
{
    return sign(list, world.nvidia, NVIDIA_UUID);
}

static inline struct dpk_buf claim_file(void)
{
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    return by_nvidia(list);
}

static inline struct dpk_buf auth_file(bool on, bool ovr_en)
{
    struct dpk_nv_list list = vendor(KEEP);
    put_auth(&list, on, ovr_en);
    return by_owner(list);
}

static inline void claim(void)
{
    accept(dpk_device_apply, claim_file());
}

static inline bool authentication(void)
{
    bool on;
    assert_int_equal(dpk_device_dpa_authentication(dev, DPK_VIEW_CURRENT, &on, NULL), DPK_OK);
    return on;
}

static inline bool owned_by(const char *keypair)
{
    struct dpk_device_info info;
    struct dpk_uuid u = uuid(keypair);
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    return info.has_owner && dpk_uuid_equal(&info.owner, &u);
}

static inline void reset(void)
{
    assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
}

static const struct dpk_nv_param auth_param = {
    .name = "dpa_auth_en", .config_name = "DPA_AUTHENTICATION", .low_bit = 31, .bits = 1};
static const struct dpk_nv_def auth_def = {.name = "nv_dpa_auth",
                                           .index = DPK_NV_INDEX_DPA_AUTH,
                                           .size = 4,
                                           .params = &auth_param,
                                           .param_count = 1};
static const struct dpk_nv_def other_def = {.name = "other", .index = 1000, .size = 4};

static inline struct dpk_device_value get(enum dpk_device_view view, const struct dpk_nv_def *def)
{
    struct dpk_device_value value;
    assert_int_equal(dpk_device_get(dev, view, def, &value, NULL), DPK_OK);
    return value;
}

static inline enum dpk_status set_auth(const char *value)
{
    struct dpk_device_setting setting = {.def = &auth_def, .param = &auth_param, .value = value};
    return dpk_device_set(dev, NULL, &setting, 1, NULL);
}

#ifdef TESTS_CUT_H
static inline int make_world_and_cut(void **state)
{
    return make_cut() == 0 ? make_world(state) : -1;
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_device, drop_device)

#endif
