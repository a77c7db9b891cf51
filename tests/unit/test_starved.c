/* lib: every allocation fails once. Each operation ends with an error or with the right result,
 * releases its memory, and does not crash. */
#include "appcontainer/appcontainer.h"
#include "container/container.h"
#include "nvconfig/nvconfig.h"

#include "hostsign.h"
#include "starve.h"

#if STARVE
/* ---- Host files ---- */

static struct dpk_buf host_bytes, signed_bytes, signature[2], app_elf;

static enum dpk_status known_signature(void *context, const struct dpk_tbs *tbs,
                                       struct dpk_buf *out, struct dpk_error *err)
{
    (void)context;
    const struct dpk_buf *s = &signature[strcmp(tbs->program, "two") == 0];
    dpk_put(out, s->data, s->size);
    return out->failed ? dpk_fail_nomem(err) : DPK_OK;
}

static enum dpk_status remember_signature(void *context, const struct dpk_tbs *tbs,
                                          struct dpk_buf *out, struct dpk_error *err)
{
    (void)context;
    struct dpk_buf *s = &signature[strcmp(tbs->program, "two") == 0];
    enum dpk_status status = dpk_signer_sign(signer, DPK_SHA512, tbs->bytes, tbs->size, s, err);
    dpk_put(out, s->data, s->size);
    return status;
}

static enum dpk_status sign_by(dpk_proof *proof, struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_hostfile *host = NULL;
    const struct dpk_hostfile_options options = {
        .crypto = {.profile = DPK_PROFILE_FULL, .proof = proof}, .threads = 1};
    enum dpk_status status =
        dpk_hostfile_parse("host", host_bytes.data, host_bytes.size, &host, err);
    if (status == DPK_OK)
        status = dpk_hostfile_sign(host, chain, NULL, &options, out, err);
    dpk_hostfile_close(host);
    return status;
}

static enum dpk_status sign_host(struct dpk_error *err)
{
    struct dpk_buf out = {0};
    enum dpk_status status = sign_by(known_signature, &out, err);
    if (status == DPK_OK &&
        (out.size != signed_bytes.size || memcmp(out.data, signed_bytes.data, out.size) != 0))
        status = dpk_fail(err, DPK_ERR_MISMATCH, "other bytes");
    else if (status != DPK_OK && out.size && !out.failed)
        fail_msg("half a file");
    dpk_buf_free(&out);
    return status;
}

static enum dpk_status verify_host(struct dpk_error *err)
{
    struct dpk_hostfile *host = NULL;
    enum dpk_status status =
        dpk_hostfile_parse("host", signed_bytes.data, signed_bytes.size, &host, err);
    if (status == DPK_OK && dpk_hostfile_count(host) != 2)
        fail_msg("programs are missing");
    for (size_t i = 0; status == DPK_OK && i < 2; i++) {
        const struct dpk_program *p = dpk_hostfile_program(host, i);
        struct dpk_der der = {root.data, root.size};
        struct dpk_trust trust = {.roots = &der, .count = 1};
        struct dpk_report r;
        enum dpk_verdict v = dpk_verify(&p->subjects[0], &trust, &r);
        if (v != DPK_VERDICT_OK)
            status = dpk_fail(err, DPK_ERR_MISMATCH, "%s", r.checks[r.count - 1].detail);
    }
    dpk_hostfile_close(host);
    return status;
}

static int make_host_files(void **state)
{
    if (make_keys(state))
        return -1;
    struct dpk_error err = {0};
    struct dpk_buf one = device_elf(100), two = device_elf(5000);
    struct host_section sections[] = {{".dpa_bin_one", 0, one.data, one.size},
                                      {".dpa_sig_one", 0, NULL, 65536},
                                      {".dpa_bin_two", 0, two.data, two.size}};
    host_bytes = make_host(sections, 3, NULL);
    dpk_buf_free(&one);
    dpk_buf_free(&two);
    return sign_by(remember_signature, &signed_bytes, &err) == DPK_OK ? 0 : -1;
}

static void signing_a_host_file(void **state)
{
    (void)state;
    survives_every_failure(sign_host);
}

static void verifying_a_host_file(void **state)
{
    (void)state;
    survives_every_failure(verify_host);
}

static enum dpk_status open_key(struct dpk_error *err)
{
    struct dpk_signer *s = NULL;
    enum dpk_status status = dpk_signer_open(key_path, NULL, &s, err);
    dpk_signer_close(s);
    return status;
}

static void opening_a_key(void **state)
{
    (void)state;
    survives_every_failure(open_key);
}

/* ---- Certificate containers ---- */

static enum dpk_status make_container(struct dpk_error *err)
{
    struct dpk_buf plain_container = {0}, out = {0};
    struct dpk_container_plan plan = {.kind = DPK_CONTAINER_ADD,
                                      .priority = DPK_LIFECYCLE_OEM,
                                      .cert = root.data,
                                      .cert_size = root.size};
    memset(&plan.cert_uuid, 1, sizeof plan.cert_uuid);
    memset(&plan.keypair_uuid, 2, sizeof plan.keypair_uuid);
    struct dpk_container_signing how = {.signer = signer, .priority = DPK_LIFECYCLE_OEM};
    struct dpk_container c;
    enum dpk_status status = dpk_container_create(&plan, &plain_container, err);
    if (status == DPK_OK)
        status = dpk_container_sign(plain_container.data, plain_container.size, &how, &out, err);
    if (status == DPK_OK)
        status = dpk_container_parse(out.data, out.size, &c, err);
    if (status == DPK_OK)
        status = dpk_container_verify(&c, dpk_signer_public(signer), err);
    dpk_buf_free(&plain_container);
    dpk_buf_free(&out);
    return status;
}

static void making_and_verifying_a_container(void **state)
{
    (void)state;
    survives_every_failure(make_container);
}

/* ---- Single-program containers ---- */

static enum dpk_status make_app(struct dpk_error *err)
{
    static const char yaml[] = "type: 1\ndpa_app_subtype: 0\ndpa_app_version: 7\n"
                               "dpa_os_api_version: 1\ndpa_fw_api_version: 1\n"
                               "dpa_app_description_string: starved\n";
    struct dpk_buf elf = {0}, container = {0}, back = {0};
    dpk_put(&elf, app_elf.data, app_elf.size);
    struct dpk_app_plan plan = {
        .priority = DPK_LIFECYCLE_OEM, .elf = elf.data, .elf_size = elf.size, .xz = true};
    struct dpk_app app;
    enum dpk_status status = elf.failed ? dpk_fail_nomem(err) : DPK_OK;
    if (status == DPK_OK)
        status = dpk_app_metadata_yaml(yaml, sizeof yaml - 1, &plan.metadata, err);
    if (status == DPK_OK)
        status = dpk_app_create(&plan, &container, err);
    if (status == DPK_OK)
        status = dpk_app_parse(container.data, container.size, &app, err);
    if (status == DPK_OK)
        status = dpk_app_elf(&app, &back, err);
    if (status == DPK_OK && (back.size != elf.size || memcmp(back.data, elf.data, elf.size) != 0))
        fail_msg("another ELF");
    dpk_buf_free(&elf);
    dpk_buf_free(&container);
    dpk_buf_free(&back);
    return status;
}

static void making_and_unpacking_a_single_program(void **state)
{
    (void)state;
    app_elf = device_elf(3000);
    survives_every_failure(make_app);
    dpk_buf_free(&app_elf);
}

/* ---- NV configurations ---- */

static struct dpk_nv_defs *defs;

static enum dpk_status load_defs(struct dpk_error *err)
{
    struct dpk_nv_defs *d = NULL;
    enum dpk_status status = dpk_nv_defs_load(NULL, &d, err);
    dpk_nv_defs_free(d);
    return status;
}

static void loading_the_definitions(void **state)
{
    (void)state;
    survives_every_failure(load_defs);
}

static const char xml[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<config xmlns='http://www.mellanox.com/config'>\n"
    "<file_applicable_to ovr_en='0' rd_en='1' writer_id='0'>"
    "<psid></psid><psid_branch></psid_branch></file_applicable_to>\n"
    "<nv_file_id_vendor ovr_en='0' rd_en='1' writer_id='0'>"
    "<disable_override>False</disable_override><keep_same_priority>True</keep_same_priority>"
    "<per_tlv_priority>False</per_tlv_priority>"
    "<erase_lower_priority>False</erase_lower_priority><file_version>0</file_version>"
    "<day>17</day><month>7</month><year>7e7</year><seconds>1</seconds><minutes>e</minutes>"
    "<hour>15</hour></nv_file_id_vendor>\n"
    "<nv_dpa_auth ovr_en='1' rd_en='1' "
    "writer_id='0'><dpa_auth_en>True</dpa_auth_en></nv_dpa_auth>\n"
    "</config>\n";

/* XML, a file, back, XML. */
static enum dpk_status make_configuration(struct dpk_error *err)
{
    struct dpk_nv_list list = {0};
    struct dpk_nv_file file = {0};
    struct dpk_buf made = {0}, text = {0};
    struct dpk_uuid uuid = {{1}};
    enum dpk_status status = dpk_nv_xml_parse(defs, xml, sizeof xml - 1, &list, err);
    if (status == DPK_OK)
        status = dpk_nv_file_make(&list, NULL, &uuid, &made, err);
    if (status == DPK_OK) {
        status = dpk_nv_file_parse(made.data, made.size, &file, err);
        if (status == DPK_OK) {
            if (file.tlvs.count != 3 || !file.digest_right)
                fail_msg("another file: %zu TLVs, digest %d", file.tlvs.count, file.digest_right);
            status = dpk_nv_xml_format(defs, &file.tlvs, &text, err);
            dpk_nv_file_free(&file);
        }
    }
    dpk_nv_list_free(&list);
    dpk_buf_free(&made);
    dpk_buf_free(&text);
    return status;
}

static void making_and_reading_a_configuration(void **state)
{
    (void)state;
    struct dpk_error err;
    if (dpk_nv_defs_load(NULL, &defs, &err) != DPK_OK)
        fail_msg("%s", err.message);
    survives_every_failure(make_configuration);
    dpk_nv_defs_free(defs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signing_a_host_file),
        cmocka_unit_test(verifying_a_host_file),
        cmocka_unit_test(opening_a_key),
        cmocka_unit_test(making_and_verifying_a_container),
        cmocka_unit_test(making_and_unpacking_a_single_program),
        cmocka_unit_test(loading_the_definitions),
        cmocka_unit_test(making_and_reading_a_configuration),
    };
    return cmocka_run_group_tests_name("starved", tests, make_host_files, free_keys);
}
#endif
