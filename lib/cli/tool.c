#include "cli/cli.h"

#include <errno.h>
#include <string.h>

int dpk_tool_fail(const struct dpk_error *err)
{
    char text[sizeof err->message] = "unknown error";
    if (err->message[0])
        memcpy(text, err->message, sizeof text);
    text[sizeof text - 1] = 0;
    /* Names in it may come from a hostile file: it stays one line and steers no terminal. */
    fprintf(stderr, "-E- %s\n", dpk_text_clean(text));
    return err->status == DPK_ERR_USAGE ? 2 : 1;
}

enum dpk_status dpk_tool_flush(struct dpk_error *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return DPK_OK;
    if (!errno) /* it failed earlier, and the reason is gone */
        errno = EIO;
    return dpk_fail_errno(err, "standard output");
}

int dpk_tool_end(enum dpk_status status, struct dpk_error *err)
{
    /* The first error is the one to tell. */
    enum dpk_status flushed = dpk_tool_flush(status == DPK_OK ? err : NULL);
    return status == DPK_OK && flushed == DPK_OK ? 0 : dpk_tool_fail(err);
}

enum dpk_status dpk_fail_command(struct dpk_error *err, const char *tool, const char *word,
                                 const char *const *commands)
{
    const char *near = dpk_closest(word, commands);
    if (near)
        return dpk_fail(err, DPK_ERR_USAGE, "unknown command %s; did you mean %s?", word, near);
    return dpk_fail(err, DPK_ERR_USAGE, "unknown command %s; see %s --help", word, tool);
}

enum dpk_status dpk_uuid_option(const char *option, const char *text, struct dpk_uuid *out,
                                struct dpk_error *err)
{
    if (dpk_uuid_parse(text, out, NULL) != DPK_OK)
        return dpk_fail(err, DPK_ERR_USAGE, "option %s: '%.64s' is not a UUID", option, text);
    if (dpk_uuid_is_zero(out))
        return dpk_fail(err, DPK_ERR_USAGE, "option %s: the UUID must not be zero", option);
    return DPK_OK;
}
