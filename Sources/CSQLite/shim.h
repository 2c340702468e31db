#include <sqlite3.h>

// Swift cannot call a C function of variable arguments. Sets one of the connection's switches
// (SQLITE_DBCONFIG_*) that take an int.
static inline int filesinki_sqlite3_set_switch(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}
