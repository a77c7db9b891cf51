/*
 * shared_word: a 64-bit word that processes of one user share: memory of fixed size. Other processes
 * find it by its creating process and the descriptor there (/proc/PID/fd/N), and identify it by its
 * contents. Its contents are not trusted: another process may have written them.
 *
 *     struct shared_word w = {.fd = -1};
 *     if (event_shared_word_make(&w, number) == DOCA_SUCCESS)
 *         ... event_shared_word_describe(&w, &descriptor) ...     // to another process, as bytes
 *     struct shared_word other = {.fd = -1};                // there
 *     event_shared_word_open(&other, &descriptor);
 */
#ifndef DPK_API_DOCA_EVENT_SHARED_WORD_H
#define DPK_API_DOCA_EVENT_SHARED_WORD_H

#include "api/doca/core/core.h"

struct shared_word_memory;

struct shared_word {
    struct shared_word_memory *memory; /* NULL: none */
    int fd;                            /* the creating process keeps it; -1: none */
    uint64_t number;                   /* its number in the creating process */
};

/* Creates a word with value 0. Errors: NO_MEMORY, OPERATING_SYSTEM. */
doca_error_t event_shared_word_make(struct shared_word *w, uint64_t number);
/* Describes the word for another process: kind, owner, key, process and file. */
void event_shared_word_describe(const struct shared_word *w, struct descriptor *out);
/* Opens the described word. Errors: NOT_FOUND if the creating process is gone or is another user's,
 * INVALID_VALUE if the memory does not match the descriptor. */
doca_error_t event_shared_word_open(struct shared_word *w, const struct descriptor *what);
void event_shared_word_end(struct shared_word *w);

uint64_t event_shared_word_value(const struct shared_word *w);
uint64_t event_shared_word_add(struct shared_word *w, uint64_t value); /* the value before */
void event_shared_word_set(struct shared_word *w, uint64_t value);
/* Get a number that changes with the value, and wait for its change, for at most `ms` milliseconds. */
uint32_t event_shared_word_changes(const struct shared_word *w);
void event_shared_word_wait(const struct shared_word *w, uint32_t changes, unsigned ms);

#endif
