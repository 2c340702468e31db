-- What a zone of records keeps beside its items: conflicts, and what queries need. All but the conflicts is
-- derived from the items, and made again by RecordZone.rebuildIndex.

-- Why: a save that was refused, with all three versions, until somebody saves or deletes the record again.
CREATE TABLE conflict (
    id       INTEGER PRIMARY KEY,           -- SQLite's own
    name     TEXT NOT NULL UNIQUE,          -- the record; unique for: one conflict for each
    reason   TEXT NOT NULL,                 -- the policy that refused it, or ask
    time     INTEGER NOT NULL,              -- when it was refused, in nanoseconds since 1970
    ancestor BLOB,                          -- the record last agreed on, encoded; NULL, here and below,
    client   BLOB,                          -- when there is none: what this device had saved
    server   BLOB                           -- what took its place
) STRICT;

-- Why: a deletion takes those with it that refer to the record with `delete`.
CREATE TABLE reference (
    id     INTEGER PRIMARY KEY,             -- SQLite's own
    target TEXT NOT NULL,                   -- the record that is referred to
    source TEXT NOT NULL,                   -- the record that has the reference
    UNIQUE (target, source)                 -- for: who is deleted with a target
) STRICT;

-- For: the references of a record that changes.
CREATE INDEX reference_source ON reference (source);

-- Why: queries find candidates without reading all records. A row says that a record has a value: in a field; in
-- the field '*', that it has a word in a text; in the field '', that it is of the type. What a value becomes
-- here is in RecordIndex; different values may become the same, so each candidate is evaluated.
CREATE TABLE record_value (
    type  TEXT NOT NULL,                    -- the type of the record
    field TEXT NOT NULL,                    -- the name of a field, '*' or ''
    value ANY NOT NULL,                     -- a number as REAL, anything else as BLOB
    name  TEXT NOT NULL,                    -- the name of the record
    PRIMARY KEY (type, field, value, name)  -- for: the records that have a value, in order
) STRICT, WITHOUT ROWID;

-- For: the rows of a record that changes.
CREATE INDEX record_value_name ON record_value (name);
