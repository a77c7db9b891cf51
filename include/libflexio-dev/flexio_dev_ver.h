/*
 * Versions of the device side of FlexIO. A program that uses one version defines it before it includes
 * another header of FlexIO:
 *
 *     #include <libflexio-dev/flexio_dev_ver.h>
 *     #define FLEXIO_DEV_VER_USED FLEXIO_DEV_VER(25, 7, 0)
 *     #include <libflexio-dev/flexio_dev.h>
 *
 * Version 24.10 removed the first argument of functions that had a thread's context there. A program
 * without a version may call both forms; a program with a version may only call the form of that
 * version.
 */
#ifndef FLEXIO_DEV_VER_H
#define FLEXIO_DEV_VER_H

/* One number for major, minor and sub version; later versions have larger numbers. */
#define FLEXIO_DEV_VER(major, minor, sub) (((major) << 24) | ((minor) << 16) | (sub))

/* The latest supported version. */
#define FLEXIO_DEV_VER_LATEST FLEXIO_DEV_VER(26, 4, 0)

#endif
