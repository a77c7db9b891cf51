/* runtime/engine/debug: addresses for debuggers, and the clients that are accepted. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "another_user.h"
#include "skip.h"

#include "bus/peers/peers.h"

enum { NOBODY = 65534 };

static char directory[32], path[64];

static int enter(void **state)
{
    (void)state;
    snprintf(directory, sizeof directory, "/tmp/test_listen.XXXXXX");
    if (!mkdtemp(directory))
        return -1;
    snprintf(path, sizeof path, "%s/gdb.socket", directory);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

static struct dpk_listener listen_at(const char *where)
{
    struct dpk_listener l;
    struct dpk_error err = {0};
    if (dpk_listen(where, &l, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return l;
}

/* A client of `l`, as far as it can be one. */
static int knock(const struct dpk_listener *l, const struct sockaddr_in *from)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)l->port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (from && bind(fd, (const struct sockaddr *)from, sizeof *from) != 0)
        abort();
    if (connect(fd, (const struct sockaddr *)&at, sizeof at) != 0)
        abort();
    return fd;
}

static int knock_path(const char *where)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strncpy(at.sun_path, where, sizeof at.sun_path - 1);
    if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

struct refusals {
    unsigned count;
    char last[300];
};

static void note(void *context, const char *why)
{
    struct refusals *r = context;
    r->count++;
    snprintf(r->last, sizeof r->last, "%s", why);
}

/* The client that is let in is `mine`. */
static void assert_let_in(struct dpk_listener *l, int mine, struct refusals *r)
{
    char byte = 0;
    int fd = dpk_accept(l, note, r);
    assert_true(fd >= 0);
    assert_int_equal(write(mine, "m", 1), 1);
    assert_int_equal(read(fd, &byte, 1), 1);
    assert_int_equal(byte, 'm');
    close(fd);
    close(mine);
}

/* ---- Who comes ---- */

static void clients_of_this_user_are_let_in(void **state)
{
    (void)state;
    struct refusals r = {0};
    struct dpk_listener tcp = listen_at("0"), at_path = listen_at(path);
    assert_let_in(&tcp, knock(&tcp, NULL), &r);
    assert_let_in(&at_path, knock_path(path), &r);
    assert_int_equal(r.count, 0);
    dpk_listener_close(&tcp);
    dpk_listener_close(&at_path);
}

static void a_client_that_speaks_ipv6_to_the_ipv4_port_is_known_too(void **state)
{
    (void)state;
    struct refusals r = {0};
    struct dpk_listener l = listen_at("0");
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)l.port)};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &at.sin6_addr);
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&at, sizeof at) != 0) {
        dpk_listener_close(&l);
        skip_because("no IPv6 here");
    }
    assert_let_in(&l, fd, &r);
    assert_int_equal(r.count, 0);
    dpk_listener_close(&l);
}

static void clients_of_another_user_are_refused_and_told(void **state)
{
    (void)state;
    struct refusals r = {0};
    char want[64];
    int ends[2];
    need_another_user(NOBODY);
    struct dpk_listener l = listen_at("0");
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        if (setuid(NOBODY) != 0)
            _exit(1);
        int fd = knock(&l, NULL);
        (void)!write(ends[1], "", 1);
        ssize_t n = read(fd, &byte, 1); /* the end: it is closed */
        _exit(n == 0 || (n < 0 && errno == ECONNRESET) ? 0 : 2);
    }
    char byte;
    int status;
    assert_int_equal(read(ends[0], &byte, 1), 1); /* it has knocked, before us */
    assert_let_in(&l, knock(&l, NULL), &r);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(r.count, 1);
    snprintf(want, sizeof want, "a client of user %d, not of this user", NOBODY);
    assert_string_equal(r.last, want);
    close(ends[0]);
    close(ends[1]);
    dpk_listener_close(&l);
}

/* Who is gone, nobody can ask the kernel about. */
/* In a user namespace the kernel has one number for all users who have none there. */
static void a_client_whose_user_has_no_number_here_is_refused(void **state)
{
    (void)state;
    enum { REFUSED, NO_NAMESPACE, LET_IN, OTHERWISE };
    int ends[2], status;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(dpk_peer_check(ends[0], NULL), DPK_OK);
    pid_t child = fork();
    if (child == 0) {
        struct dpk_error err = {0};
        if (unshare(CLONE_NEWUSER) != 0 || geteuid() != NOBODY)
            _exit(NO_NAMESPACE);
        if (dpk_peer_check(ends[0], &err) == DPK_OK)
            _exit(LET_IN);
        _exit(strstr(err.message, "a client whose user has no number in this user namespace")
                  ? REFUSED
                  : OTHERWISE);
    }
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACE) {
        skip_because("no user namespaces");
    }
    assert_int_equal(WEXITSTATUS(status), REFUSED);
}

/* Where every user has a number that one is somebody's. */
static void the_user_of_that_number_is_let_in_where_all_have_one(void **state)
{
    (void)state;
    int ends[2], status;
    need_another_user(NOBODY);
    FILE *f = fopen("/proc/self/uid_map", "r");
    unsigned long count = 0;
    bool known = f && fscanf(f, "%*u %*u %lu", &count) == 1 && fclose(f) == 0;
    if (!known || count != UINT32_MAX) {
        skip_because("in a user namespace");
    }
    pid_t child = fork();
    if (child == 0) {
        bool good = setuid(NOBODY) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 &&
                    dpk_peer_check(ends[0], NULL) == DPK_OK;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void a_client_that_is_gone_before_it_is_looked_at_is_refused(void **state)
{
    (void)state;
    struct refusals r = {0};
    const struct linger reset = {.l_onoff = 1};
    struct dpk_listener l = listen_at("0");
    close(knock(&l, NULL));
    int fd = knock(&l, NULL);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
    assert_let_in(&l, knock(&l, NULL), &r);
    assert_true(r.count == 1 || r.count == 2); /* the kernel may have dropped the second */
    assert_non_null(strstr(r.last, "client"));
    dpk_listener_close(&l);
}

/* An address of this machine that is not the loopback's; false: there is none. */
static bool outer_address(struct sockaddr_in *out)
{
    struct ifaddrs *all = NULL;
    bool found = false;
    if (getifaddrs(&all) != 0)
        return false;
    for (struct ifaddrs *i = all; i && !found; i = i->ifa_next)
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET) {
            memcpy(out, i->ifa_addr, sizeof *out);
            out->sin_port = 0;
            found = ntohl(out->sin_addr.s_addr) >> 24 != 127;
        }
    freeifaddrs(all);
    return found;
}

static void a_client_from_another_address_than_loopback_is_refused(void **state)
{
    (void)state;
    struct refusals r = {0};
    struct sockaddr_in from;
    if (!outer_address(&from)) {
        skip_because("this machine has no address but the loopback's");
    }
    struct dpk_listener l = listen_at("0");
    int stranger = knock(&l, &from);
    assert_let_in(&l, knock(&l, NULL), &r);
    assert_int_equal(r.count, 1);
    assert_non_null(strstr(r.last, inet_ntoa(from.sin_addr)));
    close(stranger);
    dpk_listener_close(&l);
}

/* The first refusals are reported, later ones ever more rarely, so that a flood does not fill a
 * log. */
static void a_flood_of_strangers_is_told_few_times(void **state)
{
    (void)state;
    struct refusals r = {0};
    struct dpk_listener l = listen_at("0");
    for (unsigned i = 0; i < 40; i++) { /* one by one, for the line that waits is short */
        close(knock(&l, NULL));
        assert_let_in(&l, knock(&l, NULL), &r);
    }
    assert_int_equal(r.count, 6); /* 1, 2, 4, 8, 16, 32 */
    assert_non_null(strstr(r.last, "; 32 so far"));
    dpk_listener_close(&l);
}

static void only_the_loopback_interface_is_listened_on(void **state)
{
    (void)state;
    struct dpk_listener l = listen_at("0");
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    assert_int_equal(getsockname(l.fd, (struct sockaddr *)&at, &size), 0);
    assert_int_equal(ntohl(at.sin_addr.s_addr), INADDR_LOOPBACK);
    dpk_listener_close(&l);
}

/* ---- Sockets in the file system ---- */

static void a_socket_is_its_owners_alone_and_goes_when_it_is_closed(void **state)
{
    (void)state;
    struct stat s;
    mode_t mask = umask(0);
    struct dpk_listener l = listen_at(path);
    umask(mask);
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISSOCK(s.st_mode));
    assert_int_equal(s.st_mode & 0777, 0600);
    dpk_listener_close(&l);
    assert_int_equal(lstat(path, &s), -1);
    dpk_listener_close(&l); /* once is enough */
}

/* The state that a killed process leaves. */
static void leave_stale(void)
{
    struct dpk_listener l = listen_at(path);
    close(l.fd);
}

static void a_stale_socket_is_replaced(void **state)
{
    (void)state;
    struct refusals r = {0};
    leave_stale();
    assert_int_equal(knock_path(path), -1);
    struct dpk_listener l = listen_at(path);
    assert_let_in(&l, knock_path(path), &r);
    dpk_listener_close(&l);
}

static void a_socket_on_which_somebody_listens_is_not_replaced(void **state)
{
    (void)state;
    struct refusals r = {0};
    struct dpk_listener first = listen_at(path), second;
    struct dpk_error err = {0};
    assert_int_not_equal(dpk_listen(path, &second, &err), DPK_OK);
    assert_non_null(strstr(err.message, "another program listens there"));
    assert_int_equal(second.fd, -1);
    /* Who only looked is not let in: the first would take it for its debugger. */
    assert_int_equal(poll(&(struct pollfd){.fd = first.fd, .events = POLLIN}, 1, 0), 0);
    assert_let_in(&first, knock_path(path), &r);
    dpk_listener_close(&first);
}

/* Does what dpadev ps does: a socket without a listener is removed. */
static void sweep_for_ever(void)
{
    for (;;) {
        DIR *all = opendir(directory);
        const struct dirent *entry;
        char name[PATH_MAX];
        while (all && (entry = readdir(all)) != NULL) {
            snprintf(name, sizeof name, "%s/%s", directory, entry->d_name);
            int fd = strstr(entry->d_name, ".dpa.") == NULL ? knock_path(name) : 0;
            if (fd > 0)
                close(fd);
            else if (fd < 0 && errno == ECONNREFUSED)
                unlink(name);
        }
        closedir(all);
    }
}

static void a_socket_is_never_seen_without_a_listener(void **state)
{
    (void)state;
    char name[100];
    pid_t child = fork();
    if (child == 0)
        sweep_for_ever();
    unsigned swept = 0;
    for (unsigned i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "%s/%u.dpa", directory, i);
        struct dpk_listener l = listen_at(name);
        swept += access(name, F_OK) != 0;
        dpk_listener_close(&l);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(swept, 0);
}

static void what_is_no_socket_stays(void **state)
{
    (void)state;
    struct dpk_listener l;
    struct dpk_error err = {0};
    struct stat s;
    char target[160];
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    close(fd);
    assert_int_not_equal(dpk_listen(path, &l, &err), DPK_OK);
    assert_non_null(strstr(err.message, "is there, and no socket"));
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISREG(s.st_mode));
    unlink(path);
    snprintf(target, sizeof target, "%s.other", path);
    assert_int_equal(symlink(target, path), 0);
    assert_int_not_equal(dpk_listen(path, &l, &err), DPK_OK);
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(lstat(target, &s), -1);
}

static void a_socket_of_another_user_stays(void **state)
{
    (void)state;
    struct dpk_listener l;
    struct dpk_error err = {0};
    struct stat s;
    need_another_user(NOBODY);
    leave_stale();
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_int_not_equal(dpk_listen(path, &l, &err), DPK_OK);
    assert_non_null(strstr(err.message, "of another user"));
    assert_int_equal(lstat(path, &s), 0);
    assert_int_equal(s.st_uid, NOBODY);
}

static void what_stands_in_its_place_at_the_end_stays(void **state)
{
    (void)state;
    struct refusals r = {0};
    struct dpk_listener mine = listen_at(path);
    assert_int_equal(unlink(path), 0);
    struct dpk_listener other = listen_at(path);
    dpk_listener_close(&mine);
    assert_let_in(&other, knock_path(path), &r);
    dpk_listener_close(&other);
}

static void places_that_are_none_are_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "x",  "-1",        "65536", "1x",
                                      " 1", "+1", "/no/where", "1/2",   "18446744073709551617"};
    char longest[200];
    for (size_t i = 0; i <= sizeof bad / sizeof *bad; i++) {
        struct dpk_listener l;
        struct dpk_error err = {0};
        memset(longest, '/', sizeof longest);
        longest[sizeof longest - 1] = 0;
        assert_int_not_equal(dpk_listen(i < sizeof bad / sizeof *bad ? bad[i] : longest, &l, &err),
                             DPK_OK);
        assert_int_equal(l.fd, -1);
        assert_true(err.message[0]);
        dpk_listener_close(&l);
    }
}

/* ---- Signals ---- */

/* What becomes of a child that listens when `sent` comes; SIGHUP is ignored if `ignores`. */
static int end_by(int sent, bool ignores)
{
    int ends[2], status;
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct dpk_listener l;
        close(ends[0]);
        if (ignores)
            signal(SIGHUP, SIG_IGN);
        if (dpk_listen(path, &l, NULL) != DPK_OK || dpk_listener_guard(&l, NULL) != DPK_OK)
            _exit(1);
        (void)!write(ends[1], "", 1);
        if (ignores)
            raise(SIGHUP);
        int fd = dpk_accept(&l, NULL, NULL);
        dpk_listener_close(&l);
        _exit(fd >= 0 ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    if (ignores)
        kill(child, SIGHUP);
    if (sent)
        kill(child, sent);
    else
        close(knock_path(path));
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    return status;
}

static void signals_that_end_a_program_take_its_socket_along(void **state)
{
    (void)state;
    struct stat s;
    for (size_t i = 0; i < 3; i++) {
        int sent = (int[]){SIGTERM, SIGINT, SIGHUP}[i], status = end_by(sent, false);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), sent);
        assert_int_equal(lstat(path, &s), -1);
    }
}

static void a_signal_that_is_ignored_stays_so(void **state)
{
    (void)state;
    struct stat s;
    int status = end_by(0, true);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(lstat(path, &s), -1);
}

/* A socket on which nobody listens, `age` seconds old. */
static void leave_socket(const char *name, time_t age)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const struct timespec then = {.tv_sec = time(NULL) - age};
    snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", directory, name);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0);
    close(fd);
    assert_int_equal(utimensat(AT_FDCWD, at.sun_path, (const struct timespec[]){then, then}, 0), 0);
}

static bool is_left(const char *name)
{
    char at[96];
    snprintf(at, sizeof at, "%s/%s", directory, name);
    return access(at, F_OK) == 0;
}

static bool none_is_visited(void *context, int fd)
{
    (void)context;
    fail_msg("descriptor %d of nobody", fd);
    return false;
}

static void sockets_of_killed_programs_go_when_somebody_looks(void **state)
{
    (void)state;
    char at[96];
    struct dpk_error err = {0};
    leave_socket("1.dpa", 0);
    leave_socket("2.dpa.new", 600);
    leave_socket("3.dpa.new", 0); /* it may listen yet */
    leave_socket("x.dpa", 600);
    assert_int_equal(setenv("DPAKIT_RUNTIME", directory, 1), 0);
    assert_int_equal(dpk_peers_each(none_is_visited, NULL, &err), DPK_OK);
    assert_false(is_left("1.dpa") || is_left("2.dpa.new"));
    assert_true(is_left("3.dpa.new") && is_left("x.dpa"));
    unsetenv("DPAKIT_RUNTIME");
    snprintf(at, sizeof at, "%s/3.dpa.new", directory);
    unlink(at);
    snprintf(at, sizeof at, "%s/x.dpa", directory);
    unlink(at);
}

#define IN(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    alarm(120); /* nobody who does not come is waited for any longer */
    const struct CMUnitTest tests[] = {
        IN(clients_of_this_user_are_let_in),
        IN(a_client_that_speaks_ipv6_to_the_ipv4_port_is_known_too),
        IN(clients_of_another_user_are_refused_and_told),
        IN(a_client_whose_user_has_no_number_here_is_refused),
        IN(the_user_of_that_number_is_let_in_where_all_have_one),
        IN(a_client_that_is_gone_before_it_is_looked_at_is_refused),
        IN(a_client_from_another_address_than_loopback_is_refused),
        IN(a_flood_of_strangers_is_told_few_times),
        IN(only_the_loopback_interface_is_listened_on),
        IN(a_socket_is_its_owners_alone_and_goes_when_it_is_closed),
        IN(a_stale_socket_is_replaced),
        IN(a_socket_on_which_somebody_listens_is_not_replaced),
        IN(a_socket_is_never_seen_without_a_listener),
        IN(what_is_no_socket_stays),
        IN(a_socket_of_another_user_stays),
        IN(what_stands_in_its_place_at_the_end_stays),
        IN(places_that_are_none_are_errors),
        IN(signals_that_end_a_program_take_its_socket_along),
        IN(a_signal_that_is_ignored_stays_so),
        IN(sockets_of_killed_programs_go_when_somebody_looks),
    };
    return cmocka_run_group_tests_name("debug_listen", tests, NULL, NULL);
}
