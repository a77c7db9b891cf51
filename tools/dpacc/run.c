#include "run.h"

#include "steps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void run_start(struct run *run)
{
    sigemptyset(&run->blocked);
    sigaddset(&run->blocked, SIGCHLD);
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        /* nohup's choice stays: what is ignored must not end us. */
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&run->blocked, ending[i]);
    }
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &run->blocked, &run->before);
}

struct words *jobs_add(struct jobs *jobs, const char *what, int exit_code)
{
    struct job *at = reallocarray(jobs->at, jobs->count + 1, sizeof *at);
    if (!at) {
        static struct words nowhere;
        jobs->failed = true;
        nowhere.failed = true; /* later calls do nothing */
        return &nowhere;
    }
    jobs->at = at;
    at[jobs->count] = (struct job){.what = what, .exit_code = exit_code};
    return &at[jobs->count++].words;
}

void jobs_weigh(struct jobs *jobs, size_t weight)
{
    if (!jobs->failed && jobs->count)
        jobs->at[jobs->count - 1].weight = weight;
}

void jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        words_free(&jobs->at[i].words);
    free(jobs->at);
    *jobs = (struct jobs){0};
}

const char *run_temp_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

enum dpk_status run_make_temp(struct run *run, struct dpk_error *err)
{
    const char *base = run_temp_base();
    char *path = NULL;
    if (asprintf(&path, "%s/dpacc_XXXXXX", base) < 0)
        return dpk_fail_nomem(err);
    if (!mkdtemp(path)) {
        free(path);
        return dpk_fail_errno(err, "%s: cannot create a temporary directory", base);
    }
    run->temp = path;
    return DPK_OK;
}

/* Compilers leave files only, never directories. */
static void remove_temp(struct run *run)
{
    if (!run->temp)
        return;
    DIR *dir = opendir(run->temp);
    struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(run->temp);
    free(run->temp);
    run->temp = NULL;
}

void run_finish(struct run *run)
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

void run_say_command(const struct run *run, const struct words *command)
{
    if (!run->verbose && !run->dry)
        return;
    struct dpk_buf line = {0};
    words_quote(command, &line);
    dpk_put_u8(&line, 0);
    if (!line.failed)
        puts((const char *)line.data);
    fflush(stdout);
    dpk_buf_free(&line);
}

void run_say_words(const struct run *run, ...)
{
    struct words command = {0};
    va_list values;
    va_start(values, run);
    for (const char *word; (word = va_arg(values, const char *));)
        words_add(&command, word);
    va_end(values);
    run_say_command(run, &command);
    words_free(&command);
}

/* Steps of our own need no new process image. */
static enum dpk_status fork_step(const struct run *run, const struct words *command, pid_t *pid,
                                 struct dpk_error *err)
{
    fflush(stdout);
    *pid = fork();
    if (*pid < 0)
        return dpk_fail_errno(err, "fork");
    if (*pid > 0)
        return DPK_OK;
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &run->before, NULL);
    int code = step_run(command->count, command->at, true);
    fflush(NULL);
    _exit(code);
}

static enum dpk_status spawn(struct run *run, const struct job *job, int output, pid_t *pid,
                             struct dpk_error *err)
{
    const struct words *command = &job->words;
    if (command->failed || !command->count)
        return dpk_fail_nomem(err);
    if (step_is(command->count, command->at))
        return fork_step(run, command, pid, err);
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &run->before);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int code = posix_spawnp(pid, command->at[0], &actions, &attributes, command->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (code == 0)
        return DPK_OK;
    errno = code;
    run->failed = job;
    run->exit_code = -1;
    dpk_fail_errno(err, "%s: cannot be run", command->at[0]);
    return err->status = DPK_ERR_TOOL;
}

enum dpk_status run_check(struct run *run, struct dpk_error *err)
{
    static const struct timespec now = {0, 0};
    sigset_t ending = run->blocked;
    sigdelset(&ending, SIGCHLD);
    int number = sigtimedwait(&ending, NULL, &now);
    if (number > 0)
        run->caught = number;
    if (run->caught)
        return dpk_fail(err, DPK_ERR_TOOL, "ended by signal %d", run->caught);
    return DPK_OK;
}

static enum dpk_status judge(struct run *run, const struct job *job, int status,
                             struct dpk_error *err)
{
    const struct words *command = &job->words;
    const char *name = command->at[0];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return DPK_OK;
    run->failed = job;
    run->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (WIFEXITED(status))
        return dpk_fail(err, DPK_ERR_TOOL, "%s failed with exit code %d", name,
                        WEXITSTATUS(status));
    int number = WTERMSIG(status);
    bool starved = number == SIGABRT || number == SIGKILL || number == SIGSEGV;
    if (step_is(command->count, command->at) && command->count > 3) /* its file is more telling */
        name = command->at[3];
    return dpk_fail(err, DPK_ERR_TOOL, "%s: ended by signal %d (%s)%s", name, number,
                    strsignal(number), starved ? "; memory may have run out" : "");
}

/* Sleeps until a child ended or a signal came. */
static void wait_for_news(struct run *run)
{
    int number = sigwaitinfo(&run->blocked, NULL);
    if (number > 0 && number != SIGCHLD)
        run->caught = number;
}

/* The heaviest job that waits (its pid is 0); `count`: none does. */
static size_t choose(const struct jobs *jobs, const pid_t *pids)
{
    size_t best = jobs->count;
    for (size_t i = 0; i < jobs->count; i++)
        if (!pids[i] && (best == jobs->count || jobs->at[i].weight > jobs->at[best].weight))
            best = i;
    return best;
}

/* Looks for children that ended; their pid becomes -1. Returns how many. */
static size_t reap(struct run *run, const struct jobs *jobs, pid_t *pids, enum dpk_status *status,
                   struct dpk_error *err)
{
    size_t ended = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        int code = 0;
        if (pids[i] <= 0 || waitpid(pids[i], &code, WNOHANG) != pids[i])
            continue;
        pids[i] = -1;
        ended++;
        if (*status == DPK_OK)
            *status = judge(run, &jobs->at[i], code, err);
    }
    return ended;
}

static enum dpk_status end_all(struct run *run, const struct jobs *jobs, const pid_t *pids,
                               struct dpk_error *err)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (pids[i] > 0)
            kill(pids[i], SIGTERM);
    return dpk_fail(err, DPK_ERR_TOOL, "ended by signal %d", run->caught);
}

enum dpk_status run_all(struct run *run, const struct jobs *jobs, struct dpk_error *err)
{
    if (jobs->failed)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < jobs->count; i++)
        run_say_command(run, &jobs->at[i].words);
    if (run->dry || !jobs->count)
        return DPK_OK;
    pid_t *pids = calloc(jobs->count, sizeof *pids);
    if (!pids)
        return dpk_fail_nomem(err);
    enum dpk_status status = run_check(run, err);
    size_t started = 0, running = 0;
    while (running || (status == DPK_OK && started < jobs->count)) {
        if (status == DPK_OK && started < jobs->count && running < run->jobs) {
            size_t next = choose(jobs, pids);
            pid_t pid = -1;
            status = spawn(run, &jobs->at[next], -1, &pid, err);
            pids[next] = status == DPK_OK ? pid : -1;
            running += status == DPK_OK;
            started++;
            continue;
        }
        size_t ended = reap(run, jobs, pids, &status, err);
        running -= ended;
        if (!ended)
            wait_for_news(run);
        if (run->caught)
            status = end_all(run, jobs, pids, err);
    }
    free(pids);
    return status;
}

/* Reads what the child writes until it closes its end; a terminating signal ends the child. */
static void drain(struct run *run, int fd, pid_t pid, struct dpk_buf *out)
{
    for (;;) {
        char bytes[4096];
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, 100);
        if (ready == 0) {
            if (run_check(run, NULL) != DPK_OK)
                kill(pid, SIGTERM);
            continue;
        }
        ssize_t got = ready < 0 ? -1 : read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        dpk_put(out, bytes, (size_t)got);
    }
}

enum dpk_status run_capture(struct run *run, const struct job *job, struct dpk_buf *out,
                            struct dpk_error *err)
{
    int ends[2];
    pid_t pid = 0;
    int code = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return dpk_fail_errno(err, "pipe");
    enum dpk_status status = spawn(run, job, ends[1], &pid, err);
    close(ends[1]);
    if (status == DPK_OK) {
        drain(run, ends[0], pid, out);
        if (waitpid(pid, &code, 0) == pid)
            status = judge(run, job, code, err);
        dpk_put_u8(out, 0);
        if (status == DPK_OK && out->failed)
            status = dpk_fail_nomem(err);
    }
    close(ends[0]);
    return status;
}
