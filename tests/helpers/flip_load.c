/*
 * flip_load DEVICE HOST-FILE STRIDE: loads the host file's only program as it is (it must load),
 * then once for every STRIDE-th bit of its device ELF and of its crypto data with that bit flipped
 * (each must be refused). Prints the number of loads; exit code 1 at the first unexpected result.
 */
#include "cli/cli.h"
#include "engine/loader/loader.h"
#include "hostfile/hostfile.h"

#include <stdlib.h>
#include <string.h>

static enum dpk_status load(struct dpk_load_request *ask, struct dpk_load_result *result,
                            struct dpk_error *err)
{
    struct dpk_image *image = NULL;
    enum dpk_status status = dpk_load(ask, &image, result, err);
    dpk_image_free(image);
    return status;
}

/* Flips every stride-th bit of `bytes`, one at a time. Returns false if a changed program loads. */
static bool flip_all(struct dpk_load_request *ask, uint8_t *bytes, size_t size, size_t stride,
                     const char *what, size_t *count)
{
    for (size_t bit = 0; bit < size * 8; bit += stride) {
        struct dpk_load_result result;
        struct dpk_error err = {0};
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        enum dpk_status status = load(ask, &result, &err);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (status != DPK_ERR_REFUSED || result.verdict == DPK_VERDICT_OK) {
            fprintf(stderr, "%s, bit %zu of byte 0x%zx flipped: status %d, verdict %s: %s\n", what,
                    bit % 8, bit / 8, status, dpk_verdict_name(result.verdict), err.message);
            return false;
        }
        ++*count;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct dpk_error err = {0};
    struct dpk_device *device = NULL;
    struct dpk_hostfile *host = NULL;
    uint8_t *elf = NULL, *room = NULL;
    const struct dpk_program *p = NULL;
    struct dpk_load_result result;
    size_t count = 0;
    int code = 1;
    if (argc != 4 || atoi(argv[3]) < 1)
        return 2;
    size_t stride = (size_t)atoi(argv[3]);
    if (dpk_device_open(argv[1], &device, &err) != DPK_OK ||
        dpk_hostfile_open(argv[2], &host, &err) != DPK_OK ||
        dpk_hostfile_find(host, NULL, &p, &err) != DPK_OK) {
        dpk_tool_fail(&err);
        goto out;
    }
    const struct dpk_subject *subject = &p->subjects[0];
    struct dpk_load_request ask = {.device = device, .app = p->name, .sections = p->sections};
    elf = malloc(ask.sections.elf_size);
    room = malloc(ask.sections.room_size);
    if (!elf || !room || !subject->crypto)
        goto out;
    memcpy(elf, ask.sections.elf, ask.sections.elf_size);
    memcpy(room, ask.sections.room, ask.sections.room_size);
    const struct dpk_reader *file = &subject->elf.file;
    uint8_t *program = elf + (file->begin - ask.sections.elf);
    uint8_t *crypto = room + (subject->crypto - ask.sections.room);
    ask.sections.elf = elf;
    ask.sections.room = room;
    if (load(&ask, &result, &err) != DPK_OK || !result.authentication) {
        fprintf(stderr, "as it is, it must load with authentication on: %s\n", err.message);
        goto out;
    }
    if (!flip_all(&ask, program, (size_t)(file->end - file->begin), stride, "device ELF", &count) ||
        !flip_all(&ask, crypto, subject->crypto_size, stride, "crypto data", &count))
        goto out;
    if (load(&ask, &result, &err) != DPK_OK)
        goto out;
    printf("%zu flips refused\n", count);
    code = 0;
out:
    free(room);
    free(elf);
    dpk_hostfile_close(host);
    dpk_device_close(device);
    return code;
}
