-- The manifest's latest schema. See Docs/Manifest.md for how the tables work together.
--
-- Rules:
--   Every table is STRICT and has a rowid; a unique index on the path beside it inserts faster than
--   WITHOUT ROWID.
--   Every table opens with why it exists, every column has a comment, every index names its query.
--   Paths and targets are BLOB: bytes, never text.
--   Unsigned 64-bit numbers are kept as the signed number with the same bits.
--   Times are nanoseconds since 1970-01-01 UTC.
--   row_check is 64 bits over all other columns but id, computed by RowCheck when a row is
--   written and again when it is read: SQLite itself does not notice a flipped bit in a value.
--   A change here is a new version: also write migrate-N.sql, and raise Schema.current.

-- Why: a page that is lost takes whole rows with it, each of them with its check. The number of rows
-- and the sum of their checks are kept here, and moved in the transaction that moves the rows.
CREATE TABLE tally (
    id       INTEGER PRIMARY KEY,           -- SQLite's own
    name     TEXT NOT NULL UNIQUE,          -- the table it counts; unique for: one table's tally
    rows     INTEGER NOT NULL,              -- how many rows that table has
    checks   INTEGER NOT NULL               -- the sum of their row_check, modulo 2^64
) STRICT;

-- Why: what a replica is and how far it has read: its device, its store, its change token.
CREATE TABLE setting (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    key       BLOB NOT NULL UNIQUE,         -- UTF-8, such as token; unique for: the value of a key
    value     BLOB NOT NULL,                -- bytes; what they mean is the key's affair
    row_check INTEGER NOT NULL              -- over key and value
) STRICT;

-- Why: what here and the remote last agreed on; the base of every three-way decision. The stamp says
-- that a file still holds these bytes without reading it. Holds no tombstones.
CREATE TABLE base (
    id             INTEGER PRIMARY KEY,     -- SQLite's own
    path           BLOB NOT NULL UNIQUE,    -- below the root; unique for: one path, and all below a folder
    kind           INTEGER NOT NULL,        -- 1 file, 2 directory, 3 symlink
    mode           INTEGER NOT NULL,        -- permission bits, 0 to 0o777
    modified       INTEGER NOT NULL,        -- when the content was last changed
    size           INTEGER NOT NULL,        -- bytes of a file, else 0
    content        BLOB,                    -- SHA-256 of a file's bytes; NULL for the rest
    target         BLOB,                    -- what a symlink points at; NULL for the rest
    version        INTEGER NOT NULL,        -- the commit that set the entry
    changed        INTEGER,                 -- stamp: the inode's change time; NULL: not on disk, or not trusted
    device         INTEGER,                 -- stamp: the file system; NULL with changed
    inode          INTEGER,                 -- stamp: the inode; NULL with changed
    stamp_size     INTEGER,                 -- stamp: bytes; NULL with changed
    stamp_modified INTEGER,                 -- stamp: modification time; NULL with changed
    row_check      INTEGER NOT NULL         -- over all columns from path on
) STRICT;

-- Why: paths whose scanned state is not the base's. There is no queue of work: this is it.
CREATE TABLE local (
    id             INTEGER PRIMARY KEY,     -- SQLite's own
    path           BLOB NOT NULL UNIQUE,    -- below the root; unique for: one path
    present        INTEGER NOT NULL,        -- 1: as the columns say; 0: deleted, and they are empty
    kind           INTEGER NOT NULL,        -- 1 file, 2 directory, 3 symlink, 4 deleted
    mode           INTEGER NOT NULL,        -- permission bits, 0 to 0o777
    modified       INTEGER NOT NULL,        -- when the content was last changed
    size           INTEGER NOT NULL,        -- bytes of a file, else 0
    content        BLOB,                    -- SHA-256 of a file's bytes; NULL for the rest
    target         BLOB,                    -- what a symlink points at; NULL for the rest
    changed        INTEGER,                 -- stamp: the inode's change time; NULL: none, or not trusted
    device         INTEGER,                 -- stamp: the file system; NULL with changed
    inode          INTEGER,                 -- stamp: the inode; NULL with changed
    stamp_size     INTEGER,                 -- stamp: bytes; NULL with changed
    stamp_modified INTEGER,                 -- stamp: modification time; NULL with changed
    moved_from     BLOB,                    -- the path the content was renamed from; NULL for none
    row_check      INTEGER NOT NULL         -- over all columns from path on
) STRICT;

-- Why: paths whose state at the remote is not the base's: fetched, and not yet agreed on.
CREATE TABLE remote (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    path       BLOB NOT NULL UNIQUE,        -- below the root; unique for: one path
    kind       INTEGER NOT NULL,            -- 1 file, 2 directory, 3 symlink, 4 tombstone
    mode       INTEGER NOT NULL,            -- permission bits, 0 to 0o777
    modified   INTEGER NOT NULL,            -- when the content was last changed
    size       INTEGER NOT NULL,            -- bytes of a file, else 0
    content    BLOB,                        -- SHA-256 of a file's bytes; NULL for the rest
    target     BLOB,                        -- what a symlink points at; NULL for the rest
    version    INTEGER NOT NULL,            -- the commit that set the entry
    moved_from BLOB,                        -- the path the content was renamed from; NULL for none
    row_check  INTEGER NOT NULL             -- over all columns from path on
) STRICT;

-- Why: deletions both sides agreed on, with what the path held before: a stale copy that turns up
-- is told from a new file by it.
CREATE TABLE tombstone (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    path      BLOB NOT NULL UNIQUE,         -- below the root; unique for: one path, and all below a folder
    version   INTEGER NOT NULL,             -- the commit that deleted the path
    contents  BLOB NOT NULL,                -- the SHA-256 of each content it had, 32 bytes each
    row_check INTEGER NOT NULL              -- over path, version and contents
) STRICT;

-- Why: the packs of the store that are known here, so that their names need not be listed.
CREATE TABLE pack (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    pack       BLOB NOT NULL UNIQUE,        -- the pack's id; unique for: one pack
    size       INTEGER NOT NULL,            -- bytes of the object
    index_hash BLOB NOT NULL,               -- SHA-256 of its index
    sequence   INTEGER NOT NULL,            -- the commit that first named it
    row_check  INTEGER NOT NULL             -- over all columns from pack on
) STRICT;

-- Why: small contents travel inside a commit; this says in which.
CREATE TABLE inline_content (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    content   BLOB NOT NULL UNIQUE,         -- SHA-256 of the bytes; unique for: where one content is
    sequence  INTEGER NOT NULL,             -- the commit that carries it
    row_check INTEGER NOT NULL              -- over content and sequence
) STRICT;

-- Why: what both sides changed to different contents stays listed until somebody settles it.
CREATE TABLE conflict (
    id        INTEGER PRIMARY KEY,          -- the number a user names it by; rows are never deleted
    path      BLOB NOT NULL,                -- below the root
    base      BLOB,                         -- the entry both knew, as EntryBytes encodes it; NULL for none
    here      BLOB,                         -- the entry of this replica; NULL for none
    there     BLOB,                         -- the entry of the remote; NULL for none
    copy_path BLOB,                         -- where the loser is kept; NULL when it is nowhere in the tree
    rule      TEXT NOT NULL,                -- the strategy that decided, such as keep-both
    time      INTEGER NOT NULL,             -- when it was found
    state     INTEGER NOT NULL,             -- 1 open, 2 resolved
    row_check INTEGER NOT NULL              -- over all columns from path on
) STRICT;

-- For: the open conflicts of one path, when it is resolved or changed again.
CREATE INDEX conflict_path ON conflict (path, state);

-- Why: status says how the last run went, also when nobody saw it end.
CREATE TABLE run (
    id        INTEGER PRIMARY KEY,          -- grows with time
    started   INTEGER NOT NULL,             -- when it began
    ended     INTEGER,                      -- when it ended; NULL: under way, or killed
    outcome   TEXT NOT NULL,                -- in a word, such as done; empty until it ended
    exit_code INTEGER,                      -- what the process answered; NULL until it ended
    published INTEGER NOT NULL,             -- paths sent
    taken     INTEGER NOT NULL,             -- paths fetched
    deleted   INTEGER NOT NULL,             -- paths deleted on either side
    conflicts INTEGER NOT NULL,             -- conflicts met
    problems  INTEGER NOT NULL,             -- paths that failed
    sent      INTEGER NOT NULL,             -- bytes to the remote
    received  INTEGER NOT NULL              -- bytes from the remote
) STRICT;

-- Why: explain and log answer what happened to a path, and why. Only the newest rows are kept. There
-- is no index on the path: each would cost a first checkout more than a scan costs explain.
CREATE TABLE journal (
    id           INTEGER PRIMARY KEY,       -- grows with time; for: the newest rows, and pruning
    run          INTEGER NOT NULL,          -- the run that did it
    time         INTEGER NOT NULL,          -- when
    path         BLOB NOT NULL,             -- below the root
    action       TEXT NOT NULL,             -- in a word, such as publish
    rule         TEXT NOT NULL,             -- why: the row of the table or the strategy
    device_id    BLOB,                      -- whose change it was; NULL when nobody's
    device_name  TEXT,                      -- that device's name; NULL with device_id
    base_version INTEGER NOT NULL,          -- the version before; 0 for none
    version      INTEGER NOT NULL,          -- the version after; 0 for none
    note         TEXT NOT NULL              -- for people; may be empty
) STRICT;
