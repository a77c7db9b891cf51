/* Included first where dpacc compiles with -fsanitize=address or thread: functions of <string.h> are those
 * that check what they access. The DPA's compiler knows no builtins, so nothing else stands for them. */
#if __has_feature(address_sanitizer)
#define DPAKIT_CHECKED(name) __asm__("__asan_" #name)
__SIZE_TYPE__ strlen(const char *) DPAKIT_CHECKED(strlen);
__SIZE_TYPE__ strnlen(const char *, __SIZE_TYPE__) DPAKIT_CHECKED(strnlen);
char *strcpy(char *__restrict, const char *__restrict) DPAKIT_CHECKED(strcpy);
char *strncpy(char *__restrict, const char *__restrict, __SIZE_TYPE__) DPAKIT_CHECKED(strncpy);
char *strcat(char *__restrict, const char *__restrict) DPAKIT_CHECKED(strcat);
int strcmp(const char *, const char *) DPAKIT_CHECKED(strcmp);
#else
#define DPAKIT_CHECKED(name) __asm__("__tsan_" #name)
#endif
void *memcpy(void *__restrict, const void *__restrict, __SIZE_TYPE__) DPAKIT_CHECKED(memcpy);
void *memmove(void *, const void *, __SIZE_TYPE__) DPAKIT_CHECKED(memmove);
void *memset(void *, int, __SIZE_TYPE__) DPAKIT_CHECKED(memset);
int memcmp(const void *, const void *, __SIZE_TYPE__) DPAKIT_CHECKED(memcmp);
