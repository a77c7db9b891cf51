/* The programs that one thread of a server serves. Private to this room. */
#ifndef DPK_RDMA_PACING_PROGRAMS_H
#define DPK_RDMA_PACING_PROGRAMS_H

#include <sys/queue.h>

#include "private.h"

struct program;
struct flow;

struct programs {
    const struct dpk_rates_options *options;
    unsigned worker;
    int epoll;
    struct file *file;
    TAILQ_HEAD(, program) list;
};

#define CHUNK 64u /* number of flows whose memory is allocated together */

struct program {
    TAILQ_ENTRY(program) link;
    int fd;
    uint32_t process;
    bool greeted;
    struct rings rings; /* when it is */
    struct flow *chunks[DPK_RATES_FLOWS / CHUNK];
};

/* Clears the statistics. */
void pacing_statistics_clear(struct file *f);

/* Creates a program that has connected and has not sent a greeting. It owns the socket. Returns NULL if
 * memory is exhausted. */
struct program *pacing_program_new(int fd);
/* Removes a program from the list and frees it. */
void pacing_program_free(struct programs *of, struct program *p);
void pacing_programs_free(struct programs *of);
/* Reads messages from the socket. Returns false if the program is gone, or sent an invalid message. */
bool pacing_program_hear(struct programs *of, struct program *p);
/* Delivers the last events of a program that is gone, and frees it. Returns false if the owner can
 * receive no more events. */
bool pacing_program_end(struct programs *of, struct program *p);
/* Delivers events of all programs to the owner. Returns 1 if there were events, 0 if not, -1 if the
 * owner can receive no more events. */
int pacing_programs_serve(struct programs *of);
/* Switches polling of all rings by the thread on or off. */
void pacing_programs_poll(struct programs *of, bool polled);

#endif
