/* Programs of two processes that exchange messages. A process is killed at some step: the other
 * process must learn this, and no object may remain. kills.c starts the pairs. A function
 * implements a way of exchanging messages. */
#ifndef TESTS_HOST_KILLS_H
#define TESTS_HOST_KILLS_H

#include <stdbool.h>
#include <stddef.h>

#include "check.h"

#define WORD_MAX 4096u /* bytes that the processes send each other at a time */

/* One of the two processes. */
struct talker {
    int fd;         /* to the other one */
    bool first;     /* of the two, exactly one is */
    unsigned steps; /* that it has done */
    unsigned end;   /* the step at which it is killed; 0: it is not */
    unsigned delay; /* how long after it, in microseconds; 0: at once */
};

/* One more thing is done. */
void step(struct talker *t);
/* Gives the other one some bytes and takes its own. False: it is dead. */
bool trade(const struct talker *t, const void *mine, size_t size, void *its, size_t *got);
/* Whether the other one is dead. */
bool is_alone(const struct talker *t);
/* Call this while the process waits. Fails if the other process has been dead for long, and no
 * error has reported it. */
void wait_a_bit(const struct talker *t);

/* Each function returns when all messages are exchanged, or when it has learned of the other
 * process's end. It frees all objects. */
void talk_by_details(struct talker *t);
void talk_by_engine(struct talker *t);
void talk_by_fabric(struct talker *t);
void talk_by_manager(struct talker *t);
void talk_by_verbs(struct talker *t);
void talk_by_channel(struct talker *t);
void talk_by_copies(struct talker *t);
void talk_by_queues(struct talker *t);

#endif
