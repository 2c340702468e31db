internal import FilesinkiModel
internal import FilesinkiSQLite

extension Connection {
    /// Opens a manifest's file.
    ///
    /// - Throws: `Failure` as the other initialiser does.
    convenience init(path: [UInt8], mode: Mode) throws(Failure) {
        try self.init(
            path: path, mode: mode,
            purpose: FilePurpose(
                name: "manifest",
                whenDamaged:
                    "It is rebuilt from the store's log by the next sync; no file is lost.",
                noteDamage: { ManifestDatabase.doubt($0) }))
    }
}
