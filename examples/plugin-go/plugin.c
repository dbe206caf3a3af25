/* The part that has to be C: manifest, entry, and the host's functions, which Go cannot call by pointer. */
#include "plugin.h"
#include "_cgo_export.h"

/* The Go runtime starts threads, so the plugin can only be native. */
PM_MANIFEST("{\"abi\":1,\"name\":\"areaCode\",\"version\":\"0.1.0\",\"language\":\"go\",\"panic\":\"unwind\",\"threads\":true,"
            "\"inputs\":{\"consumer\":[\"{key=areaCode}\"],\"attachments\":[\"{key=areaCode}\"]}}");

static const pm_host_v1 *host;

void plugin_fail(void *call, int32_t code, const char *text, size_t len) {
    host->fail(call, code, (pm_bytes){(const uint8_t *)text, len});
}

void plugin_explain(void *call, const char *text, size_t len) {
    host->explain(call, (pm_bytes){(const uint8_t *)text, len});
}

static int32_t route(void *call, const void *router, const void *snapshot, pm_bytes consumer, pm_bytes request,
                     const uint64_t *input, uint64_t *out, uint32_t words) {
    (void)input; /* `out` comes filled with it */
    return goRoute(call, (uintptr_t)router, (uintptr_t)snapshot, consumer, request, out, words);
}

static int32_t router_new(void *call, pm_bytes config, void **router) { return goRouterNew(call, config, (uintptr_t *)router); }
static int32_t snapshot_new(void *call, void *router, pm_bytes providers, void **snapshot) {
    return goSnapshotNew(call, (uintptr_t)router, providers, (uintptr_t *)snapshot);
}
static void release(void *handle) { goRelease((uintptr_t)handle); }

PM_EXPORT int32_t pointsman_plugin_entry_v1(const pm_host_v1 *lent, pm_plugin_v1 *out) {
    if (!lent || !out || lent->struct_size < sizeof *lent || out->struct_size < sizeof *out) return PM_E_INTERNAL;
    host = lent;
    *out = (pm_plugin_v1){sizeof *out, PM_ABI_MINOR, router_new, release, snapshot_new, release, route, NULL};
    return 0;
}
