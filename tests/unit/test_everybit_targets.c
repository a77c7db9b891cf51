/* lib/elfcrypto: bits of a signed program for two targets, where the crypto data of one target does
 * not cover everything: an accepted program is the signed program, for whichever target. */
#include "everybit.h"
#include "golden_keys.h"

/* What verified in the file as NVIDIA's tool left it. */
struct accepted {
    struct dpk_buf original;
    size_t elf[2], crypto[2], manifest[2]; /* offsets */
    size_t elf_size[2], crypto_size[2], manifest_size[2];
    struct dpk_trust trust;
};

static bool among(const struct accepted *a, const uint8_t *part, size_t size, size_t at,
                  size_t wanted)
{
    return part && size == wanted && memcmp(part, a->original.data + at, size) == 0;
}

/* Is it, byte for byte, one of those two? */
static bool is_original(const struct accepted *a, const struct dpk_subject *s)
{
    for (size_t i = 0; i < 2; i++)
        if (among(a, s->elf.file.begin, dpk_reader_left(&s->elf.file), a->elf[i], a->elf_size[i]) &&
            among(a, s->manifest, s->manifest_size, a->manifest[i], a->manifest_size[i]) &&
            among(a, s->crypto, s->crypto_size, a->crypto[i], a->crypto_size[i]))
            return true;
    return false;
}

static void only_what_was_signed(const uint8_t *bytes, size_t size, size_t changed, void *context)
{
    const struct accepted *a = context;
    struct dpk_hostfile *host = NULL;
    if (dpk_hostfile_borrow("it", bytes, size, &host, NULL) != DPK_OK)
        fail_msg("byte %#zx: the host file does not parse", changed);
    const struct dpk_program *p = dpk_hostfile_program(host, 0);
    for (size_t i = 0; i < p->subject_count; i++)
        if (!is_original(a, &p->subjects[i]) &&
            dpk_verify(&p->subjects[i], &a->trust, NULL) == DPK_VERDICT_OK)
            fail_msg("byte %#zx: accepted", changed);
    dpk_hostfile_close(host);
}

/* Every bit of [at, at + count). */
static void flip(uint8_t *bytes, size_t size, size_t at, size_t count, struct accepted *a)
{
    for (size_t bit = 8 * at; bit < 8 * (at + count); bit += BIT_STEP) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        only_what_was_signed(bytes, size, bit / 8, a);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void no_flipped_bit_of_its_sections_is_accepted(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = exact_golden("hostelf-fat/fat-two.signed.elf", &size);
    struct dpk_der der = {root.data, root.size};
    struct accepted a = {.trust = {&der, 1}};
    struct dpk_hostfile *host = NULL;
    dpk_put(&a.original, bytes, size);
    assert_int_equal(dpk_hostfile_borrow("it", bytes, size, &host, NULL), DPK_OK);
    const struct dpk_program *p = dpk_hostfile_program(host, 0);
    const struct dpk_sections sections = p->sections;
    assert_int_equal(p->subject_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct dpk_subject *s = &p->subjects[i];
        assert_int_equal(dpk_verify(s, &a.trust, NULL), DPK_VERDICT_OK);
        a.elf[i] = (size_t)(s->elf.file.begin - bytes);
        a.elf_size[i] = dpk_reader_left(&s->elf.file);
        a.crypto[i] = (size_t)(s->crypto - bytes);
        a.crypto_size[i] = s->crypto_size;
        a.manifest[i] = (size_t)(s->manifest - bytes);
        a.manifest_size[i] = s->manifest_size;
    }
    dpk_hostfile_close(host);
    const struct {
        const uint8_t *at;
        size_t size;
    } parts[] = {{sections.elf, sections.elf_size},
                 {sections.room, 24 + 64 + 8 + 64 + 224}, /* up to the hash list's end */
                 {sections.attributes, sections.attributes_size}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        flip(bytes, size, (size_t)(parts[k].at - bytes), parts[k].size, &a);
    dpk_buf_free(&a.original);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_flipped_bit_of_its_sections_is_accepted),
    };
    return cmocka_run_group_tests_name("fat-two.signed", tests, open_keys, close_keys);
}
