/* runtime/loader: what a device lets in. The device is a stand-in that the tests turn as they like;
 * verification and signing are the real ones, with the keys of the golden files. */
#include "golden.h"

#include "dpa.h"
#include "fat/fat.h"
#include "subject.h"

/* ---- The stand-in ---- */

struct dpk_device {
    bool authentication, has_ca, log_fails, query_fails;
    uint8_t *spoil; /* bytes of the caller that change while the device is asked */
    unsigned loads;
    char result[64], detail[2048];
};

enum dpk_status dpk_device_dpa_authentication(struct dpk_device *dev, enum dpk_device_view view,
                                              bool *enabled, struct dpk_error *err)
{
    assert_int_equal(view, DPK_VIEW_CURRENT);
    if (dev->spoil)
        *dev->spoil ^= 0xff;
    *enabled = dev->authentication;
    return dev->query_fails ? dpk_fail(err, DPK_ERR_IO, "dev0: damaged") : DPK_OK;
}

enum dpk_status dpk_device_ca_list(struct dpk_device *dev, struct dpk_ca_list *out,
                                   struct dpk_error *err)
{
    (void)err;
    *out = (struct dpk_ca_list){0};
    if (!dev->has_ca)
        return DPK_OK;
    struct dpk_buf root = golden("keys/root.der");
    out->roots = malloc(sizeof *out->roots);
    assert_non_null(out->roots);
    out->roots[0] = (struct dpk_der){root.data, root.size};
    out->count = 1;
    return DPK_OK;
}

void dpk_ca_list_free(struct dpk_ca_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((void *)list->roots[i].data);
    free(list->roots);
}

enum dpk_status dpk_device_log(struct dpk_device *dev, const char *action, const char *result,
                               const char *detail, struct dpk_error *err)
{
    assert_string_equal(action, "load");
    dev->loads++;
    snprintf(dev->result, sizeof dev->result, "%s", result);
    snprintf(dev->detail, sizeof dev->detail, "%s", detail);
    return dev->log_fails ? dpk_fail(err, DPK_ERR_IO, "disk full") : DPK_OK;
}

enum dpk_status dpk_device_info(struct dpk_device *dev, struct dpk_device_info *out,
                                struct dpk_error *err)
{
    (void)dev;
    (void)err;
    *out = (struct dpk_device_info){.hw_target = "bf3"};
    return DPK_OK;
}

const char *dpk_device_name(const struct dpk_device *dev)
{
    (void)dev;
    return "dev0";
}

enum dpk_status dpk_device_open(const char *name, struct dpk_device **out, struct dpk_error *err)
{
    (void)name;
    *out = NULL;
    return dpk_fail(err, DPK_ERR_NOT_FOUND, "no such device");
}

void dpk_device_close(struct dpk_device *dev)
{
    (void)dev;
}

enum dpk_status dpk_device_debug_rights(struct dpk_device *dev, enum dpk_device_view view,
                                        enum dpk_debug_rights *rights, struct dpk_error *err)
{
    (void)dev, (void)view, (void)err;
    *rights = DPK_DEBUG_NONE;
    return DPK_OK;
}

/* ---- A signed program ---- */

struct program {
    struct dpk_buf elf, crypto;
};

static struct program unsigned_program(void)
{
    return (struct program){.elf = kernels_elf()};
}

static struct program signed_program(void)
{
    struct program p = unsigned_program();
    struct dpk_certchain *chain = NULL;
    struct dpk_signer *signer = NULL;
    struct dpk_error err = {0};
    struct dpk_sign_options options = {.profile = DPK_PROFILE_FULL};
    if (dpk_certchain_load(golden_path("keys/chain3.der"), &chain, &err) != DPK_OK ||
        dpk_signer_open(golden_path("keys/leaf.pem"), NULL, &signer, &err) != DPK_OK ||
        build_bytes(p.elf.data, p.elf.size, chain, signer, &options, &p.crypto, &err) != DPK_OK)
        fail_msg("%s", err.message);
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    return p;
}

static void program_free(struct program *p)
{
    dpk_buf_free(&p->elf);
    dpk_buf_free(&p->crypto);
}

static enum dpk_status load(struct dpk_device *dev, struct program *p, struct dpk_image **image,
                            struct dpk_load_result *result, struct dpk_error *err)
{
    struct dpk_load_request ask = {.device = dev,
                                   .app = "kernels",
                                   .elf = p->elf.data,
                                   .elf_size = p->elf.size,
                                   .crypto = p->crypto.data,
                                   .crypto_size = p->crypto.size};
    return dpk_load(&ask, image, result, err);
}

/* Loads, and checks that the image comes exactly when the load succeeds. */
static enum dpk_status try_load(struct dpk_device *dev, struct program *p,
                                struct dpk_load_result *result, struct dpk_error *err)
{
    struct dpk_image *image = (struct dpk_image *)dev;
    enum dpk_status status = load(dev, p, &image, result, err);
    assert_int_equal(status == DPK_OK, image != NULL);
    assert_int_equal(dev->loads, 1);
    dpk_image_free(image);
    return status;
}

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
    struct dpk_image image = {.app = "kernels", .device = "dev0"}; /* which is gone */
    struct dpk_debug_permit permit = {.rights = DPK_DEBUG_ALL};
    struct dpk_error err = {0};
    assert_int_equal(dpk_debug_record(&image, &permit, "debug", "OK", "a write", &err), DPK_OK);
    permit.locked = true;
    assert_int_equal(dpk_debug_record(&image, &permit, "debug", "OK", "a write", &err),
                     DPK_ERR_REFUSED);
    assert_string_equal(err.message, "cannot write the event log of dev0: no such device");
    image.device[0] = 0; /* nobody's log */
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

/* Verification and loading are given one description. Where it says something else than the bytes
 * it is of, both go by it, so nothing can be verified that is not what is mapped. */
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
    struct dpk_image *image = image_create("kernels");
    assert_int_equal(image_fill(image, &p.elf.data, &subject.elf, NULL), DPK_OK);
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

/* ---- Fat programs ---- */

/* The program for bf3 behind something else for cx8; crypto data for that one. */
static struct program fat_program(const struct program *p, uint32_t target)
{
    struct program fat = {0};
    const struct dpk_fat_input in[] = {{DPK_TARGET_CX8, (const uint8_t *)"other", 5},
                                       {target, p->elf.data, p->elf.size}};
    assert_int_equal(dpk_fat_build(in, 2, true, &fat.elf, NULL), DPK_OK);
    if (!p->crypto.size)
        return fat;
    dpk_put(&fat.crypto, "DPKSIGS", 8);
    dpk_put_le32(&fat.crypto, 1);
    dpk_put_le32(&fat.crypto, 1);
    dpk_put_le32(&fat.crypto, target);
    dpk_put_le32(&fat.crypto, (uint32_t)p->crypto.size);
    dpk_put(&fat.crypto, p->crypto.data, p->crypto.size);
    dpk_put_align(&fat.crypto, 8, 0);
    return fat;
}

static void fat_program_runs_as_the_member_for_the_device(void **state)
{
    (void)state;
    struct program p = unsigned_program(), fat = fat_program(&p, DPK_TARGET_BF3);
    struct dpk_device dev = {0};
    struct dpk_image *image = NULL;
    assert_int_equal(load(&dev, &fat, &image, NULL, NULL), DPK_OK);
    assert_true(dpk_image_segment_count(image) > 0);
    dpk_image_free(image);
    program_free(&fat);
    fat = fat_program(&p, DPK_TARGET_GENERIC);
    dev.loads = 0;
    assert_int_equal(try_load(&dev, &fat, NULL, NULL), DPK_OK);
    program_free(&fat);
    program_free(&p);
}

static void fat_program_for_other_targets_is_not_loaded(void **state)
{
    (void)state;
    struct program p = unsigned_program(), fat = fat_program(&p, DPK_TARGET_CX9);
    struct dpk_device dev = {0};
    struct dpk_error err = {0};
    assert_int_equal(try_load(&dev, &fat, NULL, &err), DPK_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "program kernels: compiled for other targets, not for bf3");
    assert_string_equal(dev.result, "NOT_LOADED");
    program_free(&fat);
    program_free(&p);
}

static void signed_fat_program_runs_when_authentication_is_on(void **state)
{
    (void)state;
    struct program p = signed_program(), fat = fat_program(&p, DPK_TARGET_BF3);
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    struct dpk_load_result result;
    assert_int_equal(try_load(&dev, &fat, &result, NULL), DPK_OK);
    assert_int_equal(result.verdict, DPK_VERDICT_OK);
    program_free(&fat);
    program_free(&p);
}

static void fat_program_is_refused_when_its_member_is_changed_or_not_signed(void **state)
{
    (void)state;
    struct program p = signed_program(), fat;
    struct dpk_load_result result;
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    p.elf.data[p.elf.size - 1] ^= 1;
    fat = fat_program(&p, DPK_TARGET_BF3);
    assert_int_equal(try_load(&dev, &fat, &result, NULL), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, DPK_VERDICT_DIGEST_MISMATCH);
    program_free(&fat);
    p.elf.data[p.elf.size - 1] ^= 1;
    fat = fat_program(&p, DPK_TARGET_BF3);
    fat.crypto.data[16] = DPK_TARGET_CX8; /* whose crypto data it is */
    dev.loads = 0;
    assert_int_equal(try_load(&dev, &fat, &result, NULL), DPK_ERR_REFUSED);
    assert_int_equal(result.verdict, DPK_VERDICT_UNSIGNED);
    program_free(&fat);
    program_free(&p);
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
        cmocka_unit_test(fat_program_runs_as_the_member_for_the_device),
        cmocka_unit_test(fat_program_for_other_targets_is_not_loaded),
        cmocka_unit_test(signed_fat_program_runs_when_authentication_is_on),
        cmocka_unit_test(fat_program_is_refused_when_its_member_is_changed_or_not_signed),
    };
    return cmocka_run_group_tests_name("loader policy", tests, NULL, NULL);
}
