/*
 * cuse: a character device that this process answers, by the protocol of /dev/cuse (Linux,
 * include/uapi/linux/fuse.h, "CUSE"). Other processes open the device in /dev and call ioctl.
 *
 *     int fd = open("/dev/cuse", O_RDWR | O_CLOEXEC);             // root
 *     dpk_cuse_new(&(struct dpk_cuse_device){.fd = fd, .name = "hello", .ops = &ops}, &cuse, &err);
 *     while (dpk_cuse_serve(cuse, &err) == DPK_OK)                // the device is /dev/hello
 *         ;
 *     dpk_cuse_free(cuse), close(fd);
 *
 * Each read of the descriptor returns one message of the kernel, and each write is one answer. An
 * ioctl may refer to any memory of its caller: the device first learns the argument, and then asks
 * the kernel for the bytes that it wants (spans). Messages are not trusted. Only open, ioctl and
 * release exist; the kernel hears that nothing else does.
 */
#ifndef DPK_BUS_CUSE_CUSE_H
#define DPK_BUS_CUSE_CUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/base.h"

#define DPK_CUSE_DATA_MAX    (128u << 10) /* bytes that an ioctl can bring, or take */
#define DPK_CUSE_MESSAGE_MAX (DPK_CUSE_DATA_MAX + 8192)
#define DPK_CUSE_FILES_MAX   64 /* that are open at a time */
#define DPK_CUSE_SPANS       4
#define DPK_CUSE_NAME_MAX    64

/* The process that opens the device, or calls ioctl. */
struct dpk_cuse_caller {
    uid_t uid;
    gid_t gid;
    pid_t pid;
};
/* Memory of the caller. */
struct dpk_cuse_span {
    uint64_t address, size;
};
/* A call of ioctl. */
struct dpk_cuse_ioctl {
    unsigned command;
    uint64_t argument;
    const uint8_t *in; /* the bytes of the spans `reads` that were asked for, one after another */
    size_t in_size;
    uint8_t *out; /* zeros: bytes for the spans `writes`, one after another */
    size_t out_size;
    /* The function fills these to ask for memory. It is then called again, with the same command and argument. */
    struct dpk_cuse_span reads[DPK_CUSE_SPANS], writes[DPK_CUSE_SPANS];
    unsigned read_count, write_count;
    int result; /* what ioctl returns; 0 at first */
};
/* What the device does. Each function but `close` returns 0 or an errno. */
struct dpk_cuse_ops {
    int (*open)(void *context, const struct dpk_cuse_caller *caller, void **file);
    int (*ioctl)(void *context, void *file, const struct dpk_cuse_caller *caller,
                 struct dpk_cuse_ioctl *call);
    void (*close)(void *context, void *file);
};

struct dpk_cuse_device {
    int fd;           /* of /dev/cuse; borrowed */
    const char *name; /* in /dev; may have folders; borrowed for the call */
    const struct dpk_cuse_ops *ops;
    void *context; /* for ops */
};
struct dpk_cuse;

/* Prepares a device. The kernel makes it while the first message is served. Errors: DPK_ERR_USAGE for
 * a name that is empty, too long or has other characters than letters, digits and ".:_/-";
 * DPK_ERR_NOMEM. */
enum dpk_status dpk_cuse_new(const struct dpk_cuse_device *device, struct dpk_cuse **out,
                             struct dpk_error *err);
/* Closes all files of the device. NULL is allowed. The kernel removes the device when the descriptor
 * is closed. */
void dpk_cuse_free(struct dpk_cuse *cuse);

/* Waits for a message, and answers it. Errors: DPK_ERR_NOT_FOUND if the kernel has removed the
 * device, or did not make it because its name is taken; DPK_ERR_UNSUPPORTED if the kernel is too
 * old; DPK_ERR_IO. */
enum dpk_status dpk_cuse_serve(struct dpk_cuse *cuse, struct dpk_error *err);
/* Returns true when the kernel has been told what the device is. */
bool dpk_cuse_is_told(const struct dpk_cuse *cuse);

/* Carries out a message. `answer` gets DPK_CUSE_MESSAGE_MAX bytes at most. Returns its size; 0 if
 * the message has no answer. */
size_t dpk_cuse_answer(struct dpk_cuse *cuse, const uint8_t *message, size_t size,
                       uint8_t answer[DPK_CUSE_MESSAGE_MAX]);

#endif
