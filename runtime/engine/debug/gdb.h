/* Private to debug: a connection with GDB, without the descriptors that its bytes come from. */
#ifndef DPK_ENGINE_DEBUG_GDB_H
#define DPK_ENGINE_DEBUG_GDB_H

#include "engine/debug/debug.h"

enum { GDB_PACKET_MAX = 0x4000, GDB_THREADS_MAX = 1024 };

struct gdb {
    const struct dpk_debug_ops *ops;
    void *target;
    struct dpk_buf out;  /* bytes for the client; the caller takes them */
    struct dpk_buf body; /* of the answer that is being made */
    struct dpk_buf last; /* the last answer, framed, to be sent again if the client asks for it */
    enum { GDB_IDLE, GDB_BODY, GDB_SUM_HIGH, GDB_SUM_LOW } state;
    char packet[GDB_PACKET_MAX + 1];
    size_t length; /* beyond GDB_PACKET_MAX: the packet is too long */
    uint8_t sum, said_sum;
    bool no_ack;
    bool begun;    /* the client has sent a byte */
    bool stranger; /* GDB does not begin with this byte */
    bool running;
    bool over;              /* the connection ends */
    unsigned thread;        /* the thread of g, G, p, P; 0: the first */
    unsigned step_thread;   /* the thread of the old s and c */
    struct dpk_stop reason; /* why the target has stopped */
    const char *why;        /* why the client may not do everything; NULL: it may */
    bool untold;            /* a change was refused, and GDB has not shown the reason */
};

void gdb_begin(struct gdb *g, const struct dpk_debug_ops *ops, void *target);
void gdb_end(struct gdb *g);

/* Takes bytes of the client and carries out the packets that they complete. */
void gdb_feed(struct gdb *g, const void *bytes, size_t size);
/* Tells the client, if it waits, that the target has stopped. */
void gdb_tell_stop(struct gdb *g);

/* ---- Answers and numbers. gdb_packet.c ---- */
void gdb_ok(struct gdb *g);
void gdb_error(struct gdb *g, int number); /* errno's numbers, as GDB prints them */
void gdb_hex(struct gdb *g, const void *bytes, size_t size);
/* The value of a hexadecimal digit, or -1. */
int gdb_digit(char c);
/* A hexadecimal number of 1 to 16 digits; *text moves behind it. */
bool gdb_number(const char **text, uint64_t *out);
/* Exactly 2 * size digits at *text, which moves behind them. */
bool gdb_unhex(const char **text, uint8_t *out, size_t size);
/* "ADDRESS,LENGTH" */
bool gdb_range(const char **text, uint64_t *address, uint64_t *length);
bool gdb_expect(const char **text, char c);
/* OK, or the error. */
void gdb_ok_or(struct gdb *g, bool done, int number);
/* Prints text on the console of GDB's user; only while GDB waits for a stop or for its command. */
void gdb_say(struct gdb *g, const char *text);
/* Frames and sends the answer that was made, empty or not. */
void gdb_send(struct gdb *g);

/* ---- The client. gdb_session.c ---- */
/* Asks for the rights of the client. Returns false if the client must be disconnected. */
bool gdb_may_stay(struct gdb *g);
/* Answers with the reason, and disconnects the client. */
void gdb_send_away(struct gdb *g);
/* Answers OK, the error, or the reason for which changes are refused. */
void gdb_changed_or(struct gdb *g, bool done, int number);
/* Says whether the target has a thread with this id. */
bool gdb_is_thread(const struct gdb *g, unsigned id);
/* The thread of g, G, p, P, or the first one. */
unsigned gdb_thread(const struct gdb *g);

/* ---- Commands. gdb.c ---- */

/* Carries out g->packet and makes the answer. */
void gdb_command(struct gdb *g);

/* Packets g, G, p, P, m, M, X, Z and z. gdb_state.c */
void gdb_read_registers(struct gdb *g);
void gdb_write_registers(struct gdb *g, const char *text);
void gdb_read_register(struct gdb *g, const char *text);
void gdb_write_register(struct gdb *g, const char *text);
void gdb_read_memory(struct gdb *g, const char *text);
void gdb_write_memory(struct gdb *g, const char *text);
void gdb_write_binary(struct gdb *g, const char *text, const char *end);
void gdb_set_point(struct gdb *g, const char *text, bool on);

/* q packets. gdb_query.c */
void gdb_query(struct gdb *g, const char *text);

#endif
