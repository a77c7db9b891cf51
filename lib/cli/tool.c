#include "cli/cli.h"

#include <errno.h>
#include <string.h>

int dpk_tool_fail(const struct dpk_error *err)
{
    char text[sizeof err->message] = "unknown error";
    if (err->message[0])
        memcpy(text, err->message, sizeof text);
    text[sizeof text - 1] = 0;
    /* The message may contain names from a hostile file, so it is cleaned and printed as one
     * line. */
    fprintf(stderr, "-E- %s\n", dpk_text_clean(text));
    return err->status == DPK_ERR_USAGE ? 2 : 1;
}

int dpk_tool_exit_run(enum dpk_status status)
{
    switch (status) {
    case DPK_OK:
        return 0;
    case DPK_ERR_USAGE:
        return 2;
    case DPK_ERR_FAULT:
    case DPK_ERR_TIMEOUT:
        return 3;
    default:
        return 1;
    }
}

enum dpk_status dpk_tool_flush(struct dpk_error *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return DPK_OK;
    if (!errno) /* an earlier write failed and its reason is lost */
        errno = EIO;
    return dpk_fail_errno(err, "standard output");
}
