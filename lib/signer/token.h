/* Ways to keys in PKCS#11 tokens; private to this room. */
#ifndef SIGNER_TOKEN_H
#define SIGNER_TOKEN_H

#include "keys.h"

struct token_way {
    const char *name;            /* of the way, and of what DPAKIT_PKCS11 says */
    const char *module_variable; /* its own variable for the module's path, or NULL */
    const char *package;         /* of Debian */
    /* Makes it ready in `s`, but does not load `module` yet (a path, may be NULL: p11-kit's).
     * DPK_ERR_UNSUPPORTED if it is not installed. */
    enum dpk_status (*start)(struct dpk_signer *s, const char *module, struct dpk_error *err);
    /* Fills `key` of `s` with the private key that `uri`, which has no PIN, names. */
    enum dpk_status (*load)(struct dpk_signer *s, const char *uri, const char *pin,
                            struct dpk_error *err);
    /* After a start that went well. */
    void (*stop)(struct dpk_signer *s);
};

extern const struct token_way token_provider, token_engine;

#endif
