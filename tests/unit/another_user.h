/* Another user, whom root can be and to whom root can give files. */
#ifndef TESTS_ANOTHER_USER_H
#define TESTS_ANOTHER_USER_H

#include <sys/types.h>
#include <unistd.h>

#include "skip.h"

/* Skips the test where there is none: who is not root, and root where one user alone has a number, as in
 * some containers. */
static inline void need_another_user(uid_t user)
{
    if (geteuid() != 0)
        skip_because("only root can be another user");
    if (seteuid(user) != 0)
        skip_because("root cannot be another user here");
    if (seteuid(0) != 0)
        _exit(1);
}

#endif
