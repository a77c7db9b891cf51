/*
 * Versions of the device side of FlexIO. A program that goes by one version says so before it
 * includes another header of FlexIO:
 *
 *     #include <libflexio-dev/flexio_dev_ver.h>
 *     #define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER(25, 7, 0)
 *     #include <libflexio-dev/flexio_dev.h>
 *
 * The functions that name a thread's context as their first argument lost it in 24.10. A program
 * that says no version may call both forms; one that says a version has that version's form alone.
 */
#ifndef FLEXIO_DEV_VER_H
#define FLEXIO_DEV_VER_H

/* One number for major, minor and sub version, such that later versions are larger. */
#define FLEXIO_DEV_VER(major, minor, sub) (((major) << 24) | ((minor) << 16) | (sub))

/* The latest version that these headers know. */
#define FLEXIO_DEV_VER_LATEST FLEXIO_DEV_VER(26, 4, 0)

#endif
