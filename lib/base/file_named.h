/* Private to base: what is there under a name, looked up once. A name that is looked up twice may be
 * two files. */
#ifndef DPK_BASE_FILE_NAMED_H
#define DPK_BASE_FILE_NAMED_H

#include <sys/stat.h>

/* A descriptor of the file, which neither reads nor writes (O_PATH), and what it is; -1 with errno. */
int named_open(const char *path, struct stat *st);
/* Where that file really is, without symbolic links; to be freed. NULL with errno: it is at that place
 * no longer. `path` is the name that it was opened by. */
char *named_path(int named, const char *path, const struct stat *st);
/* May we write to that file, by the rights we have now? 0, or -1 with errno. */
int named_writable(int named);
/* Opens that file for writing; -1 with errno. */
int named_open_to_write(int named);

#endif
