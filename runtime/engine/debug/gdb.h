/* Private to debug: a connection with GDB, independent of file descriptors. */
#ifndef DPK_ENGINE_DEBUG_GDB_H
#define DPK_ENGINE_DEBUG_GDB_H

#include "engine/debug/debug.h"

enum { GDB_PACKET_MAX = 0x4000, GDB_THREADS_MAX = 1024 };

struct gdb {
    const struct dpk_debug_ops *ops;
    void *target;
    struct dpk_buf out;  /* bytes for the client; the caller sends them */
    struct dpk_buf body; /* the answer under construction */
    struct dpk_buf last; /* the last answer with its frame, kept in case the client asks for it
                          * again */
    enum { GDB_IDLE, GDB_BODY, GDB_SUM_HIGH, GDB_SUM_LOW } state;
    char packet[GDB_PACKET_MAX + 1];
    size_t length; /* beyond GDB_PACKET_MAX: the packet is too long */
    uint8_t sum, said_sum;
    bool no_ack;
    bool begun;    /* the client has sent at least a byte */
    bool stranger; /* the first byte is not GDB's */
    bool running;
    bool over;              /* the connection must end */
    unsigned thread;        /* thread for g, G, p, P; 0: the first */
    unsigned step_thread;   /* thread for the old packets s and c */
    struct dpk_stop reason; /* why the target has stopped */
    const char *why;        /* why the client may not do everything; NULL if it may */
    bool untold;            /* a change was refused, and GDB has not shown the reason yet */
};

void debug_gdb_begin(struct gdb *g, const struct dpk_debug_ops *ops, void *target);
void debug_gdb_end(struct gdb *g);

/* Takes bytes from the client and executes the packets that they complete. */
void debug_gdb_feed(struct gdb *g, const void *bytes, size_t size);
/* Reports to the client, if it waits, that the target has stopped. */
void debug_gdb_tell_stop(struct gdb *g);

/* ---- Answers and numbers. gdb_packet.c ---- */
void debug_gdb_ok(struct gdb *g);
void debug_gdb_error(struct gdb *g, int number); /* number: an errno value, which GDB prints */
void debug_gdb_hex(struct gdb *g, const void *bytes, size_t size);
/* Returns the value of a hexadecimal digit, or -1. */
int debug_gdb_digit(char c);
/* Reads a hexadecimal number of 1 to 16 digits; *text moves past it. */
bool debug_gdb_number(const char **text, uint64_t *out);
/* Reads exactly 2 * size digits at *text, which moves past them. */
bool debug_gdb_unhex(const char **text, uint8_t *out, size_t size);
/* Reads "ADDRESS,LENGTH". */
bool debug_gdb_range(const char **text, uint64_t *address, uint64_t *length);
bool debug_gdb_expect(const char **text, char c);
/* Answers OK, or the error. */
void debug_gdb_ok_or(struct gdb *g, bool done, int number);
/* Prints text on the console of GDB's user. GDB accepts it only while it waits for a stop or for
 * its command. */
void debug_gdb_say(struct gdb *g, const char *text);
/* Frames and sends the answer, which may be empty. */
void debug_gdb_send(struct gdb *g);

/* ---- The client. gdb_session.c ---- */
/* Gets the client's rights. Returns false if the client must be disconnected. */
bool debug_gdb_may_stay(struct gdb *g);
/* Answers with the reason, and disconnects the client. */
void debug_gdb_send_away(struct gdb *g);
/* Answers OK, the error, or the reason why changes are refused. */
void debug_gdb_changed_or(struct gdb *g, bool done, int number);
/* Returns true if the target has a thread with this id. */
bool debug_gdb_is_thread(const struct gdb *g, unsigned id);
/* Returns the thread for g, G, p, P, or the first thread. */
unsigned debug_gdb_thread(const struct gdb *g);

/* ---- Commands. gdb.c ---- */

/* Executes g->packet and makes the answer. */
void debug_gdb_command(struct gdb *g);

/* Packets g, G, p, P, m, M, X, Z and z (gdb_state.c). */
void debug_gdb_read_registers(struct gdb *g);
void debug_gdb_write_registers(struct gdb *g, const char *text);
void debug_gdb_read_register(struct gdb *g, const char *text);
void debug_gdb_write_register(struct gdb *g, const char *text);
void debug_gdb_read_memory(struct gdb *g, const char *text);
void debug_gdb_write_memory(struct gdb *g, const char *text);
void debug_gdb_write_binary(struct gdb *g, const char *text, const char *end);
void debug_gdb_set_point(struct gdb *g, const char *text, bool on);

/* Packets that start with q (debug_gdb_query.c). */
void debug_gdb_query(struct gdb *g, const char *text);

#endif
