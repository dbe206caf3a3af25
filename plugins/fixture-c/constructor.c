/* A good plugin (it passes), but for a constructor, which runs when the library is loaded, before any check of the host's.
 *
 *   cc -shared -fPIC -DDO=\"abort\" -I../api/include -o constructor.so constructor.c
 *
 *   -DDO=\"abort\"               the constructor aborts
 *   -DDO=\"loop\"                it never returns
 *   -DMARKER=\"/tmp/x/ran\"      it writes this file (with DO: before it does that), so that a test can see whether any
 *                                code ran; a file that is there grows by a byte each time
 *   -DNAME=\"x\"                 another name than "constructor" */
#include "fixture.h"
#include <fcntl.h>
#include <unistd.h>

#ifndef NAME
#define NAME "constructor"
#endif
#ifndef DO
#define DO "nothing"
#endif

PM_MANIFEST("{\"abi\":1,\"min_minor\":0,\"name\":\"" NAME "\",\"version\":\"0.1.0\",\"inputs\":{},"
            "\"panic\":\"unwind\",\"serial\":false,\"language\":\"c\"}");

static volatile int for_ever = 1;

__attribute__((constructor)) static void constructor(void) {
#ifdef MARKER
    int file = open(MARKER, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
        if (write(file, "x", 1) != 1) abort();
        close(file);
    }
#endif
    if (!strcmp(DO, "abort")) abort();
    while (!strcmp(DO, "loop") && for_ever) {}
}

static char thing;

static int32_t router_new(void *call, pm_bytes config, void **router) {
    (void)call, (void)config;
    *router = &thing;
    return 0;
}

static int32_t snapshot_new(void *call, void *router, pm_bytes providers, void **snapshot) {
    (void)call, (void)router, (void)providers;
    *snapshot = &thing;
    return 0;
}

static void free_nothing(void *it) { (void)it; }

static int32_t route(void *call, const void *router, const void *snapshot, pm_bytes consumer, pm_bytes request,
                     const uint64_t *input, uint64_t *out, uint32_t words) {
    (void)call, (void)router, (void)snapshot, (void)consumer, (void)request, (void)input, (void)out, (void)words;
    return PM_PASS;
}

PM_EXPORT int32_t pointsman_plugin_entry_v1(const pm_host_v1 *lent, pm_plugin_v1 *out) {
    host = lent;
    *out = (pm_plugin_v1){sizeof *out, PM_ABI_MINOR, router_new, free_nothing, snapshot_new, free_nothing, route, NULL};
    return 0;
}
