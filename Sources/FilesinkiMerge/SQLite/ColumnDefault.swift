import FilesinkiSQLite

/// What rows have in a column that was added after them: its default.
extension MergeConnection {
    /// - Returns: The values by the places of the columns; NULL for a column without a default.
    func initialValues(
        of table: SQLiteTable, where isNew: (SQLiteTable.Column) -> Bool
    ) throws(SQLiteMergeError) -> [Int: SQLiteValue] {
        var result: [Int: SQLiteValue] = [:]
        for (place, column) in table.columns.enumerated() where isNew(column) {
            let text = table.defaults[place]
            result[place] =
                try text.map { text throws(SQLiteMergeError) in
                    try initialValue(text, column.affinity)
                } ?? .null
        }
        return result
    }

    /// A default as a column stores it; NULL for one that cannot be computed alone.
    private func initialValue(
        _ text: String, _ affinity: SQLiteTable.Affinity
    ) throws(SQLiteMergeError) -> SQLiteValue {
        // SQLite gives an expression without its brackets, and a word that means a text as it is written.
        for written in ["(\(text)\n)", text] {
            guard
                (try? execute(
                    """
                    CREATE TABLE temp."default"(v \(affinity.declaration) DEFAULT \(written));
                    """)) != nil
            else { continue }
            let value = try? insertedDefault()
            try execute("DROP TABLE temp.\"default\"")
            if let value { return value }
        }
        return .null
    }

    private func insertedDefault() throws(SQLiteMergeError) -> SQLiteValue {
        try execute("INSERT INTO temp.\"default\" DEFAULT VALUES")
        let rows = try prepare("SELECT v FROM temp.\"default\"")
        return try rows.step() ? rows.value(0) : .null
    }
}

extension SQLiteTable.Affinity {
    /// A type that gives a column this affinity.
    fileprivate var declaration: String {
        switch self {
        case .integer: "INTEGER"
        case .text: "TEXT"
        case .blob: ""
        case .real: "REAL"
        case .numeric: "NUMERIC"
        }
    }
}
