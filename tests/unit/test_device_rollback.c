/* runtime/device/state: anti-rollback: a replaced or removed file cannot be applied again. */
#include "device/admin/admin.h"

#include <string.h>

#include "golden.h"

#include "device_containers.h"
#include "device_world.h"

static int guarded_device(void **state)
{
    (void)state;
    char key[256];
    snprintf(key, sizeof key, "%s", file_in_world("nvidia.pub"));
    struct dpk_device_plan plan = {.name = "dev0",
                                   .psid = "MT_0000000884",
                                   .nvidia_key = key,
                                   .nvidia_uuid = uuid(NVIDIA_UUID),
                                   .anti_rollback = true};
    return dpk_device_create(&plan, NULL, NULL) == DPK_OK &&
                   dpk_device_open("dev0", &dev, NULL) == DPK_OK
               ? 0
               : -1;
}

static struct dpk_nv_list versioned(struct dpk_nv_list list, uint32_t version)
{
    dpk_store_be32(list.items[0].data + 4, version);
    return list;
}

static struct dpk_buf owners_file(uint32_t version)
{
    return by_owner(versioned(vendor(KEEP), version));
}

static struct dpk_device_rollback rollback(void)
{
    struct dpk_device_rollback r;
    assert_int_equal(dpk_device_rollback(dev, &r, NULL), DPK_OK);
    return r;
}

/* ---- Files ---- */

static void a_lower_version_is_refused(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, owners_file(5));
    refuse(dpk_device_apply, owners_file(4), DPK_REJECT_FORBIDDEN_VERSION);
    refuse(dpk_device_apply, owners_file(0), DPK_REJECT_FORBIDDEN_VERSION);
    accept(dpk_device_apply, owners_file(5));
    accept(dpk_device_apply, owners_file(0xffffffff));
    refuse(dpk_device_apply, owners_file(0xfffffffe), DPK_REJECT_FORBIDDEN_VERSION);
}

static void the_refusal_names_both_versions(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    enum dpk_reject reject;
    claim();
    accept(dpk_device_apply, owners_file(5));
    struct dpk_buf file = owners_file(4);
    assert_int_equal(dpk_device_try_apply(dev, file.data, file.size, &reject, &err),
                     DPK_ERR_REFUSED);
    assert_string_equal(err.message,
                        "file version 4 is below 5, the highest one of key pair " OWNER_UUID
                        " that was applied: REJECTED_FORBIDDEN_VERSION (0xF)");
    dpk_buf_free(&file);
}

static void without_it_versions_do_not_count(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, owners_file(5));
    accept(dpk_device_apply, owners_file(4));
    struct dpk_device_rollback r = rollback();
    assert_true(!r.on && r.floor_count == 0 && r.removed_count == 0);
    dpk_device_rollback_free(&r);
}

/* A refused or tried file raises nothing. */
static void only_what_was_applied_counts(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = owners_file(9);
    assert_int_equal(dpk_device_try_apply(dev, file.data, file.size, NULL, NULL), DPK_OK);
    dpk_buf_free(&file);
    refuse(dpk_device_apply, sign(versioned(vendor(KEEP), 9), world.other, OWNER_UUID),
           DPK_REJECT_AUTH_FAILED);
    accept(dpk_device_apply, owners_file(1));
}

/* NVIDIA's versions are not the owner's, and a new owner begins anew. */
static void each_key_and_identity_has_its_versions(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, by_nvidia(versioned(mlnx(KEEP), 7)));
    accept(dpk_device_apply, owners_file(5));
    struct dpk_nv_list list = versioned(vendor(KEEP), 6);
    put_key(&list, world.other, OTHER_UUID);
    accept(dpk_device_apply, by_owner(list));
    accept(dpk_device_apply, sign(versioned(vendor(KEEP), 1), world.other, OTHER_UUID));
    /* The first owner comes back; what was replaced does not. */
    list = versioned(vendor(KEEP), 2);
    put_key(&list, world.owner, OWNER_UUID);
    accept(dpk_device_apply, sign(list, world.other, OTHER_UUID));
    refuse(dpk_device_apply, owners_file(5), DPK_REJECT_FORBIDDEN_VERSION);
    accept(dpk_device_apply, owners_file(6));
    refuse(dpk_device_apply, by_nvidia(versioned(mlnx(KEEP), 6)), DPK_REJECT_FORBIDDEN_VERSION);
    struct dpk_device_rollback r = rollback();
    assert_true(r.on);
    assert_int_equal(r.floor_count, 4); /* NVIDIA's claim is a vendor file of its key */
    dpk_device_rollback_free(&r);
}

static void a_cold_boot_and_dropping_settings_keep_versions(void **state)
{
    (void)state;
    claim();
    accept(dpk_device_apply, owners_file(5));
    reset();
    assert_int_equal(dpk_device_drop_user_settings(dev, NULL), DPK_OK);
    refuse(dpk_device_apply, owners_file(4), DPK_REJECT_FORBIDDEN_VERSION);
}

/* ---- Containers ---- */

static void a_removed_certificate_does_not_come_back(void **state)
{
    (void)state;
    struct dpk_container_plan one = add_plan(CERT_UUID), two = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(CERT_UUID);
    claim();
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&off));
    refuse(dpk_device_burn, owners(&one), DPK_REJECT_FORBIDDEN_VERSION);
    accept(dpk_device_burn, owners(&two)); /* the same certificate under a new UUID */
}

static void removing_all_remembers_all(void **state)
{
    (void)state;
    struct dpk_container_plan one = add_plan(CERT_UUID), two = add_plan(OTHER_UUID);
    struct dpk_container_plan off = removal(NULL);
    claim();
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&two));
    accept(dpk_device_burn, owners(&off));
    refuse(dpk_device_burn, owners(&one), DPK_REJECT_FORBIDDEN_VERSION);
    refuse(dpk_device_burn, owners(&two), DPK_REJECT_FORBIDDEN_VERSION);
    struct dpk_device_rollback r = rollback();
    assert_int_equal(r.removed_count, 2);
    dpk_device_rollback_free(&r);
}

static void without_it_a_removed_certificate_comes_back(void **state)
{
    (void)state;
    struct dpk_container_plan one = add_plan(CERT_UUID), off = removal(CERT_UUID);
    claim();
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&off));
    accept(dpk_device_burn, owners(&one));
}

/* ---- Archives ---- */

static struct dpk_buf exported(void)
{
    struct dpk_buf out = {0};
    assert_int_equal(dpk_device_export(dev, false, &out, NULL), DPK_OK);
    return out;
}

static void archives_keep_it(void **state)
{
    (void)state;
    struct dpk_container_plan one = add_plan(CERT_UUID), off = removal(CERT_UUID);
    claim();
    accept(dpk_device_apply, owners_file(5));
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&off));
    struct dpk_buf archive = exported();
    dpk_device_close(dev);
    assert_int_equal(dpk_device_delete("dev0", NULL), DPK_OK);
    assert_int_equal(dpk_device_import("dev0", archive.data, archive.size, NULL), DPK_OK);
    assert_int_equal(dpk_device_open("dev0", &dev, NULL), DPK_OK);
    refuse(dpk_device_apply, owners_file(4), DPK_REJECT_FORBIDDEN_VERSION);
    refuse(dpk_device_burn, owners(&one), DPK_REJECT_FORBIDDEN_VERSION);
    struct dpk_buf again = exported();
    assert_int_equal(again.size, archive.size);
    assert_memory_equal(again.data, archive.data, again.size);
    dpk_buf_free(&again);
    dpk_buf_free(&archive);
}

/* Its last records are "on" (8 bytes), one version (32), one removed certificate (24). */
static void archives_that_no_device_could_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t from_end;
        uint8_t bits;
    } changes[] = {
        {23, 9 ^ 8}, /* a removed certificate as a version */
        {55, 8 ^ 9}, /* the other way round */
        {63, 7 ^ 6}, /* versions without "on" */
        {57, 1},     /* "on" with a word */
        {29, 2},     /* a version of the files of neither identity */
    };
    claim();
    struct dpk_container_plan one = add_plan(CERT_UUID), off = removal(CERT_UUID);
    accept(dpk_device_burn, owners(&one));
    accept(dpk_device_burn, owners(&off));
    struct dpk_buf good = exported();
    assert_int_equal(dpk_device_archive_check(good.data, good.size, NULL), DPK_OK);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct dpk_buf bad = {0};
        dpk_put(&bad, good.data, good.size);
        bad.data[bad.size - 40 - changes[i].from_end] ^= changes[i].bits;
        EVP_Digest(bad.data, bad.size - 40, bad.data + bad.size - 32, NULL, EVP_sha256(), NULL);
        assert_int_equal(dpk_device_archive_check(bad.data, bad.size, NULL), DPK_ERR_FORMAT);
        dpk_buf_free(&bad);
    }
    dpk_buf_free(&good);
}

#define GUARDED(name) cmocka_unit_test_setup_teardown(name, guarded_device, drop_device)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GUARDED(a_lower_version_is_refused),
        GUARDED(the_refusal_names_both_versions),
        TEST(without_it_versions_do_not_count),
        GUARDED(only_what_was_applied_counts),
        GUARDED(each_key_and_identity_has_its_versions),
        GUARDED(a_cold_boot_and_dropping_settings_keep_versions),
        GUARDED(a_removed_certificate_does_not_come_back),
        GUARDED(removing_all_remembers_all),
        TEST(without_it_a_removed_certificate_comes_back),
        GUARDED(archives_keep_it),
        GUARDED(archives_that_no_device_could_be_are_refused),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
