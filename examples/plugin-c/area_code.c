/* Keeps a call in its area, as plugins/area-code does in Rust: who has the caller's area code is kept.
 * The area is the attachment `areaCode`, else the consumer's parameter; the rule's `key` names another. */
#include <pointsman_plugin.h>
#include <string.h>

#define INPUT "[\"{key=areaCode}\"]"
PM_MANIFEST("{\"abi\":1,\"name\":\"areaCode\",\"version\":\"0.1.0\",\"language\":\"c\",\"panic\":\"unwind\","
            "\"inputs\":{\"consumer\":" INPUT ",\"attachments\":" INPUT "}}");

typedef struct { size_t len; char key[128]; } router_t;   /* the key behind the mark of attachments: "@areaCode" */
typedef struct { pm_bytes providers; } snapshot_t;      /* they stay where they are: no copy is needed */

static const pm_host_v1 *host;

static pm_bytes text(const void *ptr, size_t len) { return (pm_bytes){ptr, len}; }
static int same(pm_bytes one, pm_bytes other) { return one.len == other.len && !memcmp(one.ptr, other.ptr, one.len); }
static int32_t fail(void *call, int32_t code, const char *why) { host->fail(call, code, text(why, strlen(why))); return code; }

/* Blobs have no promised alignment, and are not trusted: all is copied out, and what lies outside is absent. */
static int take(pm_bytes blob, size_t at, void *into, size_t size) {
    return at <= blob.len && blob.len - at >= size && memcpy(into, blob.ptr + at, size);
}
static int open_blob(pm_bytes blob, uint16_t kind, pm_blob_header *head) {
    return take(blob, 0, head, sizeof *head) && head->magic == PM_BLOB_MAGIC && head->layout == PM_BLOB_LAYOUT && head->kind == kind;
}
static pm_bytes string_at(pm_bytes blob, const pm_blob_header *head, uint32_t number) {
    pm_string at;
    size_t from = head->string_off + (size_t)number * sizeof at;
    if (number >= head->string_count || !take(blob, from, &at, sizeof at)) return text(NULL, 0);
    from = (size_t)head->bytes_off + at.off;
    return from <= blob.len && at.len <= blob.len - from ? text(blob.ptr + from, at.len) : text(NULL, 0);
}
static pm_bytes find(pm_bytes blob, const pm_blob_header *head, uint32_t first, uint32_t count, pm_bytes key) {
    for (pm_param param; count-- && first < head->param_count; first++) {
        if (!take(blob, head->param_off + (size_t)first * sizeof param, &param, sizeof param)) break;
        if (same(string_at(blob, head, param.key), key)) return string_at(blob, head, param.value);
    }
    return text(NULL, 0);
}

/* A text of the configuration, from its first quote; what follows it. Null where it does not end. */
static const char *skip_text(const char *at, const char *end, pm_bytes *out) {
    const char *from = at && at < end ? memchr(at, '"', (size_t)(end - at)) : NULL;
    for (at = from; at && ++at < end && *at != '"';) at += *at == '\\';
    if (!from || at >= end) return NULL;
    *out = text(from + 1, (size_t)(at - from - 1));
    return at + 1;
}

static int32_t router_new(void *call, pm_bytes config, void **out) {
    pm_bytes key, value, wanted = text("areaCode", 8);              /* a flat object of texts: key, value, key, value… */
    const char *at = (const char *)config.ptr, *end = at + config.len;
    while ((at = skip_text(at, end, &key)) && (at = skip_text(at, end, &value)))
        if (same(key, text("key", 3))) wanted = value;
    router_t *router = malloc(sizeof *router);
    if (!router) return fail(call, PM_E_INTERNAL, "no memory");
    if (memchr(wanted.ptr, '\\', wanted.len) || wanted.len >= sizeof router->key) {
        free(router);
        return fail(call, PM_E_CONFIG, "`key` is longer than this example expects, or has an escape");
    }
    router->key[0] = '@';
    memcpy(router->key + 1, wanted.ptr, wanted.len);
    router->len = wanted.len;
    *out = router;
    return 0;
}

static int32_t snapshot_new(void *call, void *router, pm_bytes providers, void **out) {
    (void)router;
    pm_blob_header head;
    if (!open_blob(providers, PM_KIND_PROVIDERS, &head)) return fail(call, PM_E_BADBLOB, "the providers cannot be read");
    snapshot_t *snapshot = malloc(sizeof *snapshot);
    if (!snapshot) return fail(call, PM_E_INTERNAL, "no memory");
    snapshot->providers = providers;
    *out = snapshot;
    return 0;
}

static int32_t route(void *call, const void *router_ptr, const void *snapshot, pm_bytes consumer, pm_bytes request,
                     const uint64_t *input, uint64_t *out, uint32_t words) {
    const router_t *router = router_ptr;
    pm_bytes list = ((const snapshot_t *)snapshot)->providers, key = text(router->key + 1, router->len);
    pm_blob_header head;
    pm_call item;
    pm_provider provider;
    if (!open_blob(request, PM_KIND_CALL, &head) || !take(request, head.item_off, &item, sizeof item))
        return fail(call, PM_E_BADBLOB, "the call cannot be read");
    pm_bytes area = find(request, &head, item.param_first, item.param_count, text(router->key, router->len + 1));
    if (!area.ptr && open_blob(consumer, PM_KIND_CONSUMER, &head) && take(consumer, head.item_off, &provider, sizeof provider))
        area = find(consumer, &head, provider.param_first, provider.param_count, key);
    if (!area.ptr) return PM_PASS;
    if (!open_blob(list, PM_KIND_PROVIDERS, &head)) return fail(call, PM_E_BADBLOB, "the providers cannot be read");
    for (size_t i = 0; i < (size_t)words * 64; i++) {
        if (!(input[i / 64] >> i % 64 & 1)) continue;
        pm_bytes value = text(NULL, 0);
        if (i < head.item_count && take(list, head.item_off + i * sizeof provider, &provider, sizeof provider))
            value = find(list, &head, provider.param_first, provider.param_count, key);
        if (!value.ptr || !same(value, area)) out[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
    if (item.flags & PM_WANT_EXPLAIN) host->explain(call, text("kept the providers of the call's area", 37));
    return PM_USE;
}

PM_EXPORT int32_t pointsman_plugin_entry_v1(const pm_host_v1 *lent, pm_plugin_v1 *out) {
    if (!lent || !out || lent->struct_size < sizeof *lent || out->struct_size < sizeof *out) return PM_E_INTERNAL;
    host = lent;
    *out = (pm_plugin_v1){sizeof *out, PM_ABI_MINOR, router_new, free, snapshot_new, free, route, NULL};
    return 0;
}
