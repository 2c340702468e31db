import FilesinkiItems
import FilesinkiModel
package import FilesinkiRecords
import FilesinkiSQLite

/// A save that was refused, with all three versions. CloudKit calls them the ancestor, the client's and the
/// server's record.
package struct RecordConflict: Error, Sendable {
    /// The policy that refused it; `ask` for a field with this rule, `tag` for another change tag.
    package var reason: String
    /// The record on which both last agreed; nil, here and below, when there is none.
    package var ancestor: Record?
    /// What this device wanted to save.
    package var client: Record?
    /// What stays.
    package var server: Record?

    /// The record's name.
    package var name: RecordName? { client?.name ?? server?.name ?? ancestor?.name }

    package init(reason: String, ancestor: Record?, client: Record?, server: Record?) {
        self.reason = reason
        self.ancestor = ancestor
        self.client = client
        self.server = server
    }
}

extension RecordDatabase {
    /// Keeps a conflict until the record is saved or deleted again; it replaces an earlier one.
    func record(_ conflict: RecordConflict, of key: ItemKey, at time: Timestamp) throws(Failure) {
        let statement = try cache.statement(
            """
            INSERT INTO conflict (name, reason, time, ancestor, client, server)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET reason = excluded.reason, time = excluded.time,
                ancestor = excluded.ancestor, client = excluded.client, server = excluded.server
            """)
        statement.bind(String(decoding: key.bytes, as: UTF8.self), at: 1)
        statement.bind(conflict.reason, at: 2)
        statement.bind(time.nanoseconds, at: 3)
        bind(conflict.ancestor.map(RecordCoder.encode), to: statement, at: 4)
        bind(conflict.client.map(RecordCoder.encode), to: statement, at: 5)
        bind(conflict.server.map(RecordCoder.encode), to: statement, at: 6)
        try statement.execute()
    }

    /// The open conflicts, in the order of names.
    func conflicts() throws(Failure) -> [RecordConflict] {
        let statement = try cache.statement(
            "SELECT reason, ancestor, client, server FROM conflict ORDER BY name")
        defer { statement.reset() }
        var found: [RecordConflict] = []
        while try statement.step() {
            found.append(
                RecordConflict(
                    reason: statement.text(0), ancestor: try record(statement, 1),
                    client: try record(statement, 2), server: try record(statement, 3)))
        }
        return found
    }

    /// Ends the conflict of a record, if there is one.
    func removeConflict(of name: RecordName) throws(Failure) {
        let statement = try cache.statement("DELETE FROM conflict WHERE name = ?")
        statement.bind(name.text, at: 1)
        try statement.execute()
    }

    private func record(_ row: OwnStatement, _ column: Int32) throws(Failure) -> Record? {
        guard !row.isNull(column) else { return nil }
        guard let record = RecordCoder.decode(Array(row.bytes(column))) else {
            throw connection.corrupt("a record cannot be decoded")
        }
        return record
    }
}

extension RecordDatabase {
    // MARK: References

    /// Records which records a record refers to and is deleted with.
    func setReferences(of source: RecordName, to record: Record?) throws(Failure) {
        let remove = try cache.statement("DELETE FROM reference WHERE source = ?")
        remove.bind(source.text, at: 1)
        try remove.execute()
        if let record { try addReferences(of: record) }
    }

    /// As ``setReferences(of:to:)``, of a record of which no reference is recorded.
    func addReferences(of record: Record) throws(Failure) {
        let owners = record.references.filter { $0.action == .deleteSelf }.map(\.target)
        for target in Set(owners) {
            let add = try cache.statement(
                "INSERT INTO reference (target, source) VALUES (?, ?)")
            add.bind(target.text, at: 1)
            add.bind(record.name.text, at: 2)
            try add.execute()
        }
    }

    /// The records that are deleted with a record, in order.
    func referrers(to target: RecordName) throws(Failure) -> [RecordName] {
        let statement = try cache.statement(
            "SELECT source FROM reference WHERE target = ? ORDER BY source")
        defer { statement.reset() }
        statement.bind(target.text, at: 1)
        var names: [RecordName] = []
        while try statement.step() {
            if let name = try? RecordName(statement.text(0)) { names.append(name) }
        }
        return names
    }
}
