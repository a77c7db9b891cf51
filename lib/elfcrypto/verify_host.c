/* Every program of a host file verified, several at a time. */
#include <stdlib.h>

#include "host.h"

struct verifying {
    const struct dpk_trust *trust;
    struct dpk_result *results;
    unsigned hashing; /* threads within a program */
};

/* Members of a fat program; one of any other, and of a fat file that is damaged. */
static size_t members_of(const struct dpk_program *p, struct dpk_fat *fat)
{
    bool sound =
        dpk_fat_is(p->elf, p->elf_size) && dpk_fat_parse(p->elf, p->elf_size, fat, NULL) == DPK_OK;
    if (!sound)
        *fat = (struct dpk_fat){.count = 0};
    return sound ? fat->count : 1;
}

static void verify_one(void *context, size_t i)
{
    const struct verifying *v = context;
    struct dpk_result *r = &v->results[i];
    size_t member = 0;
    while (member < i && v->results[i - member - 1].program == r->program)
        member++;
    r->verdict = dpk_verify_member(r->program, member, v->trust, v->hashing, &r->report);
}

enum dpk_status dpk_hostfile_verify(const struct dpk_hostfile *host, const struct dpk_trust *trust,
                                    unsigned threads, struct dpk_result **out, size_t *count,
                                    struct dpk_error *err)
{
    struct dpk_fat fat;
    size_t n = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < host->program_count; i++)
        n += members_of(&host->programs[i], &fat);
    struct dpk_result *results = calloc(n + 1, sizeof *results);
    if (!results)
        return dpk_fail_nomem(err);
    n = 0;
    for (size_t i = 0; i < host->program_count; i++) {
        size_t members = members_of(&host->programs[i], &fat);
        for (size_t m = 0; m < members; m++)
            results[n++] =
                (struct dpk_result){.program = &host->programs[i],
                                    .target = fat.count == 0 ? NULL
                                              : dpk_target_name(fat.members[m].target)
                                                  ? dpk_target_name(fat.members[m].target)
                                                  : "unknown",
                                    .verdict = DPK_VERDICT_UNSIGNED};
    }
    struct verifying v = {
        .trust = trust, .results = results, .hashing = dpk_parallel_share(n, threads)};
    dpk_parallel(n, threads, verify_one, &v);
    *out = results;
    *count = n;
    return DPK_OK;
}
