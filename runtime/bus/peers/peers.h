/*
 * peers: sockets by which processes of one user find each other and debuggers find a process, and who
 * is at the other end.
 *
 *     struct dpk_listener l;
 *     if (dpk_listen("/run/user/1000/dpakit/17.dpa", &l, &err) == DPK_OK)
 *         while ((fd = dpk_accept(&l, NULL, NULL)) >= 0)       // this user or root
 *             ...
 *     dpk_listener_close(&l);
 */
#ifndef DPK_BUS_PEERS_PEERS_H
#define DPK_BUS_PEERS_PEERS_H

#include <pthread.h>
#include <sys/types.h>

#include "base/base.h"

/* ---- Listening ---- */

/* Listens for clients of this machine, at a TCP port of 127.0.0.1 or a Unix socket. */
struct dpk_listener {
    int fd;        /* -1: closed */
    unsigned port; /* 0: it is a Unix socket */
    char path[108];
    dev_t device; /* of the socket that was made there */
    ino_t inode;
    uint64_t refused; /* how many clients were refused */
    bool guarded;
    pthread_t guard;
};
/* Begins to listen. `where`: a port (0: any that is free), or, with a slash in it, the path of a
 * Unix socket (mode 0600). A socket of this user on which no process listens is replaced. */
enum dpk_status dpk_listen(const char *where, struct dpk_listener *out, struct dpk_error *err);
/* Returns the connection of the next client that is this user or root. -1: there will be none. A
 * client that does not read for 10 seconds is disconnected. Other users are refused; `refused` (may
 * be NULL) is called for the first, second, fourth, eighth, ... of them. */
int dpk_accept(struct dpk_listener *l, void (*refused)(void *context, const char *why),
               void *context);
/* For programs that signals end: from now on these signals remove the socket first. Must be called
 * before there are threads that receive signals. `l` must not move until it is closed. */
enum dpk_status dpk_listener_guard(struct dpk_listener *l, struct dpk_error *err);
/* Stops listening, and removes the socket unless another one has replaced it. */
void dpk_listener_close(struct dpk_listener *l);
/* Checks that the other end of a connection is a program of this user, or of root, on this machine.
 * DPK_ERR_REFUSED: it is not; the message describes it ("a client of user 1001, ..."). */
enum dpk_status dpk_peer_check(int fd, struct dpk_error *err);

/* ---- Finding processes ----
 * A process that uses the DPA listens on the Unix socket PID.dpa of the runtime directory:
 * $DPAKIT_RUNTIME, or $XDG_RUNTIME_DIR/dpakit, or /tmp/dpakit-UID, mode 0700. A client sends one
 * line and reads the answer:
 *     list             a line of JSON for each DPA process, then the end
 *     find TOKEN DIRECTORY   "yes" or "no": whether a process on the device in DIRECTORY
 *                            (dpk_device_directory) has this token (hexadecimal)
 *     debug TOKEN DIRECTORY  "yes", then GDB's remote protocol; else a line that says why not */

/* Connects to one process after the other, in the order of pids, until `visit` returns false.
 * `visit` owns `fd`. */
enum dpk_status dpk_peers_each(bool (*visit)(void *context, int fd), void *context,
                               struct dpk_error *err);
bool dpk_peer_say(int fd, const char *text, size_t size);
/* Reads one line, without its end. False: the other end sent no whole line, or more than fits. */
bool dpk_peer_line(int fd, char *line, size_t size);

#endif
