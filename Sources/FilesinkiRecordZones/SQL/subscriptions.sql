-- The subscriptions of a zone of records on this device, and when they fired. Version 2 of the file has
-- them.

-- Why: what a user wants to be told of. Nothing of it is published.
CREATE TABLE subscription (
    id        INTEGER PRIMARY KEY,          -- SQLite's own
    name      TEXT NOT NULL UNIQUE,         -- unique for: the subscription of a name
    type      TEXT NOT NULL,                -- the type of the records
    predicate TEXT NOT NULL,                -- what they match
    changes   TEXT NOT NULL,                -- which changes count: create, update, delete, with commas
    once      INTEGER NOT NULL,             -- 1 if it fires once only
    has_fired INTEGER NOT NULL,             -- 1 once it has fired
    command   TEXT                          -- what is run then; NULL for nothing
) STRICT;

-- Why: a subscription fires in the transaction that applies the changes. Who watches finds it beside
-- the event; a command is run once.
CREATE TABLE firing (
    id           INTEGER PRIMARY KEY,       -- SQLite's own
    event        INTEGER NOT NULL,          -- the event of the changes
    subscription TEXT NOT NULL,             -- the name of the subscription
    changes      BLOB NOT NULL,             -- a line for each record: the change, a space, its name
    command      TEXT                       -- what is still to be run; NULL for nothing
) STRICT;

-- For: what fired with an event, and what is too old.
CREATE INDEX firing_event ON firing (event);
