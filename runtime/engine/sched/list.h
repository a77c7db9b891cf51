/* list: circular doubly linked lists. Their nodes are members of the linked structs. */
#ifndef DPK_ENGINE_SCHED_LIST_H
#define DPK_ENGINE_SCHED_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev, *next;
};

#define owner_of(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

static inline void list_init(struct list *l)
{
    l->prev = l->next = l;
}

static inline bool list_empty(const struct list *l)
{
    return l->next == l;
}

/* Returns true if the list has more than one node. */
static inline bool list_has_more(const struct list *l)
{
    return l->next != l->prev;
}

static inline void list_append(struct list *l, struct list *node)
{
    node->prev = l->prev;
    node->next = l;
    l->prev->next = node;
    l->prev = node;
}

/* A removed node is a list by itself, so removing it again does nothing. */
static inline void list_remove(struct list *node)
{
    /* In loops that free removed nodes, the analyzer takes a freed node for a neighbour.
     * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

#endif
