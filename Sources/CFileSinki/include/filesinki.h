/* filesinki: files that are kept in step with other devices, for programs in C and in whatever calls C.
 *
 * Every function may be called from several threads. It blocks until its work is done; callbacks are
 * called on threads of the library's own. Texts are UTF-8. What the library gives out is freed with
 * filesinki_free. See Docs/Library.md.
 */
#ifndef FILESINKI_H
#define FILESINKI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A root that is open. */
typedef struct filesinki filesinki;

/* Somebody who observes. */
typedef struct filesinki_observer filesinki_observer;

/* What a function returns: 0, or as the command line exits. */
enum {
    FILESINKI_OK = 0,
    FILESINKI_ABSENT = 1,      /* There is no such file. */
    FILESINKI_USAGE = 2,       /* An argument is not understood. */
    FILESINKI_CONFLICT = 3,    /* A policy refuses a save of a record: another device changed it. */
    FILESINKI_IO = 4,          /* The local file system refused. */
    FILESINKI_LIMIT = 6,       /* A limit: too large, too many deletions. */
    FILESINKI_NOT_ALLOWED = 7, /* The remote says no, or is not the store it was. */
    FILESINKI_CORRUPT = 8,     /* Bytes are not what their hash says. */
    FILESINKI_EXPIRED = 9,     /* A token of changes is too old. */
    FILESINKI_AWAY = 75        /* The remote cannot be reached, or another process is at work. */
};

/* What went wrong. Set to zeros before the first use; filesinki_error_clear frees what is in it. */
typedef struct filesinki_error {
    int32_t code;  /* What the function returned. */
    char *name;    /* The code's name, such as "away". */
    char *path;    /* What it is about; may be empty. */
    char *message; /* What happened, in a sentence. */
    char *remedy;  /* What can be done about it; may be empty. */
} filesinki_error;

void filesinki_error_clear(filesinki_error *error);

/* Frees what the library gave out; a null pointer is nothing. */
void filesinki_free(void *bytes);

/* Opens a root, and makes it a replica when it is none.
 *
 * remote: "dir:/path", "ssh://", "host:path", "http(s)://", "webdav(s)://", "s3://" or "rclone:REMOTE:PATH"; null for the remote that the root has.
 * device: this device's name; null for the name of the machine.
 * Returns null on an error. A remote that is away is none. */
filesinki *filesinki_open(
    const char *root, const char *remote, const char *device, filesinki_error *error);

/* Lets go of a root. Observers that were not cancelled go on until they are. */
void filesinki_close(filesinki *sinki);

/* Makes one content of two, once for each divergence.
 *
 * base: what both sides started from; null where nobody has it.
 * result, result_count: the merged bytes, from malloc(3); the library frees them.
 * Returns 0 when it merged; anything else keeps both contents side by side. */
typedef int32_t (*filesinki_merge)(
    void *context, const uint8_t *here, size_t here_count, const uint8_t *there,
    size_t there_count, const uint8_t *base, size_t base_count, uint8_t **result,
    size_t *result_count);

/* What came of a save. */
typedef enum filesinki_outcome {
    FILESINKI_STORED = 0,   /* It is here; there is no remote. */
    FILESINKI_QUEUED = 1,   /* It is here, and published when the remote is back. */
    FILESINKI_UPLOADED = 2, /* It is here and published. */
    FILESINKI_MERGED = 3,   /* It was merged with what another device had saved. */
    FILESINKI_KEPT = 4,     /* What another device had saved stays. */
    FILESINKI_KEPT_BOTH = 5 /* Both stay; this one is beside the file. */
} filesinki_outcome;

/* Saves bytes: here at once and durably, and then at the remote.
 *
 * merge: may be null; then the rules of the root decide.
 * outcome, final, final_count: may be null. final is set to what is in the file in the end when that is
 * something else than what was saved, else to null. */
int32_t filesinki_save(
    filesinki *sinki, const char *path, const uint8_t *bytes, size_t count, filesinki_merge merge,
    void *context, filesinki_outcome *outcome, uint8_t **final, size_t *final_count,
    filesinki_error *error);

/* The best bytes that there are, after a look at the remote. FILESINKI_ABSENT when there is no file. */
int32_t filesinki_load(
    filesinki *sinki, const char *path, filesinki_merge merge, void *context, uint8_t **bytes,
    size_t *count, filesinki_error *error);

/* Deletes a file, here at once and then everywhere. FILESINKI_ABSENT when there was none. */
int32_t filesinki_delete(filesinki *sinki, const char *path, filesinki_error *error);

/* Told what another device has changed, once it is here; bytes is null for a deletion. The pointers are
 * valid during the call only. */
typedef void (*filesinki_changed)(
    void *context, const char *path, const uint8_t *bytes, size_t count);

/* Observes a file, or with a slash behind the path everything inside a folder; "" for all of the root.
 * Null only when an argument is. */
filesinki_observer *filesinki_observe(
    filesinki *sinki, const char *path, filesinki_changed changed, void *context);

/* Ends the observation and frees it. When it returns no callback is running or will be called. Not to be
 * called from the callback itself. */
void filesinki_observer_cancel(filesinki_observer *observer);

/* Keys and values, and records: each function is a method of `filesinki rpc`, whose page, Docs/Rpc.md, and whose schema,
 * Docs/rpc.schema.json, have the parameters and results. So filesinki_rec_query(sinki, "{\"type\":\"Note\"}", &result, &error)
 * is rec.query.
 *
 * parameters: an object as JSON; null for none.
 * result: may be null; set to JSON, or to null on an error. Free it with filesinki_free.
 * A change is on the disk when the function returns, and published if the remote answers. */
int32_t filesinki_kv_get(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_kv_set(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_kv_delete(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_kv_list(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
/* All values as one document: the member text. */
int32_t filesinki_kv_export(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
/* What was set here and gave way to a value of another device, newest first; so for records. */
int32_t filesinki_kv_log(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_kv_quota(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_kv_status(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_kv_sync(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);

int32_t filesinki_rec_get(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_save(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
/* Writes an asset of a record to a file. */
int32_t filesinki_rec_export(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_query(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_delete(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_batch(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_changes(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_log(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_status(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_sync(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);

/* Zones as a whole: which there are, and what becomes of them. What a deleted zone had not sent is kept in a file. */
int32_t filesinki_rec_zones_list(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_zones_create(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_zones_delete(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_zones_purge(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_zones_reset(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_zones_changes(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);

/* The types and fields of a zone; a schema is given, and is in the result, as the member text. */
int32_t filesinki_rec_schema_show(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_schema_import(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_schema_diff(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_schema_set(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_schema_lock(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_schema_unlock(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);

/* Saves that were refused, each with its three versions; "forget" has names whose refusal is accepted. */
int32_t filesinki_rec_conflicts(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);

/* Subscriptions are of this device; filesinki_rec_watch tells that one fires. */
int32_t filesinki_rec_subscribe_add(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_subscribe_list(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);
int32_t filesinki_rec_subscribe_rm(
    filesinki *sinki, const char *parameters, char **result, filesinki_error *error);

/* Told of an event: what kv.watch or rec.watch of `filesinki rpc` reports of a change, as JSON. The text is valid during
 * the call only. Called from one thread at a time; the next event waits until it returns. */
typedef void (*filesinki_event)(void *context, const char *event);

/* Reports which keys, or records, other devices change from now on, or behind the token of an event with "since"; each once,
 * after it is here. parameters: those of kv.watch and rec.watch, as JSON; null for none. End it with
 * filesinki_observer_cancel before filesinki_close.
 * Null on an error. A failure that a retry cannot mend, such as a token that has expired, ends it with a last event whose
 * type is "ended" and which has the member error. */
filesinki_observer *filesinki_kv_watch(
    filesinki *sinki, const char *parameters, filesinki_event changed, void *context,
    filesinki_error *error);
filesinki_observer *filesinki_rec_watch(
    filesinki *sinki, const char *parameters, filesinki_event changed, void *context,
    filesinki_error *error);

#ifdef __cplusplus
}
#endif

#endif
