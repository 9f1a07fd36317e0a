#include "module_api.h"

#include <string.h>

#define DEFINE_FUNCTION(result, name, arguments)                               \
    result(*RedisModule_##name) arguments;
MODULE_FUNCTIONS(DEFINE_FUNCTION)
MODULE_EXTRAS(DEFINE_FUNCTION)
#undef DEFINE_FUNCTION

/* A function under its name; the server writes its address to *out. */
typedef int get_function_fn(const char *name, void *out);

/* A server that loads a module puts this function first in the context. */
static get_function_fn *get_function_of(RedisModuleCtx *ctx)
{
    get_function_fn *get_function;
    memcpy(&get_function, ctx, sizeof(get_function));
    return get_function;
}

const char *module_api_load(RedisModuleCtx *ctx)
{
    get_function_fn *get = get_function_of(ctx);
#define FIND_FUNCTION(result, name, arguments)                                 \
    if (get("RedisModule_" #name, (void *)&RedisModule_##name) != MODULE_OK)   \
        return "RedisModule_" #name;
    MODULE_FUNCTIONS(FIND_FUNCTION)
#undef FIND_FUNCTION
#define FIND_EXTRA(result, name, arguments)                                    \
    if (get("RedisModule_" #name, (void *)&RedisModule_##name) != MODULE_OK)   \
        RedisModule_##name = NULL;
    MODULE_EXTRAS(FIND_EXTRA)
#undef FIND_EXTRA
    return NULL;
}
