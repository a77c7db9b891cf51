/* Ways to keys in PKCS#11 tokens; private to this room. */
#ifndef DPK_SIGNER_TOKEN_H
#define DPK_SIGNER_TOKEN_H

#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>

#include "keys.h"

struct token_way {
    const char *name;            /* name of the way, as in DPAKIT_PKCS11 */
    const char *module_variable; /* environment variable of the way for the module's path, or
                                  * NULL */
    const char *package;         /* Debian package */
    /* Prepares the way in `s`, without loading `module` (a path; NULL: p11-kit's modules). Errors:
     * DPK_ERR_UNSUPPORTED if it is not installed. */
    enum dpk_status (*start)(struct dpk_signer *s, const char *module, struct dpk_error *err);
    /* Fills `key` of `s` with the private key that `uri` names. The URI has no PIN. */
    enum dpk_status (*load)(struct dpk_signer *s, const char *uri, const char *pin,
                            struct dpk_error *err);
    /* Called after a successful start. */
    void (*stop)(struct dpk_signer *s);
};

extern const struct token_way signer_token_provider, signer_token_engine;

/* Parts of a URI for PKCS#11 without OpenSSL. Release with signer_token_place_free. */
struct token_place {
    struct dpk_buf key;    /* the URI without PIN and module, NUL-terminated */
    struct dpk_buf module; /* path of the module, NUL-terminated; empty: found by p11-kit */
    bool module_given;     /* the URI itself names the module */
    struct dpk_buf pin;    /* NUL-terminated; empty: not given */
};
/* Without `need_pin` nobody is asked for a PIN, and a PIN in the URI takes precedence over
 * --passin. */
enum dpk_status signer_token_place_find(const struct dpk_key_options *where, bool need_pin,
                                        struct token_place *out, struct dpk_error *err);
void signer_token_place_free(struct token_place *p);

/* ---- Sessions, without OpenSSL ---- */

#define HANDLES_MAX 64 /* maximum number of objects that a search finds */

/* A session with the token that a URI names. */
struct token {
    const char *name;       /* the URI without a PIN, for messages; borrowed */
    CK_FUNCTION_LIST *own;  /* the one named module, or NULL */
    CK_FUNCTION_LIST **all; /* modules known to p11-kit, or NULL */
    P11KitUri *uri;
    CK_FUNCTION_LIST *module; /* of the token */
    CK_SLOT_ID slot;
    CK_FLAGS flags; /* of the token, when it was found */
    CK_SESSION_HANDLE session;
    bool is_open;
    char label[33]; /* of the token, without its padding */
};

/* Finds the token. Sends nothing to it yet. Release with signer_session_end, also after failures. Errors:
 * DPK_ERR_USAGE if the URI does not name a token, or an object in it (`object` says which, "key";
 * NULL: the token alone), or if it names several tokens; DPK_ERR_NOT_FOUND if the token does not exist; DPK_ERR_CRYPTO if the module (a
 * path; NULL: p11-kit's modules) cannot be loaded. */
enum dpk_status signer_session_find(struct token *t, const char *name, const char *module,
                                    const char *object, struct dpk_error *err);
/* Returns an error if the PIN is locked. */
enum dpk_status signer_session_can_log_in(const struct token *t, struct dpk_error *err);
enum dpk_status signer_session_open(struct token *t, bool write, struct dpk_error *err);
/* Sends the PIN, once. The process then stays logged in, by any way to the token, until its last
 * session ends. */
enum dpk_status signer_session_log_in(struct token *t, const char *pin, struct dpk_error *err);
void signer_session_end(struct token *t);

/* Finds objects with these attributes, and ends the search. */
CK_RV signer_session_search(struct token *t, CK_ATTRIBUTE *sought, CK_ULONG terms,
                            CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count);
/* Finds the single object of a class that the URI names. The error contains `what` ("private key")
 * and the objects that exist. */
enum dpk_status signer_session_named(struct token *t, CK_OBJECT_CLASS class,
                                     CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count,
                                     struct dpk_error *err);
enum dpk_status signer_session_one(struct token *t, CK_OBJECT_CLASS class, const char *what,
                                   CK_OBJECT_HANDLE *out, struct dpk_error *err);
enum dpk_status signer_session_fail(const struct token *t, const char *what, CK_RV rv,
                                    struct dpk_error *err);

#endif
