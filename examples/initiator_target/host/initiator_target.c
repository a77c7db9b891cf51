/* The initiator sends four messages over two connections; the target receives them one after the
 * other. In one process, or in two that exchange connection details through a Unix socket. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../common/dpa_rdma.h"
#include "../common/initiator_target.h"

#define CONNECTIONS 2
#define FIRST       10 /* the immediates are 10, 11, ... */
#define EXPECTED    (MESSAGES * FIRST + MESSAGES * (MESSAGES - 1) / 2)
#define DETAILS_MAX 256

extern struct doca_dpa_app *initiator_target_app;
extern doca_dpa_func_t thread1_kernel, thread2_kernel;
extern doca_dpa_func_t rdma_post_receive_rpc, rdma_post_send_imm_rpc, wait_for_sends_rpc;

/* ---- The target ---- */

struct target {
    struct end end;
    struct doca_dpa_thread *second;
    struct doca_dpa_notification_completion *notification;
    struct doca_sync_event *event;
    struct doca_mmap *map;
    doca_dpa_dev_uintptr_t arguments[2], buffer;
    struct thread1_arg arg;
};

static void second_thread_open(struct target *t, const struct dpa *d)
{
    struct thread2_arg arg = {.expected = EXPECTED};
    doca_dpa_dev_sync_event_t event;
    t->event = event_open(d, &event);
    arg.event = event;
    MUST(doca_dpa_mem_alloc(d->dpa, sizeof arg, &t->arguments[1]));
    MUST(doca_dpa_h2d_memcpy(d->dpa, t->arguments[1], &arg, sizeof arg));
    MUST(doca_dpa_thread_create(d->dpa, &t->second));
    MUST(doca_dpa_thread_set_func_arg(t->second, &thread2_kernel, t->arguments[1]));
    MUST(doca_dpa_thread_start(t->second));
    MUST(doca_dpa_notification_completion_create(d->dpa, t->second, &t->notification));
    MUST(doca_dpa_notification_completion_start(t->notification));
}

static void target_open(struct target *t, const struct dpa *d)
{
    doca_dpa_dev_notification_completion_t notification;
    doca_dpa_dev_mmap_t map;
    uint64_t result;
    second_thread_open(t, d);
    MUST(doca_dpa_notification_completion_get_dpa_handle(t->notification, &notification));
    MUST(doca_dpa_mem_alloc(d->dpa, sizeof t->arg, &t->arguments[0]));
    MUST(doca_dpa_mem_alloc(d->dpa, sizeof(uint64_t), &t->buffer));
    end_open(&t->end, d, &thread1_kernel, t->arguments[0], 0, CONNECTIONS);
    t->map = map_dpa(d, t->buffer, sizeof(uint64_t), &map);
    t->arg = (struct thread1_arg){.dpa = d->handle,
                                  .rdma = t->end.rdma_handle,
                                  .completion = t->end.completion_handle,
                                  .notification = notification,
                                  .map = map,
                                  .address = t->buffer,
                                  .length = sizeof(uint64_t)};
    MUST(doca_dpa_h2d_memcpy(d->dpa, t->arguments[0], &t->arg, sizeof t->arg));
    MUST(doca_dpa_thread_run(t->end.thread));
    MUST(doca_dpa_thread_run(t->second));
    MUST(doca_dpa_rpc(d->dpa, &rdma_post_receive_rpc, &result, d->handle, t->end.rdma_handle,
                      t->buffer, map, (uint64_t)sizeof(uint64_t)));
}

static int target_wait(struct target *t)
{
    uint64_t value = 0;
    MUST(doca_sync_event_wait_gt(t->event, EXPECTED - 1, UINT64_MAX));
    MUST(doca_sync_event_get(t->event, &value));
    printf("target: %d messages, %s\n", MESSAGES,
           value == EXPECTED ? "all as they were sent" : "not as they were sent");
    return value == EXPECTED ? 0 : 1;
}

static void target_close(struct target *t, const struct dpa *d)
{
    end_close(&t->end);
    MUST(doca_dpa_notification_completion_destroy(t->notification));
    MUST(doca_dpa_thread_destroy(t->second));
    MUST(doca_mmap_destroy(t->map));
    MUST(doca_sync_event_destroy(t->event));
    for (int i = 0; i < 2; i++)
        MUST(doca_dpa_mem_free(d->dpa, t->arguments[i]));
    MUST(doca_dpa_mem_free(d->dpa, t->buffer));
}

/* ---- The initiator ---- */

/* Sends are posted at once; three of four wait for the target's next receive. */
static int initiate(const struct dpa *d, struct end *e)
{
    static uint64_t value = 42;
    doca_dpa_dev_mmap_t handle;
    uint64_t result = 0;
    struct doca_mmap *map = map_host(d, &value, sizeof value, &handle);
    for (uint32_t i = 0; i < MESSAGES; i++)
        MUST(doca_dpa_rpc(d->dpa, &rdma_post_send_imm_rpc, &result, d->handle, e->rdma_handle,
                          i % CONNECTIONS, &value, handle, (uint64_t)sizeof value, FIRST + i));
    MUST(doca_dpa_rpc(d->dpa, &wait_for_sends_rpc, &result, e->completion_handle, MESSAGES));
    MUST(doca_mmap_destroy(map));
    printf("initiator: %d messages %s\n", MESSAGES, result == 0 ? "sent" : "not sent");
    return result == 0 ? 0 : 1;
}

/* ---- Two processes ---- */

static int meet(const char *path, int is_target)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    if (is_target) {
        if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1) != 0)
            give_up(path, DOCA_ERROR_OPERATING_SYSTEM);
        int peer = accept(fd, NULL, NULL);
        close(fd);
        unlink(path);
        return peer;
    }
    for (int i = 0; i < 6000; i++) { /* the target may not be there yet */
        if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
            return fd;
        usleep(10000);
    }
    give_up(path, DOCA_ERROR_TIME_OUT);
}

static void connect_by(int fd, struct end *e)
{
    struct doca_rdma_connection *connection;
    const void *ours;
    size_t size;
    char theirs[DETAILS_MAX];
    for (int i = 0; i < CONNECTIONS; i++) {
        MUST(doca_rdma_export(e->rdma, &ours, &size, &connection));
        ssize_t sent = send(fd, ours, size, 0), got = recv(fd, theirs, sizeof theirs, 0);
        if (sent < 0 || got <= 0)
            give_up("connect", DOCA_ERROR_CONNECTION_ABORTED);
        MUST(doca_rdma_connect(e->rdma, theirs, (size_t)got, connection));
    }
}

/* Neither goes before the other has finished. */
static void part(int fd)
{
    char byte = 0;
    if (send(fd, &byte, 1, 0) == 1)
        (void)!recv(fd, &byte, 1, 0);
    close(fd);
}

static int be_target(const struct dpa *d, const char *path)
{
    static struct target t;
    target_open(&t, d);
    int fd = meet(path, 1);
    connect_by(fd, &t.end);
    int bad = target_wait(&t);
    part(fd);
    target_close(&t, d);
    return bad;
}

static int be_initiator(const struct dpa *d, const char *path)
{
    struct end e;
    end_open(&e, d, NULL, 0, 0, CONNECTIONS);
    int fd = meet(path, 0);
    connect_by(fd, &e);
    int bad = initiate(d, &e);
    part(fd);
    end_close(&e);
    return bad;
}

static int be_both(const struct dpa *d)
{
    static struct target t;
    struct end e;
    target_open(&t, d);
    end_open(&e, d, NULL, 0, 0, CONNECTIONS);
    for (int i = 0; i < CONNECTIONS; i++)
        end_connect(&e, &t.end);
    int bad = initiate(d, &e);
    bad |= target_wait(&t);
    end_close(&e);
    target_close(&t, d);
    return bad;
}

int main(int argc, char **argv)
{
    struct dpa d;
    int bad;
    const char *role = argc == 4 ? argv[2] : "both";
    if ((argc != 2 && argc != 4) ||
        (argc == 4 && strcmp(role, "target") != 0 && strcmp(role, "initiator") != 0)) {
        fprintf(stderr, "usage: %s DEVICE [target|initiator SOCKET]\n", argv[0]);
        return 2;
    }
    dpa_open(&d, argv[1], initiator_target_app);
    if (argc == 2)
        bad = be_both(&d);
    else
        bad = role[0] == 't' ? be_target(&d, argv[3]) : be_initiator(&d, argv[3]);
    dpa_close(&d);
    return bad;
}
