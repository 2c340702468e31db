package import FilesinkiModel

/// The result of a migration.
package struct MigrationReport: Sendable {
    /// The address of the old remote, which is unchanged.
    package var from: String
    /// The number of objects that were copied, and of their bytes.
    package var objects = 0
    package var bytes: Int64 = 0
    /// Whether the old store is encrypted, and the new one is not.
    package var isDecrypted = false
    /// The option, after a space, with which a device that has opened neither store opens the new one, where that has the keys
    /// of the old one; nil where the old store or the new one is not encrypted.
    package var optionForKeptKeys: String?
    /// Where a note at the store led, which was removed as the store goes on where it is; nil for none.
    package var endedMove: String?
    /// What did not succeed after the move.
    package var notices: [Failure] = []

    init(from: String) { self.from = from }
}
