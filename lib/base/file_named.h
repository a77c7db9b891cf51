/* Private to base: the file under a name, looked up once. Two look-ups of a name may find two
 * different files. */
#ifndef DPK_BASE_FILE_NAMED_H
#define DPK_BASE_FILE_NAMED_H

#include <sys/stat.h>

/* Returns a descriptor of the file that can neither read nor write (O_PATH), and its `st`; -1 with
 * errno. */
int base_named_open(const char *path, struct stat *st);
/* Returns the real path of that file, without symbolic links, for the caller to free. `path` is the
 * name that opened it. NULL with errno if the file is no longer at that path. */
char *base_named_path(int named, const char *path, const struct stat *st);
/* Returns 0 if this process may write to that file with its present rights, else -1 with errno. */
int base_named_writable(int named);
/* Opens that file for writing. Returns -1 with errno on failure. */
int base_named_open_to_write(int named);

#endif
