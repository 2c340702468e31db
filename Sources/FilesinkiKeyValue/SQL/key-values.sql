-- The local state of one key-value store. Docs/KeyValue.md says how it is used.
--
-- Rules: as in the manifest's schema. Keys are BLOB: bytes, never text. Times are the hybrid logical
-- time in nanoseconds since 1970-01-01 UTC. Versions are kept as the signed number with the same bits.

-- Why: what each key holds here, and what here and the store last agreed on. What waits to be published
-- is the difference of the two; there is no queue. A removed key keeps its row, with its version.
CREATE TABLE item (
    id           INTEGER PRIMARY KEY,       -- SQLite's own
    key          BLOB NOT NULL UNIQUE,      -- the key's bytes; unique for: one key, and all of a prefix
    size         INTEGER NOT NULL,          -- what the local value takes of the limits, in bytes
    time         INTEGER NOT NULL,          -- when the local value was set or removed
    device       BLOB NOT NULL,             -- the id of the device that set it; empty when removed
    policy       INTEGER NOT NULL,          -- its merge policy
    base_time    INTEGER NOT NULL,          -- the same of what was last agreed on
    base_device  BLOB NOT NULL,
    base_policy  INTEGER NOT NULL,
    base_version INTEGER NOT NULL,          -- the commit that set it; 0 when the store never had the key
    value        BLOB,                      -- the local value, encoded; NULL when there is none
    base_value   BLOB                       -- the value last agreed on
) STRICT;

-- For: what waits to be published.
CREATE INDEX item_pending ON item (key) WHERE value IS NOT base_value OR policy <> base_policy;

-- Why: how far the log was read, whose store it is, and the limits of this device.
CREATE TABLE setting (
    id    INTEGER PRIMARY KEY,              -- SQLite's own
    key   TEXT NOT NULL UNIQUE,             -- the setting's name; unique for: the value of a name
    value BLOB NOT NULL                     -- bytes; what they mean is the setting's affair
) STRICT;

-- Why: who watches comes back with the number of the last event, and misses none.
CREATE TABLE event (
    id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a token names one event
    reason TEXT NOT NULL,                   -- server, initial, quota, account or local
    time   INTEGER NOT NULL,                -- when it was noted, by the clock of this device
    keys   BLOB NOT NULL                    -- the keys, encoded as an array of data
) STRICT;

-- Why: a value of this device that gave way to another is never lost at once.
CREATE TABLE loser (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    key       BLOB NOT NULL,                -- the key's bytes
    time      INTEGER NOT NULL,             -- when the value was set
    device    BLOB NOT NULL,                -- by which device
    policy    INTEGER NOT NULL,             -- with which policy
    version   INTEGER NOT NULL,             -- the commit that it was based on
    reason    TEXT NOT NULL,                -- why it gave way
    published INTEGER NOT NULL,             -- 1 once the store's log keeps it, too
    value     BLOB NOT NULL                 -- the value, encoded
) STRICT;

-- For: the history of one key.
CREATE INDEX loser_key ON loser (key);

-- Why: a run that ends between publishing and recording it must know its own commit again.
CREATE TABLE publishing (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    sequence  INTEGER NOT NULL,             -- the slot that the commit was meant for
    commit_id BLOB NOT NULL UNIQUE          -- its 16 random bytes; unique for: whether a commit is ours
) STRICT;
