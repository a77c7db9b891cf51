/* runtime/engine/loader: programs that a device accepts. */
#include "loader_world.h"

/* ---- Authentication off ---- */

static void unsigned_program_runs_when_authentication_is_off(void **state)
{
    (void)state;
    struct dpk_device dev = {0};
    struct program p = unsigned_program();
    struct dpk_load_result result;
    assert_int_equal(try_load(&dev, &p, &result, NULL), DPK_OK);
    assert_int_equal(result.verdict, DPK_VERDICT_UNSIGNED);
    assert_false(result.authentication);
    assert_string_equal(dev.result, "OK");
    assert_memory_equal(dev.detail, "app kernels: UNSIGNED", 21);
    assert_non_null(strstr(dev.detail, "; DPA_AUTHENTICATION is off"));
    program_free(&p);
}

static void wrong_signature_is_a_logged_warning_when_authentication_is_off(void **state)
{
    (void)state;
    struct dpk_device dev = {.has_ca = true};
    struct program p = signed_program();
    struct dpk_load_result result;
    p.elf.data[p.elf.size - 1] ^= 1;
    struct dpk_error err = {0};
    if (try_load(&dev, &p, &result, &err) == DPK_OK) {
        assert_int_equal(result.verdict, DPK_VERDICT_DIGEST_MISMATCH);
        assert_string_equal(dev.result, "WARNING");
        assert_non_null(strstr(dev.detail, "DIGEST_MISMATCH ("));
    } else {
        fail_msg("%s", err.message);
    }
    program_free(&p);
}

static void unknown_ca_is_a_logged_warning_when_authentication_is_off(void **state)
{
    (void)state;
    struct dpk_device dev = {.has_ca = false};
    struct program p = signed_program();
    struct dpk_load_result result;
    assert_int_equal(try_load(&dev, &p, &result, NULL), DPK_OK);
    assert_int_equal(result.verdict, DPK_VERDICT_UNKNOWN_CA);
    assert_string_equal(dev.result, "WARNING");
    program_free(&p);
}

static void log_that_cannot_be_written_does_not_matter_when_authentication_is_off(void **state)
{
    (void)state;
    struct dpk_device dev = {.log_fails = true};
    struct program p = unsigned_program();
    assert_int_equal(try_load(&dev, &p, NULL, NULL), DPK_OK);
    program_free(&p);
}

/* ---- Authentication on ---- */

static void unsigned_program_is_refused_when_authentication_is_on(void **state)
{
    (void)state;
    struct dpk_device dev = {.authentication = true};
    struct program p = unsigned_program();
    struct dpk_load_result result;
    struct dpk_error err = {0};
    assert_int_equal(try_load(&dev, &p, &result, &err), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, DPK_VERDICT_UNSIGNED);
    assert_true(result.authentication);
    assert_memory_equal(err.message, "program kernels refused: UNSIGNED", 33);
    assert_string_equal(dev.result, "UNSIGNED");
    program_free(&p);
}

static void signed_program_runs_when_authentication_is_on(void **state)
{
    (void)state;
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    struct program p = signed_program();
    struct dpk_load_result result;
    struct dpk_error err = {0};
    if (try_load(&dev, &p, &result, &err) != DPK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(result.verdict, DPK_VERDICT_OK);
    assert_true(result.report.count > 1);
    assert_string_equal(dev.result, "OK");
    assert_string_equal(dev.detail, "app kernels: OK");
    program_free(&p);
}

static void changed_code_is_refused_with_its_segment(void **state)
{
    (void)state;
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    struct program p = signed_program();
    struct dpk_error err = {0};
    struct dpk_image *image = kernels_image();
    uint64_t address;
    assert_true(dpk_image_symbol(image, "add", &address, NULL));
    for (size_t i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        if (s->executable)
            p.elf.data[(size_t)(s->data - image->copy) + (address - s->address)] ^= 0x10;
    }
    dpk_image_free(image);
    assert_int_equal(try_load(&dev, &p, NULL, &err), DPK_ERR_REFUSED);
    assert_string_equal(err.message, "program kernels refused: DIGEST_MISMATCH (segment 2)");
    assert_string_equal(dev.result, "DIGEST_MISMATCH");
    program_free(&p);
}

static void signature_under_another_ca_is_refused(void **state)
{
    (void)state;
    struct dpk_device dev = {.authentication = true};
    struct program p = signed_program();
    struct dpk_load_result result;
    assert_int_equal(try_load(&dev, &p, &result, NULL), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, DPK_VERDICT_UNKNOWN_CA);
    assert_string_equal(dev.result, "UNKNOWN_CA");
    program_free(&p);
}

static void log_that_cannot_be_written_refuses_when_authentication_is_on(void **state)
{
    (void)state;
    struct dpk_device dev = {.authentication = true, .has_ca = true, .log_fails = true};
    struct program p = signed_program();
    struct dpk_error err = {0};
    assert_int_equal(try_load(&dev, &p, NULL, &err), DPK_ERR_REFUSED);
    assert_string_equal(err.message,
                        "program kernels refused: cannot write the event log of dev0: disk full");
    program_free(&p);
}

static void what_debuggers_do_is_logged_or_refused_on_a_locked_device(void **state)
{
    (void)state;
    struct dpk_image image = {.app = "kernels", .device = "dev0"}; /* it does not exist */
    struct dpk_debug_permit permit = {.rights = DPK_DEBUG_ALL};
    struct dpk_error err = {0};
    assert_int_equal(dpk_debug_record(&image, &permit, "debug", "OK", "a write", &err), DPK_OK);
    permit.locked = true;
    assert_int_equal(dpk_debug_record(&image, &permit, "debug", "OK", "a write", &err),
                     DPK_ERR_REFUSED);
    assert_string_equal(err.message, "cannot write the event log of dev0: no such device");
    image.device[0] = 0; /* no device, so no log */
    assert_int_equal(dpk_debug_record(&image, &permit, "debug", "OK", "a write", &err), DPK_OK);
}

/* ---- Either way ---- */

static void device_that_cannot_be_asked_loads_nothing(void **state)
{
    (void)state;
    struct dpk_device dev = {.query_fails = true};
    struct program p = unsigned_program();
    struct dpk_error err = {0};
    assert_int_equal(try_load(&dev, &p, NULL, &err), DPK_ERR_IO);
    assert_string_equal(err.message, "program kernels: dev0: damaged");
    assert_string_equal(dev.result, "NOT_LOADED");
    program_free(&p);
}

static void bytes_that_change_after_the_copy_do_not_count(void **state)
{
    (void)state;
    struct program p = signed_program();
    struct dpk_device dev = {
        .authentication = true, .has_ca = true, .spoil = p.elf.data + p.elf.size / 2};
    struct dpk_image *image = NULL;
    struct dpk_buf original = kernels_elf();
    assert_int_equal(load(&dev, &p, &image, NULL, NULL), DPK_OK);
    assert_memory_not_equal(p.elf.data, original.data, original.size);
    assert_memory_equal(image->copy, original.data, original.size);
    dpk_image_free(image);
    dpk_buf_free(&original);
    program_free(&p);
}

/* Verification and loading use the same description of the program. If the description differs from
 * the bytes, both follow the description. So the mapped bytes are always the verified bytes. */
static void description_that_is_verified_is_the_one_that_is_mapped(void **state)
{
    (void)state;
    struct program p = signed_program();
    struct dpk_buf root = golden("keys/root.der");
    const struct dpk_der der = {root.data, root.size};
    const struct dpk_trust trust = {.roots = &der, .count = 1};
    struct dpk_subject subject = subject_of(p.elf.data, p.elf.size, p.crypto.data, p.crypto.size);
    struct dpk_report report;
    uint8_t table[16 * sizeof(Elf64_Phdr)];
    size_t size = dpk_reader_left(&subject.elf.segments), i = 0;
    assert_int_equal(dpk_verify(&subject, &trust, NULL), DPK_VERDICT_OK);
    while (dpk_elf_segment(&subject.elf, i).type != PT_LOAD)
        i++;
    struct dpk_elf_segment of_bytes = dpk_elf_segment(&subject.elf, i);
    assert_true(of_bytes.file_size > 1 && size <= sizeof table);
    memcpy(table, subject.elf.segments.begin, size);
    dpk_store_le64(table + i * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, p_filesz),
                   of_bytes.file_size - 1);
    subject.elf.segments = dpk_reader(table, size);
    assert_int_equal(dpk_verify(&subject, &trust, &report), DPK_VERDICT_DIGEST_MISMATCH);
    assert_string_equal(report.checks[report.count - 1].detail, "program header table");
    struct dpk_image *image = loader_image_create("kernels");
    assert_int_equal(loader_image_fill(image, &p.elf.data, &subject.elf, NULL), DPK_OK);
    bool found = false;
    for (i = 0; i < dpk_image_segment_count(image); i++) {
        const struct dpk_segment *s = dpk_image_segment(image, i);
        found |= s->address == of_bytes.address && s->data_size == of_bytes.file_size - 1;
    }
    assert_true(found);
    dpk_image_free(image);
    dpk_buf_free(&root);
    program_free(&p);
}

static void what_is_no_executable_is_not_loaded(void **state)
{
    (void)state;
    const struct {
        size_t size;
        enum dpk_status status;
        const char *says;
    } bad[] = {{0, DPK_ERR_FORMAT, "program kernels: empty"},
               {10, DPK_ERR_FORMAT, "program kernels: ELF header: 10 bytes"},
               {100, DPK_ERR_FORMAT, "program kernels: ELF header: e_phoff"}};
    for (size_t i = 0; i < 3; i++) {
        struct dpk_device dev = {0};
        struct program p = unsigned_program();
        struct dpk_error err = {0};
        p.elf.size = bad[i].size;
        assert_int_equal(try_load(&dev, &p, NULL, &err), bad[i].status);
        assert_memory_equal(err.message, bad[i].says, strlen(bad[i].says));
        assert_string_equal(dev.result, "NOT_LOADED");
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_program_runs_when_authentication_is_off),
        cmocka_unit_test(wrong_signature_is_a_logged_warning_when_authentication_is_off),
        cmocka_unit_test(unknown_ca_is_a_logged_warning_when_authentication_is_off),
        cmocka_unit_test(log_that_cannot_be_written_does_not_matter_when_authentication_is_off),
        cmocka_unit_test(unsigned_program_is_refused_when_authentication_is_on),
        cmocka_unit_test(signed_program_runs_when_authentication_is_on),
        cmocka_unit_test(changed_code_is_refused_with_its_segment),
        cmocka_unit_test(signature_under_another_ca_is_refused),
        cmocka_unit_test(log_that_cannot_be_written_refuses_when_authentication_is_on),
        cmocka_unit_test(what_debuggers_do_is_logged_or_refused_on_a_locked_device),
        cmocka_unit_test(device_that_cannot_be_asked_loads_nothing),
        cmocka_unit_test(bytes_that_change_after_the_copy_do_not_count),
        cmocka_unit_test(description_that_is_verified_is_the_one_that_is_mapped),
        cmocka_unit_test(what_is_no_executable_is_not_loaded),
    };
    return cmocka_run_group_tests_name("loader policy", tests, NULL, NULL);
}
