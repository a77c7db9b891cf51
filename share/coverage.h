/* dpacc --coverage puts this into what it generates for each source: the names that clang's counting
 * code refers to, and which form its records have, for the engine that writes them to a file.
 * Nothing has to be registered, as the engine finds the records by their sections. */
#include <stdint.h>
#if __has_include(<profile/InstrProfData.inc>)
#include <profile/InstrProfData.inc>
#elif __clang_major__ >= 19
#define INSTR_PROF_RAW_VERSION 10
#elif __clang_major__ == 18
#define INSTR_PROF_RAW_VERSION 9
#else
#define INSTR_PROF_RAW_VERSION 8
#endif
__attribute__((weak, used)) const uint64_t __llvm_profile_raw_version = INSTR_PROF_RAW_VERSION;
__attribute__((weak)) int __llvm_profile_runtime;
__attribute__((weak)) void __llvm_profile_register_function(void *record)
{
    (void)record;
}
__attribute__((weak)) void __llvm_profile_register_names_function(void *names, uint64_t size)
{
    (void)names, (void)size;
}
