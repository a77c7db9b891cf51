/* runtime/device/state: the power goes while a device is made, imported or deleted: it is there, or not.
 */
#include "device/admin/admin.h"

#include <dirent.h>
#include <string.h>

#include "cut.h"
#include "golden.h"

#include "device_world.h"

/* The same key for every device that is made: it takes a second to make one. */
EVP_PKEY *EVP_PKEY_Q_keygen(OSSL_LIB_CTX *context, const char *query, const char *type, ...)
{
    (void)context;
    (void)query;
    (void)type;
    EVP_PKEY_up_ref(world.root_key);
    return world.root_key;
}

static bool do_create(char *why, size_t size)
{
    struct dpk_error err = {0};
    struct dpk_device_plan plan = {.name = "made"};
    enum dpk_status status = dpk_device_create(&plan, NULL, &err);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static struct dpk_buf archive;

static bool do_import(char *why, size_t size)
{
    struct dpk_error err = {0};
    enum dpk_status status = dpk_device_import("made", archive.data, archive.size, &err);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

static bool do_delete(char *why, size_t size)
{
    struct dpk_error err = {0};
    enum dpk_status status = dpk_device_delete("made", &err);
    snprintf(why, size, "%s", err.message);
    return status == DPK_OK;
}

/* It is there, with a key that is the one it trusts; or it is not there at all. */
static bool is_there(void)
{
    struct dpk_error err = {0};
    struct dpk_device *made = NULL;
    struct dpk_device_info info;
    struct dpk_device_key *keys = NULL;
    struct dpk_signer *signer = NULL;
    struct dpk_buf text = {0};
    size_t count = 0;
    char keypair[DPK_UUID_TEXT];
    enum dpk_status status = dpk_device_open("made", &made, &err);
    if (status == DPK_ERR_NOT_FOUND)
        return false;
    if (status != DPK_OK || dpk_device_info(made, &info, &err) != DPK_OK ||
        dpk_device_nvidia_keys(made, &keys, &count, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(count, 1);
    assert_int_equal(
        dpk_signer_open(file_in_world("devices/made/factory/nvidia.pem"), NULL, &signer, NULL),
        DPK_OK);
    assert_int_equal(
        dpk_file_read(file_in_world("devices/made/factory/nvidia.uuid"), 100, &text, NULL), DPK_OK);
    dpk_uuid_format(&keys[0].uuid, keypair);
    assert_memory_equal(text.data, keypair, DPK_UUID_TEXT - 1);
    dpk_buf_free(&text);
    dpk_signer_close(signer);
    free(keys);
    dpk_device_close(made);
    return true;
}

/* What is in the place for devices beside dev0 and its alias. */
static unsigned others(const char *prefix)
{
    unsigned count = 0;
    DIR *d = opendir(file_in_world("devices"));
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        count += strncmp(e->d_name, prefix, strlen(prefix)) == 0 && strcmp(e->d_name, ".") != 0 &&
                 strcmp(e->d_name, "..") != 0;
    closedir(d);
    return count;
}

static void prepare_nothing(void)
{
    if (is_there())
        assert_int_equal(dpk_device_delete("made", NULL), DPK_OK);
}

static void prepare_made(void)
{
    char why[1024];
    if (!is_there())
        assert_true(do_create(why, sizeof why));
}

/* All calls of a deed that makes (`makes`) or ends the device. */
static void comes_or_goes_whole(a_deed *deed, bool makes)
{
    static const enum cut_mode modes[] = {CUT_KILL, CUT_TORN, CUT_FAIL, CUT_FULL};
    void (*prepare)(void) = makes ? prepare_nothing : prepare_made;
    char why[1024];
    dpk_device_close(dev);
    dev = NULL;
    prepare();
    assert_int_equal(cut_do(CUT_NOTHING, 0, deed, why, sizeof why), CUT_DONE);
    unsigned calls = cut->calls, killed = 0;
    cut_remember();
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (unsigned at = 1; at <= calls; at++) {
            if (!cut_in_stride(at) || !cut_matters(modes[m], at))
                continue;
            prepare();
            unsigned left = others(".");
            enum cut_end end = cut_do(modes[m], at, deed, why, sizeof why);
            bool there = is_there();
            killed += end == CUT_KILLED;
            if (makes && there && end == CUT_KILLED && others("mt41692_") < 2)
                fail_msg("mode %d, call %u of %u: no alias", modes[m], at, calls);
            if (end == CUT_CRASHED || (end == CUT_DONE && there != makes))
                fail_msg("mode %d, call %u of %u: end %d, there %d", modes[m], at, calls, end,
                         there);
            if (makes && end == CUT_REFUSED && (there || others(".") > left))
                fail_msg("mode %d, call %u of %u: failed, but left %s: %s", modes[m], at, calls,
                         there ? "the device" : "something", why);
            if (end == CUT_REFUSED && !why[0])
                fail_msg("mode %d, call %u of %u: failed without a word", modes[m], at, calls);
        }
    assert_true(killed >= calls / CUT_STRIDE);
    /* The next one made sweeps what was left. */
    prepare_nothing();
    assert_true(do_create(why, sizeof why));
    assert_int_equal(others("."), 0);
    assert_int_equal(others("mt41692_"), 2);
    assert_true(do_delete(why, sizeof why));
    assert_int_equal(others("mt41692_"), 1);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

static void a_device_is_made_whole_or_not_at_all(void **state)
{
    (void)state;
    comes_or_goes_whole(do_create, true);
}

static void a_device_is_imported_whole_or_not_at_all(void **state)
{
    (void)state;
    struct dpk_device *made = NULL;
    char why[1024];
    assert_true(do_create(why, sizeof why));
    assert_int_equal(dpk_device_open("made", &made, NULL), DPK_OK);
    assert_int_equal(dpk_device_export(made, true, &archive, NULL), DPK_OK);
    dpk_device_close(made);
    comes_or_goes_whole(do_import, true);
    dpk_buf_wipe_free(&archive);
}

static void a_device_goes_whole_or_not_at_all(void **state)
{
    (void)state;
    comes_or_goes_whole(do_delete, false);
}

static void a_read_only_place_gets_no_device(void **state)
{
    (void)state;
    char why[1024];
    dpk_device_close(dev);
    dev = NULL;
    assert_int_equal(cut_do(CUT_READ_ONLY, 0, do_create, why, sizeof why), CUT_REFUSED);
    assert_non_null(strstr(why, "Read-only file system"));
    assert_false(is_there());
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_device_is_made_whole_or_not_at_all),
        TEST(a_device_is_imported_whole_or_not_at_all),
        TEST(a_device_goes_whole_or_not_at_all),
        TEST(a_read_only_place_gets_no_device),
    };
    return cmocka_run_group_tests(tests, make_world_and_cut, free_world);
}
