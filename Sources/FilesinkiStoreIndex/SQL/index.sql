-- The index of a zone's log, for pages that show a store. See Docs/Decisions/0571-the-page-of-a-server.md.
--
-- Everything here is derived from the log: a file of another version, or a damaged one, is removed and filled again.
-- Rules: those of the manifest (Docs/Manifest.md). Paths are BLOB. Sizes and sums are held to 2^62. Times are
-- nanoseconds since 1970-01-01 UTC.

-- Why: which store this is of, and how far it has read.
CREATE TABLE state (
    key        TEXT PRIMARY KEY,            -- store, sequence, hash, header, stored, versions
    value      ANY NOT NULL                 -- bytes, or a number
) STRICT;

-- Why: the timeline.
CREATE TABLE commits (
    sequence   INTEGER PRIMARY KEY,         -- its number in the log
    time       INTEGER NOT NULL,            -- by the clock of its device
    device     INTEGER NOT NULL,            -- device.id
    operation  TEXT NOT NULL,               -- the command that made it; the text of another device
    added      INTEGER NOT NULL,            -- changed paths, by kind
    modified   INTEGER NOT NULL,
    deleted    INTEGER NOT NULL,
    renamed    INTEGER NOT NULL,
    superseded INTEGER NOT NULL,            -- contents that lost a conflict and are kept
    paths      BLOB NOT NULL                -- the first changed paths, as a JSON array
) STRICT;

-- Why: who uses the store.
CREATE TABLE device (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    identity   BLOB NOT NULL UNIQUE,        -- 16 bytes; unique for: one device
    name       TEXT NOT NULL,               -- as in its last commit
    sequence   INTEGER NOT NULL,            -- its last commit
    time       INTEGER NOT NULL,            -- the time of that commit
    commits    INTEGER NOT NULL,            -- the number of its commits
    stored     INTEGER NOT NULL             -- the bytes that they have added to the store
) STRICT;

-- Why: every version of every path.
CREATE TABLE version (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    path       BLOB NOT NULL,
    sequence   INTEGER NOT NULL,            -- the commit that set it
    superseded INTEGER NOT NULL,            -- 1: lost a conflict, and was never in the tree
    kind       INTEGER NOT NULL,            -- 1 file, 2 directory, 3 symlink, 4 tombstone
    size       INTEGER NOT NULL,            -- bytes of a file, else 0
    modified   INTEGER NOT NULL,            -- when the content was last changed
    content    BLOB,                        -- SHA-256 of a file's bytes; NULL for the rest
    target     BLOB,                        -- what a symlink points at; NULL for the rest
    based_on   INTEGER NOT NULL,            -- the commit whose version it replaces; 0 for none
    moved_from BLOB,                        -- the former path of a rename; NULL for none
    reason     TEXT NOT NULL,               -- the rule that resolved a conflict; else empty
    UNIQUE (path, sequence, superseded)     -- for: the versions of a path, newest first
) STRICT;
-- For: the changes of a commit, by path.
CREATE INDEX version_of_commit ON version (sequence, path, superseded);

-- Why: the tree after the last commit, by folder.
CREATE TABLE entry (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    path       BLOB NOT NULL UNIQUE,        -- unique for: one path
    folder     BLOB NOT NULL,               -- the parent; empty for the root
    kind       INTEGER NOT NULL,            -- 1 file, 2 directory, 3 symlink
    size       INTEGER NOT NULL,            -- bytes of a file, else 0
    modified   INTEGER NOT NULL,
    sequence   INTEGER NOT NULL             -- the commit that set it
) STRICT;
-- For: the entries of a folder, by name.
CREATE INDEX entry_of_folder ON entry (folder, path);
-- For: the largest files of a folder.
CREATE INDEX entry_by_size ON entry (folder, size) WHERE kind = 1;

-- Why: what is below each folder, without counting it for each request. The root is the empty path.
CREATE TABLE folder (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    path       BLOB NOT NULL UNIQUE,        -- unique for: one folder
    parent     BLOB,                        -- NULL for the root
    files      INTEGER NOT NULL,            -- files below it
    bytes      INTEGER NOT NULL             -- their sizes
) STRICT;
-- For: the largest folders of a folder.
CREATE INDEX folder_by_bytes ON folder (parent, bytes);

-- Why: files that are gone and have versions.
CREATE TABLE deleted (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    path       BLOB NOT NULL UNIQUE,        -- unique for: one path
    sequence   INTEGER NOT NULL,            -- the commit that deleted it
    last       INTEGER NOT NULL,            -- the commit of its last version
    size       INTEGER NOT NULL             -- of that version
) STRICT;
-- For: the files deleted last.
CREATE INDEX deleted_last ON deleted (sequence, path);

-- Why: how the store grew.
CREATE TABLE growth (
    day        INTEGER PRIMARY KEY,         -- days since 1970-01-01, by the clocks of the devices
    commits    INTEGER NOT NULL,
    stored     INTEGER NOT NULL,            -- bytes of packs, and of contents in commits
    freed      INTEGER NOT NULL             -- bytes of packs that prunes have retired
) STRICT;

-- Why: where contents are. Packs in the order of their commits.
CREATE TABLE pack (
    id         INTEGER PRIMARY KEY,         -- SQLite's own, ascending
    identity   BLOB NOT NULL UNIQUE,        -- 16 bytes; unique for: one pack
    size       INTEGER NOT NULL,
    index_hash BLOB NOT NULL                -- SHA-256 of the plain index
) STRICT;

-- Why: contents that lie in a commit.
CREATE TABLE inline (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    content    BLOB NOT NULL UNIQUE,        -- SHA-256; unique for: one content
    sequence   INTEGER NOT NULL             -- the commit
) STRICT;
