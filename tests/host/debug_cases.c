/* Texts and files of libflexio about a process: core files, crash texts, tokens. */
#include "flexio_world.h"

#include <sys/stat.h>

static int is_file(const char *format, const char *base)
{
    char path[512];
    struct stat s;
    snprintf(path, sizeof path, format, base, (long)getpid());
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 && (s.st_mode & 077) == 0;
}

static void files_are_named_after_what_is_asked_for_and_the_pid(void)
{
    char absolute[400];
    struct flexio_process *p = process_new();
    CHECK(flexio_coredump_create(p, NULL) == OK && is_file("%s.%ld.core", "flexio_dev"));
    CHECK(flexio_crash_data(p, NULL) == OK && is_file("%s.%ld.crash", "flexio_dev"));
    CHECK(flexio_coredump_create(p, "mine") == OK && is_file("%s.%ld.core", "mine"));
    CHECK(snprintf(absolute, sizeof absolute, "%s/abs", getenv("BATS_TEST_TMPDIR")) > 0);
    CHECK(flexio_crash_data(p, absolute) == OK && is_file("%s.%ld.crash", absolute));
    CHECK(flexio_process_destroy(p) == OK);
}

/* Any user can foresee a name in /tmp, and make a file of that name. */
static void files_take_the_place_of_links_and_do_not_follow_them(void)
{
    static const char *const suffixes[] = {"core", "crash"};
    char name[64];
    struct stat s;
    struct flexio_process *p = process_new();
    FILE *precious = fopen("precious", "w");
    CHECK(precious && fputs("mine", precious) > 0 && fclose(precious) == 0);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "flexio_dev.%ld.%s", (long)getpid(), suffixes[i]);
        CHECK(symlink("precious", name) == 0);
    }
    CHECK(flexio_coredump_create(p, NULL) == OK && flexio_crash_data(p, NULL) == OK);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "flexio_dev.%ld.%s", (long)getpid(), suffixes[i]);
        CHECK(lstat(name, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 4);
    }
    CHECK(stat("precious", &s) == 0 && s.st_size == 4);
    CHECK(flexio_process_destroy(p) == OK);
}

static void files_that_cannot_be_written_are_errors(void)
{
    struct flexio_process *p = process_new();
    CHECK(flexio_coredump_create(p, "/no/where/core") == FLEXIO_STATUS_FAILED);
    CHECK(flexio_crash_data(p, "/no/where/crash") == FLEXIO_STATUS_FAILED);
    CHECK(flexio_coredump_create(NULL, "x") == FLEXIO_STATUS_FAILED);
    CHECK(flexio_crash_data(NULL, "x") == FLEXIO_STATUS_FAILED);
    CHECK(flexio_err_status_get(p) == FLEXIO_DEV_NO_ERROR);
    CHECK(flexio_process_destroy(p) == OK);
}

static void each_process_has_a_token_of_its_own(void)
{
    struct flexio_process *a = process_new(), *b = process_new();
    uint64_t token = flexio_process_udbg_token_get(a);
    CHECK(token != 0 && token == flexio_process_udbg_token_get(a));
    CHECK(token != flexio_process_udbg_token_get(b));
    CHECK(flexio_process_udbg_token_get(NULL) == 0);
    CHECK(flexio_process_destroy(a) == OK && flexio_process_destroy(b) == OK);
}

static const struct test_case cases[] = {
    CASE(files_are_named_after_what_is_asked_for_and_the_pid),
    CASE(files_take_the_place_of_links_and_do_not_follow_them),
    CASE(files_that_cannot_be_written_are_errors),
    CASE(each_process_has_a_token_of_its_own),
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof cases[0], argc, argv);
}
