/* Every mutation of a host file: parsed, and what was found lies inside. One program per file, so
 * that they run side by side. */
#ifndef TESTS_EVERYBIT_HOST_H
#define TESTS_EVERYBIT_HOST_H

#include "hostfile/hostfile.h"

#include "everybit.h"

struct parses {
    size_t accepted, refused;
};

static inline bool lies_inside(const uint8_t *part, size_t part_size, const uint8_t *bytes,
                               size_t size)
{
    return part >= bytes && part_size <= size && (size_t)(part - bytes) <= size - part_size;
}

static inline void parse_host(const uint8_t *bytes, size_t size, size_t changed, void *context)
{
    struct parses *p = context;
    struct dpk_hostfile *host = NULL;
    struct dpk_error err;
    enum dpk_status status = dpk_hostfile_borrow("it", bytes, size, &host, &err);
    if (status != DPK_OK) {
        if (host || (status != DPK_ERR_FORMAT && status != DPK_ERR_UNSUPPORTED) ||
            strncmp(err.message, "it: ", 4) != 0)
            fail_msg("size %zu, byte %#zx: status %d", size, changed, status);
        p->refused++;
        return;
    }
    for (size_t i = 0; i < dpk_hostfile_count(host); i++) {
        const struct dpk_program *one = dpk_hostfile_program(host, i);
        const struct dpk_sections *s = &one->sections;
        const struct dpk_subject *first = &one->subjects[0];
        if (!lies_inside(s->elf, s->elf_size, bytes, size) ||
            (s->room && !lies_inside(s->room, s->room_size, bytes, size)) ||
            (first->crypto && !lies_inside(first->crypto, first->crypto_size, bytes, size)))
            fail_msg("size %zu, byte %#zx: program %zu is not in the file", size, changed, i);
    }
    dpk_hostfile_close(host);
    p->accepted++;
}

static inline void mutate_host_file(const char *name)
{
    struct parses flips = {0}, cuts = {0};
    size_t size;
    uint8_t *bytes = exact_golden(name, &size);
    every_flip(bytes, size, parse_host, &flips);
    every_truncation(bytes, size, parse_host, &cuts);
    free(bytes);
    assert_int_equal(flips.accepted + flips.refused, (8 * size + BIT_STEP - 1) / BIT_STEP);
    assert_true(flips.accepted > 0 && flips.refused > 0);
    /* The section header table is at the end, so no cut goes unseen. */
    assert_int_equal(cuts.refused, size);
}

#endif
