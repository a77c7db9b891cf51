#include "base/base.h"

#include <errno.h>
#include <string.h>

static void set_message(struct dpk_error *err, enum dpk_status status, const char *text)
{
    err->status = status;
    size_t length = strnlen(text, sizeof err->message - 1);
    memcpy(err->message, text, length);
    while (length > 0 && err->message[length - 1] == '\n')
        length--;
    err->message[length] = 0;
}

/* Appends to the text in `to`, and cuts at `room` bytes. */
static void append(char *to, size_t room, const char *text)
{
    size_t have = strlen(to);
    size_t length = strnlen(text, room - 1 - have);
    memcpy(to + have, text, length);
    to[have + length] = 0;
}

static void format_text(char *to, size_t room, const char *format, va_list values)
    __attribute__((format(printf, 3, 0)));

static void format_text(char *to, size_t room, const char *format, va_list values)
{
    if (vsnprintf(to, room, format, values) < 0)
        to[0] = 0;
}

/* These functions build the text aside, because an argument may be the old message of `err`. */

enum dpk_status(dpk_fail)(struct dpk_error *err, enum dpk_status status, const char *format, ...)
{
    if (err) {
        char text[sizeof err->message];
        va_list values;
        va_start(values, format);
        format_text(text, sizeof text, format, values);
        va_end(values);
        set_message(err, status, text);
    }
    return status;
}

enum dpk_status(dpk_fail_errno)(struct dpk_error *err, const char *format, ...)
{
    int code = errno;
    enum dpk_status status = DPK_ERR_IO;
    if (code == ENOENT)
        status = DPK_ERR_NOT_FOUND;
    else if (code == ENOMEM)
        status = DPK_ERR_NOMEM;

    if (err) {
        char text[sizeof err->message], reason[128];
        va_list values;
        va_start(values, format);
        format_text(text, sizeof text, format, values);
        va_end(values);
        errno = code;
        snprintf(reason, sizeof reason, ": %m");
        append(text, sizeof text, reason);
        set_message(err, status, text);
    }
    return status;
}

enum dpk_status(dpk_fail_nomem)(struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_NOMEM, "out of memory");
}

enum dpk_status dpk_error_prefix(struct dpk_error *err, const char *format, ...)
{
    if (!err)
        return DPK_ERR_FORMAT; /* a failure must not turn into success */
    char text[sizeof err->message];
    va_list values;
    va_start(values, format);
    format_text(text, sizeof text, format, values);
    va_end(values);
    append(text, sizeof text, ": ");
    append(text, sizeof text, err->message);
    set_message(err, err->status, text);
    return err->status;
}
