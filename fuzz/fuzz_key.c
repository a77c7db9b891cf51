/* PEM files with keys: an error, or an RSA key. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "signer/signer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dpk_signer *signer = NULL;
    EVP_PKEY *key = NULL;
    char path[40];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (dpk_public_key_read(path, &key, NULL) == DPK_OK && !EVP_PKEY_is_a(key, "RSA"))
        abort();
    if (dpk_signer_open(path, "fuzz", &signer, NULL) == DPK_OK && dpk_signer_bits(signer) == 0)
        abort();
    dpk_signer_close(signer);
    EVP_PKEY_free(key);
    close(fd);
    return 0;
}
