/* OpenSSL starts completely, even if other threads fork meanwhile. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/base.h"

static sem_t inside, forks;
static atomic_bool halfway;

/* Takes the place of OpenSSL's: starting is at its middle here until another thread forks, or waits to. */
EVP_MD *EVP_MD_fetch(OSSL_LIB_CTX *context, const char *name, const char *properties)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    __typeof__(&EVP_MD_fetch) real = (__typeof__(&EVP_MD_fetch))dlsym(RTLD_NEXT, "EVP_MD_fetch");
    atomic_store(&halfway, true);
    sem_post(&inside);
    sem_wait(&forks);
    nanosleep(&moment, NULL);
    atomic_store(&halfway, false);
    return real(context, name, properties);
}

static void *start(void *context)
{
    *(enum dpk_status *)context = dpk_openssl_start(NULL);
    return NULL;
}

static void a_child_never_has_it_half_started(void **state)
{
    (void)state;
    enum dpk_status status = DPK_ERR_IO;
    pthread_t thread;
    int result;
    sem_init(&inside, 0, 0);
    sem_init(&forks, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, start, &status), 0);
    sem_wait(&inside);
    sem_post(&forks);
    const pid_t child = fork();
    if (child == 0) /* exit() would look for leaks, which needs locks of the other thread */
        _exit(atomic_load(&halfway) || dpk_openssl_start(NULL) != DPK_OK);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    pthread_join(thread, NULL);
    assert_int_equal(status, DPK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_never_has_it_half_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
