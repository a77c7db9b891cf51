/* A PKCS#11 module in front of SoftHSM. It writes a line to $SPY_LOG for each login, and reports
 * the PIN state $SPY_SAYS (locked, final, count). Tests use it to see what is sent to a token, and
 * when. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <p11-kit/pkcs11.h>

static CK_FUNCTION_LIST *real;
static CK_FUNCTION_LIST spy;

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG size)
{
    CK_RV rv = real->C_Login(session, user, pin, size);
    FILE *log = fopen(getenv("SPY_LOG"), "a");
    if (log)
        fprintf(log, "C_Login %.*s %s\n", (int)size, (char *)pin,
                rv == CKR_OK                       ? "in"
                : rv == CKR_USER_ALREADY_LOGGED_IN ? "already"
                                                   : "refused");
    if (log)
        fclose(log);
    return rv;
}

static CK_RV token_info(CK_SLOT_ID slot, CK_TOKEN_INFO *info)
{
    const char *says = getenv("SPY_SAYS");
    CK_RV rv = real->C_GetTokenInfo(slot, info);
    if (says && strcmp(says, "locked") == 0)
        info->flags |= CKF_USER_PIN_LOCKED;
    if (says && strcmp(says, "final") == 0)
        info->flags |= CKF_USER_PIN_FINAL_TRY;
    if (says && strcmp(says, "count") == 0)
        info->flags |= CKF_USER_PIN_COUNT_LOW;
    return rv;
}

/* Logs the usage flags of the generated private key. */
static CK_RV generate(CK_SESSION_HANDLE session, CK_MECHANISM *how, CK_ATTRIBUTE *a, CK_ULONG n,
                      CK_ATTRIBUTE *b, CK_ULONG m, CK_OBJECT_HANDLE *public,
                      CK_OBJECT_HANDLE *private)
{
    static const struct {
        const char *name;
        CK_ATTRIBUTE_TYPE type;
    } uses[] = {{"sign", CKA_SIGN},           {"recover", CKA_SIGN_RECOVER},
                {"decrypt", CKA_DECRYPT},     {"unwrap", CKA_UNWRAP},
                {"derive", CKA_DERIVE},       {"sensitive", CKA_SENSITIVE},
                {"extract", CKA_EXTRACTABLE}, {"private", CKA_PRIVATE}};
    CK_RV rv = real->C_GenerateKeyPair(session, how, a, n, b, m, public, private);
    FILE *log = rv == CKR_OK ? fopen(getenv("SPY_LOG"), "a") : NULL;
    for (size_t i = 0; log && i < sizeof uses / sizeof *uses; i++) {
        CK_BBOOL is = 2;
        CK_ATTRIBUTE use = {uses[i].type, &is, sizeof is};
        if (real->C_GetAttributeValue(session, *private, &use, 1) == CKR_OK && is)
            fprintf(log, "%s ", uses[i].name);
    }
    if (log) {
        fprintf(log, "made\n");
        fclose(log);
    }
    return rv;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list)
{
    CK_C_GetFunctionList get;
    void *code = dlopen(getenv("SPY_OF"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&get = code ? dlsym(code, "C_GetFunctionList") : NULL;
    if (!get || get(&real) != CKR_OK)
        return CKR_GENERAL_ERROR;
    spy = *real;
    spy.C_Login = login;
    spy.C_GenerateKeyPair = generate;
    spy.C_GetTokenInfo = token_info;
    *list = &spy;
    return CKR_OK;
}
