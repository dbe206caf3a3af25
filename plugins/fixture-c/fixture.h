/* What the fixtures share: the host, texts, the configuration, and reading blobs without trust. Included once a library. */
#ifndef POINTSMAN_FIXTURE_H
#define POINTSMAN_FIXTURE_H

#include <pointsman_plugin.h>
#include <string.h>

/* What a fixture without a line of its own about it does not use. */
#define UNUSED __attribute__((unused))

static const pm_host_v1 *host;

UNUSED static pm_bytes bytes_of(const char *text) { return (pm_bytes){(const uint8_t *)text, strlen(text)}; }

UNUSED static int is_text(pm_bytes bytes, const char *text) {
    return bytes.len == strlen(text) && (!bytes.len || !memcmp(bytes.ptr, text, bytes.len));
}

UNUSED static int32_t fail(void *call, int32_t code, const char *why) {
    if (host && host->fail && call) host->fail(call, code, bytes_of(why));
    return code;
}

/* The next text of a flat JSON object; escapes stay as they are. */
UNUSED static const char *next_text(const char *at, const char *end, pm_bytes *out) {
    const char *from = at && at < end ? memchr(at, '"', (size_t)(end - at)) : NULL;
    for (at = from; at && ++at < end && *at != '"';) at += *at == '\\';
    if (!from || at >= end) return NULL;
    *out = (pm_bytes){(const uint8_t *)from + 1, (size_t)(at - from - 1)};
    return at + 1;
}

/* Copies the value of `key` in the configuration; an empty text where it is absent. */
UNUSED static void config_get(pm_bytes config, const char *key, char *into, size_t size) {
    const char *at = (const char *)config.ptr, *end = config.ptr ? at + config.len : at;
    pm_bytes found, value;
    into[0] = 0;
    while ((at = next_text(at, end, &found)) && (at = next_text(at, end, &value)))
        if (is_text(found, key) && value.len < size) {
            memcpy(into, value.ptr, value.len);
            into[value.len] = 0;
        }
}

UNUSED static int take(pm_bytes blob, size_t at, void *into, size_t size) {
    return at <= blob.len && blob.len - at >= size && memcpy(into, blob.ptr + at, size);
}

UNUSED static pm_bytes string_at(pm_bytes blob, const pm_blob_header *head, uint32_t number) {
    pm_bytes none = {NULL, 0};
    pm_string at;
    if (number >= head->string_count || !take(blob, head->string_off + (size_t)number * sizeof at, &at, sizeof at)) return none;
    size_t from = (size_t)head->bytes_off + at.off;
    return from <= blob.len && at.len <= blob.len - from ? (pm_bytes){blob.ptr + from, at.len} : none;
}

/* The parameter `key` of the provider at `position`. */
UNUSED static pm_bytes provider_parameter(pm_bytes blob, size_t position, const char *key) {
    pm_bytes none = {NULL, 0};
    pm_blob_header head;
    pm_provider provider;
    pm_param param;
    if (!take(blob, 0, &head, sizeof head) || position >= head.item_count
        || !take(blob, head.item_off + position * sizeof provider, &provider, sizeof provider)) return none;
    for (uint32_t at = provider.param_first; at - provider.param_first < provider.param_count; at++) {
        if (!take(blob, head.param_off + (size_t)at * sizeof param, &param, sizeof param)) break;
        if (is_text(string_at(blob, &head, param.key), key)) return string_at(blob, &head, param.value);
    }
    return none;
}

/* Whether somebody asks why. */
UNUSED static int wants_explanation(pm_bytes request) {
    pm_blob_header head;
    pm_call call;
    return take(request, 0, &head, sizeof head) && take(request, head.item_off, &call, sizeof call)
        && call.flags & PM_WANT_EXPLAIN;
}

#endif
