/* Reasons why accesses are refused, as text for people. */
#include <inttypes.h>
#include <stdio.h>

#include "registry.h"

/* ---- Finding the reason ---- */

static struct dpk_memory_refusal refusal_of(const struct dpk_memory *m,
                                            const struct dpk_memory_access *a, bool copied)
{
    struct dpk_memory_refusal r = {
        .why = registered_check(m, a), .kind = m->kind, .address = m->address, .size = m->size};
    if (r.why == DPK_MEMORY_NO_RIGHT)
        r.rights = a->rights & ~m->rights;
    if (r.why != DPK_MEMORY_ALLOWED)
        return r;
    if (!copied && (m->kind == DPK_MEMORY_REMOTE || m->kind == DPK_MEMORY_BUS))
        r.why = DPK_MEMORY_ELSEWHERE;
    else if (a->rights & DPK_MEMORY_REMOTE_ATOMIC && a->address % sizeof(uint64_t) != 0)
        r.why = DPK_MEMORY_MISALIGNED;
    else
        r.why = DPK_MEMORY_GONE;
    return r;
}

static struct dpk_memory_refusal find_refusal(const struct dpk_memory_access *a, bool copied)
{
    struct slot *slot = registered_slot_pin(a->key);
    if (!slot)
        return (struct dpk_memory_refusal){
            .why = registered_key_was_given(a->key) ? DPK_MEMORY_DESTROYED : DPK_MEMORY_NO_KEY};
    const struct dpk_memory_refusal r = refusal_of(&slot->memory, a, copied);
    registered_slot_unpin(slot);
    return r;
}

struct dpk_memory_refusal dpk_memory_refusal(const struct dpk_memory_access *a)
{
    return find_refusal(a, false);
}

/* Host memory is rarely gone. If both ends could be gone, the other end is reported. */
static bool is_certain(const struct dpk_memory_refusal *r)
{
    return r->why != DPK_MEMORY_GONE || r->kind != DPK_MEMORY_HOST;
}

static struct dpk_memory_refusal find_of_copy(const struct dpk_memory_access *to,
                                              const struct dpk_memory_access *from,
                                              const struct dpk_memory_access **which)
{
    const struct dpk_memory_refusal source = find_refusal(from, true),
                                    target = find_refusal(to, true);
    const bool at_source =
        source.why != DPK_MEMORY_GONE || (target.why == DPK_MEMORY_GONE && is_certain(&source));
    *which = at_source ? from : to;
    return at_source ? source : target;
}

/* ---- Text ---- */

const char *dpk_memory_right_names(unsigned rights, char *text, size_t size)
{
    static const struct {
        unsigned right;
        const char *name;
    } names[] = {{DPK_MEMORY_READ, "local read"},
                 {DPK_MEMORY_WRITE, "local write"},
                 {DPK_MEMORY_REMOTE_READ, "remote read"},
                 {DPK_MEMORY_REMOTE_WRITE, "remote write"},
                 {DPK_MEMORY_REMOTE_ATOMIC, "remote atomic operation"},
                 {DPK_MEMORY_EXPORT_READ, "read over PCIe"},
                 {DPK_MEMORY_EXPORT_WRITE, "write over PCIe"}};
    size_t at = 0;
    snprintf(text, size, "access");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rights & names[i].right && at < size)
            at += (size_t)snprintf(text + at, size - at, "%s%s", at > 0 ? ", " : "", names[i].name);
    return text;
}

/* Reports the distance of an access to the range of its key. */
static void tell_outside(const struct dpk_memory_access *a, const struct dpk_memory_refusal *r,
                         char text[DPK_MEMORY_REASON_MAX])
{
    const uint64_t last = r->address + (r->size - 1); /* no memory has 0 bytes */
    const uint64_t end = a->address + a->size;
    const bool before = a->address < r->address;
    const uint64_t distance =
        before ? r->address - a->address : (end < a->address ? UINT64_MAX : end) - last - 1;
    snprintf(text, DPK_MEMORY_REASON_MAX,
             "out of range: key 0x%" PRIx32 " has 0x%" PRIx64 " to 0x%" PRIx64
             ", the access %s %" PRIu64 " byte%s %s",
             a->key, r->address, last, before ? "begins" : "ends", distance,
             distance == 1 ? "" : "s", before ? "before the start" : "after the end");
}

const char *dpk_memory_reason(const struct dpk_memory_access *a, const struct dpk_memory_refusal *r,
                              char text[DPK_MEMORY_REASON_MAX])
{
    static const char *const texts[] = {
        [DPK_MEMORY_NO_KEY] = "is unknown: no memory was registered with it",
        [DPK_MEMORY_DESTROYED] = "is of memory that is not registered any more",
        [DPK_MEMORY_OTHER_DOMAIN] = "is of another protection domain or device",
        [DPK_MEMORY_ELSEWHERE] = "is of memory of another process that cannot be reached from here",
        [DPK_MEMORY_MISALIGNED] = "is good, but the address is not a multiple of 8",
    };
    static const char *const gone[] = {
        [DPK_MEMORY_HOST] = "is of memory that is not mapped any more, or of a file that was cut",
        [DPK_MEMORY_DPA] = "is of memory that the DPA process does not have any more",
        [DPK_MEMORY_REMOTE] = "is of memory of a process that has ended, or exports it no more",
        [DPK_MEMORY_BUS] = "is of memory that the host has not mapped for the function",
    };
    char rights[100];
    if (r->why == DPK_MEMORY_OUTSIDE)
        tell_outside(a, r, text);
    else if (r->why == DPK_MEMORY_NO_RIGHT)
        snprintf(text, DPK_MEMORY_REASON_MAX, "key 0x%" PRIx32 " allows no %s", a->key,
                 dpk_memory_right_names(r->rights, rights, sizeof rights));
    else if (r->why == DPK_MEMORY_GONE && r->kind > DPK_MEMORY_NONE && r->kind <= DPK_MEMORY_BUS)
        snprintf(text, DPK_MEMORY_REASON_MAX, "key 0x%" PRIx32 " %s", a->key, gone[r->kind]);
    else if (r->why < DPK_MEMORY_WHYS && texts[r->why])
        snprintf(text, DPK_MEMORY_REASON_MAX, "key 0x%" PRIx32 " %s", a->key, texts[r->why]);
    else
        snprintf(text, DPK_MEMORY_REASON_MAX, "key 0x%" PRIx32 " allows no such access", a->key);
    return text;
}

const char *dpk_memory_explain(const struct dpk_memory_access *a, char text[DPK_MEMORY_REASON_MAX])
{
    const struct dpk_memory_refusal r = dpk_memory_refusal(a);
    return dpk_memory_reason(a, &r, text);
}

const char *dpk_memory_explain_copy(const struct dpk_memory_access *to,
                                    const struct dpk_memory_access *from,
                                    char text[DPK_MEMORY_REASON_MAX])
{
    const struct dpk_memory_access *which;
    const struct dpk_memory_refusal r = find_of_copy(to, from, &which);
    return dpk_memory_reason(which, &r, text);
}
