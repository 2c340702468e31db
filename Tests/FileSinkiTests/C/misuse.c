/* What a program may do wrong: null pointers, errors that are used again, results that nobody wants. */
#include <filesinki.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int is_true, const char *what) {
    if (!is_true) {
        failures++;
        printf("failed: %s\n", what);
    }
}

static void changed(void *context, const char *path, const uint8_t *bytes, size_t count) {
    (void)context, (void)path, (void)bytes, (void)count;
}

/* Whether an error is that of a null argument. */
static int is_null(const filesinki_error *error, const char *argument) {
    char message[64];
    snprintf(message, sizeof message, "An argument is null: %s.", argument);
    return error->code == FILESINKI_USAGE && strcmp(error->name, "usage") == 0
        && strcmp(error->path, "") == 0 && strcmp(error->message, message) == 0
        && strlen(error->remedy) > 0;
}

static void nothing(void) {
    filesinki_close(NULL);
    filesinki_free(NULL);
    filesinki_error_clear(NULL);
    filesinki_observer_cancel(NULL);
    filesinki_error error = {0};
    filesinki_error_clear(&error);
    expect(filesinki_open(NULL, NULL, NULL, NULL) == NULL, "open without a root");
    expect(filesinki_open(NULL, NULL, NULL, &error) == NULL, "open without a root, with an error");
    expect(is_null(&error, "root"), "the error of open");
    filesinki_error_clear(&error);
}

static void nulls(filesinki *a) {
    filesinki_error error = {0};
    uint8_t other = 'x', *bytes = &other;
    size_t count = 7;
    expect(filesinki_load(NULL, "f", NULL, NULL, &bytes, &count, &error) == FILESINKI_USAGE,
           "load from no root");
    expect(bytes == NULL && count == 0, "load from no root gives nothing");
    expect(is_null(&error, "sinki, path"), "the error of load");
    expect(filesinki_load(a, NULL, NULL, NULL, NULL, NULL, NULL) == FILESINKI_USAGE,
           "load of no path");
    bytes = &other;
    count = 7;
    filesinki_outcome outcome = FILESINKI_KEPT;
    expect(filesinki_save(a, NULL, &other, 1, NULL, NULL, &outcome, &bytes, &count, &error)
               == FILESINKI_USAGE, "save to no path");
    expect(bytes == NULL && count == 0, "save to no path gives nothing");
    expect(outcome == FILESINKI_KEPT, "save to no path has no outcome");
    expect(filesinki_delete(NULL, "f", &error) == FILESINKI_USAGE, "delete in no root");
    expect(filesinki_delete(a, NULL, &error) == FILESINKI_USAGE, "delete of no path");
    expect(is_null(&error, "sinki, path"), "the error of delete");
    expect(filesinki_observe(NULL, "", changed, NULL) == NULL, "observe no root");
    expect(filesinki_observe(a, NULL, changed, NULL) == NULL, "observe no path");
    expect(filesinki_observe(a, "", NULL, NULL) == NULL, "observe with no function");
    char text = 'x', *result = &text;
    expect(filesinki_kv_get(NULL, NULL, &result, &error) == FILESINKI_USAGE, "a key of no root");
    expect(result == NULL && is_null(&error, "sinki"), "the error of a key of no root");
    expect(filesinki_kv_get(NULL, NULL, NULL, NULL) == FILESINKI_USAGE, "nobody wants the error");
    filesinki_error_clear(&error);
}

static void errors(filesinki *a) {
    filesinki_error error = {0};
    uint8_t *bytes = NULL;
    size_t count = 0;
    expect(filesinki_load(a, "none", NULL, NULL, &bytes, &count, &error) == FILESINKI_ABSENT,
           "an absent file");
    expect(strcmp(error.path, "none") == 0 && strcmp(error.message, "No such file.") == 0
               && strcmp(error.remedy, "Save the file first.") == 0, "the texts of an error");
    /* The texts of the former error are freed. */
    expect(filesinki_delete(a, "../up", &error) == FILESINKI_USAGE, "a path outside");
    expect(strcmp(error.name, "bad-path") == 0, "the same error has another name");
    expect(filesinki_delete(a, "none", &error) == FILESINKI_ABSENT
               && strcmp(error.name, "not-found") == 0, "and another one");
    filesinki_error_clear(&error);
    expect(error.code == 0 && error.name == NULL && error.path == NULL && error.message == NULL
               && error.remedy == NULL, "a cleared error is zeros");
    filesinki_error_clear(&error);
}

static void contents(filesinki *a) {
    const uint8_t three[] = {'a', 0, 'c'};
    uint8_t *bytes = NULL;
    size_t count = 0;
    expect(filesinki_save(a, "f", three, 3, NULL, NULL, NULL, NULL, NULL, NULL) == 0, "save");
    expect(filesinki_load(a, "f", NULL, NULL, NULL, &count, NULL) == 0 && count == 3,
           "a size that is wanted alone");
    expect(filesinki_load(a, "f", NULL, NULL, NULL, NULL, NULL) == 0, "whether a file is there");
    /* A count without bytes is nothing. */
    expect(filesinki_save(a, "f", NULL, 5, NULL, NULL, NULL, NULL, NULL, NULL) == 0, "save no bytes");
    expect(filesinki_load(a, "f", NULL, NULL, &bytes, &count, NULL) == 0 && count == 0
               && bytes != NULL, "no bytes are a content");
    filesinki_free(bytes);
    expect(filesinki_delete(a, "f", NULL) == 0, "delete");
    expect(filesinki_delete(a, "f", NULL) == FILESINKI_ABSENT, "delete again");
    bytes = (uint8_t *)three;
    count = 3;
    expect(filesinki_load(a, "f", NULL, NULL, &bytes, &count, NULL) == FILESINKI_ABSENT
               && bytes == NULL && count == 0, "a deleted file gives nothing");
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    nothing();
    filesinki_error error = {0};
    filesinki *a = filesinki_open(argv[1], argv[3], "a", &error);
    if (a == NULL) {
        printf("%s %s\n", error.name, error.message);
        return 1;
    }
    nulls(a);
    errors(a);
    contents(a);
    filesinki_close(a);
    if (failures == 0) puts("all is well");
    return failures != 0;
}
