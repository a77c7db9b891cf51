/* Names and texts of errors. */
#include <doca_error.h>

#include "api/doca/core/core.h"

struct error_text {
    const char *name, *descr;
};

#define TEXT(error, text) [error] = {#error, text}

static const struct error_text texts[] = {
    TEXT(DOCA_SUCCESS, "Success"),
    TEXT(DOCA_ERROR_UNKNOWN, "Unknown error"),
    TEXT(DOCA_ERROR_NOT_PERMITTED, "Operation not permitted"),
    TEXT(DOCA_ERROR_IN_USE, "Resource is in use"),
    TEXT(DOCA_ERROR_NOT_SUPPORTED, "Operation not supported"),
    TEXT(DOCA_ERROR_AGAIN, "Resource is not available now, try again"),
    TEXT(DOCA_ERROR_INVALID_VALUE, "Invalid input"),
    TEXT(DOCA_ERROR_NO_MEMORY, "Out of memory"),
    TEXT(DOCA_ERROR_INITIALIZATION, "Initialization failed"),
    TEXT(DOCA_ERROR_TIME_OUT, "Time is up"),
    TEXT(DOCA_ERROR_SHUTDOWN, "Shut down"),
    TEXT(DOCA_ERROR_CONNECTION_RESET, "Connection reset by the peer"),
    TEXT(DOCA_ERROR_CONNECTION_ABORTED, "Connection aborted"),
    TEXT(DOCA_ERROR_CONNECTION_INPROGRESS, "Connection is being made"),
    TEXT(DOCA_ERROR_NOT_CONNECTED, "Not connected"),
    TEXT(DOCA_ERROR_NO_LOCK, "Lock not available"),
    TEXT(DOCA_ERROR_NOT_FOUND, "Not found"),
    TEXT(DOCA_ERROR_IO_FAILED, "Input or output failed"),
    TEXT(DOCA_ERROR_BAD_STATE, "Object is in a state that does not allow this"),
    TEXT(DOCA_ERROR_UNSUPPORTED_VERSION, "Version not supported"),
    TEXT(DOCA_ERROR_OPERATING_SYSTEM, "Operating system call failed"),
    TEXT(DOCA_ERROR_DRIVER, "Device or driver failed"),
    TEXT(DOCA_ERROR_UNEXPECTED, "Unexpected condition"),
    TEXT(DOCA_ERROR_ALREADY_EXIST, "Exists already"),
    TEXT(DOCA_ERROR_FULL, "No more room"),
    TEXT(DOCA_ERROR_EMPTY, "Nothing there"),
    TEXT(DOCA_ERROR_IN_PROGRESS, "Operation in progress"),
    TEXT(DOCA_ERROR_TOO_BIG, "Too big"),
    TEXT(DOCA_ERROR_AUTHENTICATION, "Authentication failed"),
    TEXT(DOCA_ERROR_BAD_CONFIG, "Configuration is not valid"),
    TEXT(DOCA_ERROR_SKIPPED, "Skipped"),
};

static const struct error_text *text_of(doca_error_t error)
{
    if ((unsigned)error >= sizeof texts / sizeof texts[0])
        error = DOCA_ERROR_UNKNOWN;
    return &texts[error];
}

const char *doca_error_get_name(doca_error_t error)
{
    return text_of(error)->name;
}

const char *doca_error_get_descr(doca_error_t error)
{
    return text_of(error)->descr;
}

const char *doca_get_error_name(doca_error_t error)
{
    return doca_error_get_name(error);
}

const char *doca_get_error_string(doca_error_t error)
{
    return doca_error_get_descr(error);
}

doca_error_t dpk_doca_error(enum dpk_status status)
{
    switch (status) {
    case DPK_OK:
        return DOCA_SUCCESS;
    case DPK_ERR_USAGE:
    case DPK_ERR_RANGE:
        return DOCA_ERROR_INVALID_VALUE;
    case DPK_ERR_IO:
        return DOCA_ERROR_IO_FAILED;
    case DPK_ERR_UNSUPPORTED:
        return DOCA_ERROR_NOT_SUPPORTED;
    case DPK_ERR_NOT_FOUND:
        return DOCA_ERROR_NOT_FOUND;
    case DPK_ERR_EXISTS:
        return DOCA_ERROR_ALREADY_EXIST;
    case DPK_ERR_REFUSED:
        return DOCA_ERROR_AUTHENTICATION;
    case DPK_ERR_NOMEM:
        return DOCA_ERROR_NO_MEMORY;
    case DPK_ERR_FAULT:
    case DPK_ERR_TIMEOUT:
        return DOCA_ERROR_BAD_STATE;
    case DPK_ERR_FORMAT:
    case DPK_ERR_MISMATCH:
    case DPK_ERR_CRYPTO:
    case DPK_ERR_TOOL:
        return DOCA_ERROR_DRIVER;
    }
    return DOCA_ERROR_UNKNOWN;
}
