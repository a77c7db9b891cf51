/*
 * comch: channels between host programs and DPU programs of one user. A server has a name in the
 * folder of a card, where clients find it.
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
 * A connection is a socket. It carries words: greetings, messages, and changes of consumers. A
 * consumer receives data in a ring. Its process makes the ring in anonymous memory and passes it
 * over the socket; the peer's producers write it.
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
 * process ends, its sockets and memory go with it. The file of a killed server stays until a client
 * calls that name, or a client of the server hangs up.
 */
#ifndef DPK_BUS_COMCH_COMCH_H
#define DPK_BUS_COMCH_COMCH_H

#include "base/base.h"
#include "bus/ring/ring.h"

#define DPK_COMCH_NAME_MAX    120u  /* maximum bytes of a server's name */
#define DPK_COMCH_MESSAGE_MAX 4080u /* maximum bytes of a message */

/* ---- Servers and their names ---- */

struct dpk_comch_server;

/* Opens a server in an existing folder. Errors: DPK_ERR_EXISTS if this or another process has a
 * server of that name, DPK_ERR_IO if the folder cannot be written, DPK_ERR_NOMEM. */
enum dpk_status dpk_comch_listen(const char *folder, const char *name,
                                 struct dpk_comch_server **out, struct dpk_error *err);
/* NULL is allowed. */
void dpk_comch_close(struct dpk_comch_server *s);
/* Returns a descriptor that is readable when a client calls. */
int dpk_comch_server_fd(const struct dpk_comch_server *s);
/* Returns the socket of a client that called, a process of this user or of root; -1 if there is
 * none. It does not wait. */
int dpk_comch_accept(struct dpk_comch_server *s);

/* Connects to the server of that name. Errors: DPK_ERR_NOT_FOUND if it does not exist, DPK_ERR_IO
 * if it cannot be reached, or its queue of calls is full. */
enum dpk_status dpk_comch_call(const char *folder, const char *name, int *fd,
                               struct dpk_error *err);
/* Removes the file that a killed server of that name left. A running server keeps its file. */
void dpk_comch_tidy(const char *folder, const char *name);

/* ---- Words ---- */

enum dpk_comch_kind {
    DPK_COMCH_HELLO =
        1,              /* from a client: its maximum message size; bytes: the server's name */
    DPK_COMCH_WELCOME,  /* from a server: its maximum message size */
    DPK_COMCH_MESSAGE,  /* bytes: a message */
    DPK_COMCH_CONSUMER, /* number of a new consumer; bytes: its limit for immediate data (32 bits);
                         * with memory */
    DPK_COMCH_EXPIRED,  /* number of a consumer that is gone */
};

struct dpk_comch_word {
    enum dpk_comch_kind kind;
    uint32_t value;
    const uint8_t *bytes; /* in the caller's buffer */
    uint32_t size;
    int memory; /* of CONSUMER: a descriptor, which the caller then owns; else -1 */
};

#define DPK_COMCH_VERSION 1u
#define DPK_COMCH_ROOM    (8u + DPK_COMCH_MESSAGE_MAX) /* bytes of the buffer for dpk_comch_hear */

enum dpk_comch_said {
    DPK_COMCH_SAID,
    DPK_COMCH_FULL, /* the peer must first receive earlier words */
    DPK_COMCH_GONE, /* the peer is gone */
};
/* Sends a word of at most DPK_COMCH_MESSAGE_MAX bytes. It does not wait. */
enum dpk_comch_said dpk_comch_say(int fd, enum dpk_comch_kind kind, uint32_t value,
                                  const void *bytes, size_t size);
/* Announces a new consumer. `memory` stays the caller's. */
enum dpk_comch_said dpk_comch_say_memory(int fd, uint32_t id, uint32_t imm_room, int memory);

enum dpk_comch_heard {
    DPK_COMCH_HEARD,
    DPK_COMCH_NOTHING, /* no word has arrived */
    DPK_COMCH_HUNG_UP,
    DPK_COMCH_BROKEN, /* the received bytes are not a word */
};
/* Receives the next word. It does not wait. The word's form is checked; its numbers are not. */
enum dpk_comch_heard dpk_comch_hear(int fd, uint8_t room[DPK_COMCH_ROOM], struct dpk_comch_word *w);
/* Returns true if the peer has hung up. Earlier words of the peer may not be received yet. */
bool dpk_comch_has_hung_up(int fd);

/* ---- Pipes: the memory of a consumer ---- */

#define DPK_PIPE_IMM_MAX   32u    /* maximum bytes of immediate data */
#define DPK_PIPE_PART_MAX  65536u /* maximum bytes of data in a part of a message */
#define DPK_PIPE_POSTS_MAX 8192u  /* maximum number of posted messages of a consumer */

/* Header of a part, in the byte order of the machine. */
struct dpk_pipe_head {
    uint32_t size; /* bytes of data in this part */
    uint32_t producer;
    uint8_t imm_size; /* bytes of immediate data in this part; only in the last part */
    uint8_t flags;    /* DPK_PIPE_... */
    uint8_t zero[6];
};
enum {
    DPK_PIPE_LAST = 1,    /* the message ends with this part */
    DPK_PIPE_ABANDON = 2, /* the message is abandoned; with LAST */
};

struct dpk_pipe_part {
    struct dpk_pipe_head head;
    const uint8_t *data; /* in memory that the peer can still change */
    uint8_t imm[DPK_PIPE_IMM_MAX];
    uint32_t place; /* for dpk_pipe_took */
};

/* Makes memory for a consumer. Returns its descriptor, or -1 with errno. */
int dpk_pipe_new(struct rings *r);
/* Maps the memory that a consumer passed; `fd` stays the caller's. Returns false if it is not such
 * memory. */
bool dpk_pipe_open(struct rings *r, int fd);

/* For the consumer: allows `count` more messages, DPK_PIPE_POSTS_MAX in all. */
void dpk_pipe_post(struct rings *r, uint32_t count);
/* Gets the next part, checked. RING_BAD: the peer broke the protocol. */
enum ring_state dpk_pipe_next(struct rings *r, struct dpk_pipe_part *part);
void dpk_pipe_took(struct rings *r, const struct dpk_pipe_part *part);
/* Returns true if dpk_pipe_next would find a part. Any thread may call this. */
bool dpk_pipe_has_part(const struct rings *r);

/* For producers: gets how many messages the consumer allows, at least. RING_WAIT: none. */
enum ring_state dpk_pipe_posted(struct rings *r, uint32_t *count);
/* Counts the start of an allowed message. */
void dpk_pipe_use_post(struct rings *r);
/* Returns the place for the data of a part with this head. NULL, with the reason in *state. */
uint8_t *dpk_pipe_room(struct rings *r, const struct dpk_pipe_head *head, enum ring_state *state);
/* Publishes the part; its data must be in place already. */
void dpk_pipe_put(struct rings *r, const struct dpk_pipe_head *head, const uint8_t *imm);

#endif
