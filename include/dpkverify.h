/*
 * dpkverify: is a file with DPA programs signed as its user wants? For programs that check what they
 * load or hand out (libdpkverify.so; dpkverify(3)).
 *
 *     char why[DPKVERIFY_WHY];
 *     struct dpkverify_trust *trust = dpkverify_trust_new();
 *     struct dpkverify_result *result = NULL;
 *     if (dpkverify_add_roots(trust, "root.der", why) == 0 &&
 *         dpkverify_set_policy(trust, "policy.yaml", why) == 0 &&
 *         dpkverify_file(trust, "hello", &result, why) == 0 && dpkverify_code(result) == 0)
 *         use(dpkverify_content(result, &size), size);      // the bytes that were verified
 *     else
 *         fprintf(stderr, "%s\n", result ? dpkverify_reason(result) : why);
 *     dpkverify_result_free(result);
 *     dpkverify_trust_free(trust);
 *
 * Functions that return an int return 0, or -1 when something could not be done, with the reason in
 * `why`: at least DPKVERIFY_WHY bytes, or NULL. A refusal is no such error, but a result.
 */
#ifndef DPKVERIFY_H
#define DPKVERIFY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DPKVERIFY_WHY 1024

/* ---- Whom to trust ---- */

struct dpkverify_trust;

/* One that trusts nobody yet; NULL: no memory. While it is changed, one thread alone may use it;
 * then any number of threads may verify by it at once. */
struct dpkverify_trust *dpkverify_trust_new(void);
void dpkverify_trust_free(struct dpkverify_trust *trust); /* NULL: nothing */

/* Adds root certificates: a file, DER or PEM. All of them must be what a device takes as its root
 * (RSA-4096, ...: mlxdpa(1), --ca). */
int dpkverify_add_roots(struct dpkverify_trust *trust, const char *path, char *why);
/* Adds an emulated device as it is now: a program passes that it would load with DPA_AUTHENTICATION
 * on, by its CA certificates, its target and its loader. */
int dpkverify_add_device(struct dpkverify_trust *trust, const char *device, char *why);
/* Takes a policy (mlxdpa(1), "POLICY") in the place of the one that there is. */
int dpkverify_set_policy(struct dpkverify_trust *trust, const char *path, char *why);

/* ---- Verification ---- */

struct dpkverify_result;

/* Verifies a host file (an ELF file, or an archive of them) or a single-program container. It is
 * copied first: what else becomes of the file, or the bytes, changes nothing. */
int dpkverify_file(const struct dpkverify_trust *trust, const char *path,
                   struct dpkverify_result **result, char *why);
int dpkverify_bytes(const struct dpkverify_trust *trust, const void *bytes, size_t size,
                    struct dpkverify_result **result, char *why);
void dpkverify_result_free(struct dpkverify_result *result); /* NULL: nothing */

/* 0: every program in it is signed and allowed, and there is at least one. Else why the first that
 * is not was refused, as the exit code of mlxdpa verify --policy has it: 11 (UNSIGNED) to 20, 21 to
 * 23; 12 (BAD_FORMAT) also of what is no such file, or has no program. */
int dpkverify_code(const struct dpkverify_result *result);
/* The same in words, in one line: "hello: UNSIGNED: ...", or "" for 0. Borrowed. */
const char *dpkverify_reason(const struct dpkverify_result *result);
/* All of it as JSON: {"code": 0, "reason": "", "programs": [{"name": ..., "target": ..., "sha256":
 * ..., "code": 0, "verdict": "OK", "detail": ...}]}. Borrowed. */
const char *dpkverify_json(const struct dpkverify_result *result);
/* The bytes that were verified. Borrowed. */
const void *dpkverify_content(const struct dpkverify_result *result, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
