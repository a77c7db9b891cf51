/* Reasons of OpenSSL's failures. */
#include <openssl/err.h>

#include "keys.h"

const char *signer_openssl_reason(void)
{
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    return reason ? reason : "no reason given";
}
