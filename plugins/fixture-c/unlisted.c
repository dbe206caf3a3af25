/* A library that no host lists, for a plugin that needs it:
 *
 *   cc -shared -fPIC -o libunlisted.so unlisted.c
 *   cc -shared -fPIC -DUSES_UNLISTED -I../api/include -o variants.so variants.c -L. -lunlisted
 *
 * `readelf -d variants.so` then shows NEEDED libunlisted.so. */
int pm_unlisted(void);
int pm_unlisted(void) { return 1; }
