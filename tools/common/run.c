#include "run.h"

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

void dpk_run_start(struct run *run)
{
    sigemptyset(&run->blocked);
    sigaddset(&run->blocked, SIGCHLD);
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        /* Signals that are ignored (nohup) stay ignored. */
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&run->blocked, ending[i]);
    }
    signal(SIGCHLD, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_BLOCK, &run->blocked, &run->before);
}

struct words *dpk_jobs_add(struct jobs *jobs, const char *what, int exit_code)
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

void dpk_jobs_weigh(struct jobs *jobs, size_t weight)
{
    if (!jobs->failed && jobs->count)
        jobs->at[jobs->count - 1].weight = weight;
}

void dpk_jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        dpk_words_free(&jobs->at[i].words);
    free(jobs->at);
    *jobs = (struct jobs){0};
}

const char *dpk_run_temp_base(void)
{
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

enum dpk_status dpk_run_make_temp(struct run *run, struct dpk_error *err)
{
    const char *base = dpk_run_temp_base();
    char *path = NULL;
    if (asprintf(&path, "%s/%s_XXXXXX", base, run->tool) < 0)
        return dpk_fail_nomem(err);
    if (!mkdtemp(path)) {
        free(path);
        return dpk_fail_errno(err, "%s: cannot create a temporary directory", base);
    }
    run->temp = path;
    return DPK_OK;
}

/* Compilers leave only files, no directories. */
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

void dpk_run_finish(struct run *run)
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

void dpk_run_say_command(const struct run *run, const struct words *command)
{
    if (!run->verbose && !run->dry)
        return;
    struct dpk_buf line = {0};
    dpk_words_quote(command, &line);
    dpk_put_u8(&line, 0);
    if (!line.failed)
        puts((const char *)line.data);
    fflush(stdout);
    dpk_buf_free(&line);
}

void dpk_run_say_words(const struct run *run, ...)
{
    struct words command = {0};
    va_list values;
    va_start(values, run);
    for (const char *word; (word = va_arg(values, const char *));)
        dpk_words_add(&command, word);
    va_end(values);
    dpk_run_say_command(run, &command);
    dpk_words_free(&command);
}

static bool is_step(const struct run *run, const struct words *command)
{
    return run->steps && run->steps->is(command->count, command->at);
}

/* Runs a step of the tool in a child, without exec. */
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
    int code = run->steps->run(command->count, command->at);
    fflush(NULL);
    _exit(code);
}

/* `output` and `said` are the command's standard output and error; -1: the tool's. */
static enum dpk_status spawn(struct run *run, const struct job *job, int output, int said,
                             pid_t *pid, struct dpk_error *err)
{
    const struct words *command = &job->words;
    if (command->failed || !command->count)
        return dpk_fail_nomem(err);
    if (is_step(run, command))
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
    if (said >= 0)
        posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
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

enum dpk_status dpk_run_check(struct run *run, struct dpk_error *err)
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
    /* A step's file tells the user more than its program. */
    if (is_step(run, command) && command->count > 3)
        name = command->at[3];
    if (WIFEXITED(status))
        return dpk_fail(err, DPK_ERR_TOOL, "%s failed with exit code %d", name,
                        WEXITSTATUS(status));
    int number = WTERMSIG(status);
    bool starved = number == SIGABRT || number == SIGKILL || number == SIGSEGV;
    return dpk_fail(err, DPK_ERR_TOOL, "%s: ended by signal %d (%s)%s", name, number,
                    strsignal(number), starved ? "; memory may have run out" : "");
}

/* Sleeps until a child ends or a signal arrives. */
static void wait_for_news(struct run *run)
{
    int number = sigwaitinfo(&run->blocked, NULL);
    if (number > 0 && number != SIGCHLD)
        run->caught = number;
}

/* State of a job. */
struct child {
    pid_t pid; /* 0: not started; -1: ended */
    int said;  /* captured standard error, to be merged; -1: the tool's */
};

/* Returns the heaviest job that has not started, or `count` if all have. */
static size_t choose(const struct jobs *jobs, const struct child *children)
{
    size_t best = jobs->count;
    for (size_t i = 0; i < jobs->count; i++)
        if (!children[i].pid && (best == jobs->count || jobs->at[i].weight > jobs->at[best].weight))
            best = i;
    return best;
}

/* Handles children that have ended. Returns their number. */
static size_t reap(struct run *run, const struct jobs *jobs, struct child *children,
                   enum dpk_status *status, struct dpk_error *err)
{
    size_t ended = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        int code = 0;
        struct child *c = &children[i];
        if (c->pid <= 0 || waitpid(c->pid, &code, WNOHANG) != c->pid)
            continue;
        c->pid = -1;
        dpk_merge_print(&run->merge, c->said);
        ended++;
        if (*status == DPK_OK)
            *status = judge(run, &jobs->at[i], code, err);
    }
    return ended;
}

static enum dpk_status end_all(struct run *run, const struct jobs *jobs,
                               const struct child *children, struct dpk_error *err)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (children[i].pid > 0)
            kill(children[i].pid, SIGTERM);
    return dpk_fail(err, DPK_ERR_TOOL, "ended by signal %d", run->caught);
}

static enum dpk_status start(struct run *run, const struct job *job, struct child *child,
                             struct dpk_error *err)
{
    pid_t pid = -1;
    bool ours = job->words.failed || is_step(run, &job->words);
    child->said = run->merges && !ours ? dpk_merge_open() : -1;
    enum dpk_status status = spawn(run, job, -1, child->said, &pid, err);
    child->pid = status == DPK_OK ? pid : -1;
    if (status != DPK_OK)
        dpk_merge_print(&run->merge, child->said);
    return status;
}

enum dpk_status dpk_run_all(struct run *run, const struct jobs *jobs, struct dpk_error *err)
{
    if (jobs->failed)
        return dpk_fail_nomem(err);
    for (size_t i = 0; i < jobs->count; i++)
        dpk_run_say_command(run, &jobs->at[i].words);
    if (run->dry || !jobs->count)
        return DPK_OK;
    struct child *children = calloc(jobs->count, sizeof *children);
    if (!children)
        return dpk_fail_nomem(err);
    enum dpk_status status = dpk_run_check(run, err);
    size_t started = 0, running = 0;
    while (running || (status == DPK_OK && started < jobs->count)) {
        if (status == DPK_OK && started < jobs->count && running < run->jobs) {
            size_t next = choose(jobs, children);
            status = start(run, &jobs->at[next], &children[next], err);
            running += status == DPK_OK;
            started++;
            continue;
        }
        size_t ended = reap(run, jobs, children, &status, err);
        running -= ended;
        if (!ended)
            wait_for_news(run);
        if (run->caught)
            status = end_all(run, jobs, children, err);
    }
    dpk_merge_free(&run->merge);
    free(children);
    return status;
}

/* Reads the child's output until the child closes it. A terminating signal also ends the child. */
static void drain(struct run *run, int fd, pid_t pid, struct dpk_buf *out)
{
    for (;;) {
        char bytes[4096];
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, 100);
        if (ready == 0) {
            if (dpk_run_check(run, NULL) != DPK_OK)
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

enum dpk_status dpk_run_capture(struct run *run, const struct job *job, struct dpk_buf *out,
                                struct dpk_error *err)
{
    int ends[2];
    pid_t pid = 0;
    int code = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return dpk_fail_errno(err, "pipe");
    enum dpk_status status = spawn(run, job, ends[1], -1, &pid, err);
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
