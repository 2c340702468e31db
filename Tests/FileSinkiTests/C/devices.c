/* Two devices in one program: saves, loads, merges by a callback, observes and deletes. */
#include <filesinki.h>
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

static int32_t add(
    void *context, const uint8_t *here, size_t here_count, const uint8_t *there,
    size_t there_count, const uint8_t *base, size_t base_count, uint8_t **result,
    size_t *result_count) {
    (void)base_count;
    ++*(int *)context;
    if (base != NULL) return 1;
    *result_count = here_count + there_count;
    *result = malloc(*result_count);
    memcpy(*result, there, there_count);
    memcpy(*result + there_count, here, here_count);
    return 0;
}

static void changed(void *context, const char *path, const uint8_t *bytes, size_t count) {
    volatile int *seen = context;
    (void)count;
    if (strcmp(path, "watched") == 0) seen[bytes == NULL ? 1 : 0]++;
}

static int await(volatile int *number) {
    for (int i = 0; i < 3000 && *number == 0; i++) usleep(10000);
    return *number;
}

static void errors(filesinki *a, const char *folder) {
    filesinki_error error = {0};
    uint8_t *bytes = NULL;
    size_t count = 0;
    expect(filesinki_load(a, "absent", NULL, NULL, &bytes, &count, &error) == FILESINKI_ABSENT,
           "absent");
    expect(error.code == FILESINKI_ABSENT && bytes == NULL, "absent has an error");
    expect(filesinki_delete(a, "absent", &error) == FILESINKI_ABSENT, "delete of nothing");
    expect(filesinki_load(a, "../up", NULL, NULL, &bytes, &count, &error) == FILESINKI_USAGE,
           "outside");
    expect(strcmp(error.name, "bad-path") == 0 && strlen(error.remedy) > 0, "a remedy");
    expect(filesinki_save(NULL, "x", NULL, 0, NULL, NULL, NULL, NULL, NULL, &error)
               == FILESINKI_USAGE, "null");
    expect(filesinki_open(folder, "gopher://x", NULL, &error) == NULL, "an unknown address");
    expect(error.code == FILESINKI_USAGE, "an unknown address has a code");
    filesinki_error_clear(&error);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    filesinki_error error = {0};
    filesinki *a = filesinki_open(argv[1], argv[3], "a", &error);
    filesinki *b = filesinki_open(argv[2], argv[3], "b", &error);
    if (a == NULL || b == NULL) {
        printf("%s %s\n", error.name, error.message);
        return 1;
    }
    filesinki_outcome outcome;
    uint8_t *bytes = NULL;
    size_t count = 0;
    int merges = 0;
    const uint8_t one[] = {'o', 0, 'e'}, two[] = {'t'};
    expect(filesinki_save(a, "f", one, 3, NULL, NULL, &outcome, &bytes, &count, &error) == 0, "save");
    expect(outcome == FILESINKI_UPLOADED && bytes == NULL, "uploaded");
    expect(filesinki_save(b, "f", two, 1, add, &merges, &outcome, &bytes, &count, &error) == 0,
           "save with a merge");
    expect(outcome == FILESINKI_MERGED && merges == 1, "merged once");
    expect(count == 4 && bytes != NULL && memcmp(bytes, "o\0et", 4) == 0, "the merged bytes");
    filesinki_free(bytes);
    expect(filesinki_load(a, "f", NULL, NULL, &bytes, &count, &error) == 0, "load");
    expect(count == 4 && memcmp(bytes, "o\0et", 4) == 0, "the loaded bytes");
    filesinki_free(bytes);
    expect(filesinki_save(a, "empty", NULL, 0, NULL, NULL, NULL, NULL, NULL, &error) == 0, "empty");
    expect(filesinki_load(b, "empty", NULL, NULL, &bytes, &count, &error) == 0, "load empty");
    expect(count == 0 && bytes != NULL, "empty is not absent");
    filesinki_free(bytes);

    volatile int seen[2] = {0, 0};
    filesinki_observer *observer = filesinki_observe(b, "", changed, (void *)seen);
    expect(filesinki_save(a, "watched", one, 3, NULL, NULL, NULL, NULL, NULL, &error) == 0, "save");
    expect(await(&seen[0]) == 1, "a change is told");
    expect(filesinki_delete(a, "watched", &error) == 0, "delete");
    expect(await(&seen[1]) == 1, "a deletion is told");
    filesinki_observer_cancel(observer);

    errors(a, argv[1]);
    filesinki_close(a);
    filesinki_close(b);
    if (failures == 0) puts("all is well");
    return failures != 0;
}
