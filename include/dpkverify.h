/*
 * dpkverify: checks the signatures of a file with DPA programs against the user's policy. For programs
 * that check files before they load or distribute them (libdpkverify.so; dpkverify(3)).
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
 * Functions that return an int return 0, or -1 after an error, with the reason in `why`: a buffer of at
 * least DPKVERIFY_WHY bytes, or NULL. A refusal is a result, not an error.
 */
#ifndef DPKVERIFY_H
#define DPKVERIFY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DPKVERIFY_WHY 1024

/* ---- Trust ---- */

struct dpkverify_trust;

/* Creates an object without trusted certificates. Returns NULL if memory is exhausted. Only one thread
 * may use it while it is changed; afterwards many threads may verify with it concurrently. */
struct dpkverify_trust *dpkverify_trust_new(void);
void dpkverify_trust_free(struct dpkverify_trust *trust); /* NULL: nothing */

/* Adds root certificates: a file, DER or PEM. All must satisfy the requirements of a device's root
 * (RSA-4096, ...: mlxdpa(1), --ca). */
int dpkverify_add_roots(struct dpkverify_trust *trust, const char *path, char *why);
/* Adds the current state of an emulated device: a program passes if the device would load it with
 * DPA_AUTHENTICATION on, according to its CA certificates, its target and its loader. */
int dpkverify_add_device(struct dpkverify_trust *trust, const char *device, char *why);
/* Replaces the policy (mlxdpa(1), "POLICY"). */
int dpkverify_set_policy(struct dpkverify_trust *trust, const char *path, char *why);

/* ---- Verification ---- */

struct dpkverify_result;

/* Verifies a host file (an ELF file, or an archive of them) or a single-program container. The content
 * is copied first, so later changes of the file or the bytes have no effect. */
int dpkverify_file(const struct dpkverify_trust *trust, const char *path,
                   struct dpkverify_result **result, char *why);
int dpkverify_bytes(const struct dpkverify_trust *trust, const void *bytes, size_t size,
                    struct dpkverify_result **result, char *why);
void dpkverify_result_free(struct dpkverify_result *result); /* NULL: nothing */

/* Returns 0 if the file has at least one program and all programs are signed and permitted. Else
 * returns the reason of the first refusal, as the exit code of mlxdpa verify --policy: 11 (UNSIGNED) to
 * 20, 21 to 23; 12 (BAD_FORMAT) also if the file has another format or no program. */
int dpkverify_code(const struct dpkverify_result *result);
/* Returns the reason as one line of text: "hello: UNSIGNED: ...", or "" for 0. Borrowed. */
const char *dpkverify_reason(const struct dpkverify_result *result);
/* Returns the whole result as JSON: {"code": 0, "reason": "", "programs": [{"name": ..., "target": ...,
 * "sha256": ..., "code": 0, "verdict": "OK", "detail": ...}]}. Borrowed. */
const char *dpkverify_json(const struct dpkverify_result *result);
/* The bytes that were verified. Borrowed. */
const void *dpkverify_content(const struct dpkverify_result *result, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
