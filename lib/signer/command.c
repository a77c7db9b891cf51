/* Signs with an external command. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keys.h"

extern char **environ;

/* ---- Words ---- */

/* Takes the next word of `*line` like a shell, but expands nothing. *found is false at the end.
 * Outside single quotes, a backslash takes the next character literally. */
static enum dpk_status next_word(const char **line, struct dpk_buf *word, bool *found,
                                 struct dpk_error *err)
{
    const char *p = *line;
    char quote = 0;
    *found = false;
    while (*p == ' ' || *p == '\t' || *p == '\n')
        p++;
    for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
        *found = true;
        if (quote ? *p == quote : *p == '\'' || *p == '"')
            quote = quote ? 0 : *p;
        else if (*p == '\\' && quote != '\'' && p[1])
            dpk_put_u8(word, (uint8_t) * ++p);
        else
            dpk_put_u8(word, (uint8_t)*p);
    }
    *line = p;
    if (quote)
        return dpk_fail(err, DPK_ERR_USAGE, "--sign-command: a quote is not closed");
    dpk_put_u8(word, 0);
    return word->failed ? dpk_fail_nomem(err) : DPK_OK;
}

enum dpk_status signer_command_split(const char *line, char ***words, struct dpk_error *err)
{
    size_t count = 0, room = strlen(line) + 2; /* a word has at least one character */
    enum dpk_status status = DPK_OK;
    char **list = calloc(room, sizeof *list);
    if (!list)
        return dpk_fail_nomem(err);
    for (bool found = true; found && status == DPK_OK;) {
        struct dpk_buf word = {0};
        status = next_word(&line, &word, &found, err);
        if (status == DPK_OK && found)
            list[count++] = (char *)word.data;
        else
            dpk_buf_free(&word);
    }
    if (status == DPK_OK && (count == 0 || !*list[0]))
        status = dpk_fail(err, DPK_ERR_USAGE, "--sign-command: no command");
    if (status != DPK_OK) {
        signer_command_free(list);
        return status;
    }
    *words = list;
    return DPK_OK;
}

void signer_command_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

/* ---- Running ---- */

/* Returns a file in memory with the digest. Unlike a pipe, it cannot block, and cannot be closed by
 * the reader. */
static int digest_file(const uint8_t *digest, size_t size)
{
    int fd = memfd_create("digest", MFD_CLOEXEC);
    if (fd >= 0 && (dpk_write_all(fd, digest, size) != 0 || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static enum dpk_status start(char *const *words, int input, int output, pid_t *pid,
                             struct dpk_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int code = posix_spawnp(pid, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (code == 0)
        return DPK_OK;
    return dpk_fail(err, DPK_ERR_TOOL, "sign command %s: %s", words[0], strerror(code));
}

static enum dpk_status too_slow(const char *name, unsigned timeout, struct dpk_error *err)
{
    return dpk_fail(err, DPK_ERR_TIMEOUT, "sign command %s: not done after %u s", name, timeout);
}

/* Reads to the end. More than `expected` bytes are an error. */
static enum dpk_status collect(int fd, const char *name, unsigned timeout, int64_t deadline,
                               size_t expected, struct dpk_buf *out, struct dpk_error *err)
{
    for (;;) {
        uint8_t bytes[1024];
        int64_t left = deadline - (int64_t)dpk_now_ms();
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&wait, 1, (int)left) : 0;
        if (ready == 0)
            return too_slow(name, timeout, err);
        ssize_t got = ready < 0 ? -1 : read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return dpk_fail_errno(err, "sign command %s", name);
        if (got == 0)
            return DPK_OK;
        dpk_put(out, bytes, (size_t)got);
        if (out->failed)
            return dpk_fail_nomem(err);
        if (out->size > expected)
            return dpk_fail(err, DPK_ERR_TOOL,
                            "sign command %s: writes more than the %zu bytes of a signature", name,
                            expected);
    }
}

static enum dpk_status judge(const char *name, int code, struct dpk_error *err)
{
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return DPK_OK;
    if (WIFEXITED(code))
        return dpk_fail(err, DPK_ERR_TOOL, "sign command %s: exit code %d", name,
                        WEXITSTATUS(code));
    return dpk_fail(err, DPK_ERR_TOOL, "sign command %s: ended by signal %d", name, WTERMSIG(code));
}

/* Waits for the end of the command. Kills it after an earlier error, or after its time. */
static enum dpk_status finish(pid_t pid, const char *name, unsigned timeout, int64_t deadline,
                              enum dpk_status status, struct dpk_error *err)
{
    int code = 0;
    for (;;) {
        if (status == DPK_OK && (int64_t)dpk_now_ms() >= deadline)
            status = too_slow(name, timeout, err);
        if (status != DPK_OK)
            kill(pid, SIGKILL);
        pid_t done = waitpid(pid, &code, status == DPK_OK ? WNOHANG : 0);
        if (done == pid)
            return status == DPK_OK ? judge(name, code, err) : status;
        if (done < 0 && errno != EINTR)
            return dpk_fail_errno(err, "sign command %s", name);
        const struct timespec moment = {.tv_nsec = 2000000};
        nanosleep(&moment, NULL);
    }
}

enum dpk_status signer_command_run(char *const *words, unsigned timeout, const uint8_t *digest,
                                   size_t digest_size, size_t expected, struct dpk_buf *out,
                                   struct dpk_error *err)
{
    int ends[2] = {-1, -1};
    pid_t pid = -1;
    struct dpk_buf b = {0};
    enum dpk_status status = DPK_OK;
    int64_t deadline = (int64_t)dpk_now_ms() + (int64_t)timeout * 1000;
    int input = digest_file(digest, digest_size);
    if (input < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        status = dpk_fail_errno(err, "sign command %s", words[0]);
        goto out;
    }
    status = start(words, input, ends[1], &pid, err);
    close(ends[1]);
    if (status != DPK_OK)
        goto out;
    status = collect(ends[0], words[0], timeout, deadline, expected, &b, err);
    status = finish(pid, words[0], timeout, deadline, status, err);
    if (status == DPK_OK && b.size != expected)
        status = dpk_fail(err, DPK_ERR_TOOL,
                          "sign command %s: %zu bytes on its output, not the %zu of a signature",
                          words[0], b.size, expected);
    if (status == DPK_OK)
        dpk_put(out, b.data, b.size);
    if (status == DPK_OK && out->failed)
        status = dpk_fail_nomem(err);
out:
    dpk_buf_free(&b);
    if (ends[0] >= 0)
        close(ends[0]);
    if (input >= 0)
        close(input);
    return status;
}
