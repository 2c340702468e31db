/* Two devices in one program: keys and values, records and their assets, zones, schemas, conflicts, subscriptions. */
#include <filesinki.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void expect(int is_true, const char *what) {
    if (!is_true) {
        failures++;
        printf("failed: %s\n", what);
    }
}

typedef int32_t (*method)(filesinki *, const char *, char **, filesinki_error *);

/* Calls a method that must succeed, with a result that has a text. */
static void gives(
    filesinki *sinki, method method, const char *parameters, const char *text, const char *what) {
    filesinki_error error = {0};
    char *result = NULL;
    int32_t code = method(sinki, parameters, &result, &error);
    if (code != FILESINKI_OK) printf("%s: %s %s\n", what, error.name, error.message);
    expect(code == FILESINKI_OK, what);
    expect(result != NULL && strstr(result, text) != NULL, what);
    filesinki_free(result);
    filesinki_error_clear(&error);
}

/* Calls a method that must fail. */
static void fails(
    filesinki *sinki, method method, const char *parameters, int32_t code, const char *name,
    const char *what) {
    filesinki_error error = {0};
    char *result = "";
    expect(method(sinki, parameters, &result, &error) == code, what);
    expect(result == NULL && error.code == code, what);
    expect(error.name != NULL && strcmp(error.name, name) == 0, what);
    expect(error.message != NULL && strlen(error.message) > 0, what);
    filesinki_error_clear(&error);
}

static void keys(filesinki *a, filesinki *b) {
    gives(a, filesinki_kv_set, "{\"key\":\"theme\",\"value\":\"dark\"}", "\"theme\"", "kv set");
    gives(a, filesinki_kv_set, "{\"values\":{\"size\":12,\"gone\":1}}", "\"size\"", "kv set of two");
    gives(b, filesinki_kv_sync, NULL, "\"exchange\"", "kv sync");
    gives(b, filesinki_kv_get, "{\"key\":\"theme\"}", "\"value\":\"dark\"", "kv get");
    gives(b, filesinki_kv_delete, "{\"key\":\"gone\"}", "\"gone\"", "kv delete");
    gives(b, filesinki_kv_list, NULL, "\"value\":12", "kv list");
    gives(b, filesinki_kv_export, "{\"format\":\"plist\"}", "<key>theme</key>", "kv export");
    gives(b, filesinki_kv_log, "{\"key\":\"theme\"}", "[]", "kv log");
    gives(b, filesinki_kv_quota, NULL, "\"max_keys\":1024", "kv quota");
    gives(b, filesinki_kv_status, "{}", "\"token\"", "kv status");
    fails(b, filesinki_kv_get, "{\"key\":\"gone\"}", FILESINKI_ABSENT, "not-found", "an absent key");
    fails(b, filesinki_kv_get, "{\"kye\":\"x\"}", FILESINKI_USAGE, "usage", "a wrong parameter");
    fails(b, filesinki_kv_get, "{", FILESINKI_USAGE, "usage", "no JSON");
    fails(b, filesinki_kv_get, "[1]", FILESINKI_USAGE, "usage", "no object");
    fails(NULL, filesinki_kv_get, "{}", FILESINKI_USAGE, "usage", "a null root");
    expect(filesinki_kv_list(b, NULL, NULL, NULL) == FILESINKI_OK, "nothing is wanted of it");
}

static void records(filesinki *a, filesinki *b, const char *folder) {
    char text[4096], path[2048];
    snprintf(path, sizeof path, "%s/photo", folder);
    FILE *file = fopen(path, "w");
    expect(file != NULL && fputs("bytes of a photo", file) >= 0 && fclose(file) == 0, "a file");
    snprintf(text, sizeof text,
        "{\"type\":\"Note\",\"name\":\"n\",\"fields\":{\"count\":3,"
        "\"photo\":{\"type\":\"asset\",\"value\":{\"file\":\"%s\"}}}}", path);
    gives(a, filesinki_rec_save, text, "\"created\":true", "rec save");
    gives(b, filesinki_rec_sync, NULL, "\"exchange\"", "rec sync");
    gives(b, filesinki_rec_get, "{\"names\":[\"n\"]}", "\"size\":16", "rec get");
    snprintf(path, sizeof path, "%s/copy", folder);
    snprintf(text, sizeof text, "{\"name\":\"n\",\"field\":\"photo\",\"to\":\"%s\"}", path);
    gives(b, filesinki_rec_export, text, "\"sha256\"", "rec export");
    char copy[32] = {0};
    file = fopen(path, "r");
    expect(file != NULL && fread(copy, 1, sizeof copy - 1, file) == 16 && fclose(file) == 0
               && strcmp(copy, "bytes of a photo") == 0, "the bytes of an asset");
    gives(b, filesinki_rec_query, "{\"type\":\"Note\",\"where\":\"count > 2\"}", "\"n\"", "rec query");
    gives(b, filesinki_rec_batch,
        "{\"operations\":[{\"op\":\"force-update\",\"name\":\"n\",\"fields\":{\"count\":4}}]}",
        "\"ok\":true", "rec batch");
    fails(a, filesinki_rec_save,
        "{\"type\":\"Note\",\"name\":\"n\",\"fields\":{\"count\":5},\"policy\":\"unchanged\"}",
        FILESINKI_CONFLICT, "conflict", "a refused save");
    gives(a, filesinki_rec_get, "{\"names\":[\"n\"]}", "\"value\":4", "the other device's value");
    gives(a, filesinki_rec_changes, NULL, "\"token\"", "rec changes");
    fails(a, filesinki_rec_changes, "{\"since\":\"0000000000000000-1\"}", FILESINKI_EXPIRED,
        "token-expired", "an expired token");
    fails(a, filesinki_rec_query, "{\"type\":\"Note\",\"where\":\"count >\"}", FILESINKI_USAGE,
        "usage", "a wrong predicate");
    gives(a, filesinki_rec_delete, "{\"names\":[\"n\"]}", "\"deleted\":true", "rec delete");
    gives(a, filesinki_rec_log, "{\"name\":\"none\"}", "[]", "rec log");
    gives(a, filesinki_rec_status, NULL, "\"pending\":[]", "rec status");
}

static void schema(filesinki *a, filesinki *b) {
    gives(a, filesinki_rec_schema_import, "{\"zone\":\"z\",\"text\":\"type Note\\nNote.count int\\n\"}",
        "\"changed\":true", "rec schema import");
    gives(a, filesinki_rec_schema_set, "{\"zone\":\"z\",\"line\":\"Note.title string\"}",
        "Note.title string", "rec schema set");
    gives(a, filesinki_rec_schema_lock, "{\"zone\":\"z\"}", "\"locked\":true", "rec schema lock");
    fails(a, filesinki_rec_save, "{\"zone\":\"z\",\"type\":\"Other\",\"name\":\"n\"}",
        FILESINKI_USAGE, "usage", "a type that a locked schema does not have");
    gives(b, filesinki_rec_sync, "{\"zone\":\"z\"}", "\"exchange\"", "rec sync of a zone");
    gives(b, filesinki_rec_schema_show, "{\"zone\":\"z\"}", "Note.title string", "rec schema show");
    gives(b, filesinki_rec_schema_diff, "{\"zone\":\"z\",\"text\":\"type Note\\nNote.count int\\n\"}",
        "\"- Note.title string\"", "rec schema diff");
    gives(b, filesinki_rec_schema_unlock, "{\"zone\":\"z\"}", "\"locked\":false", "rec schema unlock");
    fails(b, filesinki_rec_schema_set, "{\"zone\":\"z\",\"line\":\"Note.count string\"}",
        FILESINKI_USAGE, "usage", "a field of another type");
}

/* Both devices change a field that is to be asked about: the second save waits, and its sync finds a conflict. */
static void conflicts(filesinki *a, filesinki *b) {
    gives(a, filesinki_rec_schema_set, "{\"line\":\"Page.text string merge=ask\"}", "merge=ask", "a rule");
    gives(a, filesinki_rec_save, "{\"type\":\"Page\",\"name\":\"p\",\"fields\":{\"text\":\"one\"}}",
        "\"created\":true", "a record of both");
    gives(b, filesinki_rec_sync, NULL, "\"exchange\"", "rec sync");
    gives(a, filesinki_rec_save, "{\"type\":\"Page\",\"name\":\"p\",\"fields\":{\"text\":\"two\"}}",
        "\"p\"", "a's text");
    fails(b, filesinki_rec_save, "{\"type\":\"Page\",\"name\":\"p\",\"fields\":{\"text\":\"three\"}}",
        FILESINKI_CONFLICT, "conflict", "b's text");
    gives(b, filesinki_rec_conflicts, NULL, "\"reason\":\"ask\"", "rec conflicts");
    gives(b, filesinki_rec_conflicts, "{\"forget\":[\"p\"]}", "[]", "a conflict that is forgotten");
}

static void subscriptions(filesinki *a) {
    gives(a, filesinki_rec_subscribe_add, "{\"subscription\":\"s\",\"query\":\"Note\",\"on\":[\"create\"]}",
        "\"on\":[\"create\"]", "rec subscribe add");
    gives(a, filesinki_rec_subscribe_list, NULL, "\"subscription\":\"s\"", "rec subscribe list");
    gives(a, filesinki_rec_subscribe_rm, "{\"subscription\":\"s\"}", "[]", "rec subscribe rm");
    fails(a, filesinki_rec_subscribe_rm, "{\"subscription\":\"s\"}", FILESINKI_ABSENT, "not-found",
        "a subscription that is gone");
}

static void zones(filesinki *a, filesinki *b) {
    gives(a, filesinki_rec_zones_create, "{\"zone\":\"y\"}", "\"generation\":1", "rec zones create");
    gives(a, filesinki_rec_zones_reset, "{\"zone\":\"y\"}", "\"state\":\"reset\"", "rec zones reset");
    gives(a, filesinki_rec_zones_delete, "{\"zone\":\"y\"}", "\"state\":\"deleted\"", "rec zones delete");
    fails(a, filesinki_rec_zones_delete, "{\"zone\":\"y\"}", FILESINKI_ABSENT, "not-found", "a deleted zone");
    gives(a, filesinki_rec_zones_purge, "{\"zone\":\"z\"}", "\"state\":\"purged\"", "rec zones purge");
    gives(b, filesinki_rec_zones_list, "{\"fresh\":true}", "\"state\":\"purged\"", "rec zones list");
    gives(b, filesinki_rec_zones_changes, NULL, "\"zone\":\"y\",\"change\":\"deleted\"", "rec zones changes");
}

/* What the callback was told of so far. */
struct told {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char events[65536];
};

static void tell(void *context, const char *event) {
    struct told *told = context;
    pthread_mutex_lock(&told->lock);
    size_t length = strlen(told->events);
    snprintf(told->events + length, sizeof told->events - length, "%s\n", event);
    pthread_cond_signal(&told->changed);
    pthread_mutex_unlock(&told->lock);
}

/* Waits for events with these texts; the first ones may be of what was there before. */
static void hears(struct told *told, const char *one, const char *other) {
    pthread_mutex_lock(&told->lock);
    while (strstr(told->events, one) == NULL || strstr(told->events, other) == NULL)
        pthread_cond_wait(&told->changed, &told->lock);
    told->events[0] = 0;
    pthread_mutex_unlock(&told->lock);
}

static void watches(filesinki *a, filesinki *b) {
    struct told told = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    filesinki_error error = {0};
    filesinki_observer *keys = filesinki_kv_watch(b, "{\"values\":true}", tell, &told, &error);
    expect(keys != NULL, "kv watch");
    gives(a, filesinki_kv_set, "{\"key\":\"heard\",\"value\":7}", "\"heard\"", "a key to hear of");
    hears(&told, "\"keys\":[\"heard\"]", "7");
    filesinki_observer_cancel(keys);
    filesinki_observer *records = filesinki_rec_watch(b, NULL, tell, &told, &error);
    expect(records != NULL, "rec watch");
    gives(a, filesinki_rec_save, "{\"type\":\"Note\",\"name\":\"heard\"}", "\"created\":true", "rec save");
    hears(&told, "\"records\":[\"heard\"]", "\"token\"");
    filesinki_observer_cancel(records);
    /* A token that has expired is known when the watch looks for changes. */
    keys = filesinki_kv_watch(b, "{\"since\":\"0000000000000000-1\"}", tell, &told, &error);
    if (keys == NULL) {
        expect(error.code == FILESINKI_EXPIRED, "an expired token");
    } else {
        hears(&told, "\"type\":\"ended\"", "\"exitCode\":9");
    }
    filesinki_observer_cancel(keys);
    filesinki_error_clear(&error);
    expect(filesinki_kv_watch(b, "{\"kye\":1}", tell, &told, &error) == NULL
               && error.code == FILESINKI_USAGE, "a wrong parameter of a watch");
    filesinki_error_clear(&error);
    expect(filesinki_kv_watch(b, NULL, NULL, NULL, NULL) == NULL, "nobody to tell");
}

int main(int argc, char **argv) {
    alarm(300); /* What never comes ends the program. */
    if (argc != 4) return 2;
    filesinki_error error = {0};
    filesinki *a = filesinki_open(argv[1], argv[3], "a", &error);
    filesinki *b = filesinki_open(argv[2], argv[3], "b", &error);
    if (a == NULL || b == NULL) {
        printf("%s %s\n", error.name, error.message);
        return 1;
    }
    keys(a, b);
    records(a, b, argv[1]);
    schema(a, b);
    conflicts(a, b);
    subscriptions(a);
    zones(a, b);
    watches(a, b);
    filesinki_close(a);
    filesinki_close(b);
    if (failures == 0) printf("all is well\n");
    return failures > 0;
}
