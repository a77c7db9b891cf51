/* The inputs of a translation, as a key for the store. */
#include "engine/jit/library.h"

#include <openssl/evp.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

/* Describes the host processor's features that the code may use. */
static void describe_host(uint64_t out[8])
{
    memset(out, 0, 8 * sizeof *out);
#ifdef __x86_64__
    unsigned r[4];
    if (__get_cpuid(1, &r[0], &r[1], &r[2], &r[3])) {
        out[0] = r[0]; /* family and model */
        out[1] = (uint64_t)r[2] << 32 | r[3];
    }
    if (__get_cpuid_count(7, 0, &r[0], &r[1], &r[2], &r[3])) {
        out[2] = (uint64_t)r[1] << 32 | r[2];
        out[3] = r[3];
    }
    if (__get_cpuid(0x80000001, &r[0], &r[1], &r[2], &r[3]))
        out[4] = (uint64_t)r[2] << 32 | r[3];
#else
    out[0] = getauxval(AT_HWCAP);
    out[1] = getauxval(AT_HWCAP2);
    out[7] = 1; /* marks the other architecture */
#endif
}

/* The same bits may be valid on one core and illegal on another. */
static void put_insn(struct dpk_buf *b, const struct rv64_insn *insn)
{
    dpk_put_le32(b, insn->bits);
    dpk_put_u8(b, insn->op);
}

static void put_region(struct dpk_buf *b, const struct jit_region *r)
{
    dpk_put_le32(b, r->block_count);
    for (uint32_t i = 0; i < r->block_count; i++) {
        const struct jit_block *block = &r->blocks[i];
        dpk_put_le64(b, block->pc);
        dpk_put_le32(b, block->count);
        dpk_put_le32(b, (uint32_t)block->end);
        dpk_put_le64(b, block->next_pc); /* for a copy's return: the address after its call */
        dpk_put_le32(b, block->copy);
        dpk_put_le32(b, (uint32_t)block->next);
        dpk_put_le32(b, (uint32_t)block->taken);
        dpk_put_le32(b, block->target_count);
        for (uint32_t k = 0; k < block->target_count; k++)
            dpk_put_le32(b, (uint32_t)r->targets[block->target + k]);
        dpk_put_le32(b, block->table);
        for (uint32_t k = 0; k < block->count; k++)
            put_insn(b, &r->insns[block->first + k].insn);
    }
    for (unsigned i = 0; i < RV64_WINDOWS; i++) /* points_to matters only for speed */
        dpk_put_le64(b, r->window_begin[i]);
    dpk_put_le32(b, r->table_count);
    for (uint32_t i = 1; i <= r->table_count; i++) {
        const struct jit_table *t = &r->tables[i]; /* instructions determine the rest */
        dpk_put_le64(b, t->base);
        dpk_put_le32(b, t->entry_count);
        for (uint32_t k = 0; k < t->entry_count; k++)
            dpk_put_le32(b, (uint32_t)r->targets[t->entry + k]);
    }
}

bool jit_key(const struct jit_region *region, const struct jit_options *options,
             uint8_t key[JIT_KEY])
{
    struct dpk_buf b = {0};
    uint64_t host[8], library[3];
    unsigned size;
    if (!jit_library_stamp(library))
        return false;
    describe_host(host);
    dpk_put(&b, library, sizeof library);
    dpk_put(&b, DPK_VERSION, sizeof DPK_VERSION);
    dpk_put_le32(&b, JIT_IMAGE_VERSION);
    dpk_put(&b, host, sizeof host);
    dpk_put_le64(&b, options->begin);
    dpk_put_le64(&b, options->size);
    dpk_put_u8(&b, options->uneven);
    dpk_put_u8(&b, options->every_block);
    put_region(&b, region);
    bool done = !b.failed && dpk_openssl_start(NULL) == DPK_OK &&
                EVP_Digest(b.data, b.size, key, &size, EVP_sha256(), NULL) == 1;
    dpk_buf_free(&b);
    return done;
}
