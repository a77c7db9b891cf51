/* dpkverify ROOT|device:NAME POLICY|- FILE: code, reason and JSON of a file; then the same from bytes that
 * another thread changes meanwhile, and from several threads at once. */
#include <dpkverify.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dpkverify_trust *trust;
static unsigned char *bytes;
static size_t size;
static atomic_bool done;

static void *flip(void *unused)
{
    for (size_t i = 0; !atomic_load(&done); i++)
        __atomic_xor_fetch(&bytes[i * 61 % size], 0x40, __ATOMIC_RELAXED);
    return unused;
}

/* What is found right holds of the content, whatever became of the bytes. */
static void *hostile(void *failed)
{
    for (int i = 0; i < 20; i++) {
        struct dpkverify_result *r = NULL, *again = NULL;
        size_t length = 0;
        if (dpkverify_bytes(trust, bytes, size, &r, NULL) != 0)
            continue;
        const void *content = dpkverify_content(r, &length);
        if (dpkverify_bytes(trust, content, length, &again, NULL) != 0 ||
            dpkverify_code(again) != dpkverify_code(r))
            *(bool *)failed = true;
        dpkverify_result_free(again);
        dpkverify_result_free(r);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    char why[DPKVERIFY_WHY];
    struct dpkverify_result *result = NULL;
    pthread_t flipper, threads[3];
    bool failed[3] = {false};
    trust = dpkverify_trust_new();
    if (argc != 4 || !trust)
        return 2;
    const bool device = strncmp(argv[1], "device:", 7) == 0;
    if ((device ? dpkverify_add_device(trust, argv[1] + 7, why)
                : dpkverify_add_roots(trust, argv[1], why)) != 0 ||
        (strcmp(argv[2], "-") != 0 && dpkverify_set_policy(trust, argv[2], why) != 0) ||
        dpkverify_file(trust, argv[3], &result, why) != 0) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    int code = dpkverify_code(result);
    printf("%d\n%s\n%s\n", code, dpkverify_reason(result), dpkverify_json(result));
    const void *content = dpkverify_content(result, &size);
    bytes = malloc(size + 1);
    memcpy(bytes, content, size);
    dpkverify_result_free(result);
    result = NULL;
    for (int i = 0; size && i < 3; i++)
        pthread_create(&threads[i], NULL, hostile, &failed[i]);
    if (getenv("FLIP") && size) {
        pthread_create(&flipper, NULL, flip, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        atomic_store(&done, true);
        pthread_join(flipper, NULL);
    } else {
        for (int i = 0; size && i < 3; i++)
            pthread_join(threads[i], NULL);
    }
    free(bytes);
    dpkverify_trust_free(trust);
    if (failed[0] || failed[1] || failed[2])
        puts("the content is not what was verified");
    return failed[0] || failed[1] || failed[2] ? 3 : 0;
}
