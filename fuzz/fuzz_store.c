/* Files of the store of translated code: only sealed bytes may count as code. The first byte
 * selects unsealed bytes or sealed code, with at most one bit flipped; the file is read from memory
 * and from a folder. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/jit/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t secret[JIT_STORE_SECRET] = {7}, key[JIT_STORE_KEY] = {9};
static char folder[PATH_MAX], file_path[PATH_MAX + 128];

static void put(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

static void remove_folders(void)
{
    char secret_path[PATH_MAX + 64];
    snprintf(secret_path, sizeof secret_path, "%s/.translations-%u.key", folder, geteuid());
    unlink(secret_path);
    unlink(file_path);
    while (strcmp(file_path, folder) != 0) {
        *strrchr(file_path, '/') = 0;
        rmdir(file_path);
    }
}

static void make_folders(void)
{
    char path[PATH_MAX + 64], name[JIT_STORE_NAME];
    snprintf(folder, sizeof folder, "/dev/shm/fuzz-store.XXXXXX");
    if (!mkdtemp(folder) || !jit_store_name(secret, key, name))
        abort();
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("DPAKIT_DEVICES", folder, 1);
    snprintf(path, sizeof path, "%s/.translations-%u.key", folder, geteuid());
    put(path, secret, sizeof secret);
    jit_store_put(key, "", 0); /* makes the folder */
    snprintf(file_path, sizeof file_path, "%s/dpakit/code/%s", folder, name);
    atexit(remove_folders);
}

/* Checks that reading `file` finds exactly these `size` bytes if it is genuine, else no code. */
static void check(const struct dpk_buf *file, bool genuine, const uint8_t *code, size_t size)
{
    struct dpk_reader found = jit_store_open(secret, key, file->data, file->size);
    struct dpk_buf got = {0};
    if (found.failed == genuine)
        abort();
    if (genuine && (dpk_reader_left(&found) != size || (size && memcmp(found.pos, code, size))))
        abort();
    put(file_path, file->data, file->size);
    if (jit_store_get(key, &got) != genuine || got.size != (genuine ? size : 0))
        abort();
    if (got.size && memcmp(got.data, code, size) != 0)
        abort();
    dpk_buf_free(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_buf file = {0};
    if (size < 4)
        return 0;
    if (!*folder)
        make_folders();
    const uint8_t how = data[0];
    const size_t place = (size_t)data[1] | (size_t)data[2] << 8;
    data += 3;
    size -= 3;
    if (how & 1)
        jit_store_seal(secret, key, data, size, &file);
    else
        dpk_put(&file, data, size);
    if (file.failed)
        abort();
    if (how & 2)
        file.data[place % file.size] ^= (uint8_t)(1u << (how >> 5));
    check(&file, (how & 3) == 1, data, size);
    dpk_buf_free(&file);
    return 0;
}
