/* tap:NAME: a TAP. Frames that the port sends arrive at the machine's interface NAME, and frames
 * that the machine sends there arrive at the port. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "interface.h"

#define ATTACH_AGAIN_MS 500                 /* while the interface is gone */
#define ROOM            (DPK_FRAME_MAX + 1) /* to detect a frame that is too long */

struct tap {
    char name[IFNAMSIZ];
    int control; /* a socket */
    int fd;      /* keeps its number as long as the wire lives */
    bool gone;   /* used by the wire's thread only */
    uint8_t (*frames)[ROOM];
};

/* ---- Attaching ---- */

static enum dpk_status no_permission(const char *name, bool there, struct dpk_error *err)
{
    char remove[IFNAMSIZ + 32] = "";
    if (there)
        snprintf(remove, sizeof remove, "sudo ip link del %s && ", name);
    return dpk_fail(
        err, DPK_ERR_REFUSED,
        "tap:%s: %s; once: %ssudo ip tuntap add %s mode tap user %u && sudo ip link set "
        "%s up (or run all of it without root, in unshare -rn)",
        name, there ? "it is not this user's" : "this user may not make it", remove, name,
        (unsigned)getuid(), name);
}

/* Opens an existing TAP, or makes one that is deleted when it is closed. */
static enum dpk_status attach(int control, const char *name, int *fd, struct dpk_error *err)
{
    static const short flags[] = {IFF_TAP | IFF_NO_PI, IFF_TAP | IFF_NO_PI | IFF_MULTI_QUEUE};
    const bool there = wire_interface_index(control, name) != 0;
    *fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (*fd < 0 && (errno == ENOENT || errno == ENODEV))
        return dpk_fail(err, DPK_ERR_NOT_FOUND,
                        "tap:%s: the machine has no TAPs: sudo modprobe tun", name);
    if (*fd < 0)
        return errno == EACCES || errno == EPERM
                   ? dpk_fail(err, DPK_ERR_REFUSED,
                              "tap:%s: this user may not open /dev/net/tun: sudo chmod 666 "
                              "/dev/net/tun",
                              name)
                   : dpk_fail_errno(err, "/dev/net/tun");
    for (size_t i = 0; i < 2; i++) {
        struct ifreq r = {.ifr_flags = flags[i]};
        snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
        if (ioctl(*fd, TUNSETIFF, &r) == 0) {
            /* The kernel finishes checksums and segments itself, independent of the previous user
             * of the TAP. */
            (void)ioctl(*fd, TUNSETOFFLOAD, 0);
            if (!there)
                (void)wire_interface_set_up(control, name);
            return DPK_OK;
        }
        if (errno != EINVAL)
            break;
    }
    if (errno == EPERM)
        return no_permission(name, there, err);
    if (errno == EINVAL && there)
        return dpk_fail(err, DPK_ERR_MISMATCH,
                        "tap:%s: the interface is not a TAP (veth:%s accepts any)", name, name);
    return errno == EBUSY
               ? dpk_fail(err, DPK_ERR_EXISTS, "tap:%s: another program has it open", name)
               : dpk_fail_errno(err, "tap:%s", name);
}

static enum dpk_status tap_try(const char *argument, struct dpk_error *err)
{
    int fd = -1;
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (control < 0)
        return dpk_fail_errno(err, "socket");
    const enum dpk_status status = attach(control, argument, &fd, err);
    if (fd >= 0)
        close(fd);
    close(control);
    return status;
}

static enum dpk_status tap_open(struct dpk_wire *wire, const char *argument, struct dpk_error *err)
{
    struct dpk_buf name = {0};
    enum dpk_status status = wire_interface_check(argument, &name, err);
    dpk_buf_free(&name);
    struct tap *t = wire->kind = calloc(1, sizeof *t);
    if (!t)
        return dpk_fail_nomem(err);
    t->fd = t->control = -1;
    snprintf(t->name, sizeof t->name, "%s", argument);
    if (status == DPK_OK && !(t->frames = malloc(WIRE_BATCH * sizeof *t->frames)))
        status = dpk_fail_nomem(err);
    if (status == DPK_OK && (t->control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0)
        status = dpk_fail_errno(err, "socket");
    if (status == DPK_OK)
        status = attach(t->control, t->name, &t->fd, err);
    if (status == DPK_OK)
        (void)wire_interface_look(wire, t->control, t->name);
    return status;
}

/* A deleted TAP is not created again. If it reappears, it is used. */
static void attach_again(struct tap *t)
{
    int fd = -1;
    if (wire_interface_index(t->control, t->name) != 0 &&
        attach(t->control, t->name, &fd, NULL) == DPK_OK)
        t->gone = dup3(fd, t->fd, O_CLOEXEC) < 0;
    if (fd >= 0)
        close(fd);
}

/* ---- Frames ---- */

static bool tap_receive(struct dpk_wire *wire)
{
    struct tap *t = wire->kind;
    struct dpk_frame frames[WIRE_BATCH];
    size_t count = 0, tries = 0;
    switch (wire_wait(wire, t->gone ? -1 : t->fd, t->gone ? ATTACH_AGAIN_MS : -1)) {
    case WIRE_ENDS:
        return false;
    case WIRE_TIMEOUT:
        attach_again(t);
        return true;
    case WIRE_READY:
        break;
    }
    ssize_t n = 0;
    while (tries++ < WIRE_BATCH && (n = read(t->fd, t->frames[count], ROOM)) >= 0) {
        if (n > (ssize_t)DPK_FRAME_MAX)
            wire_drop_received(wire, DPK_WIRE_TOO_LONG, 1);
        else if (n < (ssize_t)DPK_FRAME_MIN)
            wire_drop_received(wire, DPK_WIRE_TOO_SHORT, 1);
        else
            frames[count] = (struct dpk_frame){t->frames[count], (size_t)n}, count++;
    }
    const int why = n < 0 ? errno : 0;
    if (why != 0 && why != EAGAIN && why != EINTR) {
        (void)wire_interface_look(wire, t->control, t->name);
        t->gone = true;
    }
    if (count > 0)
        (void)wire_arrive(wire, frames, count, false);
    return true;
}

static bool tap_send(struct dpk_wire *wire, const uint8_t *frame, size_t size)
{
    struct tap *t = wire->kind;
    ssize_t n;
    do
        n = write(t->fd, frame, size);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)size)
        wire_sent(wire, 1, size);
    else
        wire_interface_not_sent(wire, t->control, t->name, size);
    return true;
}

static void tap_close(struct dpk_wire *wire)
{
    struct tap *t = wire->kind;
    if (!t)
        return;
    if (t->fd >= 0)
        close(t->fd);
    if (t->control >= 0)
        close(t->control);
    free(t->frames);
    free(t);
}

const struct wire_ops wire_tap = {.name = "tap",
                                  .usage = "tap:NAME",
                                  .check = wire_interface_check,
                                  .try = tap_try,
                                  .open = tap_open,
                                  .receive = tap_receive,
                                  .send = tap_send,
                                  .close = tap_close};
