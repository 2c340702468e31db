import FilesinkiSQLite

/// What differs between two databases besides the rows of tables, for a comparison: see ``MergeTrace/isComparison``.
struct DeclarationChanges {
    private let old: SQLiteSchema?
    private let new: SQLiteSchema
    /// The name of the newer database on the connection.
    private let name: String
    private let trace: MergeTrace

    init(_ schemas: SchemaTriple, _ cells: CellRules, _ trace: MergeTrace) {
        old = schemas.base
        new = cells.isSkeletonOurs ? schemas.skeleton : schemas.other
        name = cells.isSkeletonOurs ? "main" : "other"
        self.trace = trace
    }

    /// Notes what was declared otherwise, the tables of virtual tables whose rows differ, and the numbers of the
    /// application.
    func note(on connection: MergeConnection) throws(SQLiteMergeError) {
        guard let old else { return }
        noteItems(old)
        for table in new.ownedTables {
            guard let known = old.table(table), known == table else { continue }
            if try connection.differs(table, "base", name) {
                trace.add("table \(table)", .ours, .edited)
            }
        }
        noteNumber("user_version", old.userVersion, new.userVersion)
        noteNumber("application_id", old.applicationID, new.applicationID)
    }

    /// Notes tables, indices, views and triggers, each by its type and name.
    private func noteItems(_ old: SQLiteSchema) {
        let before = Set(old.items.map(Self.place))
        let after = Set(new.items.map(Self.place))
        let places = Set(old.items.symmetricDifference(new.items).map(Self.place)).sorted()
        for place in places {
            let isEdited = before.contains(place) && after.contains(place)
            trace.add(
                place, .ours, isEdited ? .edited : after.contains(place) ? .added : .removed)
        }
    }

    private func noteNumber(_ place: String, _ before: Int64, _ after: Int64) {
        if before != after { trace.add(place, .ours, .edited) }
    }

    private static func place(of item: SQLiteSchema.Item) -> String {
        "\(item.type) \(item.name)"
    }
}
