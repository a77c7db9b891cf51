/* runtime/engine/loader: asking a device whether it would load a program gives the same answer as
 * loading it, for every signed mutation: the signature is right, and the loader decides. */
#include "loader_world.h"

#include "wrong_fields.h"

static struct dpk_certchain *chain;
static struct dpk_signer *signer;

static int open_keys(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    if (dpk_certchain_load(golden_path("keys/chain3.der"), &chain, &err) != DPK_OK ||
        dpk_signer_open(golden_path("keys/leaf.pem"), NULL, &signer, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return 0;
}

static int close_keys(void **state)
{
    (void)state;
    dpk_signer_close(signer);
    dpk_certchain_free(chain);
    return 0;
}

/* Signs it as somebody who signs anything; false: nothing that can be signed. */
static bool sign(const struct tiny *t, struct program *out)
{
    const struct dpk_sign_options anything = {.profile = DPK_PROFILE_COMPACT, .force = true};
    *out = (struct program){0};
    dpk_put(&out->elf, t->bytes, SIZE);
    bool done =
        build_bytes(out->elf.data, SIZE, chain, signer, &anything, &out->crypto, NULL) == DPK_OK;
    if (!done)
        program_free(out);
    return done;
}

/* Loads it, which compares (check_asking); whether it is loaded. */
static enum dpk_status loaded(const struct tiny *t, unsigned *tried)
{
    struct dpk_device dev = {.authentication = true, .has_ca = true};
    struct program p;
    if (!sign(t, &p))
        return DPK_ERR_REFUSED;
    ++*tried;
    enum dpk_status status = try_load(&dev, &p, NULL, NULL);
    program_free(&p);
    return status;
}

static void sound_program_is_loaded(void **state)
{
    (void)state;
    struct tiny t = tiny();
    unsigned tried = 0;
    assert_int_equal(loaded(&t, &tried), DPK_OK);
    assert_int_equal(tried, 1);
}

static void every_wrong_field_is_refused_by_both(void **state)
{
    (void)state;
    unsigned tried = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tiny t = tiny();
        put(&t, wrong[i].at, wrong[i].width, wrong[i].value);
        if (loaded(&t, &tried) == DPK_OK)
            fail_msg("%zu: loaded, but \"%s\"", i, wrong[i].says);
    }
    assert_true(tried > 30);
}

static void flipped_bits_are_the_same_for_both(void **state)
{
    (void)state;
    unsigned tried = 0, good = 0;
    for (size_t bit = 0; bit < SIZE * 8; bit += 61) {
        struct tiny t = tiny();
        t.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        good += loaded(&t, &tried) == DPK_OK;
    }
    assert_true(good > 20 && tried > good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_program_is_loaded),
        cmocka_unit_test(every_wrong_field_is_refused_by_both),
        cmocka_unit_test(flipped_bits_are_the_same_for_both),
    };
    return cmocka_run_group_tests_name("load_ask", tests, open_keys, close_keys);
}
