/* The folder of plugins. A separate process loads each plugin, and prints its version. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service.h"

extern char **environ;

/* Runs urom-worker --describe, and returns what it prints, at most size - 1 bytes. */
static bool ask(const struct service *s, const char *path, char *out, size_t size)
{
    int ends[2];
    pid_t pid;
    char *const words[] = {(char *)s->worker, "--describe", (char *)path, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    bool good = posix_spawn(&pid, s->worker, &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; good && got < size - 1; got += (size_t)n)
        if ((n = read(ends[0], out + got, size - 1 - got)) <= 0)
            break;
    out[got] = 0;
    close(ends[0]);
    int status = -1;
    while (good && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_name(const struct dirent *e)
{
    const size_t size = strlen(e->d_name);
    return size > 3 && size - 3 < DPK_UROM_NAME_MAX && e->d_name[0] != '.' &&
           strcmp(e->d_name + size - 3, ".so") == 0;
}

static int choose(const struct dirent *e)
{
    return is_name(e);
}

static void add(struct service *s, const char *folder, const char *file)
{
    struct plugin *p = &s->plugins[s->plugin_count];
    char text[32], *end;
    if (s->plugin_count == DPK_UROM_PLUGINS_MAX) {
        fprintf(stderr, "-W- %s: more than %u plugins; the others are left out\n", file,
                DPK_UROM_PLUGINS_MAX);
        return;
    }
    if ((size_t)snprintf(p->path, sizeof p->path, "%s/%s", folder, file) >= sizeof p->path ||
        !ask(s, p->path, text, sizeof text))
        return; /* urom-worker has printed the reason */
    p->version = strtoull(text, &end, 10);
    if (end == text)
        return;
    snprintf(p->name, sizeof p->name, "%.*s", (int)strlen(file) - 3, file);
    p->id = UINT64_C(1) << s->plugin_count++;
    printf("plugin %s, version %" PRIu64 "\n", p->name, p->version);
}

enum dpk_status service_find_plugins(struct service *s, const char *folder, struct dpk_error *err)
{
    struct dirent **list;
    const int count = scandir(folder, &list, choose, alphasort);
    if (count < 0)
        return dpk_fail_errno(err, "the folder of plugins, %s", folder);
    for (int i = 0; i < count; i++) {
        add(s, folder, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    return DPK_OK;
}
