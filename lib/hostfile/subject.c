/* What is signed and verified of a program: its device ELF, or that of each target. */
#include <inttypes.h>

#include "fat/fat.h"
#include "hostfile/hostfile.h"

size_t dpk_program_members(const struct dpk_program *p)
{
    struct dpk_fat fat;
    bool sound =
        dpk_fat_is(p->elf, p->elf_size) && dpk_fat_parse(p->elf, p->elf_size, &fat, NULL) == DPK_OK;
    return sound ? fat.count : 1;
}

static void set_fault(struct dpk_member *m, const char *what, const char *why)
{
    m->fault = (struct dpk_check){.name = what, .verdict = DPK_VERDICT_BAD_FORMAT};
    snprintf(m->fault.detail, sizeof m->fault.detail, "%.255s", why);
    m->subject.fault = &m->fault;
}

static const char *text_of(enum dpk_status status, const struct dpk_error *err)
{
    return status == DPK_ERR_NOMEM ? "out of memory" : err->message;
}

/* Crypto data that has nothing for this target: it is not signed. */
static void choose_crypto(struct dpk_member *m, const struct dpk_program *p)
{
    struct dpk_error err = {0};
    struct dpk_subject *s = &m->subject;
    if (!p->crypto)
        return;
    enum dpk_status status =
        dpk_fat_crypto(p->crypto, p->crypto_size, m->target, &s->crypto, &s->crypto_size, &err);
    if (status != DPK_OK && status != DPK_ERR_NOT_FOUND)
        set_fault(m, "crypto data", text_of(status, &err));
}

static enum dpk_status choose_elf(struct dpk_member *m, const struct dpk_program *p, size_t index,
                                  struct dpk_error *err)
{
    struct dpk_fat fat;
    enum dpk_status status = dpk_fat_parse(p->elf, p->elf_size, &fat, err);
    if (status == DPK_OK && index >= fat.count)
        status = dpk_fail(err, DPK_ERR_RANGE, "no member %zu", index);
    if (status != DPK_OK)
        return status;
    m->target = fat.members[index].target;
    const char *name = dpk_target_name(m->target);
    if (name)
        snprintf(m->name, sizeof m->name, "%s", name);
    else
        snprintf(m->name, sizeof m->name, "%" PRIu32, m->target);
    m->subject.target = m->name;
    status = dpk_fat_elf(&fat.members[index], &m->elf, err);
    m->subject.elf = dpk_elf(m->elf.data, m->elf.size);
    return status;
}

enum dpk_status dpk_program_member(const struct dpk_program *p, size_t index,
                                   struct dpk_member *out, struct dpk_error *err)
{
    struct dpk_error why = {0};
    enum dpk_status status = DPK_OK;
    bool fat = dpk_fat_is(p->elf, p->elf_size) || dpk_fat_is_foreign(p->elf, p->elf_size);
    *out = (struct dpk_member){.subject = {.name = p->name,
                                           .elf = dpk_elf(p->elf, p->elf_size),
                                           .manifest = p->manifest,
                                           .manifest_size = p->manifest_size,
                                           .crypto = p->crypto,
                                           .crypto_size = p->crypto_size,
                                           .unmapped = p->unmapped}};
    if (fat)
        status = choose_elf(out, p, index, &why);
    if (fat && status == DPK_OK)
        choose_crypto(out, p);
    else if (status != DPK_OK)
        set_fault(out, "fat file", text_of(status, &why));
    if (p->not_mapped[0]) { /* what would be signed is not what runs */
        status = dpk_fail(&why, DPK_ERR_FORMAT, "%s", p->not_mapped);
        set_fault(out, "mapping", p->not_mapped);
    }
    if (status != DPK_OK && err)
        *err = why;
    return status;
}

void dpk_member_free(struct dpk_member *m)
{
    dpk_buf_free(&m->elf);
    m->subject.fault = NULL;
}
