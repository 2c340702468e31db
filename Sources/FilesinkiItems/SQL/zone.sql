-- What a zone of items keeps beside the items of items.sql: by the same rules.

-- Why: how far the log was read, whose store it is, and the limits of this device.
CREATE TABLE setting (
    id    INTEGER PRIMARY KEY,              -- SQLite's own
    key   TEXT NOT NULL UNIQUE,             -- the setting's name; unique for: the value of a name
    value BLOB NOT NULL                     -- bytes; what they mean is the setting's affair
) STRICT;

-- Why: who watches comes back with the number of the last event, and misses none.
CREATE TABLE event (
    id     INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice, so that a token names one event
    reason TEXT NOT NULL,                   -- server, initial, quota, account, local, deleted or purged
    time   INTEGER NOT NULL,                -- when it was noted, by the clock of this device
    keys   BLOB NOT NULL                    -- the keys: see KeyList
) STRICT;

-- Why: a run that ends between publishing and recording it must know its own commit again.
CREATE TABLE publishing (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    sequence  INTEGER NOT NULL,             -- the slot that the commit was meant for
    commit_id BLOB NOT NULL UNIQUE          -- its 16 random bytes; unique for: whether a commit is ours
) STRICT;
