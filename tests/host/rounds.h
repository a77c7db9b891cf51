/* The number of rounds of a test: DPAKIT_KILLS, or the default. */
#ifndef TESTS_HOST_ROUNDS_H
#define TESTS_HOST_ROUNDS_H

#include <stdlib.h>

static inline unsigned rounds(unsigned usual)
{
    const char *wanted = getenv("DPAKIT_KILLS");
    return wanted ? (unsigned)strtoul(wanted, NULL, 10) : usual;
}

#endif
