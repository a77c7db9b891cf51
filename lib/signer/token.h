/* Ways to keys in PKCS#11 tokens; private to this room. */
#ifndef DPK_SIGNER_TOKEN_H
#define DPK_SIGNER_TOKEN_H

#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>

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

/* ---- Sessions, without OpenSSL ---- */

#define HANDLES_MAX 64 /* objects that a search finds */

/* A session with the token that a URI names. */
struct token {
    const char *name;       /* the URI, without a PIN: for messages; borrowed */
    CK_FUNCTION_LIST *own;  /* the one module that was named, or NULL */
    CK_FUNCTION_LIST **all; /* those that p11-kit knows, or NULL */
    P11KitUri *uri;
    CK_FUNCTION_LIST *module; /* of the token */
    CK_SLOT_ID slot;
    CK_FLAGS flags; /* of the token, when it was found */
    CK_SESSION_HANDLE session;
    bool is_open;
    char label[33]; /* of the token, without its padding */
};

/* Finds the token; nothing is sent to it yet. DPK_ERR_USAGE: no URI of a token, or of a key in it
 * (`of_object`), or it names several tokens; DPK_ERR_NOT_FOUND: there is no such token; DPK_ERR_CRYPTO:
 * the module (a path, NULL: those of p11-kit) cannot be loaded. Release with session_end, after
 * failures too. */
enum dpk_status session_find(struct token *t, const char *name, const char *module, bool of_object,
                             struct dpk_error *err);
/* Is the PIN not locked? */
enum dpk_status session_can_log_in(const struct token *t, struct dpk_error *err);
enum dpk_status session_open(struct token *t, bool write, struct dpk_error *err);
/* Sends the PIN, once. The process is logged in then, by whichever way it speaks to the token, until
 * its last session ends. */
enum dpk_status session_log_in(struct token *t, const char *pin, struct dpk_error *err);
void session_end(struct token *t);

/* Finds objects with these attributes; the session searches no more afterwards. */
CK_RV session_search(struct token *t, CK_ATTRIBUTE *sought, CK_ULONG terms,
                     CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count);
/* Finds the objects of a class that the URI names, and the one object that it names: `what` it is
 * ("private key") stands in the error, with what is there. */
enum dpk_status session_named(struct token *t, CK_OBJECT_CLASS class,
                              CK_OBJECT_HANDLE out[HANDLES_MAX], CK_ULONG *count,
                              struct dpk_error *err);
enum dpk_status session_one(struct token *t, CK_OBJECT_CLASS class, const char *what,
                            CK_OBJECT_HANDLE *out, struct dpk_error *err);
enum dpk_status session_fail(const struct token *t, const char *what, CK_RV rv,
                             struct dpk_error *err);

#endif
