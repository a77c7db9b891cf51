/* What host and DPA agree on. */
#ifndef WINDOW_COM_H
#define WINDOW_COM_H

#include <stdint.h>

struct window_arg {
    uint64_t address; /* of the host's buffer */
    uint64_t words;
    uint32_t window_id;
    uint32_t mkey;
};

#endif
