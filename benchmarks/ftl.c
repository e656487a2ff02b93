/* The compiled drive of flashwear.ftl written in C, as a yardstick for it.

   A page-mapped drive with one frontier, greedy cleaning and uniform writes. A page is live if the
   map points back to its slot. A block is noted on the stack of its number of live pages once that
   has fallen below a threshold. One block is kept free: whenever one is opened, another is cleaned.
   Memory that cannot be had ends the process. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { BATCH = 256, AHEAD = 32, HUGE_PAGE = 2 << 20 };

typedef struct {
    int32_t *blocks, size, room;
} stack;

typedef struct {
    int32_t *map, *held;       /* slot of each page; page in each slot */
    uint16_t *live;            /* live pages of each block; of the open one with those to come */
    uint8_t *closed;
    stack *noted;              /* by number of live pages */
    int32_t *copied;
    int32_t pages, blocks, per_block, shift, threshold, lowest, frontier, filled, spare;
    uint64_t random, flash;
} drive;

static void *zeros(size_t bytes) {
    size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, whole);
    if (!memory) abort();
#ifdef MADV_HUGEPAGE
    madvise(memory, whole, MADV_HUGEPAGE);
#endif
    return memset(memory, 0, whole);
}

static inline int32_t draw(drive *d) {  /* splitmix64 */
    uint64_t word = d->random += 0x9E3779B97F4A7C15u;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return (int32_t)(((word ^ word >> 31) >> 32) * (uint64_t)d->pages >> 32);
}

static inline void note(drive *d, int32_t block) {
    int32_t live = d->live[block];
    stack *s = d->noted + live;
    if (s->size == s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->blocks = realloc(s->blocks, sizeof(int32_t) * s->room);
        if (!s->blocks) abort();
    }
    s->blocks[s->size++] = block;
    if (live < d->lowest) d->lowest = live;
}

static void note_all(drive *d) {
    int32_t least = d->per_block;
    for (int32_t b = 0; b < d->blocks; b++)
        if (d->closed[b] && d->live[b] < least) least = d->live[b];
    d->threshold = least + 2;
    d->lowest = least;
    for (int32_t live = 0; live <= d->per_block; live++) d->noted[live].size = 0;
    for (int32_t b = 0; b < d->blocks; b++)
        if (d->closed[b] && d->live[b] < d->threshold) note(d, b);
}

static int32_t emptiest(drive *d) {
    for (;;) {
        for (; d->lowest < d->threshold; d->lowest++) {
            stack *s = d->noted + d->lowest;
            while (s->size) {
                int32_t block = s->blocks[--s->size];
                if (d->closed[block] && d->live[block] == d->lowest) return block;
            }
        }
        note_all(d);
    }
}

static void next_block(drive *d) {
    d->closed[d->frontier] = 1;
    if (d->live[d->frontier] < d->threshold) note(d, d->frontier);
    int32_t open = d->spare, block = emptiest(d), n = 0;
    int32_t from = block << d->shift, to = open << d->shift;
    d->frontier = open;
    d->spare = block;
    d->closed[block] = 0;
    d->live[open] = d->per_block;
    for (int32_t i = 0; i < d->per_block; i++) __builtin_prefetch(d->map + d->held[from + i], 1);
    for (int32_t i = 0; i < d->per_block; i++) {
        d->copied[n] = d->held[from + i];
        n += d->map[d->held[from + i]] == from + i;
    }
    for (int32_t i = 0; i < n; i++) {
        d->held[to + i] = d->copied[i];
        d->map[d->copied[i]] = to + i;
    }
    d->filled = n;
    d->flash += n;
}

/* Overwrite random pages, so many times, rounded up to whole batches. */
void overwrite(drive *d, int64_t writes) {
    int32_t page[BATCH + AHEAD] = {0};
    for (int64_t done = 0; done < writes; done += BATCH) {
        for (int j = 0; j < BATCH; j++) page[j] = draw(d);
        for (int j = 0; j < AHEAD; j++) __builtin_prefetch(d->map + page[j], 1);
        for (int j = 0; j < BATCH;) {
            while (d->filled == d->per_block) next_block(d);
            int run = d->per_block - d->filled < BATCH - j ? d->per_block - d->filled : BATCH - j;
            int32_t slot = (d->frontier << d->shift) + d->filled;
            for (int stop = j + run; j < stop; j++, slot++) {
                __builtin_prefetch(d->map + page[j + AHEAD], 1);
                int32_t block = d->map[page[j]] >> d->shift, left = --d->live[block];
                if (left < d->threshold && d->closed[block]) note(d, block);
                d->map[page[j]] = slot;
                d->held[slot] = page[j];
            }
            d->filled += run;
            d->flash += run;
        }
    }
}

uint64_t flash_writes(const drive *d) { return d->flash; }

/* A drive on which each page was written once, in order. Blocks without data count as closed ones
   without a live page. Not checked: `per_block` is a power of two, at most 32768; at least two
   blocks stay without data; the slots are fewer than 2**31. */
drive *filled(int32_t pages, int32_t blocks, int32_t per_block, uint64_t random) {
    drive *d = zeros(sizeof *d);
    *d = (drive){.pages = pages, .blocks = blocks, .per_block = per_block, .random = random};
    while (1 << d->shift < per_block) d->shift++;
    d->map = zeros(sizeof(int32_t) * pages);
    d->held = zeros(sizeof(int32_t) * ((size_t)blocks << d->shift));
    d->live = zeros(sizeof(uint16_t) * blocks);
    d->closed = zeros(blocks);
    d->noted = zeros(sizeof(stack) * (per_block + 1));
    d->copied = zeros(sizeof(int32_t) * per_block);
    memset(d->closed, 1, blocks);
    d->frontier = blocks - 1;
    d->spare = blocks - 2;
    d->closed[d->frontier] = d->closed[d->spare] = 0;
    d->live[d->frontier] = per_block;
    for (int32_t page = 0; page < pages; page++) {
        d->map[page] = page;
        d->held[page] = page;
        d->live[page >> d->shift]++;
    }
    return d;
}

void discard(drive *d) {
    for (int32_t live = 0; live <= d->per_block; live++) free(d->noted[live].blocks);
    free(d->map), free(d->held), free(d->live), free(d->closed), free(d->noted), free(d->copied);
    free(d);
}
