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

/* What a URI says of a token, for PKCS#11 without OpenSSL. Release with token_place_free. */
struct token_place {
    struct dpk_buf key;    /* the URI without PIN and module, NUL-terminated */
    struct dpk_buf module; /* path of the module, NUL-terminated; empty: p11-kit knows */
    bool module_given;     /* the URI itself names the module */
    struct dpk_buf pin;    /* NUL-terminated; of a token that has one */
};
enum dpk_status token_place_find(const struct dpk_key_options *where, struct token_place *out,
                                 struct dpk_error *err);
void token_place_free(struct token_place *p);

#endif
