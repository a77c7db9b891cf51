/* lib/nvconfig: every XML of the golden folder nvtlvs becomes the raw TLVs that NVIDIA's tool made of
 * it, and these come back through XML. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "nvdefs.h"

/* Says in `err` what is not as it must be. */
static bool is_same(const struct dpk_nv_defs *set, const char *name, struct dpk_error *err)
{
    char path[400];
    struct dpk_nv_list list = {0}, back = {0};
    struct dpk_buf raw = {0}, xml = {0}, again = {0};
    snprintf(path, sizeof path, "nvtlvs/%s.xml", name);
    struct dpk_buf given = golden(path);
    snprintf(path, sizeof path, "nvtlvs/%s.raw", name);
    struct dpk_buf want = golden(path);
    bool same = dpk_nv_xml_parse(set, given.data, given.size, &list, err) == DPK_OK;
    if (same) {
        dpk_nv_raw_format(&list, &raw);
        same = raw.size == want.size && memcmp(raw.data, want.data, raw.size) == 0;
        if (!same)
            dpk_fail(err, DPK_ERR_MISMATCH, "other raw TLVs");
    }
    dpk_nv_list_free(&list);
    if (same)
        same = dpk_nv_raw_parse((char *)want.data, want.size, &list, err) == DPK_OK &&
               dpk_nv_xml_format(set, &list, &xml, err) == DPK_OK &&
               dpk_nv_xml_parse(set, xml.data, xml.size, &back, err) == DPK_OK;
    if (same) {
        dpk_nv_raw_format(&back, &again);
        same = again.size == want.size && memcmp(again.data, want.data, again.size) == 0;
        if (!same)
            dpk_fail(err, DPK_ERR_MISMATCH, "other raw TLVs come back from XML");
    }
    dpk_nv_list_free(&list);
    dpk_nv_list_free(&back);
    struct dpk_buf *const bufs[] = {&given, &want, &raw, &xml, &again};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        dpk_buf_free(bufs[i]);
    return same;
}

/* Compares what `set` has a definition of; returns how many that were. */
static unsigned compare(const struct dpk_nv_defs *set)
{
    unsigned count = 0, wrong = 0;
    DIR *folder = opendir(golden_path("nvtlvs"));
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        char name[300];
        struct dpk_error err = {0};
        snprintf(name, sizeof name, "%s", e->d_name);
        char *end = strstr(name, ".xml");
        if (!end)
            continue;
        *end = 0;
        char tlv[300];
        snprintf(tlv, sizeof tlv, "%.*s", (int)strcspn(name, "."), name);
        if (!dpk_nv_defs_find(set, tlv))
            continue;
        count++;
        if (!is_same(set, name, &err)) {
            print_error("%s: %s\n", name, err.message);
            wrong++;
        }
    }
    closedir(folder);
    assert_int_equal(wrong, 0);
    return count;
}

static void built_in_tlvs_are_written_as_nvidias_tool_writes_them(void **state)
{
    (void)state;
    assert_true(compare(defs) >= 32);
}

static void every_tlv_of_nvidias_database_is_written_as_its_tool_writes_it(void **state)
{
    (void)state;
    struct dpk_nv_defs *set = nvidias_defs();
    assert_int_equal(compare(set), 221);
    dpk_nv_defs_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_tlvs_are_written_as_nvidias_tool_writes_them),
        cmocka_unit_test(every_tlv_of_nvidias_database_is_written_as_its_tool_writes_it),
    };
    return cmocka_run_group_tests(tests, load_defs, free_defs);
}
