/* What the program and its code on the DPA share. */
#ifndef CAPITALS_H
#define CAPITALS_H

#include <stdint.h>

enum { MESSAGE_MAX = 32, MESSAGES = 16 };

/* What the thread gets, in memory of the DPA. */
struct handles {
    uint64_t consumer, completion, producer;
};

#endif
