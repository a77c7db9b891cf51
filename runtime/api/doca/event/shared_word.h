/*
 * shared_word: a 64-bit word that processes of one user share: memory whose size nobody can change,
 * which others find by the process that made it and its descriptor there (/proc/PID/fd/N), and know
 * again by what is written in it. All that is read from it may be what another process put there.
 *
 *     struct shared_word w = {.fd = -1};
 *     if (shared_word_make(&w, number) == DOCA_SUCCESS)
 *         ... shared_word_describe(&w, &descriptor) ...     // to another process, as bytes
 *     struct shared_word other = {.fd = -1};                // there
 *     shared_word_open(&other, &descriptor);
 */
#ifndef DPK_API_DOCA_EVENT_SHARED_WORD_H
#define DPK_API_DOCA_EVENT_SHARED_WORD_H

#include "api/doca/core/core.h"

struct shared_word_memory;

struct shared_word {
    struct shared_word_memory *memory; /* NULL: none */
    int fd;                            /* who made it keeps it; -1: nobody */
    uint64_t number;                   /* what its maker calls it */
};

/* A word with value 0. NO_MEMORY, OPERATING_SYSTEM. */
doca_error_t shared_word_make(struct shared_word *w, uint64_t number);
/* What another process needs; kind, owner, key, process and file. */
void shared_word_describe(const struct shared_word *w, struct descriptor *out);
/* The word that was described. NOT_FOUND: its maker is gone, or has another user. INVALID_VALUE: it
 * is not what the descriptor says. */
doca_error_t shared_word_open(struct shared_word *w, const struct descriptor *what);
void shared_word_end(struct shared_word *w);

uint64_t shared_word_value(const struct shared_word *w);
uint64_t shared_word_add(struct shared_word *w, uint64_t value); /* the value before */
void shared_word_set(struct shared_word *w, uint64_t value);
/* A number that changes with the value, and a wait for it to change: `ms` milliseconds at most. */
uint32_t shared_word_changes(const struct shared_word *w);
void shared_word_wait(const struct shared_word *w, uint32_t changes, unsigned ms);

#endif
