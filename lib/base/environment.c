/* Warns about unknown environment variables that start with DPAKIT_. */
#include <stdatomic.h>
#include <string.h>

#include "base/base.h"

#define OURS "DPAKIT_"

extern char **environ;

/* First the variables of the manual pages, then those of the project's tests and examples. */
static const char *const names[] = {"DPAKIT_CACHE",
                                    "DPAKIT_COVERAGE",
                                    "DPAKIT_DEVICES",
                                    "DPAKIT_EUS",
                                    "DPAKIT_EU_GROUPS",
                                    "DPAKIT_GPU_CHECK",
                                    "DPAKIT_GPU_PCI",
                                    "DPAKIT_GPU_WORKERS",
                                    "DPAKIT_JIT",
                                    "DPAKIT_MST_DATABASE",
                                    "DPAKIT_MST_DEVICE",
                                    "DPAKIT_MST_TRACE",
                                    "DPAKIT_PACKETS",
                                    "DPAKIT_PACKETS_SENT",
                                    "DPAKIT_PKCS11",
                                    "DPAKIT_PROFILE",
                                    "DPAKIT_PROFILE_EVERY",
                                    "DPAKIT_RACES",
                                    "DPAKIT_RDMA_CM",
                                    "DPAKIT_RECORD",
                                    "DPAKIT_RECORD_SEED",
                                    "DPAKIT_RUNTIME",
                                    "DPAKIT_RUN_TIME_LIMIT",
                                    "DPAKIT_SIDE",
                                    "DPAKIT_STRICT",
                                    "DPAKIT_TRACE",
                                    "DPAKIT_TRACE_MAX",
                                    "DPAKIT_UCX_NET_DEVICES",
                                    "DPAKIT_UCX_TLS",
                                    "DPAKIT_WORKERS",
                                    "DPAKIT_ALL_BITS",
                                    "DPAKIT_BUILD",
                                    "DPAKIT_CORPUS",
                                    "DPAKIT_GOLDEN",
                                    "DPAKIT_KILLS",
                                    "DPAKIT_MIRROR",
                                    "DPAKIT_SIGN_IMAGE",
                                    "DPAKIT_TLV_DB",
                                    NULL};
/* A device's name, or a name that a test chooses, follows. */
static const char *const beginnings[] = {"DPAKIT_WIRE_", "DPAKIT_TEST_", NULL};

static bool is_known(const char *name)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    for (size_t i = 0; beginnings[i]; i++)
        if (strncmp(beginnings[i], name, strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* The user chooses the name in "--passin env:NAME". */
static bool is_on_line(const char *name, char *const *words)
{
    for (; words && *words; words++) {
        const char *at = strstr(*words, "env:");
        if (at && strcmp(at + 4, name) == 0)
            return true;
    }
    return false;
}

/* Compares only what follows the common prefix, because the prefix makes all names similar. */
static const char *nearest(const char *name)
{
    const char *ends[sizeof names / sizeof *names] = {0};
    for (size_t i = 0; names[i]; i++)
        ends[i] = names[i] + strlen(OURS);
    return dpk_closest(name + strlen(OURS), ends);
}

static void tell_unknown(const char *name, void (*warn)(const char *text))
{
    char text[256];
    const char *near = nearest(name);
    snprintf(text, sizeof text, "environment variable %.100s is not known, and does nothing%s%s%s",
             name, near ? "; did you mean " OURS : "; dparun(1) names those there are",
             near ? near : "", near ? "?" : "");
    warn(dpk_text_clean(text));
}

void dpk_environment_check(char *const *words, void (*warn)(const char *text))
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char name[128];
    if (!warn || atomic_flag_test_and_set(&told))
        return;
    for (char **e = environ; e && *e; e++) {
        const size_t size = strcspn(*e, "=");
        if (strncmp(*e, OURS, strlen(OURS)) != 0 || size >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)size, *e);
        if (!is_known(name) && !is_on_line(name, words))
            tell_unknown(name, warn);
    }
}
