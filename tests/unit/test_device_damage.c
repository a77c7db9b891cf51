/* runtime/device/state: bits of its files flip: a device reports damage, or is unchanged. */
#include "device/admin/admin.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"

#include "device_containers.h"
#include "device_world.h"

#define DATABASE "devices/dev0/device.db"
#define JOURNAL  DATABASE "-wal"
#define INDEX    DATABASE "-shm"
#define PAGE     4096

/* Under sanitizers fewer bits are flipped. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 20
#else
#define SLOWER 1
#endif

/* What the device decides by, read as everything reads it: through tables and through indexes. */
static void portray(struct dpk_device *d, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_device_info info;
    struct dpk_device_value now, next;
    struct dpk_ca_list cas = {0};
    bool on = false;
    enum dpk_status status = dpk_device_export(d, false, out, err);
    if (status == DPK_OK)
        status = dpk_device_info(d, &info, err);
    if (status == DPK_OK)
        status = dpk_device_dpa_authentication(d, DPK_VIEW_CURRENT, &on, err);
    if (status == DPK_OK)
        status = dpk_device_get(d, DPK_VIEW_CURRENT, &auth_def, &now, err);
    if (status == DPK_OK)
        status = dpk_device_get(d, DPK_VIEW_NEXT, &auth_def, &next, err);
    if (status == DPK_OK)
        status = dpk_device_ca_list(d, &cas, err);
    if (status != DPK_OK)
        fail_msg("opened, but: %s", err->message);
    dpk_put_format(out, "%d %d %d %d%d%d %d%d%d", info.has_owner, on, (int)cas.count, now.read_only,
                   now.present, now.data[0] & 0x80, next.read_only, next.present,
                   next.data[0] & 0x80);
    for (size_t i = 0; i < cas.count; i++)
        dpk_put(out, cas.roots[i].data, cas.roots[i].size);
    dpk_ca_list_free(&cas);
    assert_false(out->failed);
}

static struct dpk_buf portrait; /* of the device as it was */

/* An owner, a certificate, authentication on for good, and a user's own setting. */
static void make_worth_damaging(void)
{
    struct dpk_error err = {0};
    struct dpk_container_plan plan = add_plan(CERT_UUID);
    plan.keep_sig = true;
    claim();
    accept(dpk_device_burn, owners(&plan));
    accept(dpk_device_apply, auth_file(true, false));
    reset();
    struct dpk_nv_list list = vendor(KEEP);
    put_other(&list, 7);
    accept(dpk_device_apply, by_owner(list));
    assert_int_equal(dpk_device_log(dev, "load", "OK", "app hello: OK", &err), DPK_OK);
    portray(dev, &portrait, &err);
    dpk_device_close(dev);
    dev = NULL;
}

static void forget(void)
{
    dpk_buf_free(&portrait);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

/* True: the device refused, and said why. */
static bool opens_as_it_was_or_not(const char *what, size_t bit)
{
    struct dpk_device *d = NULL;
    struct dpk_error err = {0};
    struct dpk_buf now = {0};
    enum dpk_status status = dpk_device_open("dev0", &d, &err);
    if (status != DPK_OK) {
        if (!strstr(err.message, "device.db: ") || !strstr(err.message, "damaged"))
            fail_msg("%s, bit %zu: %s", what, bit, err.message);
        return true;
    }
    portray(d, &now, &err);
    if (now.size != portrait.size || memcmp(now.data, portrait.data, now.size) != 0)
        fail_msg("%s, bit %zu: the device is another one", what, bit);
    dpk_buf_free(&now);
    dpk_device_close(d);
    return false;
}

static struct dpk_buf contents(const char *name)
{
    struct dpk_buf out = {0};
    assert_int_equal(dpk_file_read(file_in_world(name), DPK_FILE_MAX, &out, NULL), DPK_OK);
    return out;
}

static void put_byte(int fd, size_t at, uint8_t byte)
{
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
}

/* How many bits to the next one: none is left out of heads, where much hangs on a bit. */
static size_t stride_at(size_t bit, size_t every, size_t head)
{
    return (bit / 8 % every < head ? 1 : 997) * SLOWER;
}

/* Heads are the first `head` bytes of `every` so many; how many flips were refused. */
static unsigned flip_bits(const char *name, size_t every, size_t head)
{
    unsigned refused = 0;
    struct dpk_buf file = contents(name);
    int fd = open(file_in_world(name), O_RDWR);
    assert_true(fd >= 0);
    for (size_t bit = 0; bit < file.size * 8; bit += stride_at(bit, every, head)) {
        put_byte(fd, bit / 8, file.data[bit / 8] ^ (uint8_t)(1u << bit % 8));
        refused += opens_as_it_was_or_not(name, bit);
        put_byte(fd, bit / 8, file.data[bit / 8]);
    }
    close(fd);
    dpk_buf_free(&file);
    return refused;
}

static void a_flipped_bit_of_the_database_is_named_or_changes_nothing(void **state)
{
    (void)state;
    make_worth_damaging();
    assert_true(flip_bits(DATABASE, PAGE, 32) > 0);
    forget();
}

/* What a change wrote is not in the journal any more when it is done: SQLite forgets what follows
 * a bit that flipped there, and says nothing. */
static void a_flipped_bit_of_the_journal_changes_nothing(void **state)
{
    (void)state;
    make_worth_damaging();
    assert_int_equal(flip_bits(JOURNAL, PAGE + 24, 32), 0);
    forget();
}

static void a_flipped_bit_of_the_index_of_the_journal_changes_nothing(void **state)
{
    (void)state;
    make_worth_damaging();
    struct dpk_buf file = contents(INDEX);
    int fd = open(file_in_world(INDEX), O_RDWR);
    assert_true(fd >= 0);
    for (size_t bit = 0; bit < file.size * 8; bit += stride_at(bit, file.size, 136)) {
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(pwrite(fd, file.data, file.size, 0), file.size);
        assert_false(opens_as_it_was_or_not(INDEX, bit));
        file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    close(fd);
    dpk_buf_free(&file);
    forget();
}

/* ---- What the seal covers ---- */

static void by_hand(const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(file_in_world(DATABASE), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static enum dpk_status open_again(struct dpk_error *err)
{
    struct dpk_device *again = NULL;
    *err = (struct dpk_error){0};
    enum dpk_status status = dpk_device_open("dev0", &again, err);
    dpk_device_close(again);
    return status;
}

static void every_table_row_and_column_is_under_the_seal(void **state)
{
    (void)state;
    static const char *const changes[][2] = {
        {"CREATE TABLE more (a BLOB)", "DROP TABLE more"},
        {"ALTER TABLE ca ADD COLUMN more ANY", "ALTER TABLE ca DROP COLUMN more"},
        {"CREATE INDEX more ON meta (value)", "DROP INDEX more"},
        {"INSERT INTO tlv VALUES (1, 0, 9, 0, 0, 0, 0, 0, x'')", "DELETE FROM tlv WHERE idx = 9"},
        {"UPDATE meta SET value = value || ' '", "UPDATE meta SET value = rtrim(value)"},
        {"UPDATE nvidia_key SET uuid = CAST(uuid || x'00' AS BLOB)",
         "UPDATE nvidia_key SET uuid = substr(uuid, 1, 16)"},
    };
    struct dpk_error err;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        by_hand(changes[i][0]);
        if (open_again(&err) != DPK_ERR_FORMAT)
            fail_msg("%s: %s", changes[i][0], err.message);
        assert_non_null(strstr(err.message, "device.db: the device's state is damaged (its digest "
                                            "is"));
        assert_non_null(strstr(err.message, "DAMAGE in dpadev(1)"));
        by_hand(changes[i][1]);
        assert_int_equal(open_again(&err), DPK_OK);
    }
}

static void the_log_is_not_under_the_seal(void **state)
{
    (void)state;
    struct dpk_error err;
    by_hand("DELETE FROM log");
    assert_int_equal(open_again(&err), DPK_OK);
}

/* Else a new seal would make good what is not. */
static void a_damaged_state_is_not_changed(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    by_hand("UPDATE meta SET value = 'x' WHERE key = 'serial'");
    assert_int_equal(dpk_device_reset(dev, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "damaged"));
    assert_int_equal(open_again(&err), DPK_ERR_FORMAT);
}

/* ---- Devices of dpakit 0.1, which have no seal ---- */

static void a_device_of_before_is_sealed_as_it_is_once(void **state)
{
    (void)state;
    struct dpk_error err;
    claim();
    dpk_device_close(dev);
    by_hand(BECOMES_UNSEALED);
    assert_int_equal(dpk_device_open("dev0", &dev, &err), DPK_OK);
    assert_string_equal(last_event().action, "seal");
    int events = last_event().count;
    assert_true(owned_by(OWNER_UUID));
    assert_int_equal(open_again(&err), DPK_OK);
    assert_int_equal(last_event().count, events);
    by_hand("UPDATE meta SET value = 'x' WHERE key = 'serial'");
    assert_int_equal(open_again(&err), DPK_ERR_FORMAT);
}

/* What somebody has put into its database waits there for a change. */
static void a_trigger_in_a_device_of_before_does_nothing(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    claim();
    dpk_device_close(dev);
    by_hand(BECOMES_UNSEALED "; CREATE TRIGGER more AFTER INSERT ON log BEGIN "
                             "DELETE FROM tlv; END");
    assert_int_equal(dpk_device_open("dev0", &dev, &err), DPK_OK);
    assert_int_equal(dpk_device_reset(dev, &err), DPK_OK);
    assert_true(owned_by(OWNER_UUID));
}

static void a_view_in_place_of_a_table_is_damage(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_device_info info;
    claim();
    dpk_device_close(dev);
    by_hand(BECOMES_UNSEALED "; ALTER TABLE tlv RENAME TO more; "
                             "CREATE VIEW tlv AS SELECT * FROM more WHERE priority = 0");
    assert_int_equal(dpk_device_open("dev0", &dev, &err), DPK_OK);
    assert_int_equal(dpk_device_info(dev, &info, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "damaged"));
}

/* Losing the seal does not make a device one of before. */
static void a_device_without_its_seal_is_damaged(void **state)
{
    (void)state;
    struct dpk_error err;
    by_hand("DELETE FROM seal");
    assert_int_equal(open_again(&err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "it has no digest"));
    by_hand("DROP TABLE seal");
    assert_int_equal(open_again(&err), DPK_ERR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_flipped_bit_of_the_database_is_named_or_changes_nothing),
        TEST(a_flipped_bit_of_the_journal_changes_nothing),
        TEST(a_flipped_bit_of_the_index_of_the_journal_changes_nothing),
        TEST(every_table_row_and_column_is_under_the_seal),
        TEST(the_log_is_not_under_the_seal),
        TEST(a_damaged_state_is_not_changed),
        TEST(a_device_of_before_is_sealed_as_it_is_once),
        TEST(a_trigger_in_a_device_of_before_does_nothing),
        TEST(a_view_in_place_of_a_table_is_damage),
        TEST(a_device_without_its_seal_is_damaged),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
