/* A plugin that does what its configuration says, at the place it says: { "in": PLACE, "do": DEED }.
 *
 *   cc -shared -fPIC -O1 -pthread -I../api/include -o misbehave.so misbehave.c
 *
 * Places: router_new, snapshot_new, route, snapshot_free, router_free.
 * Deeds, anywhere:  segv abort loop exit stack leak100 logs slow fail code negative threadlog nothing
 *   segv        writes to address 8
 *   abort       abort()
 *   loop        never returns
 *   exit        exit(7)
 *   stack       recursion without an end
 *   leak100     takes 100 MiB, touches it, forgets it; goes on
 *   logs        1,000,000 lines; goes on
 *   slow        200 ms of work; goes on
 *   fail        PM_E_INTERNAL, with the text "told to fail"
 *   code        77, which is no code
 *   negative    -99, which is no code
 *   threadlog   a thread that logs a line every millisecond, for ever; goes on
 *   nothing     goes on
 *   timer shared code-memory file socket fork outlive
 *               what a confined process may not: a clock of its own, memory that no limit counts, code made at run time,
 *               a file, a socket, a process, living on without its host; goes on where it may
 * Deeds in route alone:  use outside beyond badretain
 *   use         keeps provider 0 only
 *   outside     writes before and behind `out`
 *   beyond      all ones, past the end of the list as well
 *   badretain   keeps exactly those who did not come in
 * Deed everywhere at once:  keep
 *   keep        remembers the bytes of the very first list, and reads all of them in every route thereafter
 * "Goes on" in route means PM_PASS. A deed that frees cannot report (fail, code, negative) does nothing there.
 *
 *   -DNAME=\"x\"                 another name
 *   -DSELF_TEST_DO=\"segv\"      has a self_test, which does that
 *   -DENTRY_DO=\"exit\"          the entry does that */
#define _GNU_SOURCE
#include "fixture.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef NAME
#define NAME "misbehave"
#endif

PM_MANIFEST("{\"abi\":1,\"min_minor\":0,\"name\":\"" NAME "\",\"version\":\"0.1.0\",\"inputs\":{\"method\":true},"
            "\"panic\":\"unwind\",\"serial\":false,\"language\":\"c\"}");

typedef struct { char in[32], deed[32]; } router_t;
typedef struct { router_t *router; pm_bytes providers; } snapshot_t;

static pm_bytes first_list;
static volatile uint64_t sink;
static volatile int for_ever = 1;

static int is(const char *one, const char *other) { return !strcmp(one, other); }

static uint64_t deeper(uint64_t depth) {
    volatile char frame[4096];
    frame[depth % sizeof frame] = (char)depth;
    return for_ever ? deeper(depth + 1) + (uint64_t)frame[0] : 0;
}

static void *log_for_ever(void *unused) {
    struct timespec pause = {0, 1000000};
    while (for_ever) {
        host->log(host->ctx, PM_LOG_INFO, bytes_of("a line from a thread of the plugin"));
        nanosleep(&pause, NULL);
    }
    return unused;
}

static void work_200_ms(void) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (int i = 0; i < 10000; i++) sink += (uint64_t)i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 200);
}

/* Does the deed; 0 to go on. */
static int32_t act(void *call, const char *deed) {
    if (is(deed, "segv")) {
        int *volatile nowhere = (int *)8;
        *nowhere = 1;
    } else if (is(deed, "abort")) {
        abort();
    } else if (is(deed, "loop")) {
        while (for_ever) sink++;
    } else if (is(deed, "exit")) {
        exit(7);
    } else if (is(deed, "stack")) {
        sink += deeper(0);
    } else if (is(deed, "leak100")) {
        size_t size = (size_t)100 << 20;
        volatile char *leak = malloc(size);
        for (size_t at = 0; leak && at < size; at += 4096) leak[at] = 1;
    } else if (is(deed, "logs")) {
        for (int line = 0; line < 1000000; line++)
            host->log(host->ctx, PM_LOG_INFO, bytes_of("one of a million lines"));
    } else if (is(deed, "slow")) {
        work_200_ms();
    } else if (is(deed, "threadlog")) {
        pthread_t thread;
        if (!pthread_create(&thread, NULL, log_for_ever, NULL)) pthread_detach(thread);
    } else if (is(deed, "timer")) {
        struct itimerval soon = {{0, 1000}, {0, 1000}};
        setitimer(ITIMER_REAL, &soon, NULL);
    } else if (is(deed, "shared")) {
        mmap(NULL, (size_t)64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    } else if (is(deed, "code-memory")) {
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    } else if (is(deed, "file")) {
        open("/etc/hostname", O_RDONLY);
    } else if (is(deed, "socket")) {
        socket(AF_INET, SOCK_STREAM, 0);
    } else if (is(deed, "fork")) {
        fork();
    } else if (is(deed, "outlive")) {
        prctl(PR_SET_PDEATHSIG, 0);
    } else if (is(deed, "fail")) {
        return fail(call, PM_E_INTERNAL, "told to fail");
    } else if (is(deed, "code")) {
        return 77;
    } else if (is(deed, "negative")) {
        return -99;
    }
    return 0;
}

static int32_t act_in(void *call, const router_t *router, const char *place) {
    return is(router->in, place) ? act(call, router->deed) : 0;
}

static int32_t router_new(void *call, pm_bytes config, void **out) {
    router_t *router = malloc(sizeof *router);
    if (!router) return fail(call, PM_E_INTERNAL, "no memory");
    config_get(config, "in", router->in, sizeof router->in);
    config_get(config, "do", router->deed, sizeof router->deed);
    int32_t code = act_in(call, router, "router_new");
    if (code) free(router);
    else *out = router;
    return code;
}

static void router_free(void *router) {
    act_in(NULL, router, "router_free");
    free(router);
}

static int32_t snapshot_new(void *call, void *router, pm_bytes providers, void **out) {
    snapshot_t *snapshot = malloc(sizeof *snapshot);
    if (!snapshot) return fail(call, PM_E_INTERNAL, "no memory");
    *snapshot = (snapshot_t){router, providers};
    if (!first_list.ptr) first_list = providers;
    int32_t code = act_in(call, router, "snapshot_new");
    if (code) free(snapshot);
    else *out = snapshot;
    return code;
}

static void snapshot_free(void *snapshot) {
    act_in(NULL, ((snapshot_t *)snapshot)->router, "snapshot_free");
    free(snapshot);
}

static int32_t route(void *call, const void *router_ptr, const void *snapshot, pm_bytes consumer, pm_bytes request,
                     const uint64_t *input, uint64_t *out, uint32_t words) {
    (void)snapshot, (void)consumer;
    const router_t *router = router_ptr;
    const char *deed = router->deed;
    if (is(deed, "keep"))
        for (size_t at = 0; at < first_list.len; at++) sink += ((const volatile uint8_t *)first_list.ptr)[at];
    int32_t code = act_in(call, router, "route");
    if (code) return code;
    if (wants_explanation(request)) host->explain(call, bytes_of("misbehave was here"));
    if (!is(router->in, "route")) return PM_PASS;
    if (is(deed, "use")) {
        for (uint32_t word = 0; word < words; word++) out[word] = word ? 0 : input[0] & 1;
    } else if (is(deed, "outside")) {
        volatile uint64_t *beside = out;
        for (int step = 1; step <= 2; step++) beside[-step] = UINT64_MAX;
        for (uint32_t step = 0; step < 2; step++) beside[words + step] = UINT64_MAX;
    } else if (is(deed, "beyond")) {
        for (uint32_t word = 0; word < words; word++) out[word] = UINT64_MAX;
    } else if (is(deed, "badretain")) {
        for (uint32_t word = 0; word < words; word++) out[word] = ~input[word];
    } else {
        return PM_PASS;
    }
    return PM_USE;
}

#ifdef SELF_TEST_DO
static int32_t self_test(void *call) { return act(call, SELF_TEST_DO); }
#else
#define self_test NULL
#endif

PM_EXPORT int32_t pointsman_plugin_entry_v1(const pm_host_v1 *lent, pm_plugin_v1 *out) {
    host = lent;
#ifdef ENTRY_DO
    int32_t code = act(NULL, ENTRY_DO);
    if (code) return code;
#endif
    *out = (pm_plugin_v1){sizeof *out, PM_ABI_MINOR, router_new, router_free, snapshot_new, snapshot_free, route, self_test};
    return 0;
}
