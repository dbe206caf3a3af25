/* The contract between Pointsman and its router plugins, ABI version 1.
 *
 * Export one function: int32_t pointsman_plugin_entry_v1(const pm_host_v1 *host, pm_plugin_v1 *out);
 * and place a manifest in the link section ".pointsman"; docs/plugins.md explains both. */

#ifndef POINTSMAN_PLUGIN_H
#define POINTSMAN_PLUGIN_H

/* Made from the crate `pointsman-plugin-api`; do not edit. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The manifest of a plugin in C: PM_MANIFEST("{ ... }"); once a library, outside of any function. */
#define PM_MANIFEST(json) \
    __attribute__((section(".pointsman"), used)) static const char pm_manifest[] = "pointsman-plugin 1\n" json

/* What a plugin exports. */
#define PM_EXPORT __attribute__((visibility("default")))

// The major version; it stands in the name of the entry symbol.
#define PM_ABI_MAJOR 1

// The minor version: grows when functions or fields are added.
#define PM_ABI_MINOR 0

// `route`: `out` holds the bitmap. Everywhere else: done.
#define PM_USE 0

// `route`: no opinion, all candidates stay.
#define PM_PASS 1

// The configuration is wrong.
#define PM_E_CONFIG -1

// The plugin panicked.
#define PM_E_PANIC -2

// A blob cannot be read.
#define PM_E_BADBLOB -3

// Anything else.
#define PM_E_INTERNAL -4

// The call's deadline is over.
#define PM_E_DEADLINE -5

// Levels of `log`.
#define PM_LOG_ERROR 1

// Something is not as it should be, and goes on.
#define PM_LOG_WARN 2

// Life cycle.
#define PM_LOG_INFO 3

// Everything else.
#define PM_LOG_DEBUG 4

// `PMB1`.
#define PM_BLOB_MAGIC 826428752

// The layout that this module describes.
#define PM_BLOB_LAYOUT 1

// A list of providers.
#define PM_KIND_PROVIDERS 1

// One consumer.
#define PM_KIND_CONSUMER 2

// One call.
#define PM_KIND_CALL 3

// No string.
#define PM_NONE UINT32_MAX

// `CallItem::flags`: somebody asks why.
#define PM_WANT_EXPLAIN 1

// Borrowed bytes, valid until the call returns.
typedef struct {
    // The first byte; may be null where `len` is 0.
    const uint8_t *ptr;
    // How many there are.
    size_t len;
} pm_bytes;

// What the host lends to a plugin. It lives until the process ends. Append only.
typedef struct {
    // The size of this struct as the host knows it.
    uint32_t struct_size;
    // The host's minor version.
    uint32_t abi_minor;
    // For `log` and `count`.
    void *ctx;
    // `[any thread]` Writes a line to the host's log; copied, and no more than so many a second.
    void (*log)(void *ctx, int32_t level, pm_bytes message);
    // `[in call]` Says why the call is about to return a negative code; copied.
    void (*fail)(void *call, int32_t code, pm_bytes message);
    // `[in call]` Says why a route answers as it does; does nothing unless somebody asks. Copied.
    void (*explain)(void *call, pm_bytes message);
    // `[any thread]` Adds to a counter of the plugin. May be null.
    void (*count)(void *ctx, pm_bytes name, int64_t add);
} pm_host_v1;

// What a plugin lends to the host. Append only.
typedef struct {
    // The host sets it to the size it knows; the plugin to the size it filled.
    uint32_t struct_size;
    // The plugin's minor version.
    uint32_t abi_minor;
    // `[control]` Once a rule: reads the configuration, a JSON object of texts.
    int32_t (*router_new)(void *call, pm_bytes config, void **router);
    // `[control]` After the router's last snapshot was freed.
    void (*router_free)(void *router);
    // `[control]` Once a list. `providers` stay where they are until `snapshot_free` of this snapshot returns.
    int32_t (*snapshot_new)(void *call, void *router, pm_bytes providers, void **snapshot);
    // `[control]` After the last route over it.
    void (*snapshot_free)(void *snapshot);
    // `[concurrent]` Must not block. `input` and `out` have `words` words, bit `i` for provider `i`; `out` comes filled
    // with `input`.
    int32_t (*route)(void *call,
                     const void *router,
                     const void *snapshot,
                     pm_bytes consumer,
                     pm_bytes request,
                     const uint64_t *input,
                     uint64_t *out,
                     uint32_t words);
    // `[control]` Once, before the plugin is used. May be null.
    int32_t (*self_test)(void *call);
} pm_plugin_v1;

// What a blob begins with.
typedef struct {
    // [`PM_BLOB_MAGIC`].
    uint32_t magic;
    // [`PM_BLOB_LAYOUT`].
    uint16_t layout;
    // What the items are.
    uint16_t kind;
    // Which list it is; 0 for a consumer or a call.
    uint64_t generation;
    // Bytes of the whole blob.
    uint32_t total_len;
    // How many items.
    uint32_t item_count;
    // Where they begin.
    uint32_t item_off;
    // How many params, of all items.
    uint32_t param_count;
    // Where they begin.
    uint32_t param_off;
    // How many strings.
    uint32_t string_count;
    // Where they begin.
    uint32_t string_off;
    // Where the texts begin.
    uint32_t bytes_off;
} pm_blob_header;

// A provider, or the consumer: of that only the params are filled.
typedef struct {
    // A string, or [`PM_NONE`].
    uint32_t host;
    // A number; 0 without one.
    uint32_t port;
    // A string, or [`PM_NONE`].
    uint32_t protocol;
    // A string, or [`PM_NONE`].
    uint32_t path;
    // The URL without user and password; a string, or [`PM_NONE`].
    uint32_t raw_url;
    // The first of its params.
    uint32_t param_first;
    // How many they are.
    uint32_t param_count;
    // Its parameter `weight`, else 100.
    uint32_t weight;
    // None is defined yet: 0.
    uint32_t flags;
    // 0.
    uint32_t reserved;
} pm_provider;

// A call. Its params are what the manifest declares of it: `@key` an attachment, `#0` an argument, `%hour`, `%minute`
// and `%weekday` (Monday is 1) the time in UTC.
typedef struct {
    // The first of its params.
    uint32_t param_first;
    // How many they are.
    uint32_t param_count;
    // The method that is meant, a string; [`PM_NONE`] where the manifest does not declare it.
    uint32_t method;
    // The service's group; a string, or [`PM_NONE`].
    uint32_t group;
    // The service's version; a string, or [`PM_NONE`].
    uint32_t version;
    // [`PM_WANT_EXPLAIN`].
    uint32_t flags;
    // Nanoseconds that the call may take; 0 where nobody measures.
    uint64_t deadline_ns;
    // Where random choices begin; 0 unless declared.
    uint64_t seed;
    // The host's clock in milliseconds since 1970; 0 unless declared.
    int64_t now_ms;
} pm_call;

// A parameter: numbers of strings.
typedef struct {
    // The key.
    uint32_t key;
    // The value.
    uint32_t value;
} pm_param;

// Where a text stands.
typedef struct {
    // From `bytes_off` on.
    uint32_t off;
    // In bytes.
    uint32_t len;
} pm_string;

#endif  /* POINTSMAN_PLUGIN_H */
