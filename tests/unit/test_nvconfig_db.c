/* lib/nvconfig: definitions from databases as NVIDIA's tools have them. */
#include "nvconfig/nvconfig.h"

#include "nvdb.h"
#include <stdlib.h>
#include <string.h>

static void a_database_has_every_class_and_type(void **state)
{
    (void)state;
    struct dpk_nv_defs *set = NULL;
    struct dpk_error err = {0};
    assert_int_equal(load("", &set, &err), DPK_OK);
    assert_int_equal(dpk_nv_defs_count(set), 8);
    const struct dpk_nv_def *def = dpk_nv_defs_find(set, "t_global");
    assert_non_null(def);
    assert_int_equal(def->param_count, 10);
    assert_string_equal(def->title, "GLOBAL");
    assert_int_equal(dpk_nv_defs_find(set, "t_bare")->param_count, 0);
    assert_true(dpk_nv_defs_find(set, "t_host")->capability);
    dpk_nv_defs_free(set);
}

static void values_lie_where_the_database_says(void **state)
{
    (void)state;
    static const char xml[] =
        "<config><t_global ovr_en='0' rd_en='1' priority='OEM' writer_id='3'><flag>True</flag>"
        "<kind>A</kind><count>100</count><level>-2</level><mask>7e</mask><text>abc</text>"
        "<uuid>01020304-05060708</uuid><lanes index='0..6'>1</lanes><lanes index='7'>9</lanes>"
        "<words index='0'>deadbeef</words><words index='1'>0x1</words>"
        "<owner index='0,2'>E</owner><owner index='1'>N</owner><owner index='3'>15</owner>"
        "</t_global><t_port port='2'><speed>5</speed></t_port>"
        "<t_func host='all' function='3'><x>1</x></t_func>"
        "<t_mod module='5'><lane index='0..3'>1</lane></t_mod></config>";
    static const char raw[] =
        "MLNX_RAW_TLV_FILE\n"
        "0x11030028 0x000003e8 0x00000000 0x9064fe7e 0x61626300 0x00000000 0x01020304 0x05060708 "
        "0x01010101 0x01010109 0xdeadbeef 0x00000001 0x0f000f0f \n"
        "\n0x33000004 0x01020007 0x00000000 0x00000005 \n"
        "\n0x33000004 0x83000c08 0x00000000 0x00000001 \n"
        "\n0x33000004 0x0901400c 0x00000000 0x01010101 \n";
    struct dpk_nv_defs *set = NULL;
    struct dpk_nv_list list = {0};
    struct dpk_buf out = {0};
    struct dpk_error err = {0};
    assert_int_equal(load("", &set, &err), DPK_OK);
    if (dpk_nv_xml_parse(set, xml, strlen(xml), &list, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_nv_raw_format(&list, &out);
    dpk_put_u8(&out, 0);
    assert_string_equal((char *)out.data, raw);
    dpk_buf_free(&out);
    dpk_nv_list_free(&list);
    dpk_nv_defs_free(set);
}

/* t_global without errors, except for the text that replaces a parameter. */
static void global_xml(char *out, size_t size, const char *instead_of, const char *put)
{
    static const char *const right[][2] = {
        {"flag", "<flag>False</flag>"},
        {"kind", "<kind>A</kind>"},
        {"count", "<count>1</count>"},
        {"level", "<level>0</level>"},
        {"mask", "<mask>0</mask>"},
        {"text", "<text></text>"},
        {"uuid", "<uuid>0000000000000000</uuid>"},
        {"lanes", "<lanes index='0..7'>0</lanes>"},
        {"words", "<words index='0..1'>0</words>"},
        {"owner", "<owner index='0..3'>N</owner>"},
    };
    size_t at = (size_t)snprintf(out, size, "<config>\n<t_global>\n");
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        at += (size_t)snprintf(out + at, size - at, "%s\n",
                               strcmp(right[i][0], instead_of) == 0 ? put : right[i][1]);
    snprintf(out + at, size - at, "</t_global></config>");
}

static void illegal_values_are_named_with_line_and_what_is_legal(void **state)
{
    (void)state;
    static const struct {
        const char *param, *put, *says;
    } cases[] = {
        {"count", "<count>4096</count>",
         "t_global: line 5: count: bad value '4096'; legal: 0 to 4095"},
        {"count", "<count>010</count>",
         "count: '010': NVIDIA's tools read a leading zero as octal; write the number without it"},
        {"level", "<level>-07</level>", "'-07': NVIDIA's tools read a leading zero as octal"},
        {"kind", "<kind>01</kind>", "'01': NVIDIA's tools read a leading zero as octal"},
        {"flag", "<flag>01</flag>", "'01': NVIDIA's tools read a leading zero as octal"},
        {"lanes", "<lanes index='0..07'>1</lanes>", "attribute index='0..07'; legal: 0 to 7"},
        {"level", "<level>128</level>", "legal: -128 to 127"},
        {"level", "<level>-129</level>", "legal: -128 to 127"},
        {"mask", "<mask>100</mask>", "legal: hexadecimal 0 to FF"},
        {"mask", "<mask>-1</mask>", "bad value '-1'"},
        {"kind", "<kind>0</kind>", "legal: B(2), A(1)"},
        {"text", "<text>123456789</text>", "at most 8 printable"},
        {"uuid", "<uuid>01020304</uuid>", "16 hexadecimal digits"},
        {"lanes", "<lanes>1</lanes>", "lanes: an array of 8"},
        {"lanes", "<lanes index='8'>1</lanes>", "attribute index='8'; legal: 0 to 7"},
        {"lanes", "<lanes index='0..6'>1</lanes>", "parameter lanes index 7 is missing"},
        {"lanes", "<lanes index='0..7'>1</lanes><lanes index='3'>1</lanes>",
         "index 3 is given twice"},
        {"lanes", "<lanes index='0..7'>256</lanes>", "legal: 0 to 255"},
        {"owner", "<owner index='0..3'>2</owner>", "legal: N(0), E(15)"},
        {"flag", "<flag index='0'>True</flag>", "a parameter has no attributes"},
    };
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(load("", &set, NULL), DPK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char xml[2048];
        struct dpk_nv_list list = {0};
        struct dpk_error err = {0};
        global_xml(xml, sizeof xml, cases[i].param, cases[i].put);
        if (dpk_nv_xml_parse(set, xml, strlen(xml), &list, &err) == DPK_OK)
            fail_msg("accepted: %s", cases[i].put);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s\nsays: %s", cases[i].put, err.message);
    }
    dpk_nv_defs_free(set);
}

static void targets_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *xml, *says;
    } cases[] = {
        {"<t_port><speed>1</speed></t_port>", "attribute port is missing; legal: all, or 1 to 255"},
        {"<t_port port='0'><speed>1</speed></t_port>", "port='0'; legal: all, or 1 to 255"},
        {"<t_mod><lane index='0..3'>1</lane></t_mod>",
         "attribute module is missing; legal: all, or 0 to 1023"},
        {"<t_mod module='1024'><lane index='0..3'>1</lane></t_mod>", "legal: all, or 0 to 1023"},
        {"<t_port port='010'><speed>1</speed></t_port>",
         "attribute port='010': NVIDIA's tools read a leading zero as octal"},
        {"<t_bare writer_id='010'/>", "attribute writer_id='010': NVIDIA's tools read a leading"},
        {"<t_port port='all'><speed>1</speed></t_port><t_port port='8'><speed>1</speed></t_port>",
         "twice"},
        {"<t_func host='64'><x>1</x></t_func>", "legal: all, or 0 to 63"},
        {"<t_func port='1'><x>1</x></t_func>", "unknown attribute port; legal: ovr_en, rd_en, "
                                               "writer_id, priority, host, function"},
        {"<t_bare port='1'/>", "unknown attribute port"},
    };
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(load("", &set, NULL), DPK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char xml[512];
        struct dpk_nv_list list = {0};
        struct dpk_error err = {0};
        snprintf(xml, sizeof xml, "<config>%s</config>", cases[i].xml);
        if (dpk_nv_xml_parse(set, xml, strlen(xml), &list, &err) == DPK_OK)
            fail_msg("accepted: %s", xml);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s\nsays: %s", xml, err.message);
    }
    dpk_nv_defs_free(set);
}

static void numbers_beyond_the_limits_of_a_definition_are_taken_and_told(void **state)
{
    (void)state;
    static const struct {
        const char *count, *says;
    } cases[] = {
        {"<count>0</count>", "t_global: count is 0; legal: 1 to 100\n"},
        {"<count>1</count>", ""},
        {"<count>100</count>", ""},
        {"<count>4095</count>", "t_global: count is 4095; legal: 1 to 100\n"},
    };
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(load("", &set, NULL), DPK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char xml[2048];
        struct dpk_nv_list list = {0};
        struct dpk_buf lines = {0};
        struct dpk_error err = {0};
        global_xml(xml, sizeof xml, "count", cases[i].count);
        if (dpk_nv_xml_parse(set, xml, strlen(xml), &list, &err) != DPK_OK)
            fail_msg("%s: %s", cases[i].count, err.message);
        dpk_nv_list_limits(set, &list, &lines);
        dpk_put_u8(&lines, 0);
        assert_string_equal((char *)lines.data, cases[i].says);
        dpk_buf_free(&lines);
        dpk_nv_list_free(&list);
    }
    dpk_nv_defs_free(set);
}

static void all_ports_are_eight_and_all_modules_two(void **state)
{
    (void)state;
    static const char xml[] = "<config><t_port port='ALL'><speed>5</speed></t_port>"
                              "<t_mod module='all'><lane index='0..3'>1</lane></t_mod></config>";
    struct dpk_nv_defs *set = NULL;
    struct dpk_nv_list list = {0};
    assert_int_equal(load("", &set, NULL), DPK_OK);
    assert_int_equal(dpk_nv_xml_parse(set, xml, strlen(xml), &list, NULL), DPK_OK);
    assert_int_equal(list.count, 10);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(list.items[i].class_id, DPK_NV_PORT);
        assert_int_equal(list.items[i].index, (i + 1) << 16 | 7);
        assert_int_equal(list.items[i].data[3], 5);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(list.items[8 + i].class_id, DPK_NV_MODULE);
        assert_int_equal(list.items[8 + i].index, i << 14 | 12);
    }
    dpk_nv_list_free(&list);
    dpk_nv_defs_free(set);
}

static void a_parameter_sets_its_valid_bit_and_what_follows_may_clear_it(void **state)
{
    (void)state;
    static const struct {
        const char *params;
        uint8_t bit;
    } cases[] = {
        {"<ok>False</ok><n>1</n>", 1},
        {"<n>1</n><ok>False</ok>", 0},
        {"<n>1</n><ok>True</ok>", 1},
    };
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(load("INSERT INTO tlvs VALUES('t_v', 77, 'NIC', 0, 0, '', 4, 0, 'V');"
                          "INSERT INTO params(name, tlv_name, offset, size, type, valid_bit) VALUES"
                          " ('ok', 't_v', '0x0.0', '0x0.1', 'BOOL', NULL),"
                          " ('n', 't_v', '0x0.8', '0x0.8', 'UNSIGNED', 'ok');",
                          &set, NULL),
                     DPK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char xml[256];
        struct dpk_nv_list list = {0};
        snprintf(xml, sizeof xml, "<config><t_v>%s</t_v></config>", cases[i].params);
        assert_int_equal(dpk_nv_xml_parse(set, xml, strlen(xml), &list, NULL), DPK_OK);
        assert_int_equal(list.items[0].data[3], cases[i].bit);
        dpk_nv_list_free(&list);
    }
    dpk_nv_defs_free(set);
}

static void names_have_ports_modules_and_indexes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says; /* says NULL: fine */
    } cases[] = {
        {"COUNT", NULL},
        {"speed_p2", NULL},
        {"LANE_M1[0..3]", NULL},
        {"LANES[7]", NULL},
        {"SPEED", "SPEED is a port's: SPEED_P1"},
        {"LANE", "LANE is a module's"},
        {"COUNT_P1", "unknown parameter COUNT_P1"},
        {"SPEED_P0", "unknown parameter SPEED_P0"},
        {"COUNT[0]", "COUNT is not an array"},
        {"LANES[8]", "legal: [0] to [7]"},
        {"LANES[3..1]", "legal: [0] to [7]"},
        {"LANES[", "legal: [0] to [7]"},
        {"LANS", "did you mean LAN"},
    };
    struct dpk_nv_defs *set = NULL;
    assert_int_equal(load("", &set, NULL), DPK_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_nv_name name;
        struct dpk_error err = {0};
        enum dpk_status status = dpk_nv_name_parse(set, cases[i].name, &name, &err);
        if ((status == DPK_OK) != !cases[i].says)
            fail_msg("%s: %s", cases[i].name, err.message);
        if (cases[i].says && !strstr(err.message, cases[i].says))
            fail_msg("%s says: %s", cases[i].name, err.message);
    }
    dpk_nv_defs_free(set);
}

static void foreign_and_hostile_databases_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *says;
    } cases[] = {
        {"DROP TABLE params", "no such table"},
        {"ALTER TABLE tlvs RENAME COLUMN class TO klass", "no such column"},
        {"DELETE FROM tlvs", "no TLVs"},
        {"UPDATE tlvs SET size = 2000 WHERE name = 't_port'", "t_port: id, class or size"},
        {"UPDATE tlvs SET size = -4 WHERE name = 't_port'", "t_port: id, class or size"},
        {"UPDATE tlvs SET size = 5 WHERE name = 't_port'", "not a multiple of 4"},
        {"UPDATE tlvs SET class = 5 WHERE name = 't_port'", "class or index out of range"},
        {"UPDATE tlvs SET id = 70000 WHERE name = 't_port'", "class or index out of range"},
        {"UPDATE tlvs SET name = 'a b' WHERE name = 't_bare'",
         "not a valid name of an XML element"},
        {"UPDATE tlvs SET id = 1000 WHERE name = 't_bare'", "defined twice"},
        {"UPDATE params SET type = 'FLOAT' WHERE name = 'mask'", "mask: unknown type 'FLOAT'"},
        {"UPDATE params SET offset = '0x99.0' WHERE name = 'mask'", "outside its TLV"},
        {"UPDATE params SET offset = '-1.0' WHERE name = 'mask'", "mask: '-1.0' is not an offset"},
        {"UPDATE params SET offset = '0x0.32' WHERE name = 'mask'", "not an offset"},
        {"UPDATE params SET offset = '0x0.8' WHERE name = 'mask'", "overlaps"},
        {"UPDATE params SET size = '0x0.40' WHERE name = 'mask'", "a number of 40 bits"},
        {"UPDATE params SET size = '99999999999999999999.0' WHERE name = 'mask'", "not a size"},
        {"UPDATE params SET size = NULL WHERE name = 'mask'", "not a size"},
        {"UPDATE params SET name = NULL WHERE name = 'mask'", ""},
        {"UPDATE params SET name = '<x>' WHERE name = 'mask'",
         "not a valid name of an XML element"},
        {"UPDATE params SET array_length = 100000000 WHERE name = 'lanes'", "an array of"},
        {"UPDATE params SET array_length = 3 WHERE name = 'lanes'",
         "cannot be divided into 3 numbers"},
        {"UPDATE params SET array_length = 64 WHERE name = 'lanes'", "outside its TLV"},
        {"UPDATE params SET textual_values = 'A' WHERE name = 'kind'", "is not NAME=0x0"},
        {"UPDATE params SET textual_values = '' WHERE name = 'kind'", "an enum has values"},
        {"UPDATE params SET textual_values = 'A=0x8' WHERE name = 'kind'", "does not fit"},
        {"UPDATE params SET textual_values = '-->=0x1' WHERE name = 'kind'", "no proper name"},
        {"UPDATE params SET min_val = '200' WHERE name = 'count'", "above the largest"},
        {"UPDATE params SET mlxconfig_name = 'COUNT' WHERE name = 'mask'",
         "COUNT is defined twice"},
        {"DROP TABLE params; CREATE VIEW params AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL"
         " SELECT n + 1 FROM r) SELECT n AS name FROM r",
         "view params is more than data"},
        {"CREATE VIEW other AS SELECT 1", "view other is more than data"},
        {"CREATE TRIGGER t AFTER INSERT ON tlvs BEGIN DELETE FROM tlvs; END",
         "trigger t is more than data"},
        {"CREATE VIRTUAL TABLE other USING fts5(a)", "is more than data"},
        {"ALTER TABLE params ADD COLUMN slow TEXT AS (instr(hex(zeroblob(400000)), 'x'))",
         "column slow is more than data"},
        {"PRAGMA journal_mode=WAL", "in SQLite's WAL mode"},
        {"UPDATE params SET description = hex(zeroblob(1000000)) WHERE name = 'mask'", "too big"},
        {"UPDATE tlvs SET name = x'00ff00' WHERE name = 't_bare'", "without a name"},
        {"UPDATE tlvs SET id = 'many' || id, class = 1e300 WHERE name = 't_bare'", "out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_nv_defs *set = NULL;
        struct dpk_error err = {0};
        enum dpk_status status = load(cases[i].sql, &set, &err);
        /* A parameter without a name is not a row of its TLV: nothing is left of it. */
        if (!*cases[i].says) {
            assert_int_equal(status, DPK_OK);
            dpk_nv_defs_free(set);
            continue;
        }
        if (status == DPK_OK)
            fail_msg("accepted: %s", cases[i].sql);
        assert_null(set);
        assert_non_null(strstr(err.message, "/tmp/nvdb-"));
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s\nsays: %s", cases[i].sql, err.message);
    }
}

static void damaged_databases_are_refused_without_a_crash(void **state)
{
    (void)state;
    char path[32];
    struct dpk_buf file = {0};
    make_db(path, "");
    assert_int_equal(dpk_file_read(path, 1 << 20, &file, NULL), DPK_OK);
    for (size_t n = 0; n < file.size; n += 509) {
        struct dpk_nv_defs *set = NULL;
        assert_int_equal(dpk_file_replace(path, file.data, n, 0600, NULL), DPK_OK);
        assert_int_not_equal(dpk_nv_defs_load_db(path, &set, NULL), DPK_OK);
    }
    for (size_t n = 0; n < file.size; n += 61) { /* what a flipped byte gives may be legal */
        struct dpk_nv_defs *set = NULL;
        file.data[n] ^= 0x55;
        assert_int_equal(dpk_file_replace(path, file.data, file.size, 0600, NULL), DPK_OK);
        (void)dpk_nv_defs_load_db(path, &set, NULL);
        dpk_nv_defs_free(set);
        file.data[n] ^= 0x55;
    }
    dpk_buf_free(&file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_has_every_class_and_type),
        cmocka_unit_test(values_lie_where_the_database_says),
        cmocka_unit_test(illegal_values_are_named_with_line_and_what_is_legal),
        cmocka_unit_test(targets_that_are_none_are_refused),
        cmocka_unit_test(numbers_beyond_the_limits_of_a_definition_are_taken_and_told),
        cmocka_unit_test(all_ports_are_eight_and_all_modules_two),
        cmocka_unit_test(a_parameter_sets_its_valid_bit_and_what_follows_may_clear_it),
        cmocka_unit_test(names_have_ports_modules_and_indexes),
        cmocka_unit_test(foreign_and_hostile_databases_are_refused),
        cmocka_unit_test(damaged_databases_are_refused_without_a_crash),
    };
    return cmocka_run_group_tests(tests, load_defs, free_defs);
}
