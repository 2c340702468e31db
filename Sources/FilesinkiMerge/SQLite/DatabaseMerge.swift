import FilesinkiModel

/// One merge of two databases, from the choice of the skeleton to the check of the result.
struct DatabaseMerge {
    let sides: SQLiteMerge.Sides
    /// The path to create.
    let result: String
    let rules: SQLiteMerge

    func run() throws(SQLiteTrouble) {
        let isSkeletonHere = try SkeletonChoice(sides: sides, size: size).isHere()
        let (skeleton, other) =
            isSkeletonHere ? (sides.here, sides.there) : (sides.there, sides.here)
        // The skeleton's own damage shows in the result, which is checked as a whole.
        for content in [sides.base, other].compactMap(\.self) { try checkWhole(content) }
        let mode = try copy(skeleton)
        try apply(other, CellRules(rules, isSkeletonHere: isSkeletonHere))
        try setMode(mode)
    }

    private var size: Int {
        [sides.base?.size ?? 0, sides.here.size, sides.there.size].reduce(0) {
            let (sum, isTooMuch) = $0.addingReportingOverflow($1)
            return isTooMuch ? Int.max : sum
        }
    }

    private func checkWhole(_ content: FileContent) throws(SQLiteTrouble) {
        try SQLiteConnection(path: content.path, isWritable: false, size: size)
            .checkStructure()
    }

    private func apply(_ other: FileContent, _ cells: CellRules) throws(SQLiteTrouble) {
        let connection = try SQLiteConnection(path: result, isWritable: true, size: size)
        if let base = sides.base { try connection.attach(base.path, as: "base") }
        try connection.attach(other.path, as: "other")
        try connection.run("BEGIN")
        let conflicts = ConflictList()
        let schemas = try SchemaTriple(hasBase: sides.base != nil, on: connection)
        for table in schemas.other.tables {
            try TableMerge(table, schemas, connection, cells, conflicts)?.run()
        }
        try HeaderMerge(schemas: schemas, connection: connection, conflicts: conflicts).run()
        try conflicts.check()
        try connection.run("COMMIT")
        try connection.checkIntegrity("The merged content would be damaged")
        try connection.checkForeignKeys()
    }
}

/// The schemas as the merging connection sees them: `main` is the skeleton.
struct SchemaTriple {
    let base: SQLiteSchema?
    let skeleton: SQLiteSchema
    let other: SQLiteSchema

    init(hasBase: Bool, on connection: SQLiteConnection) throws(SQLiteTrouble) {
        base = hasBase ? try SQLiteSchema(of: "base", on: connection) : nil
        skeleton = try SQLiteSchema(of: "main", on: connection)
        other = try SQLiteSchema(of: "other", on: connection)
    }
}
