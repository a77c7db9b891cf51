/* runtime/device/state: attacks by somebody without the right to change the device. */
#include "device/admin/admin.h"

#include <string.h>
#include <unistd.h>

#include "golden.h"

#include "another_user.h"
#include "device_world.h"
#include "skip.h"

/* ---- Whose files ---- */

#define STRANGER 54321

static void refused_when_owned_by_a_stranger(const char *path)
{
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    if (chown(file_in_world(path), STRANGER, STRANGER) != 0)
        skip_because("only root can give files away");
    enum dpk_status status = dpk_device_open("dev0", &again, &err);
    assert_int_equal(chown(file_in_world(path), 0, 0), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, "belongs to user 54321"));
}

static void a_strangers_device_is_refused(void **state)
{
    (void)state;
    refused_when_owned_by_a_stranger("devices/dev0");
}

static void a_strangers_database_is_refused(void **state)
{
    (void)state;
    refused_when_owned_by_a_stranger("devices/dev0/device.db");
}

static void a_strangers_place_for_devices_is_refused(void **state)
{
    (void)state;
    refused_when_owned_by_a_stranger("devices");
    assert_int_equal(chown(file_in_world("devices"), STRANGER, STRANGER), 0);
    enum dpk_status status = create_device("more");
    assert_int_equal(chown(file_in_world("devices"), 0, 0), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
}

/* In a directory like /tmp others may add devices; in a device they may add nothing, for a journal
 * beside the database is believed. */
static void sticky_directories_hold_devices_but_are_none(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    assert_int_equal(chmod(file_in_world("devices"), 01777), 0);
    enum dpk_status status = dpk_device_open("dev0", &again, NULL);
    assert_int_equal(chmod(file_in_world("devices"), 0700), 0);
    assert_int_equal(status, DPK_OK);
    dpk_device_close(again);
    assert_int_equal(chmod(file_in_world("devices/dev0"), 01777), 0);
    status = dpk_device_open("dev0", &again, NULL);
    assert_int_equal(chmod(file_in_world("devices/dev0"), 0700), 0);
    assert_int_equal(status, DPK_ERR_REFUSED);
}

static void give_link(const char *target, const char *name)
{
    assert_int_equal(symlink(target, file_in_world(name)), 0);
    assert_int_equal(lchown(file_in_world(name), STRANGER, STRANGER), 0);
}

/* Else who may add links to a place like /tmp chooses the device that a name means. */
static void a_strangers_alias_is_refused(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    struct dpk_device_info info;
    need_another_user(STRANGER);
    assert_int_equal(chmod(file_in_world("devices"), 01777), 0);
    give_link("dev0", "devices/dev1");
    give_link("dev0", "devices/a0");
    assert_int_equal(dpk_device_open("dev1", &again, &err), DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, "devices/dev1: belongs to user 54321"));
    assert_int_equal(dpk_device_delete("dev1", &err), DPK_ERR_REFUSED);
    assert_int_equal(create_device("dev1"), DPK_ERR_REFUSED);
    assert_int_equal(dpk_device_info(dev, &info, NULL), DPK_OK);
    assert_string_equal(info.alias, "mt41692_pciconf0"); /* not the stranger's a0 */
    unlink(file_in_world("devices/dev1"));
    unlink(file_in_world("devices/a0"));
    assert_int_equal(chmod(file_in_world("devices"), 0700), 0);
}

static void a_strangers_folder_is_no_device(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    struct dpk_names names;
    struct dpk_device_plan plan = {.name = "dev1"};
    need_another_user(STRANGER);
    assert_int_equal(chmod(file_in_world("devices"), 01777), 0);
    assert_int_equal(mkdir(file_in_world("devices/dev1"), 0700), 0);
    assert_int_equal(chown(file_in_world("devices/dev1"), STRANGER, STRANGER), 0);
    assert_int_equal(dpk_device_open("dev1", &again, &err), DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, "devices/dev1: belongs to user 54321"));
    assert_int_equal(dpk_device_create(&plan, NULL, &err), DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, "devices/dev1: belongs to user 54321"));
    assert_int_equal(dpk_device_delete("dev1", &err), DPK_ERR_REFUSED);
    assert_int_equal(dpk_device_list(&names, NULL), DPK_OK);
    assert_int_equal(names.count, 1);
    dpk_names_free(&names);
    rmdir(file_in_world("devices/dev1"));
    assert_int_equal(chmod(file_in_world("devices"), 0700), 0);
}

static void a_strangers_link_to_the_place_is_refused(void **state)
{
    (void)state;
    struct dpk_device *again = NULL;
    struct dpk_error err = {0};
    char place[256];
    need_another_user(STRANGER);
    snprintf(place, sizeof place, "%s", file_in_world("devices"));
    give_link("devices", "link");
    setenv("DPAKIT_DEVICES", file_in_world("link"), 1);
    enum dpk_status opened = dpk_device_open("dev0", &again, &err);
    enum dpk_status created = create_device("dev1");
    setenv("DPAKIT_DEVICES", place, 1);
    unlink(file_in_world("link"));
    assert_int_equal(opened, DPK_ERR_REFUSED);
    assert_non_null(strstr(err.message, "link: belongs to user 54321"));
    assert_int_equal(created, DPK_ERR_REFUSED);
}

/* /tmp is full of other things. */
static void sweeping_takes_only_what_is_an_alias_of_ours(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(symlink("gone", file_in_world("devices/mine")), 0);
    assert_int_equal(symlink("gone", file_in_world("devices/mt41692_pciconf7")), 0);
    dpk_device_sweep();
    assert_int_equal(lstat(file_in_world("devices/mine"), &st), 0);
    assert_int_not_equal(lstat(file_in_world("devices/mt41692_pciconf7"), &st), 0);
    unlink(file_in_world("devices/mine"));
    need_another_user(STRANGER);
    give_link("gone", "devices/mt41692_pciconf7");
    dpk_device_sweep();
    assert_int_equal(lstat(file_in_world("devices/mt41692_pciconf7"), &st), 0);
    unlink(file_in_world("devices/mt41692_pciconf7"));
}

static void no_umask_opens_a_device_to_others(void **state)
{
    (void)state;
    struct dpk_device_plan plan = {.name = "open"};
    static const char *const files[] = {"devices/open/device.db",
                                        "devices/open/factory/nvidia.pem"};
    struct stat st;
    mode_t old = umask(0);
    enum dpk_status status = dpk_device_create(&plan, NULL, NULL);
    struct dpk_device *opened = NULL;
    if (status == DPK_OK)
        status = dpk_device_open("open", &opened, NULL);
    if (status == DPK_OK)
        status = dpk_device_log(opened, "a", "b", "c", NULL);
    umask(old);
    assert_int_equal(status, DPK_OK);
    assert_int_equal(stat(file_in_world("devices/open"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(stat(file_in_world(files[i]), &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
    }
    assert_int_equal(stat(file_in_world("devices/open/device.db-wal"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    dpk_device_close(opened);
    assert_int_equal(dpk_device_delete("open", NULL), DPK_OK);
}

/* ---- Keys ---- */

/* Else whatever NVIDIA signs would be taken for the owner's, and fail. */
static void an_owner_key_under_nvidias_uuid_is_refused(void **state)
{
    (void)state;
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, NVIDIA_UUID);
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_NOT_APPLICABLE);
    claim();
    list = vendor(KEEP);
    put_key(&list, world.owner, NVIDIA_UUID);
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
}

static void owner_keys_that_anybody_can_sign_for_are_refused(void **state)
{
    (void)state;
    static const uint32_t exponents[] = {0, 1, 2, 65536};
    for (size_t i = 0; i < 4; i++) {
        struct dpk_nv_list list = vendor(KEEP);
        put_key(&list, world.owner, OWNER_UUID);
        dpk_store_be32(list.items[2].data + 12, exponents[i]);
        refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
    }
    struct dpk_nv_list list = vendor(KEEP);
    put_key(&list, world.owner, OWNER_UUID);
    memset(list.items[3].data, 0, 256); /* a modulus of 2048 bits */
    refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_BAD_FORMAT);
}

static void nvidia_cannot_erase_and_replace_the_owner_in_one_file(void **state)
{
    (void)state;
    claim();
    for (int with_identity = 0; with_identity < 2; with_identity++) {
        struct dpk_nv_list list = with_identity ? mlnx(ERASE) : vendor(ERASE);
        put_key(&list, world.other, OTHER_UUID);
        refuse(dpk_device_apply, by_nvidia(list), DPK_REJECT_NOT_APPLICABLE);
    }
}

static void a_former_owners_files_are_worth_nothing(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(0);
    put_key(&list, world.other, OTHER_UUID);
    accept(dpk_device_apply, by_owner(list));
    refuse(dpk_device_apply, auth_file(true, false), DPK_REJECT_UNKNOWN_KEY);
    refuse(dpk_device_apply, claim_file(), DPK_REJECT_NOT_APPLICABLE);
}

/* ---- TLVs ---- */

/* The bytes of a TLV between the file's head and its signature, and a signature over that. */
static void a_tlv_twice_is_bad_format(void **state)
{
    (void)state;
    claim();
    struct dpk_buf file = auth_file(true, false), out = {0}, signature = {0};
    size_t content = file.size - 2 * (12 + 288), tlv = 12 + 4;
    dpk_put(&out, file.data, content);
    dpk_put(&out, file.data + content - tlv, tlv);
    out.data[out.size - 4] = 0;
    assert_int_equal(dpk_signer_sign(world.owner, DPK_SHA512, out.data, out.size, &signature, NULL),
                     DPK_OK);
    for (size_t i = 0; i < 2; i++) {
        dpk_put(&out, file.data + content + i * 300, 44);
        dpk_put(&out, signature.data + 256 * i, 256);
    }
    refuse(dpk_device_apply, out, DPK_REJECT_BAD_FORMAT);
    dpk_buf_free(&signature);
    dpk_buf_free(&file);
}

/* More than can be read again would leave the device without an owner's key for ever. */
static void more_tlvs_than_a_device_holds_are_refused(void **state)
{
    (void)state;
    claim();
    for (uint32_t first = 2000; first < 6000; first += 1000) {
        struct dpk_nv_list list = vendor(KEEP);
        uint8_t value[4] = {1};
        for (uint32_t i = 0; i < 1000; i++)
            put_tlv(&list, DPK_NV_GLOBAL, first + i, 4, true, value, 4);
        accept(dpk_device_apply, by_owner(list));
    }
    struct dpk_nv_list list = vendor(KEEP);
    uint8_t value[4] = {1};
    for (uint32_t i = 0; i < 1000; i++)
        put_tlv(&list, DPK_NV_GLOBAL, 9000 + i, 4, true, value, 4);
    refuse(dpk_device_apply, by_owner(list), DPK_REJECT_NOT_APPLICABLE);
    assert_true(owned_by(OWNER_UUID));
    accept(dpk_device_apply, auth_file(true, false));
}

static const struct dpk_nv_param wide_params[] = {
    {.name = "low", .config_name = "LOW", .type = DPK_NV_UNSIGNED, .low_bit = 0, .bits = 8},
    {.name = "high", .config_name = "HIGH", .type = DPK_NV_UNSIGNED, .low_bit = 24, .bits = 8}};
static const struct dpk_nv_def wide_def = {
    .name = "wide", .index = 1000, .size = 4, .params = wide_params, .param_count = 2};

/* Setting one parameter writes the TLV anew, as the user's, who may read it. */
static void a_hidden_value_is_not_revealed_by_setting_its_neighbour(void **state)
{
    (void)state;
    claim();
    struct dpk_nv_list list = vendor(KEEP);
    put_other(&list, 0x5a);
    list.items[list.count - 1].rd_en = false;
    accept(dpk_device_apply, by_owner(list));
    struct dpk_device_setting setting = {.def = &wide_def, .param = &wide_params[0], .value = "7"};
    assert_int_equal(dpk_device_set(dev, NULL, &setting, 1, NULL), DPK_ERR_REFUSED);
    assert_int_equal(get(DPK_VIEW_NEXT, &wide_def).data[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_strangers_device_is_refused),
        TEST(a_strangers_database_is_refused),
        TEST(a_strangers_place_for_devices_is_refused),
        TEST(a_strangers_alias_is_refused),
        TEST(a_strangers_folder_is_no_device),
        TEST(a_strangers_link_to_the_place_is_refused),
        TEST(sweeping_takes_only_what_is_an_alias_of_ours),
        TEST(sticky_directories_hold_devices_but_are_none),
        TEST(no_umask_opens_a_device_to_others),
        TEST(an_owner_key_under_nvidias_uuid_is_refused),
        TEST(owner_keys_that_anybody_can_sign_for_are_refused),
        TEST(nvidia_cannot_erase_and_replace_the_owner_in_one_file),
        TEST(a_former_owners_files_are_worth_nothing),
        TEST(a_tlv_twice_is_bad_format),
        TEST(more_tlvs_than_a_device_holds_are_refused),
        TEST(a_hidden_value_is_not_revealed_by_setting_its_neighbour),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
