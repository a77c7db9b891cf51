/*
 * doca_version: which DOCA these headers follow, and which the libraries do.
 *
 *     #if DOCA_VERSION_LTE_CURRENT(2, 7, 0)
 *         ... the interface has all that DOCA 2.7 has ...
 *     #endif
 *     printf("%s, with %s\n", doca_version(), doca_version_runtime());
 *
 * The version is that of the interface, not of dpakit (dpacc --version tells that one). NVIDIA DOCA
 * API reference, doca_version.h.
 */
#ifndef DOCA_VERSION_H
#define DOCA_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Headers of another generation say theirs before they include this one. */
#ifndef DOCA_VER_MAJOR
#define DOCA_VER_MAJOR  3
#define DOCA_VER_MINOR  2
#define DOCA_VER_PATCH  0
#define DOCA_VER_STRING "3.2.0"
#endif

/* One number for a version, such that later versions are larger. */
#define DOCA_VERSION_NUM(major, minor, patch) ((major) << 24 | (minor) << 16 | (patch))
#define DOCA_CURRENT_VERSION_NUM              DOCA_VERSION_NUM(DOCA_VER_MAJOR, DOCA_VER_MINOR, DOCA_VER_PATCH)

/* Whether a version is that of these headers; is it or an earlier one; is it or a later one. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch)                                               \
    (DOCA_VERSION_NUM(major, minor, patch) == DOCA_CURRENT_VERSION_NUM)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_NUM(major, minor, patch) <= DOCA_CURRENT_VERSION_NUM)
#define DOCA_VERSION_GTE_CURRENT(major, minor, patch)                                              \
    (DOCA_VERSION_NUM(major, minor, patch) >= DOCA_CURRENT_VERSION_NUM)

/* "major.minor.patch" of the headers that the program was built with. */
static inline const char *doca_version(void)
{
    return DOCA_VER_STRING;
}

/* The same of the libraries that it runs with. */
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif
