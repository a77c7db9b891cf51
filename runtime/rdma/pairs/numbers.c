/* Numbers of queue pairs. A process takes numbers from blocks that no other process of this machine
 * uses. Each block has a file in the runtime directory. The file contains the identity of the
 * process, which holds a lock on it as long as it lives. Others find the process of a number in the
 * file. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport.h"

#define FIRST_NUMBER 0x800000u /* smaller numbers belong to queues that are not queue pairs */
#define END_NUMBER   0x1000000u
#define BLOCK_SIZE   0x4000u
#define BLOCKS       ((END_NUMBER - FIRST_NUMBER) / BLOCK_SIZE)
#define FIRST_PORT   61000u /* port of block 0, after the ports that Linux gives to clients */

struct block {
    SLIST_ENTRY(block) link;
    uint32_t index;
    int fd;
};

static bool name_file(const struct dpk_rc *rc, uint32_t index, char out[PATH_MAX])
{
    int n = snprintf(out, PATH_MAX, "%s/%u.rc", rc->directory, index);
    return n > 0 && n < PATH_MAX;
}

/* ---- Blocks of this process ---- */

/* Returns whether the path still names the open file: its owner removes it while it holds the
 * lock. */
static bool is_linked(int fd, const char *path)
{
    struct stat here, there;
    return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static bool take_file(const struct dpk_rc *rc, int fd, const char *path)
{
    char text[DPK_UUID_TEXT];
    dpk_uuid_format(&rc->identity, text);
    return flock(fd, LOCK_EX | LOCK_NB) == 0 && is_linked(fd, path) && ftruncate(fd, 0) == 0 &&
           pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text);
}

static bool take_block(struct dpk_rc *rc, uint32_t index)
{
    char path[PATH_MAX];
    struct block *b = calloc(1, sizeof *b);
    int fd = b && name_file(rc, index, path)
                 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                 : -1;
    if (fd < 0 || !take_file(rc, fd, path)) {
        pairs_gateway_close(fd);
        free(b);
        return false;
    }
    *b = (struct block){.index = index, .fd = fd};
    SLIST_INSERT_HEAD(&rc->blocks, b, link);
    rc->next_number = FIRST_NUMBER + index * BLOCK_SIZE;
    rc->end_number = rc->next_number + BLOCK_SIZE;
    return true;
}

/* Starts at a random block, so that numbers of a process that ended are not used again soon. */
static bool take_any_block(struct dpk_rc *rc)
{
    uint32_t start = 0;
    if (getrandom(&start, sizeof start, 0) != sizeof start)
        return false;
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (take_block(rc, (start + i) % BLOCKS))
            return true;
    return false;
}

uint32_t pairs_number_new(struct dpk_rc *rc)
{
    if (rc->next_number == rc->end_number) {
        bool found = rc->directory && (rc->gateway || pairs_gateway_start(rc, NULL) == DPK_OK) &&
                     take_any_block(rc);
        if (!found && rc->end_number != 0)
            return 0;
        if (!found) { /* other processes cannot find this process, so they may use the same
                       * numbers */
            rc->next_number = FIRST_NUMBER;
            rc->end_number = END_NUMBER;
        }
    }
    return rc->next_number++;
}

void pairs_numbers_free(struct dpk_rc *rc)
{
    struct block *b;
    char path[PATH_MAX];
    while ((b = SLIST_FIRST(&rc->blocks))) {
        SLIST_REMOVE_HEAD(&rc->blocks, link);
        if (name_file(rc, b->index, path))
            unlink(path);
        close(b->fd);
        free(b);
    }
}

/* ---- Blocks of other processes ---- */

uint16_t pairs_number_port(uint32_t number)
{
    return number >= FIRST_NUMBER && number < END_NUMBER
               ? (uint16_t)(FIRST_PORT + (number - FIRST_NUMBER) / BLOCK_SIZE)
               : 0;
}

bool pairs_number_find_process(const struct dpk_rc *rc, uint32_t number, struct dpk_uuid *out)
{
    char path[PATH_MAX], text[DPK_UUID_TEXT] = "";
    if (!rc->directory || number < FIRST_NUMBER || number >= END_NUMBER ||
        !name_file(rc, (number - FIRST_NUMBER) / BLOCK_SIZE, path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n == (ssize_t)sizeof text - 1 && dpk_uuid_parse(text, out, NULL) == DPK_OK;
}
