/* Private to jit: finds libdpakit-llvm.so. */
#ifndef DPK_ENGINE_JIT_LIBRARY_H
#define DPK_ENGINE_JIT_LIBRARY_H

#include "engine/jit/translate.h"

/* Loads the library and returns its translate function. Returns NULL if the library or libLLVM does
 * not exist; `err` says which. */
jit_translate_fn *jit_library_load(struct dpk_error *err);

/* Fills a stamp that identifies the library by its file: size and time. Returns false if there is
 * no file. */
bool jit_library_stamp(uint64_t stamp[3]);

#endif
