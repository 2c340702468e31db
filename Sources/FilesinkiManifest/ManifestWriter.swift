package import FilesinkiModel

/// Changes the manifest inside one transaction; see ``ManifestDatabase/write(_:)``.
///
/// Every `put` takes the place of what had the same path or key. Removing what is not there does
/// nothing. All methods throw a `Failure` when SQLite refuses, or when the transaction has ended.
package struct ManifestWriter {
    let database: ManifestDatabase

    init(_ database: ManifestDatabase) { self.database = database }

    /// Records what both sides agreed on at a path.
    package func putBase(_ row: BaseRow) throws(Failure) { try database.base.put(row) }

    package func removeBase(_ path: RelativePath) throws(Failure) {
        try database.base.remove(path.bytes)
    }

    /// Records that the scan found something else than the base.
    package func putLocal(_ row: LocalRow) throws(Failure) { try database.local.put(row) }

    package func removeLocal(_ path: RelativePath) throws(Failure) {
        try database.local.remove(path.bytes)
    }

    /// Records that the remote has something else than the base.
    package func putRemote(_ row: RemoteRow) throws(Failure) { try database.remote.put(row) }

    package func removeRemote(_ path: RelativePath) throws(Failure) {
        try database.remote.remove(path.bytes)
    }

    /// Records that both sides agreed on a deletion.
    package func putTombstone(_ row: TombstoneRow) throws(Failure) {
        try database.tombstone.put(row)
    }

    package func removeTombstone(_ path: RelativePath) throws(Failure) {
        try database.tombstone.remove(path.bytes)
    }

    /// Records a pack of the store.
    package func addPack(_ row: PackRow) throws(Failure) { try database.pack.put(row) }

    package func removePack(_ id: [UInt8]) throws(Failure) { try database.pack.remove(id) }

    /// Records that the commit `sequence` carries the content.
    package func addInline(_ content: ContentID, sequence: UInt64) throws(Failure) {
        try database.inline.put(InlineRow(content: content, sequence: sequence))
    }

    /// Forgets everything that was learned from the log or the disk: the trees, the tombstones, the
    /// places of contents and the token. Who the replica is, conflicts, journal and runs stay.
    package func clearTrees() throws(Failure) {
        try database.base.clear()
        try database.local.clear()
        try database.remote.clear()
        try database.tombstone.clear()
        try database.pack.clear()
        try database.inline.clear()
        try setToken(nil)
    }
}
