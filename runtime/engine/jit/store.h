/*
 * store: translated code on disk, so that the next process need not translate it. Files are below
 * $XDG_CACHE_HOME/dpakit/code (default ~/.cache/dpakit/code), one for each key, 256 MiB in all; the oldest
 * go. Each has a MAC (HMAC-SHA256, FIPS 198-1) under a random secret that lies, for this user
 * alone, in the folder of the devices, and is made with the first file. What is damaged, or may
 * have been written by another user, is not used; that is said once on standard error. Where there
 * is no home, or nothing can be written, nothing is stored. DPAKIT_CACHE=off: neither read nor
 * written.
 *
 *     struct dpk_buf code = {0};
 *     if (!jit_store_get(key, &code)) {
 *         translate(&code);
 *         jit_store_put(key, code.data, code.size);
 *     }
 *     dpk_buf_free(&code);
 *
 * Several threads and processes may use it at once.
 */
#ifndef DPK_ENGINE_JIT_STORE_H
#define DPK_ENGINE_JIT_STORE_H

#include "base/base.h"

enum { JIT_STORE_KEY = 32, JIT_STORE_SECRET = 32, JIT_STORE_NAME = 65 };

/* Gets what was put under `key`, which names everything that the code depends on (a SHA-256).
 * `code`: empty; it is filled with true only. */
bool jit_store_get(const uint8_t key[JIT_STORE_KEY], struct dpk_buf *code);
/* Stores `size` bytes, whole or not at all, in place of what has the key. */
void jit_store_put(const uint8_t key[JIT_STORE_KEY], const void *code, size_t size);

/* The name of a key's file: a MAC, too, so that files of other secrets have other names. False:
 * OpenSSL refuses. */
bool jit_store_name(const uint8_t secret[JIT_STORE_SECRET], const uint8_t key[JIT_STORE_KEY],
                    char name[JIT_STORE_NAME]);
/* A file's bytes: made for a code (failed: no memory, or OpenSSL refuses), and read: the code in
 * them; a failed reader: they were not made with this secret and key. */
void jit_store_seal(const uint8_t secret[JIT_STORE_SECRET], const uint8_t key[JIT_STORE_KEY],
                    const void *code, size_t size, struct dpk_buf *file);
struct dpk_reader jit_store_open(const uint8_t secret[JIT_STORE_SECRET],
                                 const uint8_t key[JIT_STORE_KEY], const void *file, size_t size);

#endif
