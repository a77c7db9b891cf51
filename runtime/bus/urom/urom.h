/*
 * urom: messages between host programs, the service of a DPU and its workers, over a connection of
 * comch. A message has a kind and up to 1 MiB of bytes; it is sent in as many words as it needs.
 *
 *     struct dpk_urom_channel c;
 *     dpk_urom_open(&c, fd);                          // it owns the socket
 *     struct dpk_buf *b = dpk_urom_begin(&c, DPK_UROM_QUERY);
 *     dpk_put_le64(b, cookie);
 *     dpk_put_le32(b, gid);
 *     dpk_urom_end(&c);                               // sends, or keeps what the socket cannot take
 *
 *     switch (dpk_urom_hear(&c, &m)) {
 *     case DPK_COMCH_HEARD: ... dpk_read_le64(&m.body) ...
 *
 * Messages of a peer are not trusted: this room bounds their sizes, and the reader of `body` must
 * check `failed`.
 */
#ifndef DPK_BUS_UROM_UROM_H
#define DPK_BUS_UROM_UROM_H

#include "base/base.h"
#include "bus/comch/comch.h"

#define DPK_UROM_SERVER      "doca_urom" /* name of the service's comch server */
#define DPK_UROM_VERSION     1u
#define DPK_UROM_MESSAGE_MAX (UINT32_C(1) << 20)
#define DPK_UROM_BODY_MAX    (DPK_UROM_MESSAGE_MAX + 65536u) /* with the fields around the bytes */
#define DPK_UROM_KEPT_MAX    (UINT32_C(8) << 20) /* most bytes that wait until the peer reads */
#define DPK_UROM_PLUGINS_MAX 64u
#define DPK_UROM_NAME_MAX    48u
#define DPK_UROM_CPUS        128u /* bytes of a set of processors */
#define DPK_UROM_ENV_MAX     65536u

/* Kinds of messages, with their bodies. A text consists of its size (32 bits) and its bytes. */
enum dpk_urom_kind {
    DPK_UROM_HELLO = 1, /* from a program: version (32) */
    DPK_UROM_WELCOME, /* version (32), processors, number of plugins (32), each: id, version, name */
    DPK_UROM_REFUSED, /* doca_error_t (32), text; then the sender hangs up */
    DPK_UROM_QUERY,   /* cookie, group (32) */
    DPK_UROM_ANSWER,  /* cookie, number (32), ids */
    DPK_UROM_WORKER,  /* the first message of a program that wants a worker: struct dpk_urom_wish */
    DPK_UROM_READY,   /* from a worker: id, number (32), each: plugin's id, address (text) */
    DPK_UROM_COMMAND, /* plugin's id, cookie, bytes */
    DPK_UROM_NOTIFY,  /* plugin's id, cookie, doca_error_t (32), bytes */
    DPK_UROM_JOIN,    /* cookie, a domain */
    DPK_UROM_JOINED,  /* cookie, doca_error_t (32) */
    DPK_UROM_LEAVE,   /* cookie */
    DPK_UROM_BYE,     /* asks the worker to end */
    DPK_UROM_EXITED,  /* from the service, which then hangs up: text, why a worker ended */
};

struct dpk_urom_channel {
    int fd;
    struct dpk_buf in;  /* the message that arrives */
    struct dpk_buf out; /* words that wait to be sent: value, size, bytes */
    size_t out_at, begun;
    uint32_t left; /* bytes of the message that have not arrived yet */
    uint8_t room[DPK_COMCH_ROOM];
};
struct dpk_urom_message {
    enum dpk_urom_kind kind;
    struct dpk_reader body; /* valid until the next call of dpk_urom_hear */
};

/* Starts a channel over a socket. */
void dpk_urom_open(struct dpk_urom_channel *c, int fd);
/* Closes the socket and frees messages that wait. */
void dpk_urom_close(struct dpk_urom_channel *c);
/* Starts a message; the caller appends its body to the result, and calls dpk_urom_end, which returns
 * false if the peer is gone, takes nothing, or memory is exhausted. */
struct dpk_buf *dpk_urom_begin(struct dpk_urom_channel *c, enum dpk_urom_kind kind);
bool dpk_urom_end(struct dpk_urom_channel *c);
/* Sends messages that wait, as far as the socket takes them. Returns false if the peer is gone. */
bool dpk_urom_flush(struct dpk_urom_channel *c);
/* Returns true if bytes wait for the socket. */
bool dpk_urom_waits(const struct dpk_urom_channel *c);
/* Gets the next message. It does not wait. */
enum dpk_comch_heard dpk_urom_hear(struct dpk_urom_channel *c, struct dpk_urom_message *m);

/* Append a text, and read a text of at most `max` bytes, which the message owns. */
void dpk_urom_put_text(struct dpk_buf *b, const void *bytes, size_t size);
const uint8_t *dpk_urom_read_text(struct dpk_reader *r, size_t max, size_t *size);

/* The settings of a worker that a program asks for. */
struct dpk_urom_wish {
    uint32_t version;
    uint64_t id; /* UINT64_MAX: any */
    bool has_gid, has_cpus;
    uint32_t gid, max_size;
    uint64_t plugins;
    uint8_t cpus[DPK_UROM_CPUS];
    const uint8_t *env; /* texts "NAME=VALUE", each with its NUL */
    size_t env_size;
};
void dpk_urom_put_wish(struct dpk_buf *b, const struct dpk_urom_wish *w);
/* Returns false if the bytes are not a wish. `env` stays in the reader's bytes. */
bool dpk_urom_read_wish(struct dpk_reader *r, struct dpk_urom_wish *w);
/* Returns true if the text is "NAME=VALUE", and a host program may set that variable. */
bool dpk_urom_env_allowed(const char *text);

#endif
