/* The commands that convert files and use no device. */
#include <stdlib.h>
#include <string.h>

#include "mlxconfig.h"

/* The input file: the first word of a command. */
struct input {
    const char *path;
    struct dpk_buf bytes;
};

/* Appends a command's output for its input. */
typedef enum dpk_status convert(const struct mlxconfig_options *options,
                                const struct dpk_nv_defs *defs, const struct input *in,
                                struct dpk_buf *out, struct dpk_error *err);

static const char *bytes_of(const struct dpk_buf *b)
{
    return b->data ? (const char *)b->data : "";
}

/* Runs a conversion: words[0] is the input, words[1] the output. */
static enum dpk_status run(const struct mlxconfig_options *options, const struct dpk_args *args,
                           convert *turn, struct dpk_error *err)
{
    struct dpk_nv_defs *defs = NULL;
    struct dpk_staged *staged = NULL;
    struct input in = {.path = args->words[0]};
    struct dpk_buf out = {0};
    const char *output = args->words[1];
    const char *const inputs[] = {in.path, options->key.key, options->database, options->tlvs};
    enum dpk_status status = dpk_file_apart(output, inputs, 4, err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    if (status == DPK_OK)
        status = dpk_file_read(in.path, DPK_NV_XML_MAX, &in.bytes, err);
    /* Finds an output that cannot be written before asking for a key. */
    if (status == DPK_OK)
        status = dpk_file_stage(output, NULL, 0, 0600, &staged, err);
    if (status != DPK_OK)
        goto out;
    dpk_staged_drop(staged);
    status = turn(options, defs, &in, &out, err);
    if (status == DPK_OK && out.failed)
        status = dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_file_replace(output, out.data, out.size, 0644, err);
    if (status == DPK_OK)
        mlxconfig_print_saved(output);
out:
    dpk_buf_free(&out);
    dpk_buf_free(&in.bytes);
    dpk_nv_defs_free(defs);
    return status;
}

/* Puts the path of the input before an error about it. */
static enum dpk_status about_input(const struct input *in, enum dpk_status status,
                                   struct dpk_error *err)
{
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s", in->path);
    return status;
}

/* Reads the TLVs of XML, and warns about numbers that a device may not accept. */
static enum dpk_status read_xml(const struct dpk_nv_defs *defs, const struct input *in,
                                struct dpk_nv_list *tlvs, struct dpk_error *err)
{
    struct dpk_buf lines = {0};
    enum dpk_status status =
        dpk_nv_xml_parse(defs, bytes_of(&in->bytes), in->bytes.size, tlvs, err);
    if (status != DPK_OK)
        return about_input(in, status, err);
    dpk_nv_list_limits(defs, tlvs, &lines);
    dpk_put_u8(&lines, 0);
    if (lines.failed)
        status = dpk_fail_nomem(err);
    char *save = NULL, *text = lines.failed ? NULL : (char *)lines.data;
    for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save))
        fprintf(stderr, "-W- %s: %s\n", in->path, line);
    dpk_buf_free(&lines);
    return status;
}

/* The guide names a key in a token with -eng and -k. */
static enum dpk_status resolve_key(const struct mlxconfig_options *options,
                                   struct dpk_key_options *out, struct dpk_error *err)
{
    *out = options->key;
    if (options->engine && dpk_key_given(out))
        return dpk_fail(err, DPK_ERR_USAGE, "create_conf: two keys: -k, and -p or --sign-command");
    if (options->engine && strcmp(options->engine, "pkcs11") != 0)
        return dpk_fail(err, DPK_ERR_USAGE, "-eng %.40s: the only engine is pkcs11",
                        options->engine);
    if (options->key_id && !dpk_key_in_token(options->key_id))
        return dpk_fail(err, DPK_ERR_USAGE, "-k: not a pkcs11: URI");
    if (options->key_id)
        out->key = options->key_id;
    if (!dpk_key_given(out) != dpk_uuid_is_zero(&options->key_uuid))
        return dpk_fail(err, DPK_ERR_USAGE, "create_conf: a key (-p, -k) and its -u go together");
    if (!dpk_key_given(out) && (out->passin || out->sign_timeout))
        return dpk_fail(err, DPK_ERR_USAGE, "create_conf: --passin and --sign-timeout need a key");
    return DPK_OK;
}

static enum dpk_status turn_into_conf(const struct mlxconfig_options *options,
                                      const struct dpk_nv_defs *defs, const struct input *in,
                                      struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    struct dpk_signer *signer = NULL;
    struct dpk_key_options key;
    enum dpk_status status = resolve_key(options, &key, err);
    if (status != DPK_OK)
        return status;
    status = read_xml(defs, in, &tlvs, err);
    if (status == DPK_OK && dpk_key_given(&key))
        status = dpk_signer_open_with(&key, &signer, err);
    if (status != DPK_OK)
        goto out;
    status = dpk_nv_file_make(&tlvs, signer, &options->key_uuid, out, err);
    if (status != DPK_OK)
        dpk_error_prefix(err, "%s",
                         status == DPK_ERR_UNSUPPORTED && signer ? dpk_signer_name(signer)
                                                                 : in->path);
out:
    dpk_signer_close(signer);
    dpk_nv_list_free(&tlvs);
    return status;
}

static enum dpk_status run_create_conf(void *given, const struct dpk_args *args,
                                       struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    struct dpk_key_options key; /* checked before any file is read */
    enum dpk_status status = resolve_key(options, &key, err);
    return status == DPK_OK ? run(options, args, turn_into_conf, err) : status;
}

static const struct dpk_option sign_options[] = {
    DPK_SIGNER_OPTIONS(struct mlxconfig_options, key),
    {"eng,openssl_engine", DPK_TEXT, "ENGINE", MLXCONFIG_AT(engine), .with = "k",
     .help = "engine for the key of -k: pkcs11"},
    {"k,openssl_key_id", DPK_TEXT, "URI", MLXCONFIG_AT(key_id), .with = "eng",
     .help = "private key to sign with, instead of -p"},
    {"u,key_uuid", DPK_UUID, "UUID", MLXCONFIG_AT(key_uuid),
     .help = "UUID of the key pair that signs"},
    {0},
};

const struct dpk_command mlxconfig_create_conf_command = {
    .names = "create_conf",
    .words = "XML BIN",
    .help = "make a file from XML, signed with -p -u",
    .takes = "b,t",
    .options = sign_options,
    .run = run_create_conf};

/* All devices have the same TLVs, so the named device only has to exist. */
static enum dpk_status check_device(const struct mlxconfig_options *options, struct dpk_error *err)
{
    struct dpk_device *dev = NULL;
    enum dpk_status status = options->device ? dpk_device_open(options->device, &dev, err) : DPK_OK;
    dpk_device_close(dev);
    return status;
}

static enum dpk_status run_gen_tlvs_file(void *given, const struct dpk_args *args,
                                         struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    struct dpk_nv_defs *defs = NULL;
    struct dpk_buf out = {0};
    const char *const inputs[] = {options->database};
    enum dpk_status status = dpk_file_apart(args->words[0], inputs, 1, err);
    if (status == DPK_OK)
        status = check_device(options, err);
    if (status == DPK_OK)
        status = mlxconfig_defs(options, &defs, err);
    if (status != DPK_OK)
        return status;
    dpk_nv_tlvs_text(defs, &out);
    status = out.failed ? dpk_fail_nomem(err)
                        : dpk_file_replace(args->words[0], out.data, out.size, 0644, err);
    if (status == DPK_OK)
        mlxconfig_print_saved(args->words[0]);
    dpk_buf_free(&out);
    dpk_nv_defs_free(defs);
    return status;
}

const struct dpk_command mlxconfig_gen_tlvs_file_command = {.names = "gen_tlvs_file,t",
                                                            .words = "TXT",
                                                            .help = "list all TLVs",
                                                            .takes = "d,b,t",
                                                            .run = run_gen_tlvs_file};

static enum dpk_status turn_into_template(const struct mlxconfig_options *options,
                                          const struct dpk_nv_defs *defs, const struct input *in,
                                          struct dpk_buf *out, struct dpk_error *err)
{
    return about_input(in,
                       dpk_nv_xml_template(defs, bytes_of(&in->bytes), in->bytes.size,
                                           options->all_attributes, out, err),
                       err);
}

static enum dpk_status run_gen_xml_template(void *given, const struct dpk_args *args,
                                            struct dpk_error *err)
{
    const struct mlxconfig_options *options = given;
    enum dpk_status status = check_device(options, err);
    return status == DPK_OK ? run(options, args, turn_into_template, err) : status;
}

const struct dpk_command mlxconfig_gen_xml_template_command = {
    .names = "gen_xml_template,g",
    .words = "TXT XML",
    .help = "write XML without values for the TLVs marked with 1",
    .takes = "d,b,t,a",
    .run = run_gen_xml_template};

static enum dpk_status turn_xml_into(void (*format)(const struct dpk_nv_list *, struct dpk_buf *),
                                     const struct dpk_nv_defs *defs, const struct input *in,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    enum dpk_status status = read_xml(defs, in, &tlvs, err);
    if (status == DPK_OK)
        format(&tlvs, out);
    dpk_nv_list_free(&tlvs);
    return status;
}

static enum dpk_status turn_into_raw(const struct mlxconfig_options *options,
                                     const struct dpk_nv_defs *defs, const struct input *in,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    (void)options;
    return turn_xml_into(dpk_nv_raw_format, defs, in, out, err);
}

static enum dpk_status run_xml2raw(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    return run(given, args, turn_into_raw, err);
}

const struct dpk_command mlxconfig_xml2raw_command = {.names = "xml2raw,x",
                                                      .words = "XML RAW",
                                                      .help = "write TLVs as hexadecimal dwords",
                                                      .takes = "b,t",
                                                      .run = run_xml2raw};

static enum dpk_status turn_into_xml(const struct mlxconfig_options *options,
                                     const struct dpk_nv_defs *defs, const struct input *in,
                                     struct dpk_buf *out, struct dpk_error *err)
{
    (void)options;
    struct dpk_nv_list tlvs = {0};
    enum dpk_status status = dpk_nv_raw_parse(bytes_of(&in->bytes), in->bytes.size, &tlvs, err);
    if (status == DPK_OK)
        status = dpk_nv_xml_format(defs, &tlvs, out, err);
    dpk_nv_list_free(&tlvs);
    return about_input(in, status, err);
}

static enum dpk_status run_raw2xml(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    return run(given, args, turn_into_xml, err);
}

const struct dpk_command mlxconfig_raw2xml_command = {.names = "raw2xml",
                                                      .words = "RAW XML",
                                                      .help = "write XML from such dwords",
                                                      .takes = "b,t",
                                                      .run = run_raw2xml};

/* Appends the data of the TLVs without their headers, in the order of the XML. */
static enum dpk_status turn_into_payload(const struct mlxconfig_options *options,
                                         const struct dpk_nv_defs *defs, const struct input *in,
                                         struct dpk_buf *out, struct dpk_error *err)
{
    (void)options;
    return turn_xml_into(dpk_nv_payload_format, defs, in, out, err);
}

static enum dpk_status run_xml2bin(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    return run(given, args, turn_into_payload, err);
}

const struct dpk_command mlxconfig_xml2bin_command = {.names = "xml2bin",
                                                      .words = "XML BIN",
                                                      .help = "write only the TLVs' data",
                                                      .takes = "b,t",
                                                      .run = run_xml2bin};

/* Reads the TLVs of a file from create_conf, without the signature TLVs. */
static enum dpk_status conf_to_xml(const struct dpk_nv_defs *defs, const struct input *in,
                                   struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_file file = {0};
    enum dpk_status status = dpk_nv_file_parse(in->bytes.data, in->bytes.size, &file, err);
    if (status == DPK_OK)
        status = dpk_nv_xml_format(defs, &file.tlvs, out, err);
    dpk_nv_file_free(&file);
    return status;
}

static enum dpk_status payload_to_xml(const struct mlxconfig_options *options,
                                      const struct dpk_nv_defs *defs, const struct input *in,
                                      struct dpk_buf *out, struct dpk_error *err)
{
    struct dpk_nv_list tlvs = {0};
    struct dpk_buf text = {0};
    const struct dpk_nv_def **chosen = NULL;
    size_t count = 0;
    enum dpk_status status = dpk_file_read(options->tlvs, DPK_NV_XML_MAX, &text, err);
    if (status != DPK_OK)
        return status;
    status = dpk_nv_tlvs_parse(defs, bytes_of(&text), text.size, &chosen, &count, err);
    if (status != DPK_OK) {
        dpk_error_prefix(err, "%s", options->tlvs);
        goto out;
    }
    status = dpk_nv_payload_parse(chosen, count, in->bytes.data, in->bytes.size, &tlvs, err);
    if (status == DPK_OK)
        status = dpk_nv_xml_format(defs, &tlvs, out, err);
    about_input(in, status, err);
out:
    free(chosen);
    dpk_nv_list_free(&tlvs);
    dpk_buf_free(&text);
    return status;
}

static enum dpk_status turn_bin_into_xml(const struct mlxconfig_options *options,
                                         const struct dpk_nv_defs *defs, const struct input *in,
                                         struct dpk_buf *out, struct dpk_error *err)
{
    bool conf = in->bytes.size >= strlen(DPK_NV_FILE_START) &&
                memcmp(in->bytes.data, DPK_NV_FILE_START, strlen(DPK_NV_FILE_START)) == 0;
    if (options->tlvs)
        return payload_to_xml(options, defs, in, out, err);
    if (!conf)
        return dpk_fail(err, DPK_ERR_FORMAT,
                        "%s: no NV configuration file. The output of xml2bin does not name its "
                        "TLVs: name them with --tlvs",
                        in->path);
    return about_input(in, conf_to_xml(defs, in, out, err), err);
}

static enum dpk_status run_bin2xml(void *given, const struct dpk_args *args, struct dpk_error *err)
{
    return run(given, args, turn_bin_into_xml, err);
}

static const struct dpk_option tlvs_options[] = {
    {"tlvs", DPK_FILE, "FILE", MLXCONFIG_AT(tlvs),
     .help = "the TLVs in it, marked as in gen_tlvs_file's list"},
    {0},
};

const struct dpk_command mlxconfig_bin2xml_command = {
    .names = "bin2xml",
    .words = "BIN XML",
    .help = "write XML from TLV data (--tlvs), or from a file "
            "of create_conf",
    .takes = "b,t",
    .options = tlvs_options,
    .run = run_bin2xml};
