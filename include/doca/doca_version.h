/*
 * doca_version: the DOCA version of these headers, and of the libraries.
 *
 *     #if DOCA_VERSION_LTE_CURRENT(2, 7, 0)
 *         ... the interface has all that DOCA 2.7 has ...
 *     #endif
 *     printf("%s, with %s\n", doca_version(), doca_version_runtime());
 *
 * This is the version of the interface, not of dpakit (see dpacc --version). NVIDIA DOCA API reference,
 * doca_version.h.
 */
#ifndef DOCA_VERSION_H
#define DOCA_VERSION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Headers of another generation define their version before they include this header, and
 * `make install-compat DOCA=RELEASE` writes that release here. */
#ifndef DOCA_VERSION_MAJOR
#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  2
#define DOCA_VERSION_PATCH  0
#define DOCA_VERSION_STRING "3.2.0"
#endif

/* The names that DOCA 2.2 and 2.5 have for them. */
#define DOCA_VER_MAJOR  DOCA_VERSION_MAJOR
#define DOCA_VER_MINOR  DOCA_VERSION_MINOR
#define DOCA_VER_PATCH  DOCA_VERSION_PATCH
#define DOCA_VER_STRING DOCA_VERSION_STRING

/* One number for a version; later versions have larger numbers. The preprocessor can compare them. */
#define DOCA_VERSION_NUM(major, minor, patch) ((major) << 24 | (minor) << 16 | (patch))
#define DOCA_CURRENT_VERSION_NUM                                                                   \
    DOCA_VERSION_NUM(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* The same as size_t (DOCA 2.6 and later). A patch number of DOCA is an official number times 1000, plus
 * the number of a build: CALC takes the official number, CALC_EXACT the whole patch number. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) ((size_t)DOCA_VERSION_NUM(major, minor, patch))
#define DOCA_VERSION_EXACT                                                                         \
    DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)
#define DOCA_VERSION_CALC(major, minor, patch) DOCA_VERSION_CALC_EXACT(major, minor, (patch)*1000)
#define DOCA_VERSION_OFFICIAL                                                                      \
    DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* True if a version is equal to, not later than, or not earlier than the version of these
 * headers. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
    (DOCA_VERSION_NUM(major, minor, patch) == DOCA_CURRENT_VERSION_NUM)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_NUM(major, minor, patch) <= DOCA_CURRENT_VERSION_NUM)
#define DOCA_VERSION_GTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_NUM(major, minor, patch) >= DOCA_CURRENT_VERSION_NUM)

/* "major.minor.patch" of the headers that the program was built with. */
static inline const char *doca_version(void)
{
    return DOCA_VERSION_STRING;
}

/* Returns "major.minor.patch" of the libraries with which the program runs. */
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
