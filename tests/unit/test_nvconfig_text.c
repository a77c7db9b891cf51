/* lib/nvconfig: XML, values, definitions, TLV lists and the raw form as people write them. */
#include "nvconfig/nvconfig.h"

#include <string.h>

#include "nvdefs.h"

/* ---- XML ---- */

#define AUTH(attributes, inside)                                                                   \
    "<config><nv_dpa_auth " attributes ">" inside "</nv_dpa_auth></config>"
#define ON "<dpa_auth_en>True</dpa_auth_en>"

static enum dpk_status xml_status(const char *xml, char *message)
{
    struct dpk_error err = {0};
    struct dpk_nv_list list = {0};
    enum dpk_status status = dpk_nv_xml_parse(defs, xml, strlen(xml), &list, &err);
    strcpy(message, err.message);
    assert_true(status == DPK_OK || list.count == 0);
    dpk_nv_list_free(&list);
    return status;
}

static void bad_xml_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *xml, *says;
    } cases[] = {
        {"", "empty"},
        {"<config>", "line 1: not well-formed"},
        {"MLNX.CONFIG.BIN!", "not well-formed"},
        {"<config></config>", "no TLV"},
        {"<config>words</config>", "no TLV"},
        {"<other/>", "must be <config>"},
        {"<config xmlns='http://example.com'/>", "unknown namespace"},
        {"<config>\n<nv_dpa_auht/></config>", "line 2: nv_dpa_auht: unknown TLV"},
        {AUTH("", ""), "parameter dpa_auth_en is missing; legal: False or True"},
        {AUTH("", "<dpa_auth_en></dpa_auth_en>"), "no value; legal: False or True"},
        {AUTH("", "\n<dpa_auth_en>Maybe</dpa_auth_en>"), "line 2: dpa_auth_en: bad value 'Maybe'"},
        {AUTH("", "<dpa_auth_en>2</dpa_auth_en>"), "bad value '2'"},
        {AUTH("", ON ON), "dpa_auth_en: given twice"},
        {AUTH("", ON "<more>1</more>"), "nv_dpa_auth has no such parameter; legal: dpa_auth_en"},
        {AUTH("", "<dpa_auth_en><b/></dpa_auth_en>"), "a value is text"},
        {AUTH("", "<dpa_auth_en x='1'>True</dpa_auth_en>"), "a parameter has no attributes"},
        {AUTH("", "loose" ON), "text outside a parameter"},
        {AUTH("ovr_en='2'", ON), "attribute ovr_en='2'; legal: 0 to 1"},
        {AUTH("rd_en=''", ON), "attribute rd_en=''"},
        {AUTH("writer_id='32'", ON), "legal: 0 to 31"},
        {AUTH("priority='ROOT'", ON), "legal: USER, OEM, MLNX"},
        {AUTH("color='1'", ON), "unknown attribute color"},
        {"<config><nv_dpa_auth>" ON "</nv_dpa_auth><nv_dpa_auth>" ON "</nv_dpa_auth></config>",
         "is there twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[1024];
        if (xml_status(cases[i].xml, message) == DPK_OK)
            fail_msg("accepted: %s", cases[i].xml);
        if (!strstr(message, cases[i].says))
            fail_msg("%s\nsays: %s\nnot: %s", cases[i].xml, message, cases[i].says);
    }
}

static void documents_with_entities_are_refused(void **state)
{
    (void)state;
    char message[1024];
    assert_int_equal(xml_status("<!DOCTYPE config [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>" AUTH(
                                    "", "<dpa_auth_en>&e;</dpa_auth_en>"),
                                message),
                     DPK_ERR_FORMAT);
    assert_non_null(strstr(message, "DTD"));
}

/* A hundred thousand attributes of one element took half a minute. */
static void an_element_with_countless_attributes_is_refused_at_once(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_nv_list list = {0};
    struct dpk_buf xml = {0};
    dpk_put_format(&xml, "<config xmlns='http://www.mellanox.com/config'><nv_dpa_auth");
    for (unsigned i = 0; i < 70000; i++)
        dpk_put_format(&xml, " a%u %s '>'", i, i % 2 ? "=" : "=\n");
    dpk_put_format(&xml, "/></config>");
    assert_int_equal(dpk_nv_xml_parse(defs, xml.data, xml.size, &list, &err), DPK_ERR_RANGE);
    assert_non_null(strstr(err.message, "attributes"));
    dpk_buf_free(&xml);
}

/* Else an encoding could hide what is looked for before parsing. */
static void documents_are_utf_8_whatever_they_say(void **state)
{
    (void)state;
    static const char plain[] = "<config/>";
    char wide[2 + 2 * sizeof plain] = "\xff\xfe", message[1024];
    struct dpk_nv_list list = {0};
    for (size_t i = 0; i < sizeof plain - 1; i++)
        wide[2 + 2 * i] = plain[i];
    struct dpk_error err = {0};
    assert_int_equal(dpk_nv_xml_parse(defs, wide, 2 * sizeof plain, &list, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "another encoding than UTF-8"));
    assert_int_equal(xml_status("<?xml version='1.0' encoding='UTF-7'?>+ADw-config/+AD4-", message),
                     DPK_ERR_FORMAT);
    assert_non_null(strstr(message, "not well-formed"));
}

static void a_huge_document_is_refused_before_it_is_read(void **state)
{
    (void)state;
    size_t size = DPK_NV_XML_MAX + 1;
    char *xml = malloc(size);
    struct dpk_nv_list list = {0};
    assert_non_null(xml);
    memset(xml, ' ', size);
    assert_int_equal(dpk_nv_xml_parse(defs, xml, size, &list, NULL), DPK_ERR_RANGE);
    free(xml);
}

static void attributes_have_their_usual_values(void **state)
{
    (void)state;
    static const char xml[] = "<config>"
                              "<nv_dpa_auth>" ON "</nv_dpa_auth></config>";
    struct dpk_nv_list list = {0};
    assert_int_equal(dpk_nv_xml_parse(defs, xml, sizeof xml - 1, &list, NULL), DPK_OK);
    assert_true(list.items[0].ovr_en && list.items[0].rd_en);
    assert_int_equal(list.items[0].writer_id, 0);
    assert_int_equal(list.items[0].priority, DPK_NV_MLNX);
    assert_int_equal(list.items[0].data[0], 0x80);
    dpk_nv_list_free(&list);
}

/* ---- Values ---- */

static const struct dpk_nv_param *param(const char *tlv, const char *name)
{
    const struct dpk_nv_def *def = dpk_nv_defs_find(defs, tlv);
    assert_non_null(def);
    for (size_t i = 0; i < def->param_count; i++)
        if (strcmp(def->params[i].name, name) == 0)
            return &def->params[i];
    fail_msg("%s %s", tlv, name);
    return NULL;
}

static void values_land_in_their_bits_alone(void **state)
{
    (void)state;
    uint8_t data[DPK_NV_DATA_MAX] = {0};
    memset(data, 0xff, 64);
    assert_int_equal(dpk_nv_value_parse(param("nv_dpa_app_0", "dpa_partition_id"), "5", data, NULL),
                     DPK_OK);
    assert_int_equal(data[0x13], 0xf5);
    assert_int_equal(
        dpk_nv_value_parse(param("nv_dpa_app_0", "eu_alloc_mode"), "device_default", data, NULL),
        DPK_OK);
    assert_int_equal(data[0x13], 0x85);
    assert_int_equal(
        dpk_nv_value_parse(param("nv_dpa_app_0", "Init_thread_eu"), "0x1234", data, NULL), DPK_OK);
    assert_int_equal(data[0x10], 0x12);
    assert_int_equal(data[0x11], 0x34);
    assert_int_equal(data[0x12], 0xff);
    assert_int_equal(data[0x0f], 0xff);
    assert_int_equal(data[0x14], 0xff);
}

static void values_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *tlv, *param, *value;
    } cases[] = {
        {"nv_dpa_app_0", "dpa_partition_id", "16"},
        {"nv_dpa_app_0", "dpa_partition_id", "-1"},
        {"nv_dpa_app_0", "dpa_partition_id", "1 2"},
        {"nv_dpa_app_0", "dpa_partition_id", "0x0xF"},
        {"nv_dpa_app_0", "Init_thread_eu", "0X0x1F"},
        {"nv_dpa_app_0", "dpa_partition_id", "99999999999999999999999"},
        {"nv_dpa_app_0", "eu_alloc_mode", "HALF"},
        {"nv_dpa_app_0", "eu_alloc_mode", "2"},
        {"nv_file_id_vendor", "day", "100"},
        {"nv_file_id_vendor", "file_version", "4294967296"},
        {"nv_file_id_vendor", "file_version", "7e7"},
        {"file_applicable_to", "psid", "MT_00000061331234"},
        {"file_applicable_to", "psid", "\xc3\xa9"},
        {"nv_ls_nv_public_key_0", "keypair_uuid", "240a42de-3223-173e-9929-d51e6547f1"},
        {"nv_ls_nv_public_key_0", "keypair_uuid", "240a42de-3223-173e-9929-d51e6547f1bf0"},
        {"nv_ls_nv_public_key_0", "keypair_uuid", "240a42de-3223-173e-9929-d51e6547f1bg"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t data[DPK_NV_DATA_MAX] = {0};
        uint8_t before[DPK_NV_DATA_MAX] = {0};
        enum dpk_status status =
            dpk_nv_value_parse(param(cases[i].tlv, cases[i].param), cases[i].value, data, NULL);
        if (status != DPK_ERR_RANGE)
            fail_msg("%s=%s: %d", cases[i].param, cases[i].value, status);
        assert_memory_equal(data, before, sizeof data);
    }
}

static void bytes_may_have_colons_dashes_and_lines_between(void **state)
{
    (void)state;
    uint8_t data[DPK_NV_DATA_MAX] = {0};
    assert_int_equal(dpk_nv_value_parse(param("nv_ls_nv_public_key_0", "keypair_uuid"),
                                        "\n 24:0a:42:de:32:23\n 173e-9929-D51E6547F1BF \n", data,
                                        NULL),
                     DPK_OK);
    assert_int_equal(data[16], 0x24);
    assert_int_equal(data[31], 0xbf);
}

/* ---- Definitions ---- */

static void bad_definitions_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"x bool 0x0[1]", "t:1: a parameter before"},
        {"tlv a global 1", "t:1: a TLV is"},
        {"tlv a nowhere 1 4", "class nowhere"},
        {"tlv a global 1 5", "multiple of 4"},
        {"tlv a global 1 4\n x bool 0x4[1]", "lies outside"},
        {"tlv a global 1 4\n x bool 0x0[2:1]", "bool of 2 bits"},
        {"tlv a global 1 4\n x bool 0x0[32]", "not a place"},
        {"tlv a global 1 4\n x bool 0x0[1:2]", "not a place"},
        {"tlv a global 1 4\n x word 0x0[1]", "t:2: unknown type"},
        {"tlv a global 1 4\n x enum 0x0[1:0] values A=4", "does not fit"},
        {"tlv a global 1 4\n x enum 0x0[1:0]", "an enum has values"},
        {"tlv a global 1 4\n x enum 0x0[1:0] values A=0 values B=1", "values is given twice"},
        {"tlv a global 1 4\n x bool 0x0[1]\n y unsigned 0x0[3:0]", "overlaps"},
        {"tlv a global 1 4\n x bool 0x0[1]\n x bool 0x0[2]", "defined twice"},
        {"tlv a global 1 4\ntlv b global 1 4", "defined twice"},
        {"tlv a global 1 4\n x bytes 0x2+4", "lies outside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_nv_defs *d = NULL;
        struct dpk_error err = {0};
        assert_int_equal(dpk_nv_defs_new(&d, NULL), DPK_OK);
        if (dpk_nv_defs_parse(d, "t", cases[i].text, strlen(cases[i].text), &err) == DPK_OK)
            fail_msg("accepted: %s", cases[i].text);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s\nsays: %s\nnot: %s", cases[i].text, err.message, cases[i].says);
        dpk_nv_defs_free(d);
    }
}

static void an_unknown_parameter_names_the_closest(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    const struct dpk_nv_def *def;
    const struct dpk_nv_param *p;
    assert_int_equal(dpk_nv_defs_find_config(defs, "DPA_AUTHENTICATOIN", &def, &p, &err),
                     DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "did you mean DPA_AUTHENTICATION?"));
    assert_int_equal(dpk_nv_defs_find_config(defs, "dpa_authentication", &def, &p, NULL), DPK_OK);
    assert_string_equal(def->name, "nv_dpa_auth");
}

static void bad_tlv_lists_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"nv_dpa_auth", "line 1: must be"},
                 {"nv_dpa_auth 2", "line 1: must be"},
                 {"nv_dpa_auth 0\nnv_nothing 1", "line 2: unknown TLV nv_nothing"},
                 {"nv_dpa_auth 0\n", "no TLV is marked"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_error err = {0};
        struct dpk_buf out = {0};
        assert_int_not_equal(
            dpk_nv_xml_template(defs, cases[i].text, strlen(cases[i].text), false, &out, &err),
            DPK_OK);
        if (!strstr(err.message, cases[i].says))
            fail_msg("%s", err.message);
        dpk_buf_free(&out);
    }
}

static void bad_raw_files_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "something else\n",
        "MLNX_RAW_TLV_FILE\n",
        "MLNX_RAW_TLV_FILE\n0x31000004 0x00000015\n",
        "MLNX_RAW_TLV_FILE\n0x31000004 0x00000015 0x00000000\n",
        "MLNX_RAW_TLV_FILE\n0x31000004 0x00000015 0x00000000 0x80000000 0x0\n",
        "MLNX_RAW_TLV_FILE\n0x21000004 0x00000015 0x00000000 0x80000000\n",
        "MLNX_RAW_TLV_FILE\n0x31000004 0x00000015 0x00000000 80000000\n",
        "MLNX_RAW_TLV_FILE\n0x31000004 0x00000015 0x00000000 0x800000000\n",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dpk_nv_list list = {0};
        assert_int_not_equal(dpk_nv_raw_parse(cases[i], strlen(cases[i]), &list, NULL), DPK_OK);
        assert_int_equal(list.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_xml_is_refused_with_its_reason),
        cmocka_unit_test(documents_with_entities_are_refused),
        cmocka_unit_test(an_element_with_countless_attributes_is_refused_at_once),
        cmocka_unit_test(documents_are_utf_8_whatever_they_say),
        cmocka_unit_test(a_huge_document_is_refused_before_it_is_read),
        cmocka_unit_test(attributes_have_their_usual_values),
        cmocka_unit_test(values_land_in_their_bits_alone),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(bytes_may_have_colons_dashes_and_lines_between),
        cmocka_unit_test(bad_definitions_are_refused_with_their_line),
        cmocka_unit_test(an_unknown_parameter_names_the_closest),
        cmocka_unit_test(bad_tlv_lists_are_refused),
        cmocka_unit_test(bad_raw_files_are_refused),
    };
    return cmocka_run_group_tests(tests, load_defs, free_defs);
}
