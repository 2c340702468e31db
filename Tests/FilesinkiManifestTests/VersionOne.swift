import FilesinkiManifest
import FilesinkiModel

/// A manifest as the first version of the program left it, frozen: when a test over it fails, the
/// schema or the check has changed without a new version.
enum VersionOne {
    static let token = ChangeToken(sequence: 7, hash: Samples.content(7))

    static let base = [
        BaseRow(
            path: RelativePath(unchecked: [0x64]),
            entry: .directory(mode: 0o755, modified: Timestamp(nanoseconds: 1)), version: 1),
        BaseRow(
            path: RelativePath(unchecked: [0x64, 0x2F, 0xFF]),
            entry: .file(
                Samples.content(1), size: 5, mode: 0o644, modified: Timestamp(nanoseconds: 2)),
            version: 7,
            stamp: FileStamp(
                device: 66, inode: .max, size: 5, modified: Timestamp(nanoseconds: 2),
                changed: Timestamp(nanoseconds: 3))),
        BaseRow(
            path: RelativePath(unchecked: [0x6C]),
            entry: .symlink(to: [0x64, 0x2F, 0xFF], modified: Timestamp(nanoseconds: -4)),
            version: 2),
    ]

    static let sql = """
        BEGIN TRANSACTION;
        CREATE TABLE tally (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            rows INTEGER NOT NULL, checks INTEGER NOT NULL) STRICT;
        INSERT INTO tally VALUES(1,'base',3,-129887695824476524);
        INSERT INTO tally VALUES(2,'setting',1,5964102012622638220);
        CREATE TABLE setting (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,
            value BLOB NOT NULL, row_check INTEGER NOT NULL) STRICT;
        INSERT INTO setting VALUES(1,X'746f6b656e',
            X'0000000000000007dae1e8eff6fd040b121920272e353c434a51585f666d747b828990979ea5acb3',
            5964102012622638220);
        CREATE TABLE base (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE,
            kind INTEGER NOT NULL, mode INTEGER NOT NULL, modified INTEGER NOT NULL,
            size INTEGER NOT NULL, content BLOB, target BLOB, version INTEGER NOT NULL,
            changed INTEGER, device INTEGER, inode INTEGER, stamp_size INTEGER,
            stamp_modified INTEGER, row_check INTEGER NOT NULL) STRICT;
        INSERT INTO base VALUES(1,X'64',2,493,1,0,NULL,NULL,1,NULL,NULL,NULL,NULL,NULL,
            -8896860073616747545);
        INSERT INTO base VALUES(2,X'642fff',1,420,2,5,
            X'20272e353c434a51585f666d747b828990979ea5acb3bac1c8cfd6dde4ebf2f9',NULL,7,3,66,-1,5,
            2,-89878113370011547);
        INSERT INTO base VALUES(3,X'6c',3,0,-4,0,NULL,X'642fff',2,NULL,NULL,NULL,NULL,NULL,
            8856850491162282568);
        CREATE TABLE local (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE,
            present INTEGER NOT NULL, kind INTEGER NOT NULL, mode INTEGER NOT NULL,
            modified INTEGER NOT NULL, size INTEGER NOT NULL, content BLOB, target BLOB,
            changed INTEGER, device INTEGER, inode INTEGER, stamp_size INTEGER,
            stamp_modified INTEGER, moved_from BLOB, row_check INTEGER NOT NULL) STRICT;
        CREATE TABLE remote (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE,
            kind INTEGER NOT NULL, mode INTEGER NOT NULL, modified INTEGER NOT NULL,
            size INTEGER NOT NULL, content BLOB, target BLOB, version INTEGER NOT NULL,
            moved_from BLOB, row_check INTEGER NOT NULL) STRICT;
        CREATE TABLE tombstone (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE,
            version INTEGER NOT NULL, contents BLOB NOT NULL, row_check INTEGER NOT NULL) STRICT;
        CREATE TABLE pack (id INTEGER PRIMARY KEY, pack BLOB NOT NULL UNIQUE,
            size INTEGER NOT NULL, index_hash BLOB NOT NULL, sequence INTEGER NOT NULL,
            row_check INTEGER NOT NULL) STRICT;
        CREATE TABLE inline_content (id INTEGER PRIMARY KEY, content BLOB NOT NULL UNIQUE,
            sequence INTEGER NOT NULL, row_check INTEGER NOT NULL) STRICT;
        CREATE TABLE conflict (id INTEGER PRIMARY KEY, path BLOB NOT NULL, base BLOB, here BLOB,
            there BLOB, copy_path BLOB, rule TEXT NOT NULL, time INTEGER NOT NULL,
            state INTEGER NOT NULL, row_check INTEGER NOT NULL) STRICT;
        CREATE TABLE run (id INTEGER PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER,
            outcome TEXT NOT NULL, exit_code INTEGER, published INTEGER NOT NULL,
            taken INTEGER NOT NULL, deleted INTEGER NOT NULL, conflicts INTEGER NOT NULL,
            problems INTEGER NOT NULL, sent INTEGER NOT NULL, received INTEGER NOT NULL) STRICT;
        INSERT INTO run VALUES(1,1,2,'done',0,0,0,0,0,0,0,0);
        CREATE TABLE journal (id INTEGER PRIMARY KEY, run INTEGER NOT NULL,
            time INTEGER NOT NULL, path BLOB NOT NULL, action TEXT NOT NULL, rule TEXT NOT NULL,
            device_id BLOB, device_name TEXT, base_version INTEGER NOT NULL,
            version INTEGER NOT NULL, note TEXT NOT NULL) STRICT;
        CREATE INDEX conflict_path ON conflict (path, state);
        COMMIT;
        PRAGMA application_id = 1718840939; PRAGMA user_version = 1;
        """
}
