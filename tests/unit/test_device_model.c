/* runtime/device/state against the model of device_model.h: random sequences of applying, burning,
 * setting, dropping, booting and opening again, legal and not, every state compared. */
#include "device/admin/admin.h"

#include <string.h>

/* Syncs cost most of the time, and no power is cut here. */
#include "cut.h"
#include "golden.h"

#include "device_containers.h"
#include "device_model.h"
#include "device_world.h"

enum { FILES = 260, CONTAINERS = 140, RUNS = 6, STEPS = 500, NUMBERS = 11 };

static struct {
    struct model_file says;
    struct dpk_buf bytes;
} files[FILES];
static struct {
    struct model_container says;
    struct dpk_buf bytes;
} containers[CONTAINERS];

/* xorshift64*, seeded by hand: the same on every machine. */
static uint64_t dice = 1;
static unsigned roll(unsigned sides)
{
    dice ^= dice >> 12;
    dice ^= dice << 25;
    dice ^= dice >> 27;
    return (unsigned)((dice * 0x2545f4914f6cdd1dULL) >> 33) % sides;
}
static bool one_in(unsigned n)
{
    return roll(n) == 0;
}

/* ---- Files, of which the model knows what is in them ---- */

static const char *uuid_of(enum who who)
{
    static const char *const uuids[] = {"00000000-0000-1000-8000-000000000001", NVIDIA_UUID,
                                        OWNER_UUID, OTHER_UUID,
                                        "55555555-5555-1555-8555-555555555555"};
    return uuids[who];
}

/* A stranger has any key but the one whose name is taken in vain. */
static const struct dpk_signer *key_of(enum who who, enum who says)
{
    if (who == STRANGER)
        return says == BOB ? world.owner : world.other;
    return who == NOBODY   ? NULL
           : who == NVIDIA ? world.nvidia
           : who == ALICE  ? world.owner
                           : world.other;
}

static enum who any_signer(enum who *says)
{
    *says = (enum who)(NVIDIA + roll(3));
    enum who signer = one_in(12) ? (enum who)roll(STRANGER + 1) : *says;
    if (one_in(20))
        *says = STRANGER;
    return signer;
}

static const uint32_t indices[THINGS] = {DPK_NV_INDEX_DPA_AUTH, 1000, 1001};
static const enum dpk_nv_priority priorities[LEVELS] = {DPK_NV_USER, DPK_NV_OEM, DPK_NV_MLNX};

static unsigned char any_byte(int thing)
{
    return thing == THING_AUTH ? (unsigned char)(roll(2) << 7) : (unsigned char)(1 + roll(3));
}

static struct model_file any_file(void)
{
    struct model_file f = {.keep = !one_in(4),
                           .erase = one_in(6),
                           .per_tlv = one_in(5),
                           .disable_override = one_in(8),
                           .tampered = one_in(20),
                           .psid = one_in(20) ? 2 : (int)roll(2),
                           .branch = one_in(20) ? 2 : (int)roll(2)};
    f.signer = any_signer(&f.says);
    f.mlnx = f.says == NVIDIA ? one_in(2) : one_in(15);
    if (f.says == NVIDIA && !f.mlnx ? !one_in(8) : one_in(6)) {
        f.brings = one_in(2) ? ALICE : BOB;
        f.under_nvidias = one_in(15);
    }
    for (int t = 0; t < THINGS; t++)
        f.contents[t] = (struct model_content){.there = one_in(2),
                                               .ovr_en = !one_in(4),
                                               .rd_en = !one_in(4),
                                               .byte = any_byte(t),
                                               .level = (int)roll(LEVELS)};
    return f;
}

static struct dpk_buf make_file(const struct model_file *f)
{
    uint32_t flags = (f->keep ? KEEP : 0) | (f->per_tlv ? PER_TLV : 0) | (f->erase ? ERASE : 0);
    bool contradicts = f->disable_override && (!f->keep || f->erase);
    if (f->disable_override && !contradicts)
        flags |= DISABLE;
    struct dpk_nv_list list =
        identity(f->mlnx ? DPK_NV_INDEX_ID_MLNX : DPK_NV_INDEX_ID_VENDOR, flags,
                 f->psid == 0   ? ""
                 : f->psid == 1 ? "MT_0000000884"
                                : "MT_0000000911");
    if (f->branch)
        memcpy(list.items[1].data + 16, f->branch == 1 ? "QA" : "QB", 2);
    if (f->brings)
        put_key(&list, key_of(f->brings, NOBODY),
                f->under_nvidias ? NVIDIA_UUID : uuid_of(f->brings));
    for (int t = 0; t < THINGS; t++)
        if (f->contents[t].there) {
            const struct model_content *c = &f->contents[t];
            put_tlv(&list, DPK_NV_GLOBAL, indices[t], 4, c->ovr_en, &c->byte, 1);
            list.items[list.count - 1].rd_en = c->rd_en;
            list.items[list.count - 1].priority = priorities[c->level];
        }
    struct dpk_buf out = sign(list, key_of(f->signer, f->says), uuid_of(f->says));
    if (contradicts) /* no tool makes this */
        out.data[28] |= 0x10;
    if (f->tampered)
        out.data[out.size - 1] ^= 1;
    return out;
}

static struct dpk_uuid cert_uuid(int number)
{
    struct dpk_uuid u = uuid(CERT_UUID);
    u.bytes[0] = (uint8_t)(1 + number);
    return u;
}

static struct model_container any_container(void)
{
    struct model_container c = {.tampered = one_in(20),
                                .remove = one_in(6),
                                .number = (int)roll(NUMBERS),
                                .priority = (int[]){0, 1, 1, 1, 3}[roll(5)]};
    c.signer = any_signer(&c.says);
    if (c.says == NVIDIA && !one_in(6))
        c.priority = 3;
    c.all = c.remove && one_in(10);
    if (!c.remove && c.priority == 1)
        c.vouched = c.says == NVIDIA || one_in(8);
    c.no_root_bit = !c.remove && c.priority == 1 && !c.vouched && c.signer == ALICE &&
                    c.says == ALICE && one_in(6);
    return c;
}

static struct dpk_buf make_container(const struct model_container *c)
{
    struct dpk_container_plan plan = {.kind = c->remove ? DPK_CONTAINER_REMOVE : DPK_CONTAINER_ADD,
                                      .priority = (enum dpk_lifecycle)c->priority,
                                      .nvidia_signed_oem = c->vouched,
                                      .remove_all = c->all,
                                      .keypair_uuid = uuid(uuid_of(c->says))};
    if (!c->all)
        plan.cert_uuid = cert_uuid(c->number);
    if (!c->remove) {
        plan.cert = world.root.data;
        plan.cert_size = world.root.size;
    }
    const struct dpk_signer *key = key_of(c->signer, c->says);
    struct dpk_buf out = container(&plan, c->no_root_bit ? NULL : key, uuid_of(c->says));
    if (c->no_root_bit) {
        out.data[45] &= 0xdf;
        out = sign_by_hand(out);
    }
    if (c->tampered)
        out.data[out.size - 1] ^= 1;
    return out;
}

/* ---- Comparing ---- */

static struct {
    unsigned run, step, done;
    char what[400];
    unsigned codes[0x40];
} now;

#define SAME(real, said, name)                                                                     \
    do {                                                                                           \
        long long real_ = (long long)(real), said_ = (long long)(said);                            \
        if (real_ != said_)                                                                        \
            fail_msg("run %u, step %u, %s: %s is %lld, the model says %lld", now.run, now.step,    \
                     now.what, name, real_, said_);                                                \
    } while (0)

/* Every row of the database that is not an owner's key. */
static void compare_rows(sqlite3 *db, const struct model *m)
{
    sqlite3_stmt *stmt = NULL;
    struct model_value rows[VIEWS][THINGS][LEVELS];
    memset(rows, 0, sizeof rows);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT view, idx, priority, ovr_en, rd_en, data FROM tlv "
                                        "WHERE NOT (class = 0 AND idx BETWEEN 412 AND 414)",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        int index = sqlite3_column_int(stmt, 1), level = sqlite3_column_int(stmt, 2);
        int thing = index == 1000 ? THING_X : index == 1001 ? THING_Y : THING_AUTH;
        assert_int_equal(index, indices[thing]);
        rows[sqlite3_column_int(stmt, 0) - 1][thing][level == 3 ? LEVEL_MLNX : level] =
            (struct model_value){true, sqlite3_column_int(stmt, 3), sqlite3_column_int(stmt, 4),
                                 *(const unsigned char *)sqlite3_column_blob(stmt, 5)};
    }
    sqlite3_finalize(stmt);
    for (int v = 0; v < VIEWS; v++)
        for (int t = 0; t < THINGS; t++)
            for (int l = 0; l < LEVELS; l++) {
                const struct model_value *real = &rows[v][t][l], *said = &m->values[v][t][l];
                SAME(real->there, said->there, "a TLV");
                if (said->there) {
                    SAME(real->byte, said->byte, "a TLV's byte");
                    SAME(real->ovr_en, said->ovr_en, "a TLV's ovr_en");
                    SAME(real->rd_en, said->rd_en, "a TLV's rd_en");
                }
            }
}

static const struct dpk_nv_param byte_param = {
    .name = "byte", .config_name = "BYTE", .type = DPK_NV_UNSIGNED, .low_bit = 24, .bits = 8};

static struct dpk_nv_def def_of(int thing)
{
    return (struct dpk_nv_def){.name = "thing",
                               .index = indices[thing],
                               .size = 4,
                               .params = &byte_param,
                               .param_count = 1};
}

static void compare_values(const struct model *m)
{
    static const enum dpk_device_view views[VIEWS] = {DPK_VIEW_CURRENT, DPK_VIEW_NEXT};
    bool locked, hidden;
    for (int v = 0; v < VIEWS; v++)
        for (int t = 0; t < THINGS; t++) {
            struct dpk_nv_def def = def_of(t);
            struct dpk_device_value real = get(views[v], &def);
            const struct model_value *said = model_effect(m, v, t, &locked, &hidden);
            SAME(real.read_only, locked, "read_only");
            SAME(real.hidden, hidden, "hidden");
            SAME(real.data[0], said && !hidden ? said->byte : 0, "a value");
            SAME(get(DPK_VIEW_DEFAULT, &def).data[0], 0, "a default");
        }
    const struct model_value *auth = model_effect(m, VIEW_CURRENT, THING_AUTH, &locked, &hidden);
    SAME(authentication(), auth && auth->byte & 0x80, "DPA_AUTHENTICATION");
}

static void compare_trust(const struct model *m)
{
    struct dpk_device_info info;
    struct dpk_device_cert certs[DPK_DEVICE_CERT_PLACES];
    size_t count = 0;
    struct dpk_uuid owner = uuid(uuid_of(m->owner));
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    SAME(info.has_owner, m->owner != NOBODY, "an owner");
    if (m->owner)
        SAME(dpk_uuid_equal(&info.owner, &owner), true, "the owner's UUID");
    assert_int_equal(dpk_device_certs(dev, certs, &count, NULL), DPK_OK);
    SAME(count, m->cert_count, "the number of certificates");
    for (int i = 0; i < m->cert_count; i++) {
        struct dpk_uuid u = cert_uuid(m->certs[i].number);
        SAME(dpk_uuid_equal(&certs[i].uuid, &u), true, "a certificate's UUID");
        SAME(certs[i].priority, m->certs[i].priority, "a certificate's priority");
    }
}

/* ---- Steps ---- */

static void check_code(enum dpk_status status, enum dpk_reject real, int said)
{
    SAME(real, said, "the code");
    SAME(status, said ? DPK_ERR_REFUSED : DPK_OK, "the status");
    now.codes[said]++;
    now.done += !said;
}

static void step_apply(struct model *m)
{
    enum dpk_reject code;
    unsigned i = roll(FILES);
    struct dpk_error err = {0};
    enum dpk_status status =
        dpk_device_apply(dev, files[i].bytes.data, files[i].bytes.size, &code, &err);
    snprintf(now.what, sizeof now.what, "file %u (%.300s)", i, err.message);
    check_code(status, code, model_apply(m, &files[i].says));
}

static void step_burn(struct model *m)
{
    enum dpk_reject code;
    unsigned i = roll(CONTAINERS);
    struct dpk_error err = {0};
    enum dpk_status status =
        dpk_device_burn(dev, containers[i].bytes.data, containers[i].bytes.size, &code, &err);
    snprintf(now.what, sizeof now.what, "container %u (%.300s)", i, err.message);
    check_code(status, code, model_burn(m, &containers[i].says));
}

static void step_set(struct model *m)
{
    int thing = (int)roll(THINGS);
    unsigned char byte = any_byte(thing);
    char text[8];
    struct dpk_nv_def def = def_of(thing);
    struct dpk_device_setting setting = {.def = &def, .param = &byte_param, .value = text};
    snprintf(text, sizeof text, "%u", byte);
    snprintf(now.what, sizeof now.what, "set %d to %u", thing, byte);
    enum dpk_status status = dpk_device_set(dev, NULL, &setting, 1, NULL);
    SAME(status, model_set(m, thing, byte) ? DPK_OK : DPK_ERR_REFUSED, "the status");
}

static void step(struct model *m)
{
    unsigned which = roll(20);
    if (which < 9) {
        step_apply(m);
    } else if (which < 14) {
        step_burn(m);
    } else if (which < 17) {
        step_set(m);
    } else if (which < 18) {
        snprintf(now.what, sizeof now.what, "drop");
        assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
        model_drop(m);
    } else if (which < 19) {
        snprintf(now.what, sizeof now.what, "reset");
        assert_int_equal(dpk_device_reset(dev, NULL), DPK_OK);
        model_reset(m);
    } else {
        snprintf(now.what, sizeof now.what, "reopen");
        dpk_device_close(dev);
        assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    }
}

static void run(void)
{
    struct model m = {.events = 1};
    sqlite3 *db = NULL;
    struct dpk_device_plan plan = {.name = "dev0",
                                   .psid = "MT_0000000884",
                                   .psid_branch = "QA",
                                   .nvidia_key = file_in_world("nvidia.pub"),
                                   .nvidia_uuid = uuid(NVIDIA_UUID)};
    assert_int_equal(dpk_device_create(&plan, NULL, NULL), DPK_OK);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    assert_int_equal(sqlite3_open(file_in_world("devices/dev0/device.db"), &db), SQLITE_OK);
    for (now.step = 0; now.step < STEPS; now.step++) {
        step(&m);
        compare_rows(db, &m);
        compare_values(&m);
        compare_trust(&m);
        if (now.step % 50 == 0)
            SAME(last_event().count, m.events, "the number of events");
    }
    sqlite3_close(db);
    dpk_device_close(dev);
    dev = NULL;
    assert_int_equal(dpk_device_delete("dev0", NULL), DPK_OK);
}

static void random_sequences_go_as_the_model_says(void **state)
{
    (void)state;
    static const int codes[] = {M_OK,       M_NOT_APPLICABLE,     M_UNKNOWN_KEY, M_AUTH_FAILED,
                                M_UNSIGNED, M_KEY_NOT_APPLICABLE, M_BAD_FORMAT,  M_SIGNATURE,
                                M_METADATA, M_NO_PLACE,           M_NO_MATCH,    M_SAME_UUID};
    for (size_t i = 0; i < FILES; i++) {
        files[i].says = any_file();
        files[i].bytes = make_file(&files[i].says);
    }
    for (size_t i = 0; i < CONTAINERS; i++) {
        containers[i].says = any_container();
        containers[i].bytes = make_container(&containers[i].says);
    }
    for (now.run = 0; now.run < RUNS; now.run++) {
        dice = 0x9e3779b97f4a7c15ULL * (now.run + 1);
        run();
    }
    /* Else the sequences are too tame to mean anything. */
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (now.codes[codes[i]] == 0)
            fail_msg("code 0x%x never came", (unsigned)codes[i]);
    if (now.done < 250)
        fail_msg("only %u files were taken", now.done);
    for (size_t i = 0; i < FILES; i++)
        dpk_buf_free(&files[i].bytes);
    for (size_t i = 0; i < CONTAINERS; i++)
        dpk_buf_free(&containers[i].bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_sequences_go_as_the_model_says)};
    return cmocka_run_group_tests(tests, make_world, free_world);
}
