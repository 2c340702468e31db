internal import FilesinkiModel
internal import FilesinkiSQLite
internal import FilesinkiStore

extension KeyValueDatabase {
    /// The store that was met; nil before the first meeting.
    func knownStore() throws(Failure) -> KnownStore? {
        guard let id = try setting("store"), id.count == 16 else { return nil }
        return KnownStore(id: id, epoch: UInt64(bitPattern: try number("epoch") ?? 0))
    }

    func setKnownStore(_ store: KnownStore) throws(Failure) {
        try set("store", store.id)
        try set("epoch", number: Int64(bitPattern: store.epoch))
    }

    /// Nil before the first meeting.
    func logPosition() throws(Failure) -> LogPosition? {
        guard let bytes = try setting("token") else { return nil }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        guard let sequence = UInt64(text),
            let hash = ContentID(bytes.dropFirst(text.utf8.count + 1))
        else { throw connection.corrupt("the change token is not one") }
        return LogPosition(
            ChangeToken(sequence: sequence, hash: hash), storedHeader: try setting("head") ?? [])
    }

    func setLogPosition(_ position: LogPosition?) throws(Failure) {
        let token = position?.token
        try set("token", token.map { Array("\($0.sequence) ".utf8) + $0.hash.bytes })
        try set("head", position?.storedHeader)
        let statement = try cache.statement("DELETE FROM publishing WHERE sequence <= ?")
        statement.bind(Int64(clamping: token?.sequence ?? 0), at: 1)
        try statement.execute()
    }

    /// Notes that a commit is about to be published.
    func notePublishing(_ id: [UInt8], sequence: UInt64) throws(Failure) {
        let statement = try cache.statement(
            "INSERT INTO publishing (sequence, commit_id) VALUES (?, ?)")
        statement.bind(Int64(clamping: sequence), at: 1)
        bind(id, to: statement, at: 2)
        try statement.execute()
    }

    /// Whether a commit was published from this file.
    func isOwn(_ id: [UInt8]) throws(Failure) -> Bool {
        let statement = try cache.statement("SELECT 1 FROM publishing WHERE commit_id = ?")
        defer { statement.reset() }
        bind(id, to: statement, at: 1)
        return try statement.step()
    }
}
