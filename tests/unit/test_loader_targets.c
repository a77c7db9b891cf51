/* runtime/engine/loader: programs for several targets, and attributes, in areas (signing(7)). */
#include "loader_world.h"

/* The program for `target` after something else for cx8; crypto data for that one. */
static struct program several(const struct program *p, uint32_t target)
{
    struct program fat = {.is_room = true};
    struct dpk_buf room = {0};
    const struct dpk_fat_member elfs[] = {{DPK_TARGET_CX8, (const uint8_t *)"other", 5, 0},
                                          {target, p->elf.data, p->elf.size, 0}};
    assert_int_equal(dpk_fat_build(elfs, 2, &fat.elf, NULL), DPK_OK);
    if (!p->crypto.size)
        return fat;
    dpk_put_le64(&room, p->crypto.size);
    dpk_put(&room, p->crypto.data, p->crypto.size);
    const struct dpk_fat_member rooms[] = {{target, room.data, room.size, 0}};
    assert_int_equal(dpk_fat_build(rooms, 1, &fat.crypto, NULL), DPK_OK);
    dpk_buf_free(&room);
    return fat;
}

static void program_runs_as_the_member_for_the_device(void **state)
{
    (void)state;
    struct program p = unsigned_program(), fat = several(&p, DPK_TARGET_BF3);
    struct dpk_device dev = {0};
    struct dpk_image *image = NULL;
    assert_int_equal(load(&dev, &fat, &image, NULL, NULL), DPK_OK);
    assert_true(dpk_image_segment_count(image) > 0);
    dpk_image_free(image);
    program_free(&fat);
    fat = several(&p, DPK_TARGET_GENERIC);
    dev.loads = 0;
    assert_int_equal(try_load(&dev, &fat, NULL, NULL), DPK_OK);
    program_free(&fat);
    program_free(&p);
}

static void program_for_other_targets_is_not_loaded(void **state)
{
    (void)state;
    struct program p = unsigned_program(), fat = several(&p, DPK_TARGET_CX9);
    struct dpk_device dev = {0};
    struct dpk_error err = {0};
    assert_int_equal(try_load(&dev, &fat, NULL, &err), DPK_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "program kernels: compiled for other targets, not for bf3");
    assert_string_equal(dev.result, "NOT_LOADED");
    program_free(&fat);
    program_free(&p);
}

static void signed_program_runs_when_authentication_is_on(void **state)
{
    (void)state;
    struct program p = signed_program(), fat = several(&p, DPK_TARGET_BF3);
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    struct dpk_load_result result;
    assert_int_equal(try_load(&dev, &fat, &result, NULL), DPK_OK);
    assert_int_equal(result.verdict, DPK_VERDICT_OK);
    program_free(&fat);
    program_free(&p);
}

static void program_is_refused_when_its_member_is_changed_or_not_signed(void **state)
{
    (void)state;
    struct program p = signed_program(), fat;
    struct dpk_load_result result;
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    p.elf.data[p.elf.size - 1] ^= 1;
    fat = several(&p, DPK_TARGET_BF3);
    assert_int_equal(try_load(&dev, &fat, &result, NULL), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, DPK_VERDICT_DIGEST_MISMATCH);
    program_free(&fat);
    p.elf.data[p.elf.size - 1] ^= 1;
    fat = several(&p, DPK_TARGET_BF3);
    fat.crypto.data[24] = DPK_TARGET_CX8; /* whose crypto data it is */
    dev.loads = 0;
    assert_int_equal(try_load(&dev, &fat, &result, NULL), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, DPK_VERDICT_UNSIGNED);
    program_free(&fat);
    program_free(&p);
}

/* A change of the room's area, of crypto data for bf3, is refused as `verdict`. */
static void refused_with(size_t at, uint64_t value, enum dpk_verdict verdict, const char *why)
{
    struct program p = signed_program(), fat = several(&p, DPK_TARGET_BF3);
    struct dpk_load_result result;
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    struct dpk_error err = {0};
    dpk_store_le64(fat.crypto.data + at, value);
    assert_int_equal(try_load(&dev, &fat, &result, &err), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, verdict);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
    program_free(&fat);
    program_free(&p);
}

#define ROOM_AT      56 /* after header and table of one member */
#define ROOM_SIZE_AT (24 + 16)

static void length_of_crypto_data_is_exact(void **state)
{
    (void)state;
    struct program p = signed_program();
    uint64_t size = p.crypto.size;
    program_free(&p);
    refused_with(ROOM_AT, size + 1, DPK_VERDICT_BAD_FORMAT, "length");
    refused_with(ROOM_AT, size + ((uint64_t)1 << 32), DPK_VERDICT_BAD_FORMAT, "length");
    refused_with(ROOM_AT, UINT64_MAX, DPK_VERDICT_BAD_FORMAT, "length");
    refused_with(ROOM_AT, size - 1, DPK_VERDICT_CHAIN_FORMAT, "");
    refused_with(ROOM_AT, size - 4, DPK_VERDICT_CHAIN_FORMAT, "");
    refused_with(ROOM_AT, 0, DPK_VERDICT_UNSIGNED, "");
    refused_with(ROOM_SIZE_AT, 7, DPK_VERDICT_BAD_FORMAT, "length");
    refused_with(ROOM_SIZE_AT, size + 7, DPK_VERDICT_BAD_FORMAT, "length");
    refused_with(ROOM_SIZE_AT, size + 9, DPK_VERDICT_BAD_FORMAT, "inside the area");
}

static void damaged_area_is_not_loaded(void **state)
{
    (void)state;
    struct program p = unsigned_program(), fat = several(&p, DPK_TARGET_BF3);
    struct dpk_device dev = {0};
    struct dpk_error err = {0};
    dpk_store_le64(fat.elf.data + 24 + 8, UINT64_MAX - 7); /* offset of member 0 */
    assert_int_equal(try_load(&dev, &fat, NULL, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "multi-target area: member 0"));
    assert_string_equal(dev.result, "NOT_LOADED");
    program_free(&fat);
    program_free(&p);
}

static void empty_member_is_not_loaded(void **state)
{
    (void)state;
    struct program p = unsigned_program(), fat = several(&p, DPK_TARGET_BF3);
    struct dpk_device dev = {0};
    struct dpk_error err = {0};
    dpk_store_le64(fat.elf.data + 24 + 32 + 16, 0); /* size of member 1 */
    assert_int_equal(try_load(&dev, &fat, NULL, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "target bf3: empty"));
    program_free(&fat);
    program_free(&p);
}

/* Attributes that are signed: those of the target, and of no other. */
static void attributes_of_the_target_are_verified(void **state)
{
    (void)state;
    static const uint32_t targets[] = {DPK_TARGET_BF3, DPK_TARGET_CX8}; /* other than the ELFs */
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    struct program p = unsigned_program();
    const struct dpk_sign_options compact = {.profile = DPK_PROFILE_COMPACT};
    struct dpk_subject subject = subject_of(p.elf.data, p.elf.size, NULL, 0);
    subject.manifest = (const uint8_t *)"blob";
    subject.manifest_size = 4;
    assert_int_equal(dpk_certchain_load(golden_path("keys/chain3.der"), &chain, NULL), DPK_OK);
    assert_int_equal(dpk_signer_open(golden_path("keys/leaf.pem"), NULL, &signer, NULL), DPK_OK);
    assert_int_equal(dpk_crypto_build(&subject, chain, signer, &compact, &p.crypto, NULL), DPK_OK);
    for (int i = 0; i < 4; i++) {
        struct program fat = several(&p, DPK_TARGET_BF3);
        struct dpk_device dev = {.authentication = true, .has_ca = true};
        struct dpk_load_result result;
        size_t bf3 = 24 + 2 * 32 + 16, cx8 = bf3 + 8 + 16; /* where the data are */
        assert_int_equal(dpk_attributes_build(targets, 2, "blob", 4, &fat.attributes, NULL),
                         DPK_OK);
        assert_memory_equal(fat.attributes.data + bf3, "blob", 4);
        if (i == 1)
            fat.attributes.data[cx8] ^= 1; /* nobody asks for these */
        else if (i == 2)
            fat.attributes.data[bf3] ^= 1;
        else if (i == 3)
            dpk_store_le64(fat.attributes.data + bf3 - 8, 5);
        enum dpk_status status = try_load(&dev, &fat, &result, NULL);
        assert_int_equal(status, i < 2 ? DPK_OK : DPK_ERR_REFUSED);
        assert_int_equal(result.verdict, i < 2    ? DPK_VERDICT_OK
                                         : i == 2 ? DPK_VERDICT_DIGEST_MISMATCH
                                                  : DPK_VERDICT_BAD_FORMAT);
        program_free(&fat);
    }
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_runs_as_the_member_for_the_device),
        cmocka_unit_test(program_for_other_targets_is_not_loaded),
        cmocka_unit_test(signed_program_runs_when_authentication_is_on),
        cmocka_unit_test(program_is_refused_when_its_member_is_changed_or_not_signed),
        cmocka_unit_test(length_of_crypto_data_is_exact),
        cmocka_unit_test(damaged_area_is_not_loaded),
        cmocka_unit_test(empty_member_is_not_loaded),
        cmocka_unit_test(attributes_of_the_target_are_verified),
    };
    return cmocka_run_group_tests_name("loader targets", tests, NULL, NULL);
}
