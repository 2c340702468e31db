import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords

/// A zone of records as this device has it, for those who only look: nothing is created, and no lock is waited for.
package struct LocalRecords {
    private let database: RecordDatabase?

    /// - Parameters:
    ///   - zone: One that is not here has no records.
    ///   - state: The replica's state folder.
    /// - Throws: `Failure` with code `corrupt` for a damaged file.
    package init(
        of zone: String, in state: String, _ scope: DatabaseScope = .private
    ) throws(Failure) {
        database = try RecordDatabase(reading: RecordPlace.file(of: zone, in: state, scope))
    }

    /// The names of the records that are there, in order. Reads all items.
    package func names() throws(Failure) -> [RecordName] {
        var names: [RecordName] = []
        try database?.forEachItem { item throws(Failure) in
            if let record = item.ours.record { names.append(record.name) }
        }
        return names
    }

    /// The types of the schema, in order.
    package func types() throws(Failure) -> [RecordType] {
        guard let schema = try database?.schema() else { return [] }
        return schema.types.keys.sorted { $0.text < $1.text }
    }
}
