/* The programs of a host file verified, several at a time. */
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
    struct dpk_member m;
    (void)dpk_program_member(r->program, r->member, &m, NULL); /* the subject's fault tells */
    if (m.subject.target)
        snprintf(r->target, sizeof r->target, "%s", m.subject.target);
    m.subject.threads = v->hashing;
    r->verdict = dpk_verify(&m.subject, v->trust, &r->report);
    dpk_member_free(&m);
}

enum dpk_status dpk_hostfile_verify(const struct dpk_hostfile *host, const struct dpk_trust *trust,
                                    unsigned threads, struct dpk_result **out, size_t *count,
                                    struct dpk_error *err)
{
    size_t n = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < host->program_count; i++)
        n += dpk_program_members(&host->programs[i]);
    struct dpk_result *results = calloc(n + 1, sizeof *results);
    if (!results)
        return dpk_fail_nomem(err);
    n = 0;
    for (size_t i = 0; i < host->program_count; i++) {
        size_t members = dpk_program_members(&host->programs[i]);
        for (size_t m = 0; m < members; m++)
            results[n++] = (struct dpk_result){
                .program = &host->programs[i], .member = m, .verdict = DPK_VERDICT_UNSIGNED};
    }
    struct verifying v = {
        .trust = trust, .results = results, .hashing = dpk_parallel_share(n, threads)};
    dpk_parallel(n, threads, verify_one, &v);
    *out = results;
    *count = n;
    return DPK_OK;
}
