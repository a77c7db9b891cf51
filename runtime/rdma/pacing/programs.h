/* The programs that one thread of a server serves. Private to rates. */
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

#define CHUNK 64u /* flows that get their memory together */

struct program {
    TAILQ_ENTRY(program) link;
    int fd;
    uint32_t process;
    bool greeted;
    struct rings rings; /* when it is */
    struct flow *chunks[DPK_RATES_FLOWS / CHUNK];
};

/* Statistics of no server. */
void statistics_clear(struct file *f);

/* One that has connected, and has not said hello. It owns the socket. NULL: out of memory. */
struct program *program_new(int fd);
/* Takes it out of the list. */
void program_free(struct programs *of, struct program *p);
void programs_free(struct programs *of);
/* Reads what came by the socket. False: it is gone, or not what it should be. */
bool program_hear(struct programs *of, struct program *p);
/* It is gone: gives what it has told until then, and frees it. False: no more events can be given. */
bool program_end(struct programs *of, struct program *p);
/* Gives events of all programs to the owner. Returns whether there were any; -1: no more can be
 * given. */
int programs_serve(struct programs *of);
/* The thread looks at all rings again and again, or not any more. */
void programs_poll(struct programs *of, bool polled);

#endif
