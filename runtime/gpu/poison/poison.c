#include "poison.h"

/* The interface of AddressSanitizer (sanitizer/asan_interface.h, common_interface_defs.h). Programs
 * without it do not define these functions. */
#define OPTIONAL extern __attribute__((weak, visibility("default")))
OPTIONAL void __asan_poison_memory_region(const volatile void *at, size_t size);
OPTIONAL void __asan_unpoison_memory_region(const volatile void *at, size_t size);
OPTIONAL void __sanitizer_start_switch_fiber(void **kept, const void *low, size_t size);
OPTIONAL void __sanitizer_finish_switch_fiber(void *kept, const void **low, size_t *size);
OPTIONAL void __asan_set_error_report_callback(void (*tell)(const char *));
OPTIONAL void *__asan_get_report_pc(void);
OPTIONAL void *__asan_get_report_address(void);
OPTIONAL int __asan_get_report_access_type(void);
OPTIONAL size_t __asan_get_report_access_size(void);
OPTIONAL const char *__asan_get_report_description(void);

static void (*reported)(const struct dpk_gpu_poison_finding *found);

bool dpk_gpu_poison_is_there(void)
{
    return __asan_poison_memory_region != NULL;
}

void dpk_gpu_poison(const void *at, size_t size)
{
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(at, size);
}

void dpk_gpu_unpoison(const void *at, size_t size)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(at, size);
}

void dpk_gpu_poison_leave(void **kept, const void *low, size_t size)
{
    if (__asan_poison_memory_region && __sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(kept, low, size);
}

void dpk_gpu_poison_enter(void *kept)
{
    if (__asan_poison_memory_region && __sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(kept, NULL, NULL);
}

static void pass_on(const char *text)
{
    (void)text;
    reported(&(struct dpk_gpu_poison_finding){.pc = __asan_get_report_pc(),
                                              .address = __asan_get_report_address(),
                                              .size = __asan_get_report_access_size(),
                                              .writes = __asan_get_report_access_type() != 0,
                                              .what = __asan_get_report_description()});
}

void dpk_gpu_poison_on_report(void (*tell)(const struct dpk_gpu_poison_finding *found))
{
    reported = tell;
    if (__asan_set_error_report_callback && __asan_get_report_pc)
        __asan_set_error_report_callback(pass_on);
}
