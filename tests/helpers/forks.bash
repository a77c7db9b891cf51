# Programs that fork while other threads allocate. gcc 12's AddressSanitizer does not hold the locks of its
# memory meanwhile, so that a child may wait for one for ever.
forks_whole() { [ -z "${TEST_HOST_CFLAGS:-}" ] || skip "a sanitizer's lock of memory stays locked in a child"; }
