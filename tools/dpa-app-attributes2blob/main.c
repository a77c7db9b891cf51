/* dpa-app-attributes2blob: converts a program's attributes from YAML to the blob for dpacc. */
#include "attributes.h"

#include "cli/cli.h"

#define INPUT_MAX ((size_t)1 << 20)

static enum dpk_status convert(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options;
    const char *input = args->words[0], *output = args->words[1];
    struct dpk_buf text = {0}, blob = {0};
    struct attributes attributes = {0};
    enum dpk_status status = dpk_file_apart(output, &input, 1, err);
    if (status == DPK_OK)
        status = dpk_file_read(input, INPUT_MAX, &text, err);
    if (status == DPK_OK)
        status = attributes2blob_parse(input, text.data, text.size, &attributes, err);
    if (status == DPK_OK) {
        attributes2blob_encode(&attributes, &blob);
        status = blob.failed ? dpk_fail_nomem(err)
                             : dpk_file_replace(output, blob.data, blob.size, 0666, err);
    }
    attributes2blob_free(&attributes);
    dpk_buf_free(&blob);
    dpk_buf_free(&text);
    return status;
}

static const struct dpk_command convert_command = {.words = "IN.yaml OUT.blob", .run = convert};
static const struct dpk_tool tool = {
    .name = "dpa-app-attributes2blob",
    .usage = "dpa-app-attributes2blob IN.yaml OUT.blob",
    .about = "Makes the attributes blob for dpacc --dpa-proc-attr.",
    .notes = "Exit codes: 0 done, 1 failed, 2 wrong usage.",
    .command = &convert_command,
    .large_version = true,
    .single_dash_names = true,
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
