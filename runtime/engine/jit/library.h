/* Private to jit: finds libdpakit-llvm.so. */
#ifndef DPK_ENGINE_JIT_LIBRARY_H
#define DPK_ENGINE_JIT_LIBRARY_H

#include "engine/jit/translate.h"

/* Loads the library and returns what translates. NULL: there is none, or libLLVM
 * is not there; `err` says which. */
jit_translate_fn *jit_library_load(struct dpk_error *err);

/* Tells one library from another by its file: size and time. False: there is none. */
bool jit_library_stamp(uint64_t stamp[3]);

#endif
