/*
 * Puts a certificate into a PKCS#11 token, as pkcs11-tool of OpenSC does:
 *
 *     token_put TOKEN PIN LABEL FILE.der [private] [bare]
 *
 * The module is $PKCS11_MODULE_PATH. private: the token shows it after a login only. bare: the token has no
 * subject for it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/x509.h>
#include <p11-kit/p11-kit.h>

static void need(bool done, const char *what)
{
    if (!done) {
        fprintf(stderr, "token_put: %s\n", what);
        exit(1);
    }
}

static bool given(char **words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static CK_SLOT_ID find(CK_FUNCTION_LIST *module, const char *label)
{
    CK_SLOT_ID slots[64];
    CK_ULONG count = 64;
    need(module->C_GetSlotList(CK_TRUE, slots, &count) == CKR_OK, "no slots");
    for (CK_ULONG i = 0; i < count; i++) {
        CK_TOKEN_INFO info;
        if (module->C_GetTokenInfo(slots[i], &info) == CKR_OK &&
            memcmp(info.label, label, strlen(label)) == 0 && info.label[strlen(label)] == ' ')
            return slots[i];
    }
    need(false, "no such token");
    return 0;
}

int main(int argc, char **argv)
{
    need(argc >= 5, "TOKEN PIN LABEL FILE.der [private] [bare]");
    FILE *file = fopen(argv[4], "r");
    X509 *cert = file ? d2i_X509_fp(file, NULL) : NULL;
    need(cert, "no certificate");
    unsigned char *der = NULL, *subject = NULL;
    const int size = i2d_X509(cert, &der);
    const int subject_size = i2d_X509_NAME(X509_get_subject_name(cert), &subject);
    CK_FUNCTION_LIST *module = p11_kit_module_load(getenv("PKCS11_MODULE_PATH"), 0);
    need(module && p11_kit_module_initialize(module) == CKR_OK, "no module");
    CK_SESSION_HANDLE session = 0;
    need(module->C_OpenSession(find(module, argv[1]), CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL,
                               NULL, &session) == CKR_OK,
         "no session");
    need(module->C_Login(session, CKU_USER, (CK_UTF8CHAR *)argv[2], strlen(argv[2])) == CKR_OK,
         "PIN");
    CK_OBJECT_CLASS class = CKO_CERTIFICATE;
    CK_CERTIFICATE_TYPE type = CKC_X_509;
    CK_BBOOL yes = CK_TRUE, private = given(argv + 5, "private");
    CK_ATTRIBUTE all[] = {
        {CKA_CLASS, &class, sizeof class},
        {CKA_CERTIFICATE_TYPE, &type, sizeof type},
        {CKA_TOKEN, &yes, sizeof yes},
        {CKA_PRIVATE, &private, sizeof private},
        {CKA_LABEL, argv[3], strlen(argv[3])},
        {CKA_VALUE, der, (CK_ULONG)size},
        {CKA_SUBJECT, subject, given(argv + 5, "bare") ? 0 : (CK_ULONG)subject_size},
    };
    CK_OBJECT_HANDLE object = 0;
    need(module->C_CreateObject(session, all, sizeof all / sizeof *all, &object) == CKR_OK,
         "the token does not take the certificate");
    p11_kit_module_finalize(module);
    p11_kit_module_release(module);
    OPENSSL_free(der);
    OPENSSL_free(subject);
    X509_free(cert);
    fclose(file);
    return 0;
}
