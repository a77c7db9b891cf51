/* lib/signer: keys from files, signatures made and checked. */
#include "signer/signer.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

static char dir[64];

static const char *at(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    return path;
}

static void write_key(const char *name, EVP_PKEY *key, const EVP_CIPHER *cipher, const char *pass)
{
    FILE *f = fopen(at(name), "w");
    assert_non_null(f);
    int length = pass ? (int)strlen(pass) : 0;
    assert_int_equal(
        PEM_write_PrivateKey(f, key, cipher, (const unsigned char *)pass, length, NULL, NULL), 1);
    fclose(f);
}

static int make_keys(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/dpk-signer-XXXXXX");
    assert_non_null(mkdtemp(dir));
    EVP_PKEY *rsa = EVP_RSA_gen(2048), *ec = EVP_EC_gen("P-256");
    assert_non_null(rsa);
    assert_non_null(ec);
    write_key("rsa.pem", rsa, NULL, NULL);
    write_key("locked.pem", rsa, EVP_aes_256_cbc(), "sesame");
    write_key("ec.pem", ec, NULL, NULL);
    FILE *f = fopen(at("traditional.pem"), "w");
    BIO *bio = BIO_new_fp(f, BIO_CLOSE);
    assert_int_equal(PEM_write_bio_PrivateKey_traditional(bio, rsa, NULL, NULL, 0, NULL, NULL), 1);
    BIO_free(bio);
    f = fopen(at("public.pem"), "w");
    assert_int_equal(PEM_write_PUBKEY(f, rsa), 1);
    fclose(f);
    struct dpk_error err = {0};
    assert_int_equal(dpk_file_replace(at("junk.pem"), "\0hello\n", 7, 0600, &err), DPK_OK);
    assert_int_equal(dpk_file_replace(at("empty.pem"), "", 0, 0600, &err), DPK_OK);
    static const char broken[] = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    assert_int_equal(dpk_file_replace(at("broken.pem"), broken, sizeof broken - 1, 0600, &err),
                     DPK_OK);
    EVP_PKEY_free(rsa);
    EVP_PKEY_free(ec);
    return 0;
}

static int remove_keys(void **state)
{
    (void)state;
    static const char *const names[] = {"rsa.pem",    "locked.pem", "ec.pem",    "traditional.pem",
                                        "public.pem", "junk.pem",   "empty.pem", "broken.pem"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(at(names[i]));
    return rmdir(dir);
}

static struct dpk_signer *opened(const char *name, const char *pass)
{
    struct dpk_error err = {0};
    struct dpk_signer *s = NULL;
    if (dpk_signer_open(at(name), pass, &s, &err) != DPK_OK)
        fail_msg("%s", err.message);
    return s;
}

static void refused(const char *name, const char *pass, enum dpk_status status, const char *why)
{
    struct dpk_error err = {0};
    struct dpk_signer *s = NULL;
    assert_int_equal(dpk_signer_open(at(name), pass, &s, &err), status);
    assert_null(s);
    assert_non_null(strstr(err.message, name));
    if (!strstr(err.message, why))
        fail_msg("'%s' does not say '%s'", err.message, why);
}

static void what_is_signed_checks_under_its_public_key(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf sig = {0};
    struct dpk_signer *s = opened("rsa.pem", NULL);
    assert_int_equal(dpk_signer_bits(s), 2048);
    for (enum dpk_digest d = DPK_SHA256; d <= DPK_SHA512; d++) {
        sig.size = 0;
        assert_int_equal(dpk_signer_sign(s, d, "hello", 5, &sig, &err), DPK_OK);
        assert_int_equal(sig.size, 256);
        EVP_PKEY *key = dpk_signer_public(s);
        assert_int_equal(dpk_signature_check(key, d, "hello", 5, sig.data, 256, &err), DPK_OK);
        assert_int_equal(dpk_signature_check(key, d, "hellp", 5, sig.data, 256, &err),
                         DPK_ERR_MISMATCH);
        assert_int_equal(dpk_signature_check(key, d, "hello", 5, sig.data, 255, &err),
                         DPK_ERR_MISMATCH);
        enum dpk_digest other = d == DPK_SHA256 ? DPK_SHA512 : DPK_SHA256;
        assert_int_equal(dpk_signature_check(key, other, "hello", 5, sig.data, 256, &err),
                         DPK_ERR_MISMATCH);
        sig.data[100] ^= 1;
        assert_int_equal(dpk_signature_check(key, d, "hello", 5, sig.data, 256, &err),
                         DPK_ERR_MISMATCH);
    }
    dpk_buf_free(&sig);
    dpk_signer_close(s);
}

static void signature_is_appended(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf out = {0};
    struct dpk_signer *s = opened("rsa.pem", NULL);
    dpk_put(&out, "head", 4);
    assert_int_equal(dpk_signer_sign(s, DPK_SHA256, "", 0, &out, &err), DPK_OK);
    assert_int_equal(out.size, 260);
    assert_memory_equal(out.data, "head", 4);
    dpk_buf_free(&out);
    dpk_signer_close(s);
}

static void key_of_either_pem_form_makes_the_same_signature(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    struct dpk_buf a = {0}, b = {0}, c = {0};
    struct dpk_signer *x = opened("rsa.pem", NULL), *y = opened("traditional.pem", NULL),
                      *z = opened("locked.pem", "sesame");
    assert_int_equal(dpk_signer_sign(x, DPK_SHA512, "m", 1, &a, &err), DPK_OK);
    assert_int_equal(dpk_signer_sign(y, DPK_SHA512, "m", 1, &b, &err), DPK_OK);
    assert_int_equal(dpk_signer_sign(z, DPK_SHA512, "m", 1, &c, &err), DPK_OK);
    assert_memory_equal(a.data, b.data, 256);
    assert_memory_equal(a.data, c.data, 256);
    dpk_buf_free(&a);
    dpk_buf_free(&b);
    dpk_buf_free(&c);
    dpk_signer_close(x);
    dpk_signer_close(y);
    dpk_signer_close(z);
}

static void encrypted_key_without_passphrase_is_refused(void **state)
{
    (void)state;
    refused("locked.pem", NULL, DPK_ERR_CRYPTO, "encrypted");
}

static void encrypted_key_with_a_wrong_passphrase_is_refused(void **state)
{
    (void)state;
    refused("locked.pem", "open", DPK_ERR_CRYPTO, "passphrase");
    refused("locked.pem", "", DPK_ERR_CRYPTO, "passphrase");
}

static void file_that_holds_no_private_key_is_named(void **state)
{
    (void)state;
    refused("missing.pem", NULL, DPK_ERR_NOT_FOUND, "No such file");
    refused("junk.pem", NULL, DPK_ERR_FORMAT, "not a PEM file");
    refused("empty.pem", NULL, DPK_ERR_FORMAT, "not a PEM file");
    refused("public.pem", NULL, DPK_ERR_FORMAT, "a public key, where a private key is asked for");
    refused("broken.pem", NULL, DPK_ERR_FORMAT, "damaged");
}

static void key_that_is_not_rsa_is_refused(void **state)
{
    (void)state;
    refused("ec.pem", NULL, DPK_ERR_UNSUPPORTED, "EC");
}

static void check_under_a_key_that_is_not_rsa_is_an_error(void **state)
{
    (void)state;
    struct dpk_error err = {0};
    EVP_PKEY *ec = EVP_EC_gen("P-256");
    uint8_t sig[64] = {0};
    assert_int_equal(dpk_signature_check(ec, DPK_SHA512, "m", 1, sig, sizeof sig, &err),
                     DPK_ERR_UNSUPPORTED);
    EVP_PKEY_free(ec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_signed_checks_under_its_public_key),
        cmocka_unit_test(signature_is_appended),
        cmocka_unit_test(key_of_either_pem_form_makes_the_same_signature),
        cmocka_unit_test(encrypted_key_without_passphrase_is_refused),
        cmocka_unit_test(encrypted_key_with_a_wrong_passphrase_is_refused),
        cmocka_unit_test(file_that_holds_no_private_key_is_named),
        cmocka_unit_test(key_that_is_not_rsa_is_refused),
        cmocka_unit_test(check_under_a_key_that_is_not_rsa_is_an_error),
    };
    return cmocka_run_group_tests_name("signer", tests, make_keys, remove_keys);
}
