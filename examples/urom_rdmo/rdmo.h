/* What the target and the initiator of this example share. */
#ifndef RDMO_EXAMPLE_H
#define RDMO_EXAMPLE_H

#include <doca_urom_rdmo.h>
#include <stddef.h>
#include <stdint.h>
#include <ucp/api/ucp.h>

#define CLIENT_ID   1
#define MEMORY_SIZE 4096
#define QUEUE_AT    64 /* the records begin here; the first word of the memory points behind them */
#define PIECES_AT   2048 /* scattered pieces go here */

/* What the target tells the initiator. */
struct place {
    uint64_t base, rkey;
};

/* A UCX worker and its address. */
struct peer {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;
    size_t address_size;
};

void fail(const char *what);
void peer_open(struct peer *p);
void peer_close(struct peer *p);
/* Waits for a UCX request. */
void peer_await(struct peer *p, void *request, const char *what);
/* Over the socket: bytes of fixed size; bytes with their size, which the caller frees. */
void say(int fd, const void *bytes, size_t size);
void hear(int fd, void *bytes, size_t size);
void say_bytes(int fd, const void *bytes, uint64_t size);
void *hear_bytes(int fd, uint64_t *size);

int run_target(const char *device, const char *port);
int run_initiator(const char *host, const char *port);

#endif
