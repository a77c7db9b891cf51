#include "clang.h"

#include "cli/cli.h"
#include "commands.h"
#include "sanitize.h"

#include <string.h>
#include <unistd.h>

bool dpacc_clang_is_asked_for(const char *program)
{
    const char *slash = strrchr(program, '/');
    return strcmp(slash ? slash + 1 : program, "dpa-clang") == 0;
}

/* Returns the value of -mcpu in `word`, or NULL for another option. */
static const char *mcpu_value(const char *word)
{
    static const char *const spellings[] = {"-mcpu=", "--mcpu="};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strncmp(word, spellings[i], strlen(spellings[i])) == 0)
            return word + strlen(spellings[i]);
    return NULL;
}

static enum dpk_status make_command(struct config *c, int argc, char **argv, struct words *command,
                                    struct dpk_error *err)
{
    struct words rest = {0};
    for (int i = 1; i < argc; i++) {
        const char *value = mcpu_value(argv[i]);
        dpk_words_add(value ? &c->mcpu : &rest, value ? value : argv[i]);
    }
    enum dpk_status status = dpacc_config_find_root(c, err);
    if (status == DPK_OK)
        status = dpacc_config_choose_targets(c, err);
    if (status == DPK_OK)
        status = dpacc_sanitize_edit(&rest, c->root, err);
    if (status == DPK_OK && c->target_count > 1)
        status = dpk_fail(err, DPK_ERR_USAGE, "-mcpu: one target at a time");
    if (status == DPK_OK) {
        dpacc_begin_device_compile(c, 0, command);
        dpacc_device_arguments(c, command);
        dpk_words_add(command, "-fuse-ld=lld");
        dpk_words_add(command, "-Wno-unused-command-line-argument");
        dpk_words_append(command, &rest);
        if (command->failed)
            status = dpk_fail_nomem(err);
    }
    dpk_words_free(&rest);
    return status;
}

int dpacc_clang_run(int argc, char **argv)
{
    struct config c = {0};
    struct words command = {0};
    struct dpk_error err = {0};
    enum dpk_status status = make_command(&c, argc, argv, &command, &err);
    if (status == DPK_OK) {
        execvp(command.at[0], command.at);
        dpk_fail_errno(&err, "%s: cannot be run", command.at[0]);
        err.status = DPK_ERR_TOOL;
    }
    dpk_error_prefix(&err, "dpa-clang");
    dpk_tool_fail(&err);
    dpk_words_free(&command);
    dpacc_config_free(&c);
    return err.status == DPK_ERR_TOOL || err.status == DPK_ERR_NOMEM ? 2 : 1;
}
