/* Kernels of the DOCA 2.2 memory tests. */
#include <doca_dpa_dev.h>
#include <doca_dpa_dev_sync_event.h>

#include "memory_cases.h"

/* Both pointers are in use at the same time. */
__dpa_global__ void double_words(uint64_t from, doca_dpa_dev_mem_t from_mem, uint64_t to,
                                 doca_dpa_dev_mem_t to_mem, uint64_t count)
{
    doca_dpa_dev_uintptr_t in, out;
    doca_dpa_dev_external_ptr_get(from, from_mem, &in);
    doca_dpa_dev_external_ptr_get(to, to_mem, &out);
    for (uint64_t i = 0; i < count; i++)
        ((uint64_t *)out)[i] = 2 * ((const uint64_t *)in)[i];
}

__dpa_global__ void access_all_widths(uint64_t address, doca_dpa_dev_mem_t mem)
{
    doca_dpa_dev_uintptr_t p;
    doca_dpa_dev_external_ptr_get(address, mem, &p);
    volatile struct widths *w = (volatile struct widths *)p;
    w->u8 = (uint8_t)(w->u8 + 1);
    w->u16 = (uint16_t)(w->u16 + 1);
    w->u32++;
    w->i32_as_64 = w->i32;
    __atomic_fetch_add((uint64_t *)&w->u64, 1, __ATOMIC_SEQ_CST);
}

__dpa_global__ void load_at(uint64_t address, doca_dpa_dev_mem_t mem, uint64_t offset)
{
    doca_dpa_dev_uintptr_t p;
    doca_dpa_dev_external_ptr_get(address, mem, &p);
    (void)*(volatile uint64_t *)(p + offset);
}

__dpa_global__ void store_at(uint64_t address, doca_dpa_dev_mem_t mem, uint64_t offset)
{
    doca_dpa_dev_uintptr_t p;
    doca_dpa_dev_external_ptr_get(address, mem, &p);
    *(volatile uint64_t *)(p + offset) = 7;
}

__dpa_global__ void load_when_told(uint64_t address, doca_dpa_dev_mem_t mem,
                                   doca_dpa_dev_sync_event_t have, doca_dpa_dev_sync_event_t go)
{
    doca_dpa_dev_uintptr_t p;
    doca_dpa_dev_external_ptr_get(address, mem, &p);
    doca_dpa_dev_sync_event_update_add(have, 1);
    doca_dpa_dev_sync_event_wait_gt(go, 0, UINT64_MAX);
    (void)*(volatile uint64_t *)p;
}

__dpa_global__ void copy(uint64_t to, doca_dpa_dev_mem_t to_mem, uint64_t from,
                         doca_dpa_dev_mem_t from_mem, uint64_t length)
{
    doca_dpa_dev_memcpy_nb(to, to_mem, from, from_mem, length);
    doca_dpa_dev_memcpy_synchronize();
}

__dpa_global__ void transpose(uint64_t to, doca_dpa_dev_mem_t to_mem, uint64_t from,
                              doca_dpa_dev_mem_t from_mem, uint64_t length, uint64_t element,
                              uint64_t columns, uint64_t rows)
{
    doca_dpa_dev_memcpy_transpose2D_nb(to, to_mem, from, from_mem, length, element, columns, rows);
    doca_dpa_dev_memcpy_synchronize();
}
