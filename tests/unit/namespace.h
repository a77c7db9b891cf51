/* A network namespace for a test: no privilege is needed where users may make namespaces. */
#ifndef TESTS_NAMESPACE_H
#define TESTS_NAMESPACE_H

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline bool namespace_write(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return written;
}

/* Runs a command of ip(8). */
static inline bool namespace_ip(const char *words)
{
    char command[200];
    snprintf(command, sizeof command, "ip %s", words);
    return system(command) == 0;
}

/* Enters new user and network namespaces as their root. False: it may not, or there is no ip(8). */
static inline bool namespace_enter(void)
{
    char users[40], groups[40];
    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return false;
    (void)namespace_write("/proc/self/setgroups", "deny");
    return namespace_write("/proc/self/uid_map", users) &&
           namespace_write("/proc/self/gid_map", groups) && namespace_ip("link set lo up");
}

#endif
