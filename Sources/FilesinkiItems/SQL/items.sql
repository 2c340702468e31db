-- The local state of one zone of items: of a key-value store, or of a zone of records. Docs/KeyValue.md and
-- Docs/Records.md say how they are used. A kind of items may have tables of its own beside these.
--
-- Rules: as in the manifest's schema. Keys are BLOB: bytes, never text. Times are the hybrid logical
-- time in nanoseconds since 1970-01-01 UTC. Versions are kept as the signed number with the same bits.

-- Why: what each item is here, and what here and the store last agreed on. What waits to be published
-- is the difference of the two; there is no queue. A removed item keeps its row, with its version.
CREATE TABLE item (
    id           INTEGER PRIMARY KEY,       -- SQLite's own
    key          BLOB NOT NULL UNIQUE,      -- the key's bytes; unique for: one key, and all of a prefix
    size         INTEGER NOT NULL,          -- what the local item takes of the limits, in bytes
    time         INTEGER NOT NULL,          -- when the local item was set or removed
    base_time    INTEGER NOT NULL,          -- the same of what was last agreed on
    base_version INTEGER NOT NULL,          -- the commit that set it; 0 when the store never had the item
    pending      INTEGER NOT NULL,          -- 1 while the local item is not published
    batch        INTEGER NOT NULL,          -- changes of one number are published in one commit; 0 for none
    note         BLOB NOT NULL,             -- what the kind must know to publish the change; often empty
    ours         BLOB,                      -- the local item, encoded; NULL when there is none
    base         BLOB                       -- the item last agreed on
) STRICT;

-- For: what waits to be published, batch by batch.
CREATE INDEX item_pending ON item (batch, key) WHERE pending = 1;

-- Why: an item of this device that gave way to another is never lost at once.
CREATE TABLE superseded (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    key       BLOB NOT NULL,                -- the key's bytes
    time      INTEGER NOT NULL,             -- when the item was set
    version   INTEGER NOT NULL,             -- the commit that it was based on
    reason    TEXT NOT NULL,                -- why it gave way
    published INTEGER NOT NULL,             -- 1 once the store's log keeps it, too
    content   BLOB NOT NULL                 -- the item, encoded
) STRICT;

-- For: the history of one item.
CREATE INDEX superseded_key ON superseded (key);

-- For: what the next commit has to keep.
CREATE INDEX superseded_unpublished ON superseded (id) WHERE published = 0;
