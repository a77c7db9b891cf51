/* The programs of a host file verified, several at a time. */
#include <stdlib.h>

#include "fat/fat.h"
#include "host.h"

struct dpk_subject dpk_program_subject(const struct dpk_program *p)
{
    return (struct dpk_subject){.name = p->name,
                                .elf = dpk_elf(p->elf, p->elf_size),
                                .manifest = p->manifest,
                                .manifest_size = p->manifest_size,
                                .crypto = p->crypto,
                                .crypto_size = p->crypto_size,
                                .unmapped = p->unmapped};
}

/* Makes a member of a fat program the subject: its device ELF, decompressed into `room`, and its
 * crypto data. On failure `*what` is the part that is wrong. */
static enum dpk_status choose_member(struct dpk_subject *s, const struct dpk_program *p,
                                     size_t member, struct dpk_buf *room, const char **what,
                                     struct dpk_error *err)
{
    struct dpk_fat fat;
    *what = "fat file";
    enum dpk_status status = dpk_fat_parse(p->elf, p->elf_size, &fat, err);
    if (status == DPK_OK && member >= fat.count)
        status = dpk_fail(err, DPK_ERR_RANGE, "no member %zu", member);
    if (status != DPK_OK)
        return status;
    uint32_t target = fat.members[member].target;
    if (s->crypto)
        status =
            dpk_fat_crypto(p->crypto, p->crypto_size, target, &s->crypto, &s->crypto_size, err);
    if (status != DPK_OK && status != DPK_ERR_NOT_FOUND) { /* that one is UNSIGNED */
        *what = "crypto data";
        return status;
    }
    status = dpk_fat_elf(&fat.members[member], room, err);
    s->target = dpk_target_name(target);
    s->elf = dpk_elf(room->data, room->size);
    return status;
}

enum dpk_verdict dpk_program_verify(const struct dpk_program *p, size_t member,
                                    const struct dpk_trust *trust, unsigned threads,
                                    struct dpk_report *report)
{
    struct dpk_subject s = dpk_program_subject(p);
    struct dpk_check fault = {.name = "mapping", .verdict = DPK_VERDICT_BAD_FORMAT};
    struct dpk_buf room = {0};
    struct dpk_error err = {0};
    s.threads = threads;
    if (p->not_mapped[0]) {
        snprintf(fault.detail, sizeof fault.detail, "%s", p->not_mapped);
        s.fault = &fault;
    } else if (dpk_fat_is(p->elf, p->elf_size)) {
        enum dpk_status status = choose_member(&s, p, member, &room, &fault.name, &err);
        snprintf(fault.detail, sizeof fault.detail, "%.255s",
                 status == DPK_ERR_NOMEM ? "out of memory" : err.message);
        s.fault = status == DPK_OK ? NULL : &fault;
    }
    enum dpk_verdict verdict = dpk_verify(&s, trust, report);
    dpk_buf_free(&room);
    return verdict;
}

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
    r->verdict = dpk_program_verify(r->program, member, v->trust, v->hashing, &r->report);
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
