/*
 * comch: channels between programs of the host and programs of the DPU, of one user. A server has a
 * name in the folder of a card; clients find it there.
 *
 *     struct dpk_comch_server *s;                             // the DPU's program
 *     dpk_comch_listen(folder, "echo", &s, &err);
 *     int fd = dpk_comch_accept(s);                           // poll dpk_comch_server_fd
 *
 *     dpk_comch_call(folder, "echo", &fd, &err);              // the host's
 *     dpk_comch_say(fd, DPK_COMCH_HELLO, 4080, name, size);
 *
 *     uint8_t room[DPK_COMCH_ROOM];  struct dpk_comch_word w; // both
 *     while (dpk_comch_hear(fd, room, &w) == DPK_COMCH_HEARD) ...
 *
 * A connection is a socket. It carries words: the greetings, messages, and news of consumers. A
 * consumer is a place that takes data: a ring in memory without a name, which its process makes and
 * passes over the socket, and which the peer's producers write.
 *
 *     int fd = dpk_pipe_new(&r);  dpk_comch_say_memory(socket, id, imm_room, fd);  // consumer
 *     dpk_pipe_post(&r, 1);                                   // it has room for one message more
 *     while (dpk_pipe_next(&r, &part) == RING_GOOD) ...  dpk_pipe_took(&r, &part);
 *
 *     dpk_pipe_open(&r, fd);                                  // producer
 *     if (dpk_pipe_posted(&r, &n) == RING_GOOD && (to = dpk_pipe_room(&r, &head, &state)))
 *         ... fill `to` ..., dpk_pipe_put(&r, &head, imm), dpk_pipe_use_post(&r);
 *
 * Nothing that the peer says or writes is trusted: words and heads are copied, then checked. When a
 * process ends, its sockets and memory go with it. The file of a server that was killed stays until
 * somebody calls that name, or a client of it hangs up.
 */
#ifndef DPK_BUS_COMCH_COMCH_H
#define DPK_BUS_COMCH_COMCH_H

#include "base/base.h"
#include "bus/ring/ring.h"

#define DPK_COMCH_NAME_MAX    120u  /* bytes of a server's name */
#define DPK_COMCH_MESSAGE_MAX 4080u /* bytes of a message */

/* ---- Servers and their names ---- */

struct dpk_comch_server;

/* Opens a server in a folder that is there. DPK_ERR_EXISTS: there is one of that name, in this or
 * another process. DPK_ERR_IO: the folder cannot be written to. DPK_ERR_NOMEM. */
enum dpk_status dpk_comch_listen(const char *folder, const char *name,
                                 struct dpk_comch_server **out, struct dpk_error *err);
/* NULL is fine. */
void dpk_comch_close(struct dpk_comch_server *s);
/* It can be read when somebody calls. */
int dpk_comch_server_fd(const struct dpk_comch_server *s);
/* The socket of who called, a process of this user or of root; -1: nobody did. It does not wait. */
int dpk_comch_accept(struct dpk_comch_server *s);

/* A socket to the server of that name. DPK_ERR_NOT_FOUND: there is none. DPK_ERR_IO: it cannot be
 * reached, or has no place for another call now. */
enum dpk_status dpk_comch_call(const char *folder, const char *name, int *fd,
                               struct dpk_error *err);
/* Removes what a server of that name left when it was killed; one that lives stays. */
void dpk_comch_tidy(const char *folder, const char *name);

/* ---- Words ---- */

enum dpk_comch_kind {
    DPK_COMCH_HELLO =
        1,              /* of a client: the size of its largest message; bytes: the server's name */
    DPK_COMCH_WELCOME,  /* of a server: the same of it */
    DPK_COMCH_MESSAGE,  /* bytes: a message */
    DPK_COMCH_CONSUMER, /* a new consumer, its number; bytes: its room for immediate data (32 bits);
                            with memory */
    DPK_COMCH_EXPIRED,  /* a consumer has gone, its number */
};

struct dpk_comch_word {
    enum dpk_comch_kind kind;
    uint32_t value;
    const uint8_t *bytes; /* in the caller's room */
    uint32_t size;
    int memory; /* of CONSUMER: a descriptor, which is the caller's from then on; else -1 */
};

#define DPK_COMCH_VERSION 1u
#define DPK_COMCH_ROOM    (8u + DPK_COMCH_MESSAGE_MAX) /* bytes that hearing needs */

enum dpk_comch_said {
    DPK_COMCH_SAID,
    DPK_COMCH_FULL, /* the peer has not heard enough yet */
    DPK_COMCH_GONE, /* there is no peer any more */
};
/* Says a word of at most DPK_COMCH_MESSAGE_MAX bytes; it does not wait. */
enum dpk_comch_said dpk_comch_say(int fd, enum dpk_comch_kind kind, uint32_t value,
                                  const void *bytes, size_t size);
/* A new consumer. `memory` stays the caller's. */
enum dpk_comch_said dpk_comch_say_memory(int fd, uint32_t id, uint32_t imm_room, int memory);

enum dpk_comch_heard {
    DPK_COMCH_HEARD,
    DPK_COMCH_NOTHING, /* so far */
    DPK_COMCH_HUNG_UP,
    DPK_COMCH_BROKEN, /* what came is no word */
};
/* Hears the next word; it does not wait. What a word must have, it has; its numbers are any. */
enum dpk_comch_heard dpk_comch_hear(int fd, uint8_t room[DPK_COMCH_ROOM], struct dpk_comch_word *w);
/* Whether the peer has hung up; what it said before may not be heard yet. */
bool dpk_comch_has_hung_up(int fd);

/* ---- Pipes: the memory of a consumer ---- */

#define DPK_PIPE_IMM_MAX   32u    /* bytes of immediate data */
#define DPK_PIPE_PART_MAX  65536u /* bytes of data in a part of a message */
#define DPK_PIPE_POSTS_MAX 8192u  /* messages that a consumer may have room for at once */

/* What is before a part, in the byte order of the machine. */
struct dpk_pipe_head {
    uint32_t size; /* bytes of data in this part */
    uint32_t producer;
    uint8_t imm_size; /* bytes of immediate data in this part: of the last one alone */
    uint8_t flags;    /* DPK_PIPE_... */
    uint8_t zero[6];
};
enum {
    DPK_PIPE_LAST = 1,    /* the message ends here */
    DPK_PIPE_ABANDON = 2, /* it will not go on; with LAST */
};

struct dpk_pipe_part {
    struct dpk_pipe_head head;
    const uint8_t *data; /* in memory that the peer may still write */
    uint8_t imm[DPK_PIPE_IMM_MAX];
    uint32_t place; /* for dpk_pipe_took */
};

/* New memory for a consumer, and its descriptor. -1: errno says why. */
int dpk_pipe_new(struct rings *r);
/* Maps the memory that a consumer passed; `fd` stays the caller's. False: it is no such memory. */
bool dpk_pipe_open(struct rings *r, int fd);

/* The consumer's side: it has room for `count` messages more, DPK_PIPE_POSTS_MAX in all. */
void dpk_pipe_post(struct rings *r, uint32_t count);
/* The next part, checked. RING_BAD: the peer broke the protocol. */
enum ring_state dpk_pipe_next(struct rings *r, struct dpk_pipe_part *part);
void dpk_pipe_took(struct rings *r, const struct dpk_pipe_part *part);
/* Whether dpk_pipe_next would find something, for any thread. */
bool dpk_pipe_has_part(const struct rings *r);

/* The producers' side: how many messages the consumer has room for, at least. RING_WAIT: none. */
enum ring_state dpk_pipe_posted(struct rings *r, uint32_t *count);
/* One of them has been begun. */
void dpk_pipe_use_post(struct rings *r);
/* Where the data of a part goes that has this head. NULL: *state says why. */
uint8_t *dpk_pipe_room(struct rings *r, const struct dpk_pipe_head *head, enum ring_state *state);
/* Puts the part there; its data is in place already. */
void dpk_pipe_put(struct rings *r, const struct dpk_pipe_head *head, const uint8_t *imm);

#endif
