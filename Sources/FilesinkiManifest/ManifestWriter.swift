package import FilesinkiModel

/// Changes the manifest inside one transaction; see ``ManifestDatabase/write(_:)``.
///
/// Every `put` replaces the row with the same path or key. Removing a missing row does nothing. All methods throw a `Failure` when SQLite refuses, or when the transaction has ended.
package struct ManifestWriter {
    let database: ManifestDatabase

    init(_ database: ManifestDatabase) { self.database = database }

    /// Records the entry on which both sides agree.
    package func putBase(_ row: BaseRow) throws(Failure) { try database.base.put(row) }

    package func removeBase(_ path: RelativePath) throws(Failure) {
        try database.base.remove(path.bytes)
    }

    /// Records that the scan found another state than the base.
    package func putLocal(_ row: LocalRow) throws(Failure) { try database.local.put(row) }

    package func removeLocal(_ path: RelativePath) throws(Failure) {
        try database.local.remove(path.bytes)
    }

    /// Records that the remote has another state than the base.
    package func putRemote(_ row: RemoteRow) throws(Failure) { try database.remote.put(row) }

    package func removeRemote(_ path: RelativePath) throws(Failure) {
        try database.remote.remove(path.bytes)
    }

    /// Removes all waiting remote changes.
    package func clearRemote() throws(Failure) { try database.remote.clear() }

    /// Records a deletion on which both sides agree.
    package func putTombstone(_ row: TombstoneRow) throws(Failure) {
        try database.tombstone.put(row)
    }

    package func removeTombstone(_ path: RelativePath) throws(Failure) {
        try database.tombstone.remove(path.bytes)
    }

    /// Removes the tombstones of commits up to a number, but not of a path whose remote change waits: what the path had
    /// is needed then.
    package func removeTombstones(upTo version: UInt64) throws(Failure) {
        var last: Int64 = 0
        while true {
            let page = try database.tombstone.rows(after: last, limit: ManifestDatabase.pageSize)
            guard let end = page.last else { return }
            for (_, row) in page where row.version > 0 && row.version <= version {
                guard try database.remote.row(row.path.bytes) == nil else { continue }
                try database.tombstone.remove(row.path.bytes)
            }
            last = end.id
        }
    }

    /// Records a pack of the store.
    package func addPack(_ row: PackRow) throws(Failure) { try database.pack.put(row) }

    package func removePack(_ id: [UInt8]) throws(Failure) { try database.pack.remove(id) }

    /// Records that the commit `sequence` contains the content.
    package func addInline(_ content: ContentID, sequence: UInt64) throws(Failure) {
        try database.inline.put(InlineRow(content: content, sequence: sequence))
    }

    /// Removes everything that the log or the disk can give again: the trees, the tombstones, the
    /// locations of contents and the token. Other settings, conflicts, journal and runs stay.
    package func clearTrees() throws(Failure) {
        try database.base.clear()
        try database.local.clear()
        try database.remote.clear()
        try database.tombstone.clear()
        try database.pack.clear()
        try database.inline.clear()
        try setToken(nil)
    }

    /// Sets how far the log has been read; nil for not at all.
    package func setToken(_ token: ChangeToken?) throws(Failure) {
        let bytes = token.map { token in
            withUnsafeBytes(of: token.sequence.bigEndian) { Array($0) } + token.hash.bytes
        }
        try setValue(ChangeToken.setting, bytes)
    }

    /// Sets a setting; nil removes it.
    package func setValue(_ name: String, _ value: [UInt8]?) throws(Failure) {
        guard let value else { return try database.setting.remove(Array(name.utf8)) }
        try database.setting.put(SettingRow(name: name, value: value))
    }
}

extension ChangeToken {
    /// The name of the setting that holds the token.
    static let setting = "token"
}
