-- Why: the order of a field's rows in record_value is that of its records only if their values are of one type. A row
-- stays when the last such value goes; RecordIndex.rebuild makes them again.
CREATE TABLE field_type (
    type       TEXT NOT NULL,               -- the type of records
    field      TEXT NOT NULL,               -- the name of a field
    value_type TEXT NOT NULL,               -- a type that a value of it has or had in this file
    PRIMARY KEY (type, field, value_type)   -- for: the types of a field
) STRICT, WITHOUT ROWID;
