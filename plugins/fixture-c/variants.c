/* A good plugin that keeps the providers of one zone; each define makes one thing of it different.
 *
 *   cc -shared -fPIC -I../api/include -o variants.so variants.c
 *
 * Good:
 *   -DNAME=\"x\" -DVERSION=\"1.2.3\" -DZONE=\"a\"    name ("variants"), version ("0.1.0"), zone ("a")
 *   -DSERIAL                          one call at a time
 *   -DSYMBOL_CLASH -DCLASH=1          has a global function `pm_clash`, as another plugin may have; zone a, b, c … for 0, 1, 2 …
 *   -DABI_MINOR_OUT=99                says it has a newer minor version than the host
 * Refused by what is in the file:
 *   -DNO_ENTRY                        no entry
 *   -DNO_MANIFEST -DTWO_MANIFESTS     none, two
 *   -DMANIFEST_TEXT='"{}"'            this text for the manifest
 *   -DNEWER_MAJOR                     ABI 2: `abi` in the manifest, and `pointsman_plugin_entry_v2` only
 *   -DMIN_MINOR=9                     wants a newer host
 *   -DUSES_UNLISTED                   needs libunlisted.so: link with `-L. -lunlisted` (see unlisted.c)
 *   -Wl,-rpath,/tmp   -Wl,-z,execstack   -fno-pic -mcmodel=large -Wl,-z,notext (text relocations)   -Wl,--audit,x.so  (DT_AUDIT)
 * Refused after the entry:
 *   -DSTRUCT_SIZE=8                   says it filled no more than that
 *   -DNULL_ROUTE -DNULL_SNAPSHOT_FREE a function is missing
 *   -DENTRY_FAILS                     the entry answers PM_E_INTERNAL */
#include "fixture.h"

#ifndef NAME
#define NAME "variants"
#endif
#ifndef VERSION
#define VERSION "0.1.0"
#endif
#ifndef ZONE
#define ZONE "a"
#endif
#ifndef CLASH
#define CLASH 0
#endif
#ifndef MIN_MINOR
#define MIN_MINOR 0
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(pm_plugin_v1)
#endif
#ifndef ABI_MINOR_OUT
#define ABI_MINOR_OUT PM_ABI_MINOR
#endif
#ifdef NEWER_MAJOR
#define ABI "2"
#define ENTRY pointsman_plugin_entry_v2
#else
#define ABI "1"
#define ENTRY pointsman_plugin_entry_v1
#endif
#ifdef SERIAL
#define IS_SERIAL "true"
#else
#define IS_SERIAL "false"
#endif
#define TEXT_OF_(it) #it
#define TEXT_OF(it) TEXT_OF_(it)
#ifndef MANIFEST_TEXT
#define MANIFEST_TEXT \
    "{\"abi\":" ABI ",\"min_minor\":" TEXT_OF(MIN_MINOR) ",\"name\":\"" NAME "\",\"version\":\"" VERSION "\",\"inputs\":{}," \
    "\"panic\":\"unwind\",\"serial\":" IS_SERIAL ",\"language\":\"c\"}"
#endif

#ifndef NO_MANIFEST
PM_MANIFEST(MANIFEST_TEXT);
#endif
#ifdef TWO_MANIFESTS
__attribute__((section(".pointsman"), used)) static const char pm_manifest_2[] = "pointsman-plugin 1\n" MANIFEST_TEXT;
#endif

#ifdef USES_UNLISTED
int pm_unlisted(void);
#endif

#ifdef SYMBOL_CLASH
/* Global on purpose, and called through the symbol table, where another library's function of this name could come first. */
PM_EXPORT __attribute__((noinline)) int pm_clash(void);
PM_EXPORT __attribute__((noinline)) int pm_clash(void) { return CLASH; }
#endif

typedef struct { pm_bytes providers; } snapshot_t;

UNUSED static char thing;

UNUSED static int is_in_zone(pm_bytes zone) {
#ifdef SYMBOL_CLASH
    char wanted[2] = {(char)('a' + pm_clash()), 0};
    return is_text(zone, wanted);
#else
    return is_text(zone, ZONE);
#endif
}

UNUSED static int32_t router_new(void *call, pm_bytes config, void **router) {
    (void)call, (void)config;
#ifdef USES_UNLISTED
    if (!pm_unlisted()) return fail(call, PM_E_INTERNAL, "the unlisted library is not itself");
#endif
    *router = &thing;
    return 0;
}

UNUSED static void router_free(void *router) { (void)router; }

UNUSED static int32_t snapshot_new(void *call, void *router, pm_bytes providers, void **out) {
    (void)router;
    snapshot_t *snapshot = malloc(sizeof *snapshot);
    if (!snapshot) return fail(call, PM_E_INTERNAL, "no memory");
    snapshot->providers = providers;
    *out = snapshot;
    return 0;
}

UNUSED static void snapshot_free(void *snapshot) { free(snapshot); }

UNUSED static int32_t route(void *call, const void *router, const void *snapshot, pm_bytes consumer, pm_bytes request,
                            const uint64_t *input, uint64_t *out, uint32_t words) {
    (void)router, (void)consumer;
    pm_bytes providers = ((const snapshot_t *)snapshot)->providers;
    for (size_t at = 0; at < (size_t)words * 64; at++) {
        uint64_t bit = UINT64_C(1) << at % 64;
        if (input[at / 64] & bit && !is_in_zone(provider_parameter(providers, at, "zone"))) out[at / 64] &= ~bit;
    }
    if (wants_explanation(request)) host->explain(call, bytes_of(NAME " " VERSION " kept its zone"));
    return PM_USE;
}

#ifndef NO_ENTRY
PM_EXPORT int32_t ENTRY(const pm_host_v1 *lent, pm_plugin_v1 *out);
PM_EXPORT int32_t ENTRY(const pm_host_v1 *lent, pm_plugin_v1 *out) {
    host = lent;
#ifdef ENTRY_FAILS
    return PM_E_INTERNAL;
#endif
    *out = (pm_plugin_v1){STRUCT_SIZE, ABI_MINOR_OUT, router_new, router_free, snapshot_new, snapshot_free, route, NULL};
#ifdef NULL_ROUTE
    out->route = NULL;
#endif
#ifdef NULL_SNAPSHOT_FREE
    out->snapshot_free = NULL;
#endif
    return 0;
}
#endif
