/*
 * doca_error: the results of DOCA functions, with their names and texts.
 *
 *     doca_error_t result = doca_dev_open(devinfo, &dev);
 *     if (result != DOCA_SUCCESS)
 *         fprintf(stderr, "open: %s\n", doca_error_get_descr(result));
 */
#ifndef DOCA_ERROR_H
#define DOCA_ERROR_H

#include "doca_compat.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum doca_error {
    DOCA_SUCCESS = 0,
    DOCA_ERROR_UNKNOWN,
    DOCA_ERROR_NOT_PERMITTED,
    DOCA_ERROR_IN_USE,
    DOCA_ERROR_NOT_SUPPORTED,
    DOCA_ERROR_AGAIN,
    DOCA_ERROR_INVALID_VALUE,
    DOCA_ERROR_NO_MEMORY,
    DOCA_ERROR_INITIALIZATION,
    DOCA_ERROR_TIME_OUT,
    DOCA_ERROR_SHUTDOWN,
    DOCA_ERROR_CONNECTION_RESET,
    DOCA_ERROR_CONNECTION_ABORTED,
    DOCA_ERROR_CONNECTION_INPROGRESS,
    DOCA_ERROR_NOT_CONNECTED,
    DOCA_ERROR_NO_LOCK,
    DOCA_ERROR_NOT_FOUND,
    DOCA_ERROR_IO_FAILED,
    DOCA_ERROR_BAD_STATE,
    DOCA_ERROR_UNSUPPORTED_VERSION,
    DOCA_ERROR_OPERATING_SYSTEM,
    DOCA_ERROR_DRIVER,
    DOCA_ERROR_UNEXPECTED,
    DOCA_ERROR_ALREADY_EXIST,
    DOCA_ERROR_FULL,
    DOCA_ERROR_EMPTY,
    DOCA_ERROR_IN_PROGRESS,
    DOCA_ERROR_TOO_BIG,
    DOCA_ERROR_AUTHENTICATION,
    DOCA_ERROR_BAD_CONFIG,
    DOCA_ERROR_SKIPPED,
} doca_error_t;

/* True if a function failed. */
#define DOCA_IS_ERROR(result) ((result) != DOCA_SUCCESS)

/* Keeps the first of several errors: `result` becomes `other` only while it is DOCA_SUCCESS. */
#define DOCA_ERROR_PROPAGATE(result, other)                                                        \
    do {                                                                                           \
        if ((result) == DOCA_SUCCESS)                                                              \
            (result) = (other);                                                                    \
    } while (0)

/* Returns the constant's name, as "DOCA_ERROR_NOT_FOUND", or "DOCA_ERROR_UNKNOWN" for an invalid
 * number. A constant string. */
const char *doca_error_get_name(doca_error_t error);

/* Returns the meaning of the error in a few words. A constant string. */
const char *doca_error_get_descr(doca_error_t error);

/* The names that programs of DOCA 2.2 and before use for the two functions above. */
const char *doca_get_error_name(doca_error_t error);
const char *doca_get_error_string(doca_error_t error);

#ifdef __cplusplus
}
#endif

#endif
