/* Device ELFs: every truncation and bit flip, hashed and loaded. */
#include "engine/loader/image.h"
#include "hashlist/hashlist.h"

#include "everybit.h"

/* The loader's reader on borrowed bytes. */
static bool loads(const uint8_t *bytes, size_t size)
{
    struct dpk_image image = {.elf = dpk_elf(bytes, size)};
    bool ok = loader_image_read_elf(&image, NULL) == DPK_OK &&
              loader_image_read_symbols(&image, NULL) == DPK_OK;
    for (size_t i = 0; ok && i < image.segment_count; i++) {
        const struct dpk_segment *s = &image.segments[i];
        assert_true(s->data >= bytes && s->data_size <= s->memory_size);
        assert_true((size_t)(s->data - bytes) <= size &&
                    s->data_size <= size - (size_t)(s->data - bytes));
    }
    free(image.globals);
    free(image.functions);
    return ok;
}

struct original {
    struct dpk_hashlist *hashes[2]; /* by profile */
};

static void hash_and_load(const uint8_t *bytes, size_t size, size_t changed, void *context)
{
    const struct original *o = context;
    char where[64];
    for (int profile = 0; profile < 2; profile++) {
        struct dpk_hashlist *h = NULL;
        if (dpk_hashlist_build(bytes, size, (enum dpk_hash_profile)profile, &h, NULL) == DPK_OK &&
            dpk_hashlist_compare(o->hashes[profile], h, where, sizeof where) == DPK_OK)
            fail_msg("size %zu, byte %#zx: the same hashes", size, changed);
        dpk_hashlist_free(h);
    }
    (void)loads(bytes, size);
}

static void mutate(const char *name)
{
    struct original o = {0};
    size_t size;
    uint8_t *bytes = exact_golden(name, &size);
    for (int profile = 0; profile < 2; profile++)
        assert_int_equal(dpk_hashlist_build(bytes, size, (enum dpk_hash_profile)profile,
                                            &o.hashes[profile], NULL),
                         DPK_OK);
    every_flip(bytes, size, hash_and_load, &o);
    every_truncation(bytes, size, hash_and_load, &o);
    dpk_hashlist_free(o.hashes[0]);
    dpk_hashlist_free(o.hashes[1]);
    free(bytes);
}

static void every_mutation_of_dev1_changes_its_hashes(void **state)
{
    (void)state;
    mutate("hostelf/dev1.elf");
}

static void every_mutation_of_dev2_changes_its_hashes(void **state)
{
    (void)state;
    mutate("hostelf/dev2.elf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutation_of_dev1_changes_its_hashes),
        cmocka_unit_test(every_mutation_of_dev2_changes_its_hashes),
    };
    return cmocka_run_group_tests_name("everybit_device_elf", tests, NULL, NULL);
}
