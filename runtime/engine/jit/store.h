/*
 * store: translated code on disk, so that the next process need not translate it. Files are below
 * $XDG_CACHE_HOME/dpakit/code (default ~/.cache/dpakit/code), one for each key, 256 MiB in all; the
 * oldest go. Each file has a MAC (HMAC-SHA256, FIPS 198-1) under a random secret. The secret is in
 * the folder of the devices, readable by this user alone, and is made with the first file. A file
 * that is damaged, or that another user may have written, is not used; this is reported once on
 * standard error. If there is no home directory or no file can be written, code is not stored.
 * DPAKIT_CACHE=off: files are neither read nor written.
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

/* Gets the code stored under `key`, which is a digest (SHA-256) of everything that the code depends
 * on. `code` must be empty; it is filled only if this returns true. */
bool jit_store_get(const uint8_t key[JIT_STORE_KEY], struct dpk_buf *code);
/* Stores `size` bytes, whole or not at all, and replaces earlier code of the key. */
void jit_store_put(const uint8_t key[JIT_STORE_KEY], const void *code, size_t size);

/* Makes the name of a key's file. The name is a MAC, too, so that files of other secrets have other
 * names. Returns false if OpenSSL fails. */
bool jit_store_name(const uint8_t secret[JIT_STORE_SECRET], const uint8_t key[JIT_STORE_KEY],
                    char name[JIT_STORE_NAME]);
/* jit_store_seal makes a file's bytes for a code; the result is failed if there is no memory or
 * OpenSSL fails. jit_store_open returns the code in a file's bytes, or a failed reader if the
 * bytes were not made with this secret and key. */
void jit_store_seal(const uint8_t secret[JIT_STORE_SECRET], const uint8_t key[JIT_STORE_KEY],
                    const void *code, size_t size, struct dpk_buf *file);
struct dpk_reader jit_store_open(const uint8_t secret[JIT_STORE_SECRET],
                                 const uint8_t key[JIT_STORE_KEY], const void *file, size_t size);

#endif
