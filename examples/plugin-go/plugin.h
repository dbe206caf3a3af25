/* What the C side of the plugin lends to Go. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <pointsman_plugin.h>

void plugin_fail(void *call, int32_t code, const char *text, size_t len);
void plugin_explain(void *call, const char *text, size_t len);

#endif
