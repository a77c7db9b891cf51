/* Commands that turn files into files. */
#include "mlxconfig.h"

/* What a command makes of its input. */
typedef enum dpk_status convert(const struct mlxconfig_options *options,
                                const struct dpk_nv_defs *defs, const struct dpk_buf *in,
                                struct dpk_buf *out, struct dpk_error *err);

static const char *bytes_of(const struct dpk_buf *b)
{
    return b->data ? (const char *)b->data : "";
}

/* Definitions, words[0] in, words[1] out. */
static enum dpk_status run(const struct mlxconfig_options *options, convert *turn,
                           struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_buf in = {0}, out = {0};
    const char *const inputs[] = {options->words[0], options->key};
    enum dpk_status status = dpk_file_apart(options->words[1], inputs, 2, err);
    if (status == DPK_OK)
        status = dpk_nv_defs_load(NULL, &defs, err);
    if (status == DPK_OK)
        status = dpk_file_read(options->words[0], DPK_NV_XML_MAX, &in, err);
    if (status != DPK_OK)
        goto out;
    status = turn(options, defs, &in, &out, err);
    if (status == DPK_OK && out.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_file_replace(options->words[1], out.data, out.size, 0644, err);
    if (status == DPK_OK)
        printf("Saving output...\nDone!\n");
out:
    dpk_buf_free(&out);
    dpk_buf_free(&in);
    dpk_nv_defs_free(defs);
    return status;
}

/* Messages about the input name its path. */
static enum dpk_status about_input(const struct mlxconfig_options *options, enum dpk_status status,
                                   struct dpk_error *err)
{
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", options->words[0]);
    return status;
}

static enum dpk_status turn_into_conf(const struct mlxconfig_options *options,
                                      const struct dpk_nv_defs *defs, const struct dpk_buf *in,
                                      struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    struct dpk_signer *signer = NULL;
    struct dpk_uuid uuid = {{0}};
    enum dpk_status status = DPK_OK;
    if (options->key) {
        status = dpk_uuid_option("-u", options->key_uuid, &uuid, err);
        if (status == DPK_OK)
            status = dpk_signer_open(options->key, options->passphrase, &signer, err);
        if (status != DPK_OK)
            return status;
    }
    status = about_input(options, dpk_nv_xml_parse(defs, bytes_of(in), in->size, &tlvs, err), err);
    if (status == DPK_OK) {
        status = dpk_nv_file_make(&tlvs, signer, &uuid, out, err);
        if (status != DPK_OK)
            dpk_error_prefix(err, "%s",
                             status == DPK_ERR_UNSUPPORTED ? options->key : options->words[0]);
    }
    dpk_signer_close(signer);
    dpk_nv_list_free(&tlvs);
    return status;
}

enum dpk_status cmd_create_conf(const struct mlxconfig_options *options, struct dpk_error *err)
{
    if (!options->key != !options->key_uuid)
        return dpk_fail(err, DPK_ERR_USAGE, "create_conf: -p and -u go together");
    return run(options, turn_into_conf, err);
}

enum dpk_status cmd_gen_tlvs_file(const struct mlxconfig_options *options, struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_buf out = {0};
    enum dpk_status status = dpk_nv_defs_load(NULL, &defs, err);
    if (status != DPK_OK)
        return status;
    dpk_nv_tlvs_text(defs, &out);
    status = out.failed ? dpk_fail_nomem(err)
                        : dpk_file_replace(options->words[0], out.data, out.size, 0644, err);
    if (status == DPK_OK)
        printf("Saving output...\nDone!\n");
    dpk_buf_free(&out);
    dpk_nv_defs_free(defs);
    return status;
}

static enum dpk_status turn_into_template(const struct mlxconfig_options *options,
                                          const struct dpk_nv_defs *defs, const struct dpk_buf *in,
                                          struct dpk_buf *out, struct dpk_error *err)
{
    return about_input(
        options,
        dpk_nv_xml_template(defs, bytes_of(in), in->size, options->all_attributes, out, err), err);
}

enum dpk_status cmd_gen_xml_template(const struct mlxconfig_options *options, struct dpk_error *err)
{
    return run(options, turn_into_template, err);
}

static enum dpk_status turn_into_raw(const struct mlxconfig_options *options,
                                     const struct dpk_nv_defs *defs, const struct dpk_buf *in,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    enum dpk_status status = dpk_nv_xml_parse(defs, bytes_of(in), in->size, &tlvs, err);
    if (status == DPK_OK)
        dpk_nv_raw_format(&tlvs, out);
    dpk_nv_list_free(&tlvs);
    return about_input(options, status, err);
}

enum dpk_status cmd_xml2raw(const struct mlxconfig_options *options, struct dpk_error *err)
{
    return run(options, turn_into_raw, err);
}

static enum dpk_status turn_into_xml(const struct mlxconfig_options *options,
                                     const struct dpk_nv_defs *defs, const struct dpk_buf *in,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    enum dpk_status status = dpk_nv_raw_parse(bytes_of(in), in->size, &tlvs, err);
    if (status == DPK_OK)
        status = dpk_nv_xml_format(defs, &tlvs, out, err);
    dpk_nv_list_free(&tlvs);
    return about_input(options, status, err);
}

enum dpk_status cmd_raw2xml(const struct mlxconfig_options *options, struct dpk_error *err)
{
    return run(options, turn_into_xml, err);
}

/* The TLVs' data alone, in the XML's order. */
static enum dpk_status turn_into_payload(const struct mlxconfig_options *options,
                                         const struct dpk_nv_defs *defs, const struct dpk_buf *in,
                                         struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    enum dpk_status status = dpk_nv_xml_parse(defs, bytes_of(in), in->size, &tlvs, err);
    for (size_t i = 0; i < tlvs.count; i++)
        dpk_put(out, tlvs.items[i].data, tlvs.items[i].size);
    dpk_nv_list_free(&tlvs);
    return about_input(options, status, err);
}

enum dpk_status cmd_xml2bin(const struct mlxconfig_options *options, struct dpk_error *err)
{
    return run(options, turn_into_payload, err);
}
