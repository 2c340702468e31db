// The session extension and the pre-update hook are compiled into Debian's library, but declared
// only for those who ask.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

// Leaves the write-ahead log where it is when the last connection closes, as after a kill: the next
// one reads it. A short command is spared the syncs of a checkpoint; one is made every 1,000 pages.
// Here because sqlite3_db_config is variadic, which Swift cannot call.
static inline int fsk_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
