/* Private to paths. */
#ifndef DPK_API_PATHS_PRIVATE_H
#define DPK_API_PATHS_PRIVATE_H

#include "api/paths/paths.h"

/* A list of calls. */
struct paths_list {
    const struct paths_call *calls;
    size_t count;
};
/* Redirects the calls of both lists, of objects that were loaded since the last time. slots.c */
void paths_slots_redirect(const struct paths_list lists[2]);

#endif
