/* Checks of a file's owner in a user namespace, where the kernel shows files of unmapped users as
 * files of one user. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "bus/exports/exports.h"
#include "bus/peers/peers.h"
#include "bus/ring/ring.h"

#include <cmocka.h>

#include "namespace.h"
#include "skip.h"

enum { NO_NAMESPACE = 99 };

/* Returns the result of `judge` in a child that has entered a user namespace, in which the user has
 * no number (maps false) or that of root. */
static int in_namespace(bool maps, int (*judge)(void *), void *context)
{
    int status;
    char map[40];
    snprintf(map, sizeof map, "0 %u 1", (unsigned)geteuid());
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (unshare(CLONE_NEWUSER) != 0 || (maps && !namespace_write("/proc/self/uid_map", map)))
            _exit(NO_NAMESPACE);
        _exit(judge(context));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACE) {
        skip_because("no user namespaces");
    }
    return WEXITSTATUS(status);
}

static int all_are_one(void *context)
{
    (void)context;
    return dpk_user_is_mine(geteuid()) || dpk_user_is_mine_or_root(geteuid()) ||
           dpk_user_is_known(geteuid());
}

static void nobody_is_this_user_where_it_has_no_number(void **state)
{
    (void)state;
    assert_int_equal(in_namespace(false, all_are_one, NULL), 0);
}

static int root_alone_is_known(void *context)
{
    (void)context;
    return !(geteuid() == 0 && dpk_user_is_mine(0) && dpk_user_is_mine_or_root(0) &&
             !dpk_user_is_mine(65534) && !dpk_user_is_mine_or_root(65534));
}

static void who_has_a_number_is_known_by_it(void **state)
{
    (void)state;
    assert_true(dpk_user_is_mine(geteuid()) && dpk_user_is_mine_or_root(0));
    assert_false(dpk_user_is_mine(geteuid() + 1) || dpk_user_is_mine_or_root(geteuid() + 1));
    assert_int_equal(in_namespace(true, root_alone_is_known, NULL), 0);
}

/* Objects that this user made before. */
struct doors {
    int ends[2];
    char folder[64];
    struct dpk_exporter who;
    struct dpk_export what;
};
static const struct dpk_share share = {"shared", 0x1234567812345678, 4096};

/* Returns the number of the first object whose check accepts this user. */
static int try_doors(void *context)
{
    struct doors *d = context;
    struct dpk_import *in;
    void *at;
    char path[PATH_MAX];
    errno = 0;
    if (rings_peer_is_ours(d->ends[0]))
        return 1;
    if (errno != EPERM)
        return 6; /* callers report this errno */
    if (dpk_peer_check(d->ends[0], NULL) == DPK_OK)
        return 2;
    if (dpk_file_share(d->folder, &share, true, &at, NULL) == DPK_OK)
        return 3;
    if (dpk_runtime_directory(path, sizeof path, NULL) == DPK_OK)
        return 4;
    if (dpk_import_open(&d->who, &d->what, &in, NULL) == DPK_OK)
        return 5;
    return 0;
}

static void every_door_is_shut_to_users_without_a_number(void **state)
{
    (void)state;
    static uint8_t memory[64];
    struct doors d = {.folder = "/tmp/test_users.XXXXXX",
                      .what = {1, 3, (uintptr_t)memory, sizeof memory}};
    struct dpk_uuid identity;
    void *at;
    dpk_uuid_new_time(&identity);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, d.ends), 0);
    assert_non_null(mkdtemp(d.folder));
    setenv("DPAKIT_RUNTIME", d.folder, 1);
    assert_int_equal(dpk_file_share(d.folder, &share, true, &at, NULL), DPK_OK);
    assert_int_equal(dpk_export_add(&identity, &d.what, &d.who, NULL), DPK_OK);
    assert_int_equal(try_doors(&d), 1); /* outside of the namespace, the checks accept this user */
    assert_int_equal(in_namespace(false, try_doors, &d), 0);
    char path[96];
    snprintf(path, sizeof path, "%s/%s", d.folder, share.name);
    unlink(path);
    rmdir(d.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_this_user_where_it_has_no_number),
        cmocka_unit_test(who_has_a_number_is_known_by_it),
        cmocka_unit_test(every_door_is_shut_to_users_without_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
