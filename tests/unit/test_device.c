/* runtime/device: what a device accepts, what it refuses, and that a refusal changes nothing. */
#include "device/device.h"

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

/* ---- The world: three key pairs, made once; a fresh device for every test ------------------- */

static struct {
    char dir[64];
    struct dpk_signer *nvidia, *owner, *other;
    EVP_PKEY *root_key;
    struct dpk_buf root; /* a good root certificate */
} world;

static struct dpk_device *dev;

static struct dpk_uuid uuid(const char *text)
{
    struct dpk_uuid u;
    assert_int_equal(dpk_uuid_parse(text, &u, NULL), DPK_OK);
    return u;
}

static const char *file_in_world(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", world.dir, name);
    return path;
}

static EVP_PKEY *make_key(const char *name, struct dpk_signer **signer)
{
    EVP_PKEY *key = EVP_RSA_gen(4096);
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

static int make_world(void **state)
{
    (void)state;
    snprintf(world.dir, sizeof world.dir, "/tmp/test_device.XXXXXX");
    if (!mkdtemp(world.dir))
        return -1;
    EVP_PKEY_free(make_key("nvidia", &world.nvidia));
    EVP_PKEY_free(make_key("owner", &world.owner));
    world.root_key = make_key("other", &world.other);
    X509 *cert = make_cert(&(struct cert_spec){.subject = "Root",
                                               .key = world.root_key,
                                               .constraints = "critical,CA:TRUE",
                                               .usage = "critical,keyCertSign"});
    put_cert(&world.root, cert);
    X509_free(cert);
    setenv("DPAKIT_DEVICES", file_in_world("devices"), 1);
    return 0;
}

static int free_world(void **state)
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

static enum dpk_status create_device(const char *name)
{
    struct dpk_error err = {0};
    char key[256];
    snprintf(key, sizeof key, "%s", file_in_world("nvidia.pub"));
    struct dpk_device_plan plan = {
        .name = name, .psid = "MT_0000000884", .nvidia_key = key, .nvidia_uuid = uuid(NVIDIA_UUID)};
    return dpk_device_create(&plan, &err);
}

static int fresh_device(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    if (create_device("dev0") == DPK_OK && dpk_device_open("dev0", &dev, &err) == DPK_OK)
        return 0;
    print_error("%s\n", err.message);
    return -1;
}

static int drop_device(void **state)
{
    (void)state;
    dpk_device_close(dev);
    dev = NULL;
    return dpk_device_delete("dev0", NULL) == DPK_OK ? 0 : -1;
}

/* Everything the device's state says but the log, as text. */
static char *dump(void)
{
    static const char *const queries[] = {
        "SELECT * FROM meta ORDER BY key", "SELECT hex(uuid), hex(spki) FROM nvidia_key",
        "SELECT view, class, idx, priority, ovr_en, rd_en, writer_id, version, hex(data) FROM tlv "
        "ORDER BY 1, 2, 3, 4",
        "SELECT id, hex(uuid), hex(keypair), priority, hex(der), hex(container) FROM ca "
        "ORDER BY id"};
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

static void note_event(void *context, const struct dpk_device_event *event)
{
    struct last_event *last = context;
    last->count++;
    snprintf(last->action, sizeof last->action, "%s", event->action);
    snprintf(last->result, sizeof last->result, "%s", event->result);
}

static struct last_event last_event(void)
{
    struct last_event last = {0};
    assert_int_equal(dpk_device_events(dev, 0, note_event, &last, NULL), DPK_OK);
    return last;
}

typedef enum dpk_status change(struct dpk_device *, const void *, size_t, enum dpk_reject *,
                               struct dpk_error *);

static void accept(change *how, struct dpk_buf file)
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
static void refuse(change *how, struct dpk_buf file, enum dpk_reject code)
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

/* ---- NV configuration files ------------------------------------------------------------------ */

enum { KEEP = 1 << 29, PER_TLV = 1 << 30, DISABLE = 1 << 28 };
#define ERASE (1u << 31)

static void put_tlv(struct dpk_nv_list *list, unsigned class_id, uint32_t index, size_t size,
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

static struct dpk_nv_list identity(uint32_t index, uint32_t flags, const char *psid)
{
    struct dpk_nv_list list = {0};
    uint8_t id[16] = {0};
    dpk_store_be32(id, flags);
    put_tlv(&list, DPK_NV_GLOBAL, index, 16, false, id, sizeof id);
    put_tlv(&list, DPK_NV_FILE, DPK_NV_INDEX_APPLICABLE_TO, 32, false, psid, strlen(psid));
    return list;
}

static struct dpk_nv_list vendor(uint32_t flags)
{
    return identity(DPK_NV_INDEX_ID_VENDOR, flags, "");
}

static struct dpk_nv_list mlnx(uint32_t flags)
{
    return identity(DPK_NV_INDEX_ID_MLNX, flags, "");
}

static void put_key(struct dpk_nv_list *list, const struct dpk_signer *s, const char *keypair)
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

static void put_auth(struct dpk_nv_list *list, bool on, bool ovr_en)
{
    uint8_t data[4] = {on ? 0x80 : 0};
    put_tlv(list, DPK_NV_GLOBAL, DPK_NV_INDEX_DPA_AUTH, 4, ovr_en, data, 4);
}

/* Another TLV, that no meaning is attached to. */
static void put_other(struct dpk_nv_list *list, uint8_t value)
{
    put_tlv(list, DPK_NV_GLOBAL, 1000, 4, true, &value, 1);
}

static struct dpk_buf sign(struct dpk_nv_list list, const struct dpk_signer *s, const char *keypair)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_uuid u = uuid(keypair);
    if (dpk_nv_file_make(&list, s, &u, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_nv_list_free(&list);
    return out;
}

static struct dpk_buf by_owner(struct dpk_nv_list list)
{
    return sign(list, world.owner, OWNER_UUID);
}

static struct dpk_buf by_nvidia(struct dpk_nv_list list)
{
    return sign(list, world.nvidia, NVIDIA_UUID);
}

static struct dpk_buf claim_file(void)
{
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    return by_nvidia(list);
}

static struct dpk_buf auth_file(bool on, bool ovr_en)
{
    struct dpk_nv_list list = vendor(KEEP);
    put_auth(&list, on, ovr_en);
    return by_owner(list);
}

static void claim(void)
{
    accept(dpk_device_apply, claim_file());
}

static bool authentication(void)
{
    bool on;
    assert_int_equal(dpk_device_dpa_authentication(dev, &on, NULL), DPK_OK);
    return on;
}

static bool owned_by(const char *keypair)
{
    struct dpk_device_info info;
    struct dpk_uuid u = uuid(keypair);
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    return info.has_owner && dpk_uuid_equal(&info.owner, &u);
}

static void reset(void)
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

static struct dpk_device_value get(enum dpk_device_view view, const struct dpk_nv_def *def)
{
    struct dpk_device_value value;
    assert_int_equal(dpk_device_get(dev, view, def, &value, NULL), DPK_OK);
    return value;
}

static enum dpk_status set_auth(const char *value)
{
    struct dpk_device_setting setting = {.def = &auth_def, .param = &auth_param, .value = value};
    return dpk_device_set(dev, &setting, 1, NULL);
}

/* ---- Apply: the seven checks ----------------------------------------------------------------- */

static void a_new_device_is_open_and_empty(void **state)
{
    (void)state;
    struct dpk_ca_list cas = {0};
    struct dpk_device_info info;
    assert_false(authentication());
    assert_int_equal(dpk_device_ca_list(dev, &cas, NULL), DPK_OK);
    assert_int_equal(cas.count, 0);
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    assert_false(info.has_owner);
    assert_string_equal(info.psid, "MT_0000000884");
}

static void nvidia_installs_the_first_owner_at_once(void **state)
{
    (void)state;
    claim();
    assert_true(owned_by(OWNER_UUID));
}

static void an_unsigned_file_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_auth(&list, true, true);
    refuse(dpk_device_apply, sign(list, NULL, OWNER_UUID), DPK_REJECT_UNSIGNED);
}

static void an_unsigned_file_with_a_wrong_digest_is_unsigned(void **state)
{
    (void)state;
    struct dpk_buf file = sign(vendor(KEEP), NULL, OWNER_UUID);
    file.data[0x28] ^= 1; /* inside the identity's date */
    refuse(dpk_device_apply, file, DPK_REJECT_UNSIGNED);
}

/* The unsigned file, digest TLV included, signed by hand as the guide says. */
static struct dpk_buf by_hand(bool right_digest)
{
    static const uint8_t heads[2][12] = {{3, 0, 1, 0x20, 6, 0, 0, 11},
                                         {3, 0, 1, 0x20, 6, 0, 0, 12}};
    struct dpk_nv_list list = vendor(KEEP);
    struct dpk_uuid id, key = uuid(OWNER_UUID);
    struct dpk_buf signature = {0};
    put_auth(&list, true, true);
    struct dpk_buf file = sign(list, NULL, OWNER_UUID);
    dpk_uuid_new_time(&id);
    if (!right_digest)
        file.data[file.size - 288] ^= 1;
    assert_int_equal(
        dpk_signer_sign(world.owner, DPK_SHA512, file.data, file.size, &signature, NULL), DPK_OK);
    for (size_t i = 0; i < 2; i++) {
        dpk_put(&file, heads[i], 12);
        dpk_put(&file, id.bytes, 16);
        dpk_put(&file, key.bytes, 16);
        dpk_put(&file, signature.data + 256 * i, 256);
    }
    dpk_buf_free(&signature);
    return file;
}

static void a_file_signed_by_hand_is_applied(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, by_hand(true));
}

static void a_signed_file_with_a_wrong_digest_is_refused(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, by_hand(false), DPK_REJECT_DIGEST_ERR);
}

static void damaged_files_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.size -= 4;
    refuse(dpk_device_apply, file, DPK_REJECT_BAD_FORMAT);
    refuse(dpk_device_apply, (struct dpk_buf){0}, DPK_REJECT_BAD_FORMAT);
}

static void contradicting_flags_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[28] |= 0x90; /* disable_override and erase_lower_priority */
    refuse(dpk_device_apply, file, DPK_REJECT_BAD_FORMAT);
}

static void a_partial_owner_key_is_bad_format(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    list.count--;
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void an_owner_key_that_is_no_rsa_key_is_bad_format(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    list.items[list.count - 1].data[255] &= 0xfe;
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void file_tlvs_that_nobody_knows_are_bad_format(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    put_tlv(&list, DPK_NV_FILE, 18, 4, true, "", 1);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void a_file_for_another_psid_is_not_applicable(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, by_owner(identity(DPK_NV_INDEX_ID_VENDOR, KEEP, "MT_0000000911")),
           DPK_REJECT_NOT_APPLICABLE);
}

static void a_file_for_this_psid_is_applied(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, by_owner(identity(DPK_NV_INDEX_ID_VENDOR, KEEP, "MT_0000000884")));
}

static void a_file_of_an_unknown_key_is_refused(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, sign(vendor(KEEP), world.other, OTHER_UUID), DPK_REJECT_UNKNOWN_KEY);
}

static void before_the_claim_the_owner_is_unknown(void **state)
{
    (void)state;
    refuse(dpk_device_apply, auth_file(true, true), DPK_REJECT_UNKNOWN_KEY);
}

static void the_owner_cannot_sign_as_nvidia(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, by_owner(mlnx(KEEP)), DPK_REJECT_KEY_NOT_APPLICABLE);
}

static void nvidia_cannot_sign_as_vendor_without_an_owner_key(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_auth(&list, true, true);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_KEY_NOT_APPLICABLE);
}

static void a_wrong_signature_fails_authentication(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[file.size - 1] ^= 1;
    refuse(dpk_device_apply, file, DPK_REJECT_AUTH_FAILED);
}

static void a_changed_value_fails_authentication(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, true);
    file.data[0x64] ^= 0x80; /* dpa_auth_en */
    refuse(dpk_device_apply, file, DPK_REJECT_AUTH_FAILED);
}

static void another_key_under_the_owners_uuid_fails_authentication(void **state)
{
    (void)state;
    claim();
    refuse(dpk_device_apply, sign(vendor(KEEP), world.other, OWNER_UUID), DPK_REJECT_AUTH_FAILED);
}

static void nvidia_installs_no_second_owner(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_NOT_APPLICABLE);
    list = mlnx(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_NOT_APPLICABLE);
    assert_true(owned_by(OWNER_UUID));
}

/* ---- Apply: the effects ---------------------------------------------------------------------- */

static void applied_values_count_after_the_reset(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    assert_false(authentication());
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0x80);
    assert_int_equal(get(DPK_VIEW_CURRENT, &auth_def).data[0], 0);
    reset();
    assert_true(authentication());
    assert_int_equal(get(DPK_VIEW_DEFAULT, &auth_def).data[0], 0);
}

static void the_owner_hands_over_to_another(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.other, OTHER_UUID);
    accept(dpk_device_apply, by_owner(list));
    assert_true(owned_by(OTHER_UUID));
    refuse(dpk_device_apply, by_owner(vendor(KEEP)), DPK_REJECT_UNKNOWN_KEY);
    accept(dpk_device_apply, sign(vendor(KEEP), world.other, OTHER_UUID));
}

static void a_file_that_keeps_nothing_removes_the_owner(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(0);
    put_other(&list, 7);
    accept(dpk_device_apply, by_owner(list));
    assert_false(owned_by(OWNER_UUID));
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0);
    assert_int_equal(get(DPK_VIEW_NEXT, &other_def).data[0], 7);
    claim();
}

static void a_file_that_keeps_nothing_but_carries_the_key_keeps_the_owner(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(0);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, by_owner(list));
    assert_true(owned_by(OWNER_UUID));
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0);
}

static void users_override_what_the_owner_lets_them(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    assert_int_equal(set_auth("False"), DPK_OK);
    reset();
    assert_false(authentication());
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    reset();
    assert_true(authentication());
}

static void users_cannot_set_what_the_owner_protects(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, false));
    assert_true(get(DPK_VIEW_NEXT, &auth_def).read_only);
    char *before = dump();
    assert_int_equal(set_auth("False"), DPK_ERR_REFUSED);
    char *after = dump();
    assert_string_equal(before, after);
    assert_string_equal(last_event().result, "READ_ONLY");
    free(after);
    free(before);
}

static void a_protected_value_beats_what_users_set_before(void **state)
{
    (void)state;
    claim();
    assert_int_equal(set_auth("False"), DPK_OK);
    accept(dpk_device_apply, auth_file(true, false));
    reset();
    assert_true(authentication());
}

static void erase_lower_priority_drops_what_users_set(void **state)
{
    (void)state;
    claim();
    assert_int_equal(set_auth("True"), DPK_OK);
    accept(dpk_device_apply, by_owner(vendor(KEEP | ERASE)));
    reset();
    assert_false(authentication());
}

static void per_tlv_priority_writes_at_the_tlvs_own(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP | PER_TLV);
    put_auth(&list, true, true);
    list.items[list.count - 1].priority = DPK_NV_USER;
    accept(dpk_device_apply, by_owner(list));
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0x80);
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    assert_int_equal(get(DPK_VIEW_NEXT, &auth_def).data[0], 0);
}

static void per_tlv_priority_never_rises_above_the_file(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP | PER_TLV);
    put_auth(&list, true, false); /* marked MLNX */
    accept(dpk_device_apply, by_owner(list));
    accept(dpk_device_apply, auth_file(false, true)); /* so it is at OEM and can change */
}

static void what_nvidia_protects_the_owner_cannot_override(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = mlnx(KEEP);
    put_auth(&list, true, false);
    accept(dpk_device_apply, by_nvidia(list));
    refuse(dpk_device_apply, auth_file(false, true), DPK_REJECT_NOT_APPLICABLE);
}

static void disable_override_refuses_to_change_a_tlv(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, auth_file(true, true));
    struct dpk_nv_list list = vendor(KEEP | DISABLE);
    put_auth(&list, false, true);
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
    list = vendor(KEEP | DISABLE);
    put_other(&list, 9);
    accept(dpk_device_apply, by_owner(list));
}

static void rd_en_0_hides_a_value_from_users(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_other(&list, 9);
    list.items[list.count - 1].rd_en = false;
    accept(dpk_device_apply, by_owner(list));
    struct dpk_device_value value = get(DPK_VIEW_NEXT, &other_def);
    assert_true(value.hidden);
    assert_int_equal(value.data[0], 0);
}

static void users_cannot_set_the_owners_key(void **state)
{
    (void)state;
    static const struct dpk_nv_param param = {
        .name = "public_key_exp", .config_name = "EXP", .type = DPK_NV_UNSIGNED, .bits = 32};
    static const struct dpk_nv_def def = {.name = "nv_ls_nv_public_key_0",
                                          .index = DPK_NV_INDEX_PUBLIC_KEY_0,
                                          .size = 32,
                                          .params = &param,
                                          .param_count = 1};
    struct dpk_device_setting setting = {.def = &def, .param = &param, .value = "3"};
    assert_int_equal(dpk_device_set(dev, &setting, 1, NULL), DPK_ERR_REFUSED);
}

static void a_bad_value_among_good_ones_sets_none(void **state)
{
    (void)state;
    struct dpk_device_setting settings[] = {
        {.def = &auth_def, .param = &auth_param, .value = "True"},
        {.def = &auth_def, .param = &auth_param, .value = "Perhaps"}};
    char *before = dump();
    assert_int_equal(dpk_device_set(dev, settings, 2, NULL), DPK_ERR_RANGE);
    char *after = dump();
    assert_string_equal(before, after);
    free(after);
    free(before);
}

/* ---- Burning --------------------------------------------------------------------------------- */

static struct dpk_container_plan add_plan(const char *cert_uuid)
{
    return (struct dpk_container_plan){.kind = DPK_CONTAINER_ADD,
                                       .priority = DPK_LIFECYCLE_OEM,
                                       .cert_uuid = uuid(cert_uuid),
                                       .cert = world.root.data,
                                       .cert_size = world.root.size};
}

static struct dpk_buf container(const struct dpk_container_plan *plan, const struct dpk_signer *s,
                                const char *keypair)
{
    struct dpk_error err = {0};
    struct dpk_buf made = {0}, out = {0};
    if (dpk_container_create(plan, &made, &err) != DPK_OK)
        fail_msg("%s", err.message);
    if (!s)
        return made;
    struct dpk_container_signing how = {
        .signer = s, .priority = plan->priority, .keypair_uuid = uuid(keypair)};
    if (dpk_container_sign(made.data, made.size, &how, &out, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_buf_free(&made);
    return out;
}

static struct dpk_buf owners(const struct dpk_container_plan *plan)
{
    return container(plan, world.owner, OWNER_UUID);
}

/* What no tool makes: a container changed, then signed by the owner. */
static struct dpk_buf sign_by_hand(struct dpk_buf file)
{
    static const uint8_t head[12] = {0x90, 1, 2, 0x0c, 0x10};
    struct dpk_buf signature = {0};
    assert_int_equal(
        dpk_signer_sign(world.owner, DPK_SHA512, file.data, file.size, &signature, NULL), DPK_OK);
    dpk_put(&file, head, sizeof head);
    dpk_put(&file, signature.data, signature.size);
    dpk_buf_free(&signature);
    return file;
}

static size_t cert_count(void)
{
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    return count;
}

static void the_owner_installs_a_certificate(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_ca_list cas = {0};
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count;
    struct dpk_uuid want = uuid(CERT_UUID), keypair = uuid(OWNER_UUID);
    accept(dpk_device_burn, owners(&plan));
    assert_int_equal(dpk_device_ca_list(dev, &cas, NULL), DPK_OK);
    assert_int_equal(cas.count, 1);
    assert_int_equal(cas.roots[0].size, world.root.size);
    assert_memory_equal(cas.roots[0].data, world.root.data, world.root.size);
    dpk_ca_list_free(&cas);
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    assert_true(dpk_uuid_equal(&certs[0].uuid, &want));
    assert_true(dpk_uuid_equal(&certs[0].keypair, &keypair));
    assert_int_equal(certs[0].priority, DPK_LIFECYCLE_OEM);
    assert_int_equal(certs[0].container_size, 0);
    assert_non_null(strstr(certs[0].subject, "Root"));
}

static void keep_sig_keeps_the_whole_container(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count;
    plan.keep_sig = true;
    struct dpk_buf file = owners(&plan);
    size_t size = file.size;
    accept(dpk_device_burn, file);
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    assert_int_equal(certs[0].container_size, size);
}

static void damaged_containers_are_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_buf file = owners(&plan);
    file.size -= 4;
    refuse(dpk_device_burn, file, DPK_REJECT_BAD_FORMAT);
    refuse(dpk_device_burn, (struct dpk_buf){0}, DPK_REJECT_BAD_FORMAT);
}

static void an_unsigned_container_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    refuse(dpk_device_burn, container(&plan, NULL, NULL), DPK_REJECT_UNSIGNED);
}

static void a_container_of_an_unknown_key_is_refused(void **state)
{
    (void)state;
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_UNKNOWN_KEY);
    claim();
    refuse(dpk_device_burn, container(&plan, world.other, OTHER_UUID), DPK_REJECT_UNKNOWN_KEY);
}

static void nvidia_does_not_sign_plain_oem_containers(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    refuse(dpk_device_burn, container(&plan, world.nvidia, NVIDIA_UUID), DPK_REJECT_UNKNOWN_KEY);
}

static void nvidia_signs_its_own_and_vouched_oem_containers(void **state)
{
    (void)state;
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count;
    plan.nvidia_signed_oem = true;
    accept(dpk_device_burn, container(&plan, world.nvidia, NVIDIA_UUID));
    plan = add_plan(OTHER_UUID);
    plan.priority = DPK_LIFECYCLE_NVIDIA;
    accept(dpk_device_burn, container(&plan, world.nvidia, NVIDIA_UUID));
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    assert_int_equal(certs[0].priority, DPK_LIFECYCLE_OEM);
    assert_int_equal(certs[1].priority, DPK_LIFECYCLE_NVIDIA);
}

static void a_wrong_container_signature_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_buf file = owners(&plan);
    file.data[file.size - 1] ^= 1;
    refuse(dpk_device_burn, file, DPK_REJECT_CERT_SIGNATURE);
    refuse(dpk_device_burn, container(&plan, world.other, OWNER_UUID), DPK_REJECT_CERT_SIGNATURE);
}

static void the_owner_cannot_sign_at_nvidias_priority(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.priority = DPK_LIFECYCLE_NVIDIA;
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_KEY_NOT_APPLICABLE);
    plan = add_plan(CERT_UUID);
    plan.nvidia_signed_oem = true;
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_KEY_NOT_APPLICABLE);
}

static void bad_metadata_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    struct dpk_buf file = container(&plan, NULL, NULL);
    file.data[45] &= 0xdf; /* no DPA root of trust */
    refuse(dpk_device_burn, sign_by_hand(file), DPK_REJECT_CERT_METADATA);
    plan.cert_uuid = (struct dpk_uuid){0};
    refuse(dpk_device_burn, sign_by_hand(container(&plan, NULL, NULL)), DPK_REJECT_CERT_METADATA);
}

static void refuse_cert(const struct cert_spec *spec)
{
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    struct dpk_buf der = {0};
    X509 *cert = make_cert(spec);
    put_cert(&der, cert);
    plan.cert = der.data;
    plan.cert_size = der.size;
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_CERT_CER509);
    X509_free(cert);
    dpk_buf_free(&der);
}

static void certificates_that_are_no_roots_are_refused(void **state)
{
    (void)state;
    claim();
    EVP_PKEY *small = EVP_RSA_gen(2048);
    refuse_cert(&(struct cert_spec){
        .subject = "no CA", .key = world.root_key, .constraints = "critical,CA:FALSE"});
    refuse_cert(
        &(struct cert_spec){.subject = "small", .key = small, .constraints = "critical,CA:TRUE"});
    X509 *root = make_cert(&(struct cert_spec){.subject = "Somebody", .key = small});
    refuse_cert(&(struct cert_spec){.subject = "issued",
                                    .key = world.root_key,
                                    .issuer = root,
                                    .issuer_key = small,
                                    .constraints = "critical,CA:TRUE"});
    X509_free(root);
    EVP_PKEY_free(small);
}

static void garbage_for_a_certificate_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keypair_uuid = uuid(OWNER_UUID);
    struct dpk_buf file = container(&plan, NULL, NULL);
    memset(file.data + 76, 'x', 100);
    refuse(dpk_device_burn, sign_by_hand(file), DPK_REJECT_CERT_CER509);
}

static void the_same_uuid_twice_is_refused(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    accept(dpk_device_burn, owners(&plan));
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_SAME_UUID);
}

static void the_ninth_certificate_has_no_place(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    for (int i = 0; i < DPK_DEVICE_CERT_PLACES; i++) {
        accept(dpk_device_burn, owners(&plan));
        plan.cert_uuid.bytes[15]++;
    }
    refuse(dpk_device_burn, owners(&plan), DPK_REJECT_NO_PLACE);
    assert_int_equal(cert_count(), DPK_DEVICE_CERT_PLACES);
}

static struct dpk_container_plan removal(const char *cert_uuid)
{
    struct dpk_container_plan plan = {.kind = DPK_CONTAINER_REMOVE, .priority = DPK_LIFECYCLE_OEM};
    if (cert_uuid)
        plan.cert_uuid = uuid(cert_uuid);
    plan.remove_all = !cert_uuid;
    return plan;
}

static void a_certificate_is_removed_by_its_uuid(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan one = add_plan(CERT_UUID), two = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(CERT_UUID);
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&two));
    accept(dpk_device_burn, owners(&off));
    assert_int_equal(cert_count(), 1);
    refuse(dpk_device_burn, owners(&off), DPK_REJECT_REMOVAL_NO_MATCH);
}

static void the_owner_removes_all_but_nvidias(void **state)
{
    (void)state;
    claim();
    struct dpk_container_plan one = add_plan(CERT_UUID), nvidias = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(NULL), that = removal(OTHER_UUID);
    nvidias.priority = DPK_LIFECYCLE_NVIDIA;
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, container(&nvidias, world.nvidia, NVIDIA_UUID));
    refuse(dpk_device_burn, owners(&that), DPK_REJECT_KEY_NOT_APPLICABLE);
    accept(dpk_device_burn, owners(&off));
    assert_int_equal(cert_count(), 1);
    off.priority = DPK_LIFECYCLE_NVIDIA;
    accept(dpk_device_burn, container(&off, world.nvidia, NVIDIA_UUID));
    assert_int_equal(cert_count(), 0);
}

/* ---- Devices as files ------------------------------------------------------------------------ */

static void a_device_answers_to_paths_and_its_alias(void **state)
{
    (void)state;
    static const char *const words[] = {"dev0", "/dev/mst/dev0", "mt41692_pciconf0",
                                        "/dev/mst/mt41692_pciconf0"};
    for (size_t i = 0; i < 4; i++) {
        struct dpk_device *again = NULL;
        assert_int_equal(dpk_device_open(words[i], &again, NULL), DPK_OK);
        assert_string_equal(dpk_device_name(again), "dev0");
        dpk_device_close(again);
    }
}

static void an_unknown_device_names_those_there_are(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_device *none = NULL;
    assert_int_equal(dpk_device_open("mlx5_9", &none, &err), DPK_ERR_NOT_FOUND);
    assert_null(none);
    assert_non_null(strstr(err.message, "there are: dev0"));
}

static void names_that_are_taken_or_bad_are_refused(void **state)
{
    (void)state;
    assert_int_equal(create_device("dev0"), DPK_ERR_EXISTS);
    assert_int_equal(create_device("mt41692_pciconf0"), DPK_ERR_EXISTS);
    assert_int_equal(create_device(""), DPK_ERR_USAGE);
    assert_int_equal(create_device(".."), DPK_ERR_USAGE);
    assert_int_equal(create_device("a/b"), DPK_ERR_USAGE);
}

static void devices_are_listed_without_aliases(void **state)
{
    (void)state;
    struct dpk_names names = {0};
    assert_int_equal(create_device("another"), DPK_OK);
    assert_int_equal(dpk_device_list(&names, NULL), DPK_OK);
    assert_int_equal(names.count, 2);
    assert_string_equal(names.names[0], "another");
    assert_string_equal(names.names[1], "dev0");
    dpk_names_free(&names);
    assert_int_equal(dpk_device_delete("mt41692_pciconf1", NULL), DPK_OK);
    assert_int_equal(dpk_device_list(&names, NULL), DPK_OK);
    assert_int_equal(names.count, 1);
    dpk_names_free(&names);
}

static void only_the_owner_may_read_a_device(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(stat(file_in_world("devices/dev0"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(file_in_world("devices/dev0/device.db"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_directory_that_others_may_write_is_refused(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    assert_int_equal(chmod(file_in_world("devices/dev0"), 0770), 0);
    enum dpk_status status = dpk_device_open("dev0", &again, &err);
    assert_int_equal(chmod(file_in_world("devices/dev0"), 0700), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
    assert_int_equal(chmod(file_in_world("devices"), 0777), 0);
    status = dpk_device_open("dev0", &again, &err);
    assert_int_equal(chmod(file_in_world("devices"), 0700), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
}

static void damaged_state_is_reported(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    FILE *f;
    dpk_device_close(dev);
    dev = NULL;
    f = fopen(file_in_world("devices/dev0/device.db"), "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, 4096, SEEK_SET), 0);
    for (int i = 0; i < 4096; i++)
        fputc(0xa5, f);
    fclose(f);
    assert_int_equal(dpk_device_open("dev0", &again, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "damaged"));
    assert_int_equal(truncate(file_in_world("devices/dev0/device.db"), 100), 0);
    assert_int_not_equal(dpk_device_open("dev0", &again, &err), DPK_OK);
    assert_int_equal(truncate(file_in_world("devices/dev0/device.db"), 0), 0);
    assert_int_not_equal(dpk_device_open("dev0", &again, &err), DPK_OK);
}

static void two_writers_take_turns(void **state)
{
    (void)state;
    enum { WRITERS = 4, EACH = 10 };
    int before = last_event().count;
    pid_t children[WRITERS];
    dpk_device_close(dev);
    dev = NULL;
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct dpk_device *mine = NULL;
            bool ok = dpk_device_open("dev0", &mine, NULL) == DPK_OK;
            for (int k = 0; ok && k < EACH; k++) {
                struct dpk_device_setting setting = {
                    .def = &auth_def, .param = &auth_param, .value = k % 2 ? "True" : "False"};
                ok = dpk_device_set(mine, &setting, 1, NULL) == DPK_OK;
            }
            dpk_device_close(mine);
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    assert_int_equal(last_event().count, before + WRITERS * EACH);
}

/* Killed at any instant, the device has a whole owner's key or none, and opens. */
static void a_killed_writer_leaves_all_or_nothing(void **state)
{
    (void)state;
    struct dpk_buf on = claim_file(), off = by_owner(vendor(0));
    for (int round = 0; round < 12; round++) {
        dpk_device_close(dev);
        dev = NULL;
        pid_t child = fork();
        if (child == 0) {
            struct dpk_device *mine = NULL;
            if (dpk_device_open("dev0", &mine, NULL) != DPK_OK)
                _exit(1);
            for (;;) {
                (void)dpk_device_apply(mine, on.data, on.size, NULL, NULL);
                (void)dpk_device_apply(mine, off.data, off.size, NULL, NULL);
            }
        }
        usleep(15000 + 1700 * (unsigned)round);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        struct dpk_error err = {0};
        struct dpk_device_info info;
        if (dpk_device_open("dev0", &dev, &err) != DPK_OK)
            fail_msg("%s", err.message);
        if (dpk_device_info(dev, &info, &err) != DPK_OK)
            fail_msg("%s", err.message);
    }
    dpk_buf_free(&off);
    dpk_buf_free(&on);
}

static void a_factory_pair_plays_nvidias_part(void **state)
{
    (void)state;
    struct dpk_device_plan plan = {.name = "made"};
    struct dpk_signer *s = NULL;
    struct dpk_buf text = {0};
    struct stat st;
    struct dpk_nv_list list = vendor(KEEP);
    char keypair[DPK_UUID_TEXT];
    dpk_device_close(dev);
    assert_int_equal(dpk_device_create(&plan, NULL), DPK_OK);
    assert_int_equal(stat(file_in_world("devices/made/factory/nvidia.pem"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(
        dpk_signer_open(file_in_world("devices/made/factory/nvidia.pem"), NULL, &s, NULL), DPK_OK);
    assert_int_equal(
        dpk_file_read(file_in_world("devices/made/factory/nvidia.uuid"), 100, &text, NULL), DPK_OK);
    snprintf(keypair, sizeof keypair, "%.36s", (char *)text.data);
    assert_int_equal(dpk_device_open("made", &dev, NULL), DPK_OK);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, sign(list, s, keypair));
    assert_true(owned_by(OWNER_UUID));
    dpk_buf_free(&text);
    dpk_signer_close(s);
    dpk_device_close(dev);
    assert_int_equal(dpk_device_delete("made", NULL), DPK_OK);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

static void the_log_keeps_what_the_loader_says(void **state)
{
    (void)state;
    assert_int_equal(dpk_device_log(dev, "load", "UNSIGNED", "app hello", NULL), DPK_OK);
    assert_string_equal(last_event().action, "load");
    assert_string_equal(last_event().result, "UNSIGNED");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh_device, drop_device)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_device_is_open_and_empty),
        TEST(nvidia_installs_the_first_owner_at_once),
        TEST(an_unsigned_file_is_refused),
        TEST(an_unsigned_file_with_a_wrong_digest_is_unsigned),
        TEST(a_file_signed_by_hand_is_applied),
        TEST(a_signed_file_with_a_wrong_digest_is_refused),
        TEST(damaged_files_are_bad_format),
        TEST(contradicting_flags_are_bad_format),
        TEST(a_partial_owner_key_is_bad_format),
        TEST(an_owner_key_that_is_no_rsa_key_is_bad_format),
        TEST(file_tlvs_that_nobody_knows_are_bad_format),
        TEST(a_file_for_another_psid_is_not_applicable),
        TEST(a_file_for_this_psid_is_applied),
        TEST(a_file_of_an_unknown_key_is_refused),
        TEST(before_the_claim_the_owner_is_unknown),
        TEST(the_owner_cannot_sign_as_nvidia),
        TEST(nvidia_cannot_sign_as_vendor_without_an_owner_key),
        TEST(a_wrong_signature_fails_authentication),
        TEST(a_changed_value_fails_authentication),
        TEST(another_key_under_the_owners_uuid_fails_authentication),
        TEST(nvidia_installs_no_second_owner),
        TEST(applied_values_count_after_the_reset),
        TEST(the_owner_hands_over_to_another),
        TEST(a_file_that_keeps_nothing_removes_the_owner),
        TEST(a_file_that_keeps_nothing_but_carries_the_key_keeps_the_owner),
        TEST(users_override_what_the_owner_lets_them),
        TEST(users_cannot_set_what_the_owner_protects),
        TEST(a_protected_value_beats_what_users_set_before),
        TEST(erase_lower_priority_drops_what_users_set),
        TEST(per_tlv_priority_writes_at_the_tlvs_own),
        TEST(per_tlv_priority_never_rises_above_the_file),
        TEST(what_nvidia_protects_the_owner_cannot_override),
        TEST(disable_override_refuses_to_change_a_tlv),
        TEST(rd_en_0_hides_a_value_from_users),
        TEST(users_cannot_set_the_owners_key),
        TEST(a_bad_value_among_good_ones_sets_none),
        TEST(the_owner_installs_a_certificate),
        TEST(keep_sig_keeps_the_whole_container),
        TEST(damaged_containers_are_bad_format),
        TEST(an_unsigned_container_is_refused),
        TEST(a_container_of_an_unknown_key_is_refused),
        TEST(nvidia_does_not_sign_plain_oem_containers),
        TEST(nvidia_signs_its_own_and_vouched_oem_containers),
        TEST(a_wrong_container_signature_is_refused),
        TEST(the_owner_cannot_sign_at_nvidias_priority),
        TEST(bad_metadata_is_refused),
        TEST(certificates_that_are_no_roots_are_refused),
        TEST(garbage_for_a_certificate_is_refused),
        TEST(the_same_uuid_twice_is_refused),
        TEST(the_ninth_certificate_has_no_place),
        TEST(a_certificate_is_removed_by_its_uuid),
        TEST(the_owner_removes_all_but_nvidias),
        TEST(a_device_answers_to_paths_and_its_alias),
        TEST(an_unknown_device_names_those_there_are),
        TEST(names_that_are_taken_or_bad_are_refused),
        TEST(devices_are_listed_without_aliases),
        TEST(only_the_owner_may_read_a_device),
        TEST(a_directory_that_others_may_write_is_refused),
        TEST(damaged_state_is_reported),
        TEST(two_writers_take_turns),
        TEST(a_killed_writer_leaves_all_or_nothing),
        TEST(a_factory_pair_plays_nvidias_part),
        TEST(the_log_keeps_what_the_loader_says),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
