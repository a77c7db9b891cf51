/* dpaprof: shows profiles of DPA programs (DPAKIT_PROFILE), and converts them. */
#include "dpaprof.h"
#include "profile/profile.h"

static enum dpk_status convert(void *options, const struct dpk_args *args, struct dpk_error *err)
{
    (void)options;
    const char *from = args->words[0], *to = args->words[1];
    enum dpk_profile_format format;
    struct dpk_profile *p = dpk_profile_create();
    enum dpk_status status = p ? dpk_profile_format_of(to, &format, err) : dpk_fail_nomem(err);
    if (status == DPK_OK)
        status = dpk_file_apart(to, &from, 1, err);
    if (status == DPK_OK)
        status = dpk_profile_read(p, from, err);
    if (status == DPK_OK)
        status = dpk_profile_write(p, to, err);
    dpk_profile_free(p);
    return status;
}

#define AT(field) offsetof(struct options, field)

static const struct dpk_option annotate_options[] = {
    {"app", DPK_TEXT, "NAME", AT(app), .help = "the program of a host file"},
    {"exact", DPK_FILE, "FILE", AT(exact),
     .help = "a second profile, which counts each instruction (DPAKIT_PROFILE_EVERY=1)"},
    {"source", DPK_FILE, "DIR", AT(source),
     .help = "directory of sources (default: the working directory)"},
    {0},
};
static const struct dpk_command annotate_command = {
    .names = "annotate",
    .words = "PROFILE PROGRAM",
    .help = "print source lines with their numbers of instructions",
    .options = annotate_options,
    .run = dpaprof_annotate,
};
static const struct dpk_command convert_command = {
    .names = "convert",
    .words = "PROFILE FILE",
    .help = "make a flame graph (.svg), JSON of speedscope (.json) or folded stacks",
    .run = convert,
};
static const struct dpk_command *const commands[] = {&annotate_command, &convert_command, NULL};

static const struct dpk_tool tool = {
    .name = "dpaprof",
    .usage = "dpaprof annotate PROFILE PROGRAM [--app NAME] [--exact FILE] [--source DIR]\n"
             "       dpaprof convert PROFILE FILE",
    .about =
        "Shows which lines of a DPA program execute its instructions. PROFILE: folded stacks of a\n"
        "program with DPAKIT_PROFILE=FILE.folded, or of dparun --profile FILE.folded.",
    .commands = commands,
    .size = sizeof(struct options),
};

int main(int argc, char **argv)
{
    return dpk_tool_main(&tool, argc, argv);
}
