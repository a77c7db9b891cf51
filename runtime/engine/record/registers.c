/* Registers of threads, and digests of registers and memory. */
#include <openssl/evp.h>
#include <string.h>

#include "record.h"

void dpk_record_registers(const struct rv64_hart *hart, uint64_t out[DPK_CHANGED_COUNT])
{
    memcpy(out, hart->x, sizeof hart->x);
    out[DPK_CHANGED_PC] = hart->pc; /* replaces x0 */
    out[DPK_CHANGED_TIME] = hart->time;
    out[DPK_CHANGED_INSTRET] = hart->instret;
    out[DPK_CHANGED_RESERVED_ADDRESS] = hart->reserved_address;
    out[DPK_CHANGED_RESERVED_VALUE] = hart->reserved_value;
    out[DPK_CHANGED_RESERVED_WIDTH] = hart->reserved_width;
}

void dpk_record_apply(const struct dpk_record *r, struct rv64_hart *hart)
{
    uint64_t now[DPK_CHANGED_COUNT];
    dpk_record_registers(hart, now);
    for (unsigned i = 0; i < DPK_CHANGED_COUNT; i++)
        if (r->changed >> i & 1)
            now[i] = r->values[i];
    memcpy(&hart->x[1], &now[1], sizeof hart->x - sizeof hart->x[0]);
    hart->pc = now[DPK_CHANGED_PC];
    hart->time = now[DPK_CHANGED_TIME];
    hart->instret = now[DPK_CHANGED_INSTRET];
    hart->reserved_address = now[DPK_CHANGED_RESERVED_ADDRESS];
    hart->reserved_value = now[DPK_CHANGED_RESERVED_VALUE];
    hart->reserved_width = (uint8_t)now[DPK_CHANGED_RESERVED_WIDTH];
}

uint64_t dpk_record_check(const uint64_t values[DPK_CHANGED_COUNT])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < DPK_CHANGED_COUNT; i++) {
        sum = (sum ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

static bool add_page(EVP_MD_CTX *ctx, uint64_t address, const uint8_t *page)
{
    static const uint8_t zeros[RV64_PAGE];
    uint8_t place[8];
    if (memcmp(page, zeros, sizeof zeros) == 0)
        return true;
    dpk_store_le64(place, address);
    return EVP_DigestUpdate(ctx, place, sizeof place) == 1 &&
           EVP_DigestUpdate(ctx, page, RV64_PAGE) == 1;
}

bool dpk_record_digest(const struct rv64_memory *memory, uint8_t out[DPK_RECORD_DIGEST])
{
    uint64_t at = 0, size;
    unsigned access, length = 0;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool good = ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1;
    for (; good && rv64_memory_next(memory, at, &at, &size, &access); at += size)
        for (uint64_t page = at; good && page < at + size; page += RV64_PAGE)
            good = add_page(ctx, page, rv64_memory_at(memory, page, RV64_PAGE, 0));
    good = good && EVP_DigestFinal_ex(ctx, out, &length) == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}
