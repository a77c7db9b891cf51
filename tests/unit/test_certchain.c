/* lib/certchain: chains from files and as bytes. */
#include "testchain.h"

static void parse_gives(struct dpk_buf bytes, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_certchain *chain = NULL;
    assert_int_equal(dpk_certchain_parse(bytes.data, bytes.size, &chain, &err), status);
    assert_null(chain);
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
    dpk_buf_free(&bytes);
}

/* ---- CRC ---- */

static void crc_equals_the_reference(void **state)
{
    (void)state;
    /* What NVIDIA's tool stores for a chain of 0xFD0 bytes, and what it should for count 3. */
    static const uint8_t mft[8] = {0x0F, 0xD0, 0x00, 0x11, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint8_t real[8] = {0xFF, 0x0F, 0xD0, 0x31, 0xFF, 0xFF, 0xFF, 0xFF};
    assert_int_equal(dpk_crc16(mft, 8), 0xF920);
    assert_int_equal(dpk_crc16(real, 8), 0x9EFA);
}

/* ---- Reading ---- */

static void is_top_to_leaf(const struct dpk_certchain *chain)
{
    assert_int_equal(dpk_certchain_count(chain), 3);
    assert_int_equal(X509_cmp(dpk_certchain_cert(chain, 0), root), 0);
    assert_int_equal(X509_cmp(dpk_certchain_cert(chain, 1), inter), 0);
    assert_int_equal(X509_cmp(dpk_certchain_leaf(chain), leaf), 0);
    assert_null(dpk_certchain_cert(chain, 3));
}

static void certificates_in_any_order_are_sorted(void **state)
{
    (void)state;
    X509 *orders[][3] = {{root, inter, leaf}, {leaf, inter, root}, {inter, leaf, root},
                         {leaf, root, inter}, {root, leaf, inter}, {inter, root, leaf}};
    for (size_t i = 0; i < 6; i++) {
        struct dpk_certchain *chain = parsed(der_of(orders[i], 3));
        is_top_to_leaf(chain);
        dpk_certchain_free(chain);
    }
}

static void pem_bundle_reads_as_its_der(void **state)
{
    (void)state;
    struct dpk_buf pem = {0};
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    BIO_puts(bio, "0 s:CN = Leaf\n"); /* openssl s_client prints such lines */
    PEM_write_bio_X509(bio, leaf);
    PEM_write_bio_PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL);
    PEM_write_bio_X509(bio, inter);
    PEM_write_bio_X509(bio, root);
    long size = BIO_get_mem_data(bio, &text);
    dpk_put(&pem, text, (size_t)size);
    BIO_free(bio);
    struct dpk_certchain *chain = parsed(pem);
    is_top_to_leaf(chain);
    dpk_certchain_free(chain);
}

static void damaged_pem_is_refused(void **state)
{
    (void)state;
    struct dpk_buf pem = {0};
    dpk_put_format(&pem, "-----BEGIN CERTIFICATE-----\nMIIB\n");
    parse_gives(pem, DPK_ERR_FORMAT, "damaged PEM");
}

static void file_without_certificate_is_refused(void **state)
{
    (void)state;
    struct dpk_buf junk = {0};
    dpk_put_format(&junk, "hello");
    parse_gives(junk, DPK_ERR_FORMAT, "not a DER certificate");
    parse_gives((struct dpk_buf){0}, DPK_ERR_FORMAT, "no certificate");
}

static void trailing_bytes_are_refused(void **state)
{
    (void)state;
    struct dpk_buf b = DER(root, inter, leaf);
    dpk_put_u8(&b, 0);
    parse_gives(b, DPK_ERR_FORMAT, "certificate 4");
}

static void certificates_of_two_chains_are_refused(void **state)
{
    (void)state;
    parse_gives(DER(root, leaf), DPK_ERR_FORMAT, "one chain");
    parse_gives(DER(leaf, leaf), DPK_ERR_FORMAT, "one chain");
}

static void more_than_four_certificates_are_refused(void **state)
{
    (void)state;
    parse_gives(DER(root, root, root, root, root), DPK_ERR_RANGE, "more than 4");
}

static void chain_of_too_many_bytes_is_refused(void **state)
{
    (void)state;
    char comment[4200];
    memset(comment, 'x', sizeof comment - 1);
    comment[sizeof comment - 1] = 0;
    X509 *big = make_cert(&(struct cert_spec){
        .subject = "Big", .key = key, .other_name = "nsComment", .other_value = comment});
    parse_gives(DER(big), DPK_ERR_RANGE, "4096 bytes");
    X509_free(big);
}

static void load_names_the_file(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_certchain *chain = NULL;
    assert_int_equal(dpk_certchain_load("/nonexistent/chain.der", &chain, &err), DPK_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "/nonexistent/chain.der"));
    assert_int_equal(dpk_certchain_load("/dev/null", &chain, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "/dev/null: no certificate"));
}

/* ---- Layout ---- */

static struct dpk_buf encoded(const unsigned *mft_count)
{
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_certchain *chain = parsed(DER(root, inter, leaf));
    assert_int_equal(dpk_certchain_encode(chain, mft_count, &out, &err), DPK_OK);
    dpk_certchain_free(chain);
    return out;
}

static enum dpk_status decode(const struct dpk_buf *b, bool *warning, struct dpk_error *err)
{
    struct dpk_certchain *chain = NULL;
    struct dpk_reader r = dpk_reader(b->data, b->size);
    enum dpk_status status = dpk_certchain_decode(&r, &chain, warning, err);
    assert_true((chain != NULL) == (status == DPK_OK));
    if (chain)
        is_top_to_leaf(chain);
    dpk_certchain_free(chain);
    return status;
}

static void mft_layout_equals_the_reference(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_certchain *chain = NULL;
    struct dpk_buf out = {0}, blob = golden("hostelf/one.full.blob");
    assert_int_equal(dpk_certchain_load(golden_path("keys/chain3.der"), &chain, &err), DPK_OK);
    assert_int_equal(dpk_certchain_encode(chain, &(unsigned){3}, &out, &err), DPK_OK);
    assert_true(blob.size > out.size);
    assert_memory_equal(out.data, blob.data + blob.size - out.size, out.size);
    dpk_certchain_free(chain);
    dpk_buf_free(&out);
    dpk_buf_free(&blob);
}

static void chain_that_is_encoded_decodes(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    bool warning = true;
    struct dpk_buf ours = encoded(NULL), mft = encoded(&(unsigned){3});
    assert_int_equal(decode(&ours, &warning, &err), DPK_OK);
    assert_false(warning);
    assert_int_equal(decode(&mft, &warning, &err), DPK_OK);
    assert_false(warning);
    dpk_buf_free(&ours);
    dpk_buf_free(&mft);
}

static void count_by_mft_above_the_certificates_is_a_warning(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    bool warning = false;
    struct dpk_buf b = encoded(&(unsigned){4});
    assert_int_equal(decode(&b, &warning, &err), DPK_OK);
    assert_true(warning);
    dpk_buf_free(&b);
}

static void count_by_mft_that_no_chain_may_have_is_refused(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    bool warning;
    for (unsigned count = 0; count < 16; count++) {
        if (count == 3 || count == 4)
            continue;
        struct dpk_buf b = encoded(&count);
        assert_int_equal(decode(&b, &warning, &err), DPK_ERR_FORMAT);
        dpk_buf_free(&b);
    }
}

static void right_crc_over_a_wrong_count_is_refused(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    bool warning;
    struct dpk_buf b = encoded(NULL);
    b.data[3] = 0x41;
    uint16_t crc = dpk_crc16(b.data, 8);
    b.data[10] = (uint8_t)(crc >> 8);
    b.data[11] = (uint8_t)crc;
    assert_int_equal(decode(&b, &warning, &err), DPK_ERR_FORMAT);
    assert_non_null(strstr(err.message, "count is 4"));
    dpk_buf_free(&b);
}

static void every_flipped_header_bit_is_refused(void **state)
{
    (void)state;
    bool warning;
    struct dpk_buf b = encoded(NULL);
    for (unsigned bit = 0; bit < 96; bit++) {
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(decode(&b, &warning, NULL), DPK_ERR_FORMAT);
        b.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    dpk_buf_free(&b);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    bool warning;
    struct dpk_buf b = encoded(NULL);
    struct dpk_buf cut = b;
    for (cut.size = 0; cut.size < b.size; cut.size++)
        assert_int_equal(decode(&cut, &warning, NULL), DPK_ERR_FORMAT);
    dpk_buf_free(&b);
}

static void decode_moves_the_reader_behind_the_chain(void **state)
{
    (void)state;
    bool warning;
    struct dpk_certchain *chain = NULL;
    struct dpk_buf b = encoded(NULL);
    dpk_put_u8(&b, 0xFF);
    struct dpk_reader r = dpk_reader(b.data, b.size);
    assert_int_equal(dpk_certchain_decode(&r, &chain, &warning, NULL), DPK_OK);
    assert_int_equal(dpk_reader_left(&r), 1);
    dpk_certchain_free(chain);
    dpk_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_equals_the_reference),
        cmocka_unit_test(certificates_in_any_order_are_sorted),
        cmocka_unit_test(pem_bundle_reads_as_its_der),
        cmocka_unit_test(damaged_pem_is_refused),
        cmocka_unit_test(file_without_certificate_is_refused),
        cmocka_unit_test(trailing_bytes_are_refused),
        cmocka_unit_test(certificates_of_two_chains_are_refused),
        cmocka_unit_test(more_than_four_certificates_are_refused),
        cmocka_unit_test(chain_of_too_many_bytes_is_refused),
        cmocka_unit_test(load_names_the_file),
        cmocka_unit_test(mft_layout_equals_the_reference),
        cmocka_unit_test(chain_that_is_encoded_decodes),
        cmocka_unit_test(count_by_mft_above_the_certificates_is_a_warning),
        cmocka_unit_test(count_by_mft_that_no_chain_may_have_is_refused),
        cmocka_unit_test(right_crc_over_a_wrong_count_is_refused),
        cmocka_unit_test(every_flipped_header_bit_is_refused),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(decode_moves_the_reader_behind_the_chain),
    };
    return cmocka_run_group_tests_name("certchain", tests, make_chain, free_chain);
}
