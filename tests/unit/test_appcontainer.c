/* lib/appcontainer against NVIDIA's outputs, and against every way to damage them. */
#include "appcontainer/appcontainer.h"

#include <string.h>

#include <lzma.h>

#include "golden.h"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        struct dpk_error err = {0};                                                                \
        if ((call) != DPK_OK)                                                                      \
            fail_msg("%s", err.message);                                                           \
    } while (0)

static struct dpk_app parsed(const struct dpk_buf *b)
{
    struct dpk_app app;
    CHECK(dpk_app_parse(b->data, b->size, &app, &err));
    return app;
}

static void assert_same(const struct dpk_buf *have, const char *name)
{
    struct dpk_buf want = golden(name);
    assert_int_equal(have->size, want.size);
    assert_memory_equal(have->data, want.data, want.size);
    dpk_buf_free(&want);
}

/* Made from the same inputs, with the UUID that the golden file got. */
static void create_like(const char *name, bool xz)
{
    struct dpk_buf theirs = golden(name), elf = golden("hostelf/dev1.elf"),
                   yaml = golden("singleapp/meta.yaml"),
                   manifest = golden("singleapp/manifest.bin"), ours = {0};
    struct dpk_app app = parsed(&theirs);
    struct dpk_app_plan plan = {.priority = DPK_LIFECYCLE_OEM,
                                .elf = elf.data,
                                .elf_size = elf.size,
                                .xz = xz,
                                .manifest = manifest.data,
                                .manifest_size = manifest.size};
    CHECK(dpk_app_metadata_yaml(yaml.data, yaml.size, &plan.metadata, &err));
    plan.metadata.uuid = app.metadata.uuid;
    CHECK(dpk_app_create(&plan, &ours, &err));
    assert_same(&ours, name);
    dpk_buf_free(&theirs);
    dpk_buf_free(&elf);
    dpk_buf_free(&yaml);
    dpk_buf_free(&manifest);
    dpk_buf_free(&ours);
}

static void plain_container_equals_nvidias(void **state)
{
    (void)state;
    create_like("singleapp/plain.bin", false);
}

static void xz_container_equals_nvidias(void **state)
{
    (void)state;
    create_like("singleapp/xz.bin", true);
}

static void sign_like(const char *from, const char *to)
{
    struct dpk_buf unsigned_file = golden(from), ours = {0};
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    const struct dpk_sign_options how = {.mft_compat = true, .mft_chain_count = 3};
    CHECK(dpk_certchain_load(golden_path("keys/chain3.der"), &chain, &err));
    CHECK(dpk_signer_open(golden_path("keys/leaf.pem"), NULL, &signer, &err));
    CHECK(dpk_app_sign(unsigned_file.data, unsigned_file.size, DPK_LIFECYCLE_OEM, chain, signer,
                       &how, &ours, &err));
    assert_same(&ours, to);
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    dpk_buf_free(&unsigned_file);
    dpk_buf_free(&ours);
}

static void signed_containers_equal_nvidias(void **state)
{
    (void)state;
    sign_like("singleapp/plain.bin", "singleapp/plain.signed");
    sign_like("singleapp/xz.bin", "singleapp/xz.signed");
}

static void removals_equal_nvidias(void **state)
{
    (void)state;
    struct dpk_uuid app, keypair;
    struct dpk_buf made = {0}, signed_file = {0};
    struct dpk_signer *signer = NULL;
    dpk_uuid_parse("7cb4186c-5876-1496-9c2f-858824d578ce", &app, NULL);
    dpk_uuid_parse("240a42de-3223-173e-9929-d51e6547f1bf", &keypair, NULL);
    CHECK(dpk_signer_open(golden_path("keys/owner.pem"), NULL, &signer, &err));
    CHECK(dpk_app_removal_create(DPK_LIFECYCLE_OEM, &app, &made, &err));
    assert_same(&made, "singleapp/removal.bin");
    CHECK(dpk_app_removal_sign(made.data, made.size, DPK_LIFECYCLE_OEM, &keypair, signer,
                               &signed_file, &err));
    assert_same(&signed_file, "singleapp/removal.signed");
    struct dpk_app removal = parsed(&signed_file);
    CHECK(dpk_app_removal_verify(&removal, dpk_signer_public(signer), &err));
    dpk_signer_close(signer);
    dpk_buf_free(&made);
    dpk_buf_free(&signed_file);
}

static enum dpk_verdict verdict_of(const struct dpk_buf *file, const struct dpk_roots *roots,
                                   struct dpk_report *report)
{
    struct dpk_app app;
    struct dpk_trust trust = {0};
    trust.roots = dpk_roots_list(roots, &trust.count);
    if (dpk_app_parse(file->data, file->size, &app, NULL) != DPK_OK)
        return DPK_VERDICT_BAD_FORMAT;
    return dpk_app_verify(&app, &trust, report);
}

static void nvidias_signed_containers_verify(void **state)
{
    (void)state;
    struct dpk_roots *roots = NULL;
    struct dpk_report report;
    CHECK(dpk_roots_load(&roots, golden_path("keys/root.der"), &err));
    static const char *const names[] = {"singleapp/plain.signed", "singleapp/xz.signed"};
    for (size_t i = 0; i < 2; i++) {
        struct dpk_buf file = golden(names[i]);
        assert_int_equal(verdict_of(&file, roots, &report), DPK_VERDICT_OK);
        assert_int_equal(verdict_of(&file, NULL, &report), DPK_VERDICT_UNKNOWN_CA);
        dpk_buf_free(&file);
    }
    dpk_roots_free(roots);
}

/* Padding, MFT's CRC and count aside, no bit may be changed: every bit outside the chain, one of
 * eight inside. */
static void a_flipped_bit_is_refused(void **state)
{
    (void)state;
    struct dpk_roots *roots = NULL;
    struct dpk_buf file = golden("singleapp/xz.signed");
    struct dpk_app app = parsed(&file);
    CHECK(dpk_roots_load(&roots, golden_path("keys/root.der"), &err));
    assert_int_equal(verdict_of(&file, roots, NULL), DPK_VERDICT_OK);
    size_t chain = app.elf_end + 8 + 0x240 + 0xe0, behind = app.elf_end + 8 + app.crypto_size;
    for (size_t at = 0; at < file.size; at++) {
        if (at >= chain && at < behind)
            continue; /* what lib/certchain's tests cover */
        uint8_t bit = (uint8_t)(1u << (at % 8));
        file.data[at] ^= bit;
        if (verdict_of(&file, roots, NULL) == DPK_VERDICT_OK)
            fail_msg("offset 0x%zx, bit %02x", at, bit);
        file.data[at] ^= bit;
    }
    dpk_roots_free(roots);
    dpk_buf_free(&file);
}

static void a_truncated_container_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"singleapp/plain.bin", "singleapp/xz.signed",
                                        "singleapp/removal.signed"};
    for (size_t i = 0; i < 3; i++) {
        struct dpk_buf file = golden(names[i]);
        for (size_t size = 0; size < file.size; size++) {
            struct dpk_app app;
            uint8_t *cut = malloc(size ? size : 1);
            assert_non_null(cut);
            memcpy(cut, file.data, size);
            bool unsigned_removal = i == 2 && size == 60;
            assert_int_equal(dpk_app_parse(cut, size, &app, NULL),
                             unsigned_removal ? DPK_OK : DPK_ERR_FORMAT);
            free(cut);
        }
        dpk_buf_free(&file);
    }
}

static void the_elf_comes_out_again(void **state)
{
    (void)state;
    struct dpk_buf file = golden("singleapp/xz.signed"), elf = {0};
    struct dpk_app app = parsed(&file);
    CHECK(dpk_app_elf(&app, &elf, &err));
    assert_same(&elf, "hostelf/dev1.elf");
    assert_int_equal(app.manifest_size, 18);
    assert_string_equal(app.metadata.description, "vector public");
    dpk_buf_free(&file);
    dpk_buf_free(&elf);
}

/* ---- Hand-made ---- */

/* The smallest ELF that is one. */
static struct dpk_buf tiny_elf(size_t padding)
{
    struct dpk_buf b = {0};
    dpk_put(&b,
            "\x7f"
            "ELF\2\1\1",
            7);
    dpk_put_fill(&b, 0, 9);
    dpk_put_le16(&b, 2);
    dpk_put_le16(&b, 243);
    dpk_put_le32(&b, 1);
    dpk_put_fill(&b, 0, 28);
    dpk_put_le16(&b, 64);
    dpk_put_le16(&b, 56);
    dpk_put_le16(&b, 0);
    dpk_put_le16(&b, 64);
    dpk_put_le32(&b, 0);
    dpk_put_fill(&b, 0, padding);
    return b;
}

static struct dpk_buf tiny_container(bool xz, size_t padding)
{
    struct dpk_buf elf = tiny_elf(padding), out = {0};
    struct dpk_app_plan plan = {
        .priority = DPK_LIFECYCLE_USER, .elf = elf.data, .elf_size = elf.size, .xz = xz};
    CHECK(dpk_app_create(&plan, &out, &err));
    dpk_buf_free(&elf);
    return out;
}

static void a_program_without_manifest_has_none(void **state)
{
    (void)state;
    struct dpk_buf file = tiny_container(false, 0);
    struct dpk_app app = parsed(&file);
    assert_null(app.manifest);
    assert_int_equal(app.priority, DPK_LIFECYCLE_USER);
    dpk_buf_free(&file);
}

static void what_is_no_elf_is_not_packed(void **state)
{
    (void)state;
    struct dpk_buf out = {0};
    struct dpk_app_plan plan = {.elf = (const uint8_t *)"hello", .elf_size = 5};
    assert_int_equal(dpk_app_create(&plan, &out, NULL), DPK_ERR_FORMAT);
    assert_int_equal(out.size, 0);
}

/* A container that says to hold these bytes as a compressed ELF. */
static struct dpk_buf with_stored(const uint8_t *stored, size_t size)
{
    struct dpk_buf whole = tiny_container(false, 0), out = {0};
    struct dpk_app app = parsed(&whole);
    whole.data[17] = 10; /* type: compressed */
    dpk_put(&out, whole.data, 20);
    dpk_put_be32(&out, (uint32_t)size + 8);
    dpk_put(&out, stored, size);
    dpk_put(&out, whole.data + app.elf_end, whole.size - app.elf_end);
    dpk_buf_free(&whole);
    return out;
}

static enum dpk_status unpack(const struct dpk_buf *file, size_t *size)
{
    struct dpk_app app = parsed(file);
    struct dpk_buf elf = {0};
    enum dpk_status status = dpk_app_elf(&app, &elf, NULL);
    *size = elf.size;
    dpk_buf_free(&elf);
    return status;
}

static void a_damaged_xz_stream_is_refused(void **state)
{
    (void)state;
    size_t size;
    struct dpk_buf whole = tiny_container(true, 100);
    struct dpk_app app = parsed(&whole);
    struct dpk_buf longer = {0};
    dpk_put(&longer, app.stored, app.stored_size);
    dpk_put_fill(&longer, 0, 4);
    for (size_t cut = 1; cut < app.stored_size; cut++) {
        struct dpk_buf file = with_stored(app.stored, cut);
        assert_int_equal(unpack(&file, &size), DPK_ERR_FORMAT);
        dpk_buf_free(&file);
    }
    struct dpk_buf file = with_stored(longer.data, longer.size);
    assert_int_equal(unpack(&file, &size), DPK_ERR_FORMAT);
    dpk_buf_free(&file);
    dpk_buf_free(&longer);
    dpk_buf_free(&whole);
}

static void squeeze(const struct dpk_buf *from, struct dpk_buf *to)
{
    lzma_stream s = LZMA_STREAM_INIT;
    assert_int_equal(lzma_easy_encoder(&s, 0, LZMA_CHECK_NONE), LZMA_OK);
    assert_true(dpk_buf_reserve(to, 1 << 16));
    s.next_in = from->data;
    s.avail_in = from->size;
    s.next_out = to->data;
    s.avail_out = 1 << 16;
    assert_int_equal(lzma_code(&s, LZMA_FINISH), LZMA_STREAM_END);
    to->size = s.total_out;
    lzma_end(&s);
}

static void a_decompression_bomb_is_bounded(void **state)
{
    (void)state;
    size_t size;
    struct dpk_buf elf = tiny_elf(DPK_APP_ELF_MAX), out = {0};
    struct dpk_app_plan plan = {.elf = elf.data, .elf_size = elf.size, .xz = true};
    assert_int_equal(dpk_app_create(&plan, &out, NULL), DPK_ERR_RANGE);
    dpk_buf_free(&elf);
    struct dpk_buf zeros = {0}, bomb = {0};
    dpk_put_fill(&zeros, 0, DPK_APP_ELF_MAX + (1 << 20));
    squeeze(&zeros, &bomb);
    dpk_buf_free(&zeros);
    assert_true(bomb.size < 1 << 16);
    struct dpk_buf file = with_stored(bomb.data, bomb.size);
    assert_int_equal(unpack(&file, &size), DPK_ERR_RANGE);
    assert_true(size <= DPK_APP_ELF_MAX + (1 << 17));
    dpk_buf_free(&bomb);
    dpk_buf_free(&file);
}

/* ---- YAML ---- */

#define GOOD                                                                                       \
    "dpa_app_subtype: 1\ntype: 2\ndpa_app_version: 3\ndpa_os_api_version: 4\n"                     \
    "dpa_fw_api_version: 0x10\ndpa_app_description_string: \"some words\"\n"

static void metadata_is_read_from_yaml(void **state)
{
    (void)state;
    struct dpk_app_metadata m;
    CHECK(dpk_app_metadata_yaml(GOOD, strlen(GOOD), &m, &err));
    assert_int_equal(m.subtype, 1);
    assert_int_equal(m.type, 2);
    assert_int_equal(m.app_version, 3);
    assert_int_equal(m.os_api_version, 4);
    assert_int_equal(m.fw_api_version, 16);
    assert_string_equal(m.description, "some words");
}

static void wrong_yaml_is_refused_with_line_and_field(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *says;
    } cases[] = {
        {"", "line 1: a mapping"},
        {"- 1\n", "line 1: a mapping"},
        {"type: 2\n", "dpa_app_subtype is missing"},
        {GOOD "type: 3\n", "line 7: type: it is there already"},
        {GOOD "TYPE: 3\n", "line 7: type: it is there already"},
        {GOOD "colour: 3\n", "line 7: colour: no such field"},
        {"type: 2\ndpa_app_subtype: 256\n", "line 2: dpa_app_subtype: 256 is more than 255"},
        {"dpa_app_version: 4294967296\n", "line 1: dpa_app_version: 4294967296 is more"},
        {"dpa_app_version: 99999999999999999999999\n", "is more than 4294967295"},
        {"dpa_app_version: -1\n", "line 1: dpa_app_version: '-1' is not a number"},
        {"dpa_app_version: 1.5\n", "'1.5' is not a number"},
        {"dpa_app_version: 010\n", "010: NVIDIA's tool reads a leading zero as octal"},
        {"dpa_app_version: 0x\n", "'0x' is not a number"},
        {"dpa_app_version:\n", "'' is not a number"},
        {"dpa_app_version: [1]\n", "line 1: dpa_app_version: one plain value"},
        {"type: &a 2\ndpa_app_version: *a\n", "line 2: dpa_app_version: one plain value"},
        {"? [1]\n: 2\n", "line 1: the name of a field"},
        {"dpa_app_description_string: \"\"\n", "dpa_app_description_string: it is empty"},
        {"dpa_app_description_string: 123456789012345678901234567890123\n", "33 characters"},
        {"dpa_app_description_string: \"a\\tb\"\n", "only printable ASCII"},
        {"type: 1\n\tx: 2\n", "line 2: not YAML"},
        {GOOD "---\n" GOOD, "only one document"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_error err = {0};
        struct dpk_app_metadata m;
        enum dpk_status status =
            dpk_app_metadata_yaml(cases[i].yaml, strlen(cases[i].yaml), &m, &err);
        if (status == DPK_OK || !strstr(err.message, cases[i].says))
            fail_msg("%s: %s", cases[i].yaml, err.message);
    }
}

static void descriptions_of_every_length_come_back(void **state)
{
    (void)state;
    static const char text[] = "abcdefghijklmnopqrstuvwxyz012345";
    for (int n = 1; n <= 32; n++) {
        struct dpk_buf elf = tiny_elf(0), out = {0};
        struct dpk_app_plan plan = {.elf = elf.data, .elf_size = elf.size};
        snprintf(plan.metadata.description, sizeof plan.metadata.description, "%.*s", n, text);
        CHECK(dpk_app_create(&plan, &out, &err));
        struct dpk_app app = parsed(&out);
        assert_string_equal(app.metadata.description, plan.metadata.description);
        dpk_buf_free(&elf);
        dpk_buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_container_equals_nvidias),
        cmocka_unit_test(xz_container_equals_nvidias),
        cmocka_unit_test(signed_containers_equal_nvidias),
        cmocka_unit_test(removals_equal_nvidias),
        cmocka_unit_test(nvidias_signed_containers_verify),
        cmocka_unit_test(a_flipped_bit_is_refused),
        cmocka_unit_test(a_truncated_container_is_refused),
        cmocka_unit_test(the_elf_comes_out_again),
        cmocka_unit_test(a_program_without_manifest_has_none),
        cmocka_unit_test(what_is_no_elf_is_not_packed),
        cmocka_unit_test(a_damaged_xz_stream_is_refused),
        cmocka_unit_test(a_decompression_bomb_is_bounded),
        cmocka_unit_test(metadata_is_read_from_yaml),
        cmocka_unit_test(wrong_yaml_is_refused_with_line_and_field),
        cmocka_unit_test(descriptions_of_every_length_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
