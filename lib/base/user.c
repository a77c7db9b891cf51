/* Checks whether a file or a process belongs to this user. */
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"

/* A user namespace may map only some users (user_namespaces(7), "Unmapped user and group IDs"). */
static bool all_have_numbers(void)
{
    unsigned long first = 1, count = 0;
    FILE *f = fopen("/proc/self/uid_map", "re");
    bool all =
        f && fscanf(f, "%lu %*u %lu", &first, &count) == 2 && first == 0 && count == UINT32_MAX;
    if (f)
        fclose(f);
    return all;
}

bool dpk_user_is_known(uid_t user)
{
    unsigned long none = 65534; /* the kernel's default */
    FILE *f = fopen("/proc/sys/kernel/overflowuid", "re");
    if (f) {
        (void)!fscanf(f, "%lu", &none);
        fclose(f);
    }
    return user != none || all_have_numbers();
}

bool dpk_user_is_mine(uid_t user)
{
    return user == geteuid() && dpk_user_is_known(user);
}

bool dpk_user_is_mine_or_root(uid_t user)
{
    return (user == geteuid() || user == 0) && dpk_user_is_known(user);
}
