/* lib/nvconfig: random legal values of every TLV go through every form and come back. */
#include "nvconfig/nvconfig.h"

#include <stdlib.h>
#include <string.h>

#include "nvdb.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void put_legal(struct dpk_buf *out, const struct dpk_nv_param *p, uint32_t *seed)
{
    uint64_t most = p->bits < 32 ? (1u << p->bits) - 1u : UINT32_MAX;
    uint64_t least = p->has_min && p->min > 0 ? (uint64_t)p->min : 0;
    if (p->has_max && (uint64_t)p->max < most)
        most = (uint64_t)p->max;
    uint64_t number = least + (next_random(seed) * 257ull) % (most - least + 1);
    switch (p->type) {
    case DPK_NV_BOOL:
        dpk_put_format(out, "%s", number ? "True" : "False");
        break;
    case DPK_NV_ENUM:
        dpk_put_format(out, "%s", p->choices[number % p->choice_count].name);
        break;
    case DPK_NV_UNSIGNED:
        dpk_put_format(out, "%llu", (unsigned long long)number);
        break;
    case DPK_NV_INTEGER:
        dpk_put_format(out, "%lld", (long long)number - (1ll << (p->bits - 1)));
        break;
    case DPK_NV_BINARY:
        dpk_put_format(out, "0x%llX", (unsigned long long)number);
        break;
    case DPK_NV_STRING:
        for (size_t i = next_random(seed) % (p->bytes + 1); i > 0; i--)
            dpk_put_u8(out, (uint8_t)('A' + next_random(seed) % 26));
        break;
    case DPK_NV_BYTES:
        for (size_t i = 0; i < p->bytes; i++)
            dpk_put_format(out, "%02X", next_random(seed) & 0xff);
        break;
    }
}

/* Puts a legal value into every element of a template: what is between "></". */
static void fill(const struct dpk_nv_def *def, const struct dpk_buf *template, uint32_t *seed,
                 struct dpk_buf *out)
{
    const char *at = (const char *)template->data, *end = at + template->size;
    while (at < end) {
        const char *hole = memmem(at, (size_t)(end - at), "></", 3);
        if (!hole) {
            dpk_put(out, at, (size_t)(end - at));
            return;
        }
        dpk_put(out, at, (size_t)(hole + 1 - at));
        for (size_t i = 0; i < def->param_count; i++) {
            size_t length = strlen(def->params[i].name);
            if (strncmp(hole + 3, def->params[i].name, length) == 0 && hole[3 + length] == '>')
                put_legal(out, &def->params[i], seed);
        }
        at = hole + 1;
    }
}

static void expect_same(const struct dpk_nv_list *a, const struct dpk_nv_list *b, const char *name)
{
    if (a->count == 0 || a->count != b->count ||
        memcmp(a->items, b->items, a->count * sizeof *a->items) != 0)
        fail_msg("%s: another TLV came back", name);
}

/* Whether a file made by mlxconfig can have it as content: identity and signatures have places of
 * their own there, and the largest one has no header that says its length. */
static bool is_content(const struct dpk_nv_tlv *tlv)
{
    return tlv->size <= DPK_NV_FIELD_DATA_MAX && !dpk_nv_is_file_identity(tlv) &&
           !(tlv->class_id == DPK_NV_FILE &&
             (tlv->index == DPK_NV_INDEX_APPLICABLE_TO || tlv->index == DPK_NV_INDEX_SIGNATURE ||
              tlv->index == DPK_NV_INDEX_SIGNATURE_A || tlv->index == DPK_NV_INDEX_SIGNATURE_B));
}

/* Through MLNX.CONFIG.BIN!, after the two TLVs that every file has. */
static void go_round_file(const struct dpk_nv_tlv *tlv, const char *name)
{
    static const struct dpk_nv_tlv leading[] = {
        {.class_id = DPK_NV_GLOBAL, .index = DPK_NV_INDEX_ID_VENDOR, .size = 16},
        {.class_id = DPK_NV_FILE, .index = DPK_NV_INDEX_APPLICABLE_TO, .size = 32}};
    struct dpk_error err = {0};
    struct dpk_nv_list list = {0};
    struct dpk_buf bytes = {0};
    struct dpk_nv_file file = {0};
    struct dpk_uuid none = {{0}};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(dpk_nv_list_add(&list, &leading[i], NULL), DPK_OK);
    assert_int_equal(dpk_nv_list_add(&list, tlv, NULL), DPK_OK);
    if (dpk_nv_file_make(&list, NULL, &none, &bytes, &err) != DPK_OK ||
        dpk_nv_file_parse(bytes.data, bytes.size, &file, &err) != DPK_OK)
        fail_msg("%s: %s", name, err.message);
    assert_int_equal(file.tlvs.count, 3);
    if (memcmp(&file.tlvs.items[2], tlv, sizeof *tlv) != 0)
        fail_msg("%s: another TLV came back from a file", name);
    dpk_nv_file_free(&file);
    dpk_buf_free(&bytes);
    dpk_nv_list_free(&list);
}

static unsigned rounds_in_files;

static void go_round(const struct dpk_nv_defs *set, const struct dpk_nv_def *def, uint32_t *seed)
{
    char mark[128];
    struct dpk_error err = {0};
    struct dpk_buf template = {0}, xml = {0}, raw = {0}, payload = {0}, again = {0};
    struct dpk_nv_list list = {0}, from_raw = {0}, from_xml = {0}, from_payload = {0};
    snprintf(mark, sizeof mark, "%s 1\n", def->name);
    if (dpk_nv_xml_template(set, mark, strlen(mark), true, &template, &err) != DPK_OK)
        fail_msg("%s: %s", def->name, err.message);
    fill(def, &template, seed, &xml);
    if (dpk_nv_xml_parse(set, xml.data, xml.size, &list, &err) != DPK_OK)
        fail_msg("%s: %s\n%.*s", def->name, err.message, (int)xml.size, (char *)xml.data);
    dpk_nv_raw_format(&list, &raw);
    if (dpk_nv_raw_parse((char *)raw.data, raw.size, &from_raw, &err) != DPK_OK)
        fail_msg("%s: %s", def->name, err.message);
    expect_same(&list, &from_raw, def->name);
    if (dpk_nv_xml_format(set, &from_raw, &again, &err) != DPK_OK ||
        dpk_nv_xml_parse(set, again.data, again.size, &from_xml, &err) != DPK_OK)
        fail_msg("%s: %s", def->name, err.message);
    expect_same(&list, &from_xml, def->name);
    if (is_content(&list.items[0])) {
        go_round_file(&list.items[0], def->name);
        rounds_in_files++;
    }
    dpk_nv_payload_format(&list, &payload);
    if (dpk_nv_payload_parse(&def, 1, payload.data, payload.size, &from_payload, &err) != DPK_OK)
        fail_msg("%s: %s", def->name, err.message);
    assert_int_equal(from_payload.count, list.count);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(from_payload.items[i].size, def->size);
        assert_memory_equal(from_payload.items[i].data, list.items[i].data, def->size);
    }
    struct dpk_buf *const bufs[] = {&template, &xml, &raw, &payload, &again};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        dpk_buf_free(bufs[i]);
    struct dpk_nv_list *const lists[] = {&list, &from_raw, &from_xml, &from_payload};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        dpk_nv_list_free(lists[i]);
}

static void go_round_all(const struct dpk_nv_defs *set, unsigned times)
{
    uint32_t seed = 20240117;
    for (unsigned n = 0; n < times; n++)
        for (size_t i = 0; i < dpk_nv_defs_count(set); i++)
            go_round(set, dpk_nv_defs_at(set, i), &seed);
}

static void random_values_of_every_type_survive_every_form(void **state)
{
    (void)state;
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(load("", &set, NULL), DPK_OK);
    go_round_all(set, 50);
    dpk_nv_defs_free(set);
    go_round_all(defs, 20);
}

static void every_tlv_of_nvidias_database_survives_every_form(void **state)
{
    (void)state;
    struct dpk_nv_defs *set = nvidias_defs();
    assert_int_equal(dpk_nv_defs_count(set), 203);
    size_t params = 0;
    for (size_t i = 0; i < dpk_nv_defs_count(set); i++)
        params += dpk_nv_defs_at(set, i)->param_count;
    assert_int_equal(params, 1541);
    rounds_in_files = 0;
    go_round_all(set, 1);
    assert_int_equal(rounds_in_files, 196);
    go_round_all(set, 2);
    dpk_nv_defs_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values_of_every_type_survive_every_form),
        cmocka_unit_test(every_tlv_of_nvidias_database_survives_every_form),
    };
    return cmocka_run_group_tests(tests, load_defs, free_defs);
}
