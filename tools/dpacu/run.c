#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum { COMMANDS_MAX = 4 };

enum dpk_status dpacu_run_start(struct dpacu_run *run, struct dpk_error *err)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(&run->blocked);
    sigaddset(&run->blocked, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        /* Signals that are ignored (nohup) stay ignored. */
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&run->blocked, ending[i]);
    }
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &run->blocked, &run->before);
    const char *base = getenv("TMPDIR");
    char *path = NULL;
    base = base && *base ? base : "/tmp";
    if (asprintf(&path, "%s/dpacu_XXXXXX", base) < 0)
        return dpk_fail_nomem(err);
    if (!mkdtemp(path)) {
        free(path);
        return dpk_fail_errno(err, "%s: cannot create a temporary directory", base);
    }
    run->temp = path;
    return DPK_OK;
}

static void say(const struct dpacu_run *run, const struct words *command)
{
    struct dpk_buf line = {0};
    if (!run->verbose && !run->dry)
        return;
    dpk_words_quote(command, &line);
    dpk_put_u8(&line, 0);
    if (!line.failed)
        puts((const char *)line.data);
    fflush(stdout);
    dpk_buf_free(&line);
}

static enum dpk_status spawn(const struct dpacu_run *run, const struct words *command, pid_t *pid,
                             struct dpk_error *err)
{
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &run->before);
    const int code = posix_spawnp(pid, command->at[0], NULL, &attributes, command->at, environ);
    posix_spawnattr_destroy(&attributes);
    if (code == 0)
        return DPK_OK;
    errno = code;
    dpk_fail_errno(err, "%s: cannot be run", command->at[0]);
    return err->status = DPK_ERR_TOOL;
}

/* Waits for a child, or a signal that ends all of them. */
static void wait_for(struct dpacu_run *run, pid_t *children, size_t count)
{
    const int number = sigwaitinfo(&run->blocked, NULL);
    if (number <= 0 || number == SIGCHLD)
        return;
    run->caught = number;
    for (size_t i = 0; i < count; i++)
        if (children[i] > 0)
            kill(children[i], SIGTERM);
}

static enum dpk_status judge(struct dpacu_run *run, const struct words *command, int code,
                             struct dpk_error *err)
{
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return DPK_OK;
    run->said |= WIFEXITED(code);
    if (WIFEXITED(code))
        return dpk_fail(err, DPK_ERR_TOOL, "%s failed with exit code %d", command->at[0],
                        WEXITSTATUS(code));
    return dpk_fail(err, DPK_ERR_TOOL, "%s: ended by signal %d (%s)", command->at[0],
                    WTERMSIG(code), strsignal(WTERMSIG(code)));
}

enum dpk_status dpacu_run_all(struct dpacu_run *run, const struct words *commands, size_t count,
                              struct dpk_error *err)
{
    pid_t children[COMMANDS_MAX] = {0};
    enum dpk_status status = DPK_OK;
    size_t left = 0;
    for (size_t i = 0; i < count && i < COMMANDS_MAX; i++) {
        if (commands[i].failed || !commands[i].count)
            return dpk_fail_nomem(err);
        say(run, &commands[i]);
    }
    for (size_t i = 0; i < count && i < COMMANDS_MAX && !run->dry && status == DPK_OK; i++) {
        status = spawn(run, &commands[i], &children[i], err);
        left += status == DPK_OK;
    }
    while (left) {
        size_t ended = 0;
        for (size_t i = 0; i < count; i++) {
            int code = 0;
            if (children[i] <= 0 || waitpid(children[i], &code, WNOHANG) != children[i])
                continue;
            children[i] = 0;
            ended++;
            const enum dpk_status one = judge(run, &commands[i], code, err);
            status = status == DPK_OK ? one : status;
        }
        left -= ended;
        if (left && !ended)
            wait_for(run, children, count);
    }
    return status;
}

/* Compilers leave only files, no directories. */
static void remove_temp(struct dpacu_run *run)
{
    DIR *dir = run->temp ? opendir(run->temp) : NULL;
    struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    if (run->temp)
        rmdir(run->temp);
    free(run->temp);
    run->temp = NULL;
}

void dpacu_run_finish(struct dpacu_run *run)
{
    fflush(stdout);
    remove_temp(run);
    if (run->caught) {
        signal(run->caught, SIG_DFL);
        sigprocmask(SIG_SETMASK, &run->before, NULL);
        raise(run->caught);
        _exit(128 + run->caught);
    }
    sigprocmask(SIG_SETMASK, &run->before, NULL);
}
