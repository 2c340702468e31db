-- What a zone keeps beside items.sql and zone.sql if its items name assets: by the same rules.

-- Why: an asset is read from a pack, and the packs are known by the commits that name them. One that was stored
-- here before its commit is named by the next one, also after a killed run.
CREATE TABLE pack (
    id         INTEGER PRIMARY KEY,         -- SQLite's own
    pack       BLOB NOT NULL UNIQUE,        -- its 16 random bytes; unique for: whether a pack is known
    size       INTEGER NOT NULL,            -- of the object, in bytes
    index_hash BLOB NOT NULL,               -- the SHA-256 of its index
    generation INTEGER NOT NULL,            -- the generation of the zone whose log names it
    sequence   INTEGER NOT NULL             -- the commit that names it; 0 while none does
) STRICT;

-- Why: the bytes of an asset stay on this device as long as something names it that is not published.
CREATE TABLE waiting_asset (
    content BLOB NOT NULL,                  -- the SHA-256 of its bytes
    loser   INTEGER NOT NULL,               -- the row of superseded; 0 for the item itself
    key     BLOB NOT NULL,                  -- the item's key
    PRIMARY KEY (content, loser, key)       -- for: whether a content waits
) STRICT, WITHOUT ROWID;

-- For: what an item or a superseded one names.
CREATE INDEX waiting_asset_owner ON waiting_asset (loser, key);
