/* Verifies the programs of a host file, several at a time. */
#include <stdlib.h>

#include "host.h"

struct verifying {
    const struct dpk_trust *trust;
    struct dpk_result *results;
    unsigned hashing; /* threads within a program */
};

static void verify_one(void *context, size_t i)
{
    const struct verifying *v = context;
    struct dpk_result *r = &v->results[i];
    struct dpk_subject subject = *r->subject;
    subject.threads = v->hashing;
    r->verdict = dpk_verify(&subject, v->trust, &r->report);
}

enum dpk_status dpk_hostfile_verify(const struct dpk_hostfile *host, const struct dpk_trust *trust,
                                    unsigned threads, struct dpk_result **out, size_t *count,
                                    struct dpk_error *err)
{
    size_t n = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < host->program_count; i++)
        n += host->programs[i].subject_count;
    struct dpk_result *results = calloc(n + 1, sizeof *results);
    if (!results)
        return dpk_fail_nomem(err);
    n = 0;
    for (size_t i = 0; i < host->program_count; i++) {
        const struct dpk_program *p = &host->programs[i];
        for (size_t k = 0; k < p->subject_count; k++)
            results[n++] = (struct dpk_result){
                .program = p, .subject = &p->subjects[k], .verdict = DPK_VERDICT_UNSIGNED};
    }
    struct verifying v = {
        .trust = trust, .results = results, .hashing = dpk_parallel_share(n, threads)};
    dpk_parallel(n, threads, verify_one, &v);
    *out = results;
    *count = n;
    return DPK_OK;
}
