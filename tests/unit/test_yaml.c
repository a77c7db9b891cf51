/* lib/yaml: one document, known keys, errors with one line number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "yaml/yaml.h"

static const char *const keys[] = {"name", "list", NULL};

/* Reads a mapping of `keys` from a text that is to be refused; the error. */
static const char *refused(const char *text)
{
    static struct dpk_error err;
    const yaml_node_t *values[2];
    yaml_document_t document;
    enum dpk_status status = dpk_yaml_read(text, strlen(text), &document, &err);
    if (status == DPK_OK) {
        status =
            dpk_yaml_mapping(&document, yaml_document_get_root_node(&document), keys, values, &err);
        yaml_document_delete(&document);
    }
    assert_int_equal(status, DPK_ERR_FORMAT);
    return err.message;
}

static void wrong_documents_are_refused_with_their_line(void **state)
{
    (void)state;
    assert_string_equal(refused(""), "it is empty");
    assert_string_equal(refused("- 1\n"), "line 1: keys like name: are needed");
    assert_string_equal(refused("name: 1\ncolor: 2\n"),
                        "line 2: unknown key 'color'; known keys: name, list");
    assert_string_equal(refused("name: 1\nlits: 2\n"),
                        "line 2: unknown key 'lits'; did you mean list?");
    assert_string_equal(refused("name: 1\nlist: 2\nname: 3\n"), "line 3: twice: 'name'");
    assert_string_equal(refused("\"name\\0\": 1\n"),
                        "line 1: unknown key ''; known keys: name, list");
    assert_string_equal(refused("name: 1\n---\nname: 2\n"), "line 3: more than one document");
    assert_int_equal(strncmp(refused("name: 1\n--- ]\n"), "line 2: ", 8), 0);
    assert_int_equal(strncmp(refused("name: [\n"), "line ", 5), 0);
}

static void deep_nesting_is_refused_at_once(void **state)
{
    (void)state;
    static char text[1000 * 1000 + 1]; /* libyaml would need half an hour for it */
    memset(text, '[', sizeof text - 1);
    text[10] = '\n';
    assert_string_equal(refused(text), "line 2: nested deeper than 100 levels");
    memset(text, '[', 100);
    memset(text + 100, ']', 100);
    text[200] = 0;
    assert_string_equal(refused(text), "line 1: keys like name: are needed");
}

static void values_stand_in_the_order_of_keys(void **state)
{
    static const char text[] = "list: [a, b]\nname: \"x\\0y\"\n";
    const yaml_node_t *values[2];
    yaml_document_t document;
    (void)state;
    assert_int_equal(dpk_yaml_read(text, strlen(text), &document, NULL), DPK_OK);
    assert_int_equal(
        dpk_yaml_mapping(&document, yaml_document_get_root_node(&document), keys, values, NULL),
        DPK_OK);
    assert_null(dpk_yaml_text(values[0])); /* it has a NUL */
    assert_string_equal(dpk_yaml_text(dpk_yaml_entry(&document, values[1], 0)), "a");
    assert_string_equal(dpk_yaml_text(dpk_yaml_entry(&document, values[1], 1)), "b");
    assert_null(dpk_yaml_entry(&document, values[1], 2));
    assert_ptr_equal(dpk_yaml_entry(&document, values[0], 0), values[0]); /* a list of one */
    assert_null(dpk_yaml_entry(&document, values[0], 1));
    assert_null(dpk_yaml_entry(&document, NULL, 0));
    yaml_document_delete(&document);
}

static void an_error_gets_one_line_number(void **state)
{
    yaml_document_t document;
    struct dpk_error err = {0};
    (void)state;
    assert_int_equal(dpk_yaml_read("\na", 2, &document, NULL), DPK_OK);
    const yaml_node_t *n = yaml_document_get_root_node(&document);
    for (unsigned turn = 0; turn < 2; turn++)
        assert_int_equal(
            dpk_yaml_at(n, turn ? DPK_ERR_FORMAT : dpk_fail(&err, DPK_ERR_FORMAT, "no"), &err),
            DPK_ERR_FORMAT);
    assert_string_equal(err.message, "line 2: no");
    assert_int_equal(dpk_yaml_at(n, DPK_OK, &err), DPK_OK);
    yaml_document_delete(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_documents_are_refused_with_their_line),
        cmocka_unit_test(deep_nesting_is_refused_at_once),
        cmocka_unit_test(values_stand_in_the_order_of_keys),
        cmocka_unit_test(an_error_gets_one_line_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
