/* Functions of <string.h> that code compiled with -fsanitize=address calls (share/sanitize.h). Each
 * function checks the bytes that it reads and writes. Functions that must find the end of a string
 * (strlen, strnlen, strcpy, strncpy, strcat, strcmp) read it before the check. */
#include "asan.h"
#include "guest/abi/dpa_abi.h"

#include <string.h>

#define FROM             __builtin_return_address(0)
#define READS(at, size)  _dpa_asan_check((uint64_t)(at), size, 0, FROM)
#define WRITES(at, size) _dpa_asan_check((uint64_t)(at), size, DPA_ACCESS_WRITES, FROM)
#define CHECKED(type, name, ...)                                                                   \
    type __asan_##name(__VA_ARGS__);                                                               \
    type __asan_##name(__VA_ARGS__)

CHECKED(void *, memcpy, void *to, const void *from, size_t size)
{
    READS(from, size);
    WRITES(to, size);
    return memcpy(to, from, size);
}

CHECKED(void *, memmove, void *to, const void *from, size_t size)
{
    READS(from, size);
    WRITES(to, size);
    return memmove(to, from, size);
}

CHECKED(void *, memset, void *to, int value, size_t size)
{
    WRITES(to, size);
    return memset(to, value, size);
}

CHECKED(int, memcmp, const void *a, const void *b, size_t size)
{
    READS(a, size);
    READS(b, size);
    return memcmp(a, b, size);
}

CHECKED(size_t, strlen, const char *text)
{
    const size_t length = strlen(text);
    READS(text, length + 1);
    return length;
}

CHECKED(size_t, strnlen, const char *text, size_t most)
{
    const size_t length = strnlen(text, most);
    READS(text, length < most ? length + 1 : most);
    return length;
}

CHECKED(char *, strcpy, char *to, const char *from)
{
    const size_t size = strlen(from) + 1;
    READS(from, size);
    WRITES(to, size);
    return memcpy(to, from, size);
}

CHECKED(char *, strncpy, char *to, const char *from, size_t size)
{
    const size_t length = strnlen(from, size);
    READS(from, length < size ? length + 1 : size);
    WRITES(to, size);
    return strncpy(to, from, size);
}

CHECKED(char *, strcat, char *to, const char *from)
{
    const size_t length = strlen(to), size = strlen(from) + 1;
    READS(to, length + 1);
    READS(from, size);
    WRITES(to + length, size);
    return strcat(to, from);
}

CHECKED(int, strcmp, const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] == b[i] && a[i])
        i++;
    READS(a, i + 1);
    READS(b, i + 1);
    return (unsigned char)a[i] - (unsigned char)b[i];
}
