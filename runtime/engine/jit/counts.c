/* Counts what the translator does. */
#include "engine/jit/counts.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct jit_stats counts;

void jit_count_translated(uint64_t instructions, uint64_t nanoseconds)
{
    pthread_mutex_lock(&lock);
    counts.translated++;
    counts.instructions += instructions;
    counts.nanoseconds += nanoseconds;
    pthread_mutex_unlock(&lock);
}

void jit_count_cached(void)
{
    pthread_mutex_lock(&lock);
    counts.cached++;
    pthread_mutex_unlock(&lock);
}

void jit_count_code(uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    counts.code_bytes += bytes;
    pthread_mutex_unlock(&lock);
}

void jit_count_refused(const char *reason)
{
    size_t i = 0;
    pthread_mutex_lock(&lock);
    counts.refused++;
    while (i + 1 < JIT_REASONS && counts.reasons[i].count != 0 &&
           strncmp(counts.reasons[i].text, reason, sizeof counts.reasons[i].text - 1) != 0)
        i++;
    if (counts.reasons[i].count++ == 0)
        snprintf(counts.reasons[i].text, sizeof counts.reasons[i].text, "%s",
                 i + 1 < JIT_REASONS ? reason : "other reasons");
    pthread_mutex_unlock(&lock);
}

void jit_stats(struct jit_stats *out)
{
    pthread_mutex_lock(&lock);
    *out = counts;
    pthread_mutex_unlock(&lock);
}

