#ifndef OG_REDIS_MODULE_API_H
#define OG_REDIS_MODULE_API_H

/* The functions of the server, Redis 7 or Valkey, that the module needs, and
 * nothing more.
 *
 * A server provides its functions by name. Its own header would declare all of
 * them for one version; these are the few that we call, whose interface is
 * stable in both servers. The names are the server's, after
 * module_api_load(). */

#include <stddef.h>
#include <stdint.h>

typedef struct RedisModuleCtx RedisModuleCtx;
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleKey RedisModuleKey;
typedef struct RedisModuleIO RedisModuleIO;
typedef struct RedisModuleDigest RedisModuleDigest;
typedef struct RedisModuleInfoCtx RedisModuleInfoCtx;
typedef struct RedisModuleDefragCtx RedisModuleDefragCtx;
typedef struct RedisModuleType RedisModuleType;

enum { MODULE_OK = 0, MODULE_ERR = 1 };
enum { MODULE_API_VERSION = 1 };
enum { KEY_READ = 1, KEY_WRITE = 2 };
enum { KEY_TYPE_EMPTY = 0 };
enum {
    OPTION_HANDLES_IO_ERRORS = 1 << 0,
    OPTION_HANDLES_ASYNC_LOAD = 1 << 2,
    OPTION_HANDLES_SLOT_MIGRATION = 1 << 5, /* Valkey; Redis ignores it */
};

typedef int module_command_fn(RedisModuleCtx *ctx, RedisModuleString **argv,
                              int argc);
typedef void module_info_fn(RedisModuleInfoCtx *ctx, int for_crash_report);

/* Version 3 of the struct: servers read no further. */
enum { TYPE_METHODS_VERSION = 3 };
struct module_type_methods {
    uint64_t version;
    void *(*rdb_load)(RedisModuleIO *rdb, int version);
    void (*rdb_save)(RedisModuleIO *rdb, void *value);
    void (*aof_rewrite)(RedisModuleIO *aof, RedisModuleString *key,
                        void *value);
    size_t (*mem_usage)(const void *value);
    void (*digest)(RedisModuleDigest *digest, void *value);
    void (*free)(void *value);
    int (*aux_load)(RedisModuleIO *rdb, int version, int when);
    void (*aux_save)(RedisModuleIO *rdb, int when);
    int aux_save_triggers;
    size_t (*free_effort)(RedisModuleString *key, const void *value);
    void (*unlink)(RedisModuleString *key, const void *value);
    void *(*copy)(RedisModuleString *from, RedisModuleString *to,
                  const void *value);
    int (*defrag)(RedisModuleDefragCtx *ctx, RedisModuleString *key,
                  void **value);
};

/* X(result, name, arguments) of every required function. */
#define MODULE_FUNCTIONS(X)                                                    \
    X(void, SetModuleAttribs, (RedisModuleCtx *, const char *, int, int))      \
    X(void, SetModuleOptions, (RedisModuleCtx *, int))                         \
    X(int, CreateCommand,                                                      \
      (RedisModuleCtx *, const char *, module_command_fn *, const char *, int, \
       int, int))                                                              \
    X(RedisModuleType *, CreateDataType,                                       \
      (RedisModuleCtx *, const char *, int, struct module_type_methods *))     \
    X(int, RegisterInfoFunc, (RedisModuleCtx *, module_info_fn *))             \
    X(void *, Alloc, (size_t))                                                 \
    X(void, Free, (void *))                                                    \
    X(void, AutoMemory, (RedisModuleCtx *))                                    \
    X(void, Log, (RedisModuleCtx *, const char *, const char *, ...))          \
    X(void, LogIOError, (RedisModuleIO *, const char *, const char *, ...))    \
    X(void *, OpenKey, (RedisModuleCtx *, RedisModuleString *, int))           \
    X(int, KeyType, (RedisModuleKey *))                                        \
    X(RedisModuleType *, ModuleTypeGetType, (RedisModuleKey *))                \
    X(void *, ModuleTypeGetValue, (RedisModuleKey *))                          \
    X(int, ModuleTypeSetValue, (RedisModuleKey *, RedisModuleType *, void *))  \
    X(const char *, StringPtrLen, (const RedisModuleString *, size_t *))       \
    X(int, StringToLongLong, (const RedisModuleString *, long long *))         \
    X(int, WrongArity, (RedisModuleCtx *))                                     \
    X(int, ReplyWithError, (RedisModuleCtx *, const char *))                   \
    X(int, ReplyWithSimpleString, (RedisModuleCtx *, const char *))            \
    X(int, ReplyWithStringBuffer, (RedisModuleCtx *, const char *, size_t))    \
    X(int, ReplyWithLongLong, (RedisModuleCtx *, long long))                   \
    X(int, ReplyWithArray, (RedisModuleCtx *, long))                           \
    X(int, ReplicateVerbatim, (RedisModuleCtx *))                              \
    X(void, SaveUnsigned, (RedisModuleIO *, uint64_t))                         \
    X(uint64_t, LoadUnsigned, (RedisModuleIO *))                               \
    X(void, SaveStringBuffer, (RedisModuleIO *, const char *, size_t))         \
    X(char *, LoadStringBuffer, (RedisModuleIO *, size_t *))                   \
    X(int, IsIOError, (RedisModuleIO *))                                       \
    X(void, EmitAOF, (RedisModuleIO *, const char *, const char *, ...))       \
    X(void, DigestAddStringBuffer,                                             \
      (RedisModuleDigest *, const char *, size_t))                             \
    X(void, DigestEndSequence, (RedisModuleDigest *))                          \
    X(void *, DefragAlloc, (RedisModuleDefragCtx *, void *))                   \
    X(int, InfoAddSection, (RedisModuleInfoCtx *, const char *))               \
    X(int, InfoAddFieldULongLong,                                              \
      (RedisModuleInfoCtx *, const char *, unsigned long long))

/* Optional functions: NULL if missing. */
#define MODULE_EXTRAS(X)                                                       \
    X(int, IsModuleNameBusy, (const char *))                                   \
    X(void *, TryAlloc, (size_t)) /* from Redis 7.0 on */

#define DECLARE_FUNCTION(result, name, arguments)                              \
    extern result(*RedisModule_##name) arguments;
MODULE_FUNCTIONS(DECLARE_FUNCTION)
MODULE_EXTRAS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION

/* Looks up the functions of the server that is loading the module. NULL: done;
 * otherwise the name of a missing one. */
const char *module_api_load(RedisModuleCtx *ctx);

#endif
