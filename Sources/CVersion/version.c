#include "CVersion.h"
#include "archive.h"

// Written by Scripts/version.sh for release builds. A debug build is not linked anew for each commit.
#if !defined(DEBUG) && __has_include("generated.h")
#include "generated.h"
#else
#define FSK_VERSION ""
#define FSK_COMMIT ""
#endif

static const char version[] = FSK_VERSION;
static const char commit[] = FSK_COMMIT;
static const char archive_version[] = FSK_ARCHIVE_VERSION;
static const char archive_commit[] = FSK_ARCHIVE_COMMIT;

const char *fsk_version(void) {
    if (version[0] != '\0') return version;
    if (archive_version[0] == 'v') return archive_version + 1;
    return FSK_NUMBER "-dev";
}

const char *fsk_commit(void) {
    if (commit[0] != '\0') return commit;
    return archive_commit[0] == '$' ? "" : archive_commit;
}
