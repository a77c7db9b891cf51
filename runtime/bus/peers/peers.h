/*
 * peers: sockets by which processes of one user find each other, and debuggers find a process. It
 * also checks which user is at the other end.
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
    int fd;        /* -1 if closed */
    unsigned port; /* 0 for a Unix socket */
    char path[108];
    dev_t device; /* device of the socket's file */
    ino_t inode;
    uint64_t refused; /* number of refused clients */
    bool guarded;
    pthread_t guard;
};
/* Starts to listen. `where`: a port (0: any free port), or, if it has a slash, the path of a Unix
 * socket (mode 0600). A socket of this user on which no process listens is replaced. */
enum dpk_status dpk_listen(const char *where, struct dpk_listener *out, struct dpk_error *err);
/* Returns the connection of the next client of this user or root; -1 if there will be no more. A
 * client that does not read for 10 seconds is disconnected. Other users are refused; `refused` (may
 * be NULL) is called for the first, second, fourth, eighth, ... of them. */
int dpk_accept(struct dpk_listener *l, void (*refused)(void *context, const char *why),
               void *context);
/* Makes signals that end the program remove the socket first. Call this before there are threads
 * that receive signals. `l` must not move until it is closed. */
enum dpk_status dpk_listener_guard(struct dpk_listener *l, struct dpk_error *err);
/* Stops listening, and removes the socket unless another socket has replaced it. */
void dpk_listener_close(struct dpk_listener *l);
/* Checks that the other end of a connection is a program of this user, or of root, on this machine.
 * Errors: DPK_ERR_REFUSED if it is not; the message describes it ("a client of user 1001, ..."). */
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
/* Reads one line, without its end. Returns false if the other end sent an incomplete line, or the
 * line is too long. */
bool dpk_peer_line(int fd, char *line, size_t size);

#endif
