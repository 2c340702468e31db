// The session extension and the pre-update hook are compiled into Debian's library, but declared
// only for those who ask.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>
