/* dpa-app-attributes2blob: a program's attributes, written as YAML, as dpacc takes them. */
#include "attributes.h"

#include "cli/cli.h"

#include <stdlib.h>

#define INPUT_MAX ((size_t)1 << 20)

struct request {
    bool help, version;
};

static void print_help(const struct dpk_option *options)
{
    fputs("Usage: dpa-app-attributes2blob IN.yaml OUT.blob\n"
          "Makes the attributes blob that dpacc takes by --dpa-proc-attr.\n\n",
          stdout);
    dpk_options_help(options, stdout);
    fputs("\nExit codes: 0 done, 1 failed, 2 wrong usage.\n", stdout);
}

static enum dpk_status convert(const char *input, const char *output, struct dpk_error *err)
{
    struct dpk_buf text = {0}, blob = {0};
    struct attributes attributes = {0};
    enum dpk_status status = dpk_file_apart(output, &input, 1, err);
    if (status == DPK_OK)
        status = dpk_file_read(input, INPUT_MAX, &text, err);
    if (status == DPK_OK)
        status = attributes_parse(input, text.data, text.size, &attributes, err);
    if (status == DPK_OK) {
        attributes_encode(&attributes, &blob);
        status = blob.failed ? dpk_fail_nomem(err)
                             : dpk_file_replace(output, blob.data, blob.size, 0666, err);
    }
    attributes_free(&attributes);
    dpk_buf_free(&blob);
    dpk_buf_free(&text);
    return status;
}

int main(int argc, char **argv)
{
    struct request r = {0};
    struct dpk_error err = {0};
    struct dpk_args args = {0};
    const struct dpk_option options[] = {
        {.names = "h,help", .flag = &r.help, .help = "show this text"},
        {.names = "V,version", .flag = &r.version, .help = "show the version"},
        {0},
    };
    enum dpk_status status = dpk_options_parse(options, true, argc, argv, &args, &err);
    if (status == DPK_OK && r.help)
        print_help(options);
    else if (status == DPK_OK && r.version)
        printf("dpa-app-attributes2blob dpakit %s\n", dpk_version);
    else if (status == DPK_OK && args.count != 2)
        status = dpk_fail(&err, DPK_ERR_USAGE, "needs two files, IN.yaml and OUT.blob");
    else if (status == DPK_OK)
        status = convert(args.words[0], args.words[1], &err);
    free(args.words);
    return dpk_tool_end(status, &err);
}
