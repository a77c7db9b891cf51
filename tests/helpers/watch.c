/*
 * watch SECONDS COMMAND [ARGUMENT...]: runs a test program that speaks TAP and copies what it
 * prints.
 *
 * A test may wait for SECONDS, and may take eight times as long if it works: a slow machine delays
 * work, but a test that waits so long waits in vain. A test begins with a line "begin N NAME" (bats
 * --formatter cat) or "# begin NAME" (cmocka, each_test.c). A test over its limit is cut off: all
 * its processes are killed except bats, which continues with the next test; if that does not help,
 * bats is killed, too. "# cut off ..." names the test, and the exit code is then 124. Processes
 * that still run at the end are killed and reported as "# left running: ...".
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORKS_LONGER = 8, /* times the limit for waiting */
    GRACE = 10,       /* seconds until bats is killed, too */
    PROCESSES_MAX = 32768,
};

static struct {
    char test[200];
    time_t since;
    int waited;    /* seconds in which no process of the test ran */
    bool hit;      /* its processes were killed */
    bool cut;      /* a test was cut off */
    bool bats;     /* the command is bats */
    int main_code; /* exit code of the command; -1 while it runs */
    pid_t main;
} w = {.main_code = -1};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    stopped = number;
}

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- Processes ---- */

enum { OURS, OF_A_TEST, SETS };
struct process {
    pid_t pid, parent;
    bool in[SETS];
};
static struct process processes[PROCESSES_MAX];
static size_t process_count;

/* Reads state and parent of a process or thread from its stat file. The name may contain blanks and
 * ')'. */
static bool read_stat(const char *path, char *state, int *parent)
{
    char text[512];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *end = strrchr(text, ')');
    return end && sscanf(end + 1, " %c %d", state, parent) == 2;
}

static bool is_number(const char *name)
{
    return isdigit((unsigned char)*name);
}

/* Adds the children of members of a set to the set. */
static void add_descendants(int set)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < process_count; i++)
            for (size_t k = 0; k < process_count && !processes[i].in[set]; k++)
                if (processes[k].in[set] && processes[k].pid == processes[i].parent)
                    more = processes[i].in[set] = true;
    }
}

/* Finds all descendants of this process in any session; orphans become our children. */
static void find_processes(void)
{
    DIR *d = opendir("/proc");
    process_count = 0;
    for (struct dirent *e; d && (e = readdir(d)) && process_count < PROCESSES_MAX;) {
        char path[PATH_MAX], state;
        struct process p = {0};
        snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
        if (!is_number(e->d_name) || !read_stat(path, &state, &p.parent) || state == 'Z')
            continue;
        p.pid = atoi(e->d_name);
        p.in[OURS] = p.parent == getpid();
        processes[process_count++] = p;
    }
    if (d)
        closedir(d);
    add_descendants(OURS);
}

/* Returns true if a thread of the process runs, could run, or waits for a disk. */
static bool works(pid_t pid)
{
    char path[PATH_MAX], state = 0;
    int parent;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", pid, e->d_name);
        found = is_number(e->d_name) && read_stat(path, &state, &parent) &&
                (state == 'R' || state == 'D');
    }
    if (d)
        closedir(d);
    return found;
}

static bool any_works(void)
{
    find_processes();
    for (size_t i = 0; i < process_count; i++)
        if (processes[i].in[OURS] && works(processes[i].pid))
            return true;
    return false;
}

static void read_command(pid_t pid, char *text, size_t size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i + 1 < n; i++)
        if (iscntrl((unsigned char)text[i]))
            text[i] = ' ';
    text[n] = 0;
}

static bool is_bats_test(pid_t pid)
{
    char command[160];
    read_command(pid, command, sizeof command);
    return strstr(command, "/bats-exec-test ") != NULL;
}

/* Finds the processes of a bats test, including orphans; without bats, all processes. */
static void find_what_a_test_started(void)
{
    find_processes();
    for (size_t i = 0; i < process_count; i++) {
        struct process *p = &processes[i];
        if (!p->in[OURS])
            continue;
        if (p->parent == getpid() && p->pid != w.main)
            p->in[OF_A_TEST] = true;
        if (!is_bats_test(p->pid))
            continue;
        for (size_t k = 0; k < process_count; k++)
            if (processes[k].parent == p->pid && !is_bats_test(processes[k].pid))
                processes[k].in[OF_A_TEST] = true;
    }
    add_descendants(OF_A_TEST);
    for (size_t i = 0; i < process_count && !w.bats; i++)
        processes[i].in[OF_A_TEST] = processes[i].in[OURS];
}

/* Kills the members of a set, and reports each. */
static void kill_set(int set, const char *why)
{
    char command[160];
    for (size_t i = 0; i < process_count; i++) {
        read_command(processes[i].pid, command, sizeof command);
        if (processes[i].in[set] && kill(processes[i].pid, SIGKILL) == 0)
            printf("# %s: %s\n", why, command);
    }
    fflush(stdout);
}

static void kill_all(const char *why)
{
    find_processes();
    kill_set(OURS, why);
}

/* ---- The stream ---- */

static void begin(const char *name)
{
    size_t n = strnlen(name, sizeof w.test - 1);
    memmove(w.test, name, n);
    w.test[n] = 0;
    w.since = now();
    w.waited = 0;
    w.hit = false;
}

static void take_line(const char *line)
{
    int at = 0;
    char name[sizeof w.test];
    if (strncmp(line, "# begin ", 8) == 0)
        begin(line + 8);
    else if (sscanf(line, "begin %*d %n", &at), at > 0)
        begin(line + at);
    else if (strncmp(line, "ok ", 3) == 0 || strncmp(line, "not ok ", 7) == 0) {
        if (strncmp(w.test, "what follows ", 13) == 0)
            return;
        snprintf(name, sizeof name, "what follows %.180s", w.test);
        begin(name);
    }
}

/* Copies the available bytes and reads their lines. Returns false at the end of the stream. */
static bool pass_on(int fd)
{
    static char line[400];
    static size_t used;
    char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    fwrite(bytes, 1, (size_t)n, stdout);
    fflush(stdout);
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            line[used] = 0;
            take_line(line);
            used = 0;
        } else if (used + 1 < sizeof line) {
            line[used++] = bytes[i];
        }
    }
    return true;
}

/* ---- The limit ---- */

static void reap(void)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        if (pid == w.main)
            w.main_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Called once a second. */
static void judge(int limit)
{
    if (!any_works())
        w.waited++;
    if (w.hit && w.waited > GRACE) {
        kill_all("killed");
    } else if (!w.hit && (w.waited > limit || now() - w.since > (time_t)limit * WORKS_LONGER)) {
        printf("# cut off after %ld s, %d of them waiting: %s\n", (long)(now() - w.since), w.waited,
               w.test);
        find_what_a_test_started();
        kill_set(OF_A_TEST, "killed");
        w.cut = w.hit = true;
        w.waited = 0;
    }
}

static pid_t start(char **command, int *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        setsid(); /* no terminal, so that nothing can ask for input */
        /* Signals that the shell ignores (nohup) must not be ignored here. */
        for (int i = 1; i < NSIG; i++)
            signal(i, SIG_DFL);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execvp(command[0], command);
        fprintf(stderr, "watch: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    *out = ends[0];
    return pid;
}

int main(int argc, char **argv)
{
    int limit = argc > 2 ? atoi(argv[1]) : 0, out = -1;
    bool open = true;
    if (limit < 1) {
        fprintf(stderr, "Usage: watch SECONDS COMMAND [ARGUMENT...]\n");
        return 2;
    }
    for (size_t i = 0; i < 3; i++)
        sigaction((int[]){SIGINT, SIGTERM, SIGHUP}[i], &(struct sigaction){.sa_handler = stop},
                  NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    begin("the start");
    w.bats = strcmp(basename(argv[2]), "bats") == 0;
    if ((w.main = start(argv + 2, &out)) < 0) {
        perror("watch");
        return 2;
    }
    for (time_t last = now(); w.main_code < 0 && !stopped;) {
        struct pollfd fd = {.fd = open ? out : -1, .events = POLLIN};
        if (poll(&fd, 1, open ? 200 : 20) > 0)
            open = pass_on(out);
        reap();
        if (now() != last && w.main_code < 0) {
            last = now();
            judge(limit);
        }
    }
    kill_all(stopped ? "killed" : "left running");
    /* Read the rest of the pipe; its writers are gone or end now. */
    while (open && poll(&(struct pollfd){.fd = out, .events = POLLIN}, 1, 1000) > 0)
        open = pass_on(out);
    reap();
    return stopped ? 128 + stopped : w.cut ? 124 : w.main_code;
}
