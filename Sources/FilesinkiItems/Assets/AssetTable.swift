package import FilesinkiModel
import FilesinkiSQLite
import FilesinkiStore

extension ItemDatabase {
    // MARK: Assets that wait

    /// Records what an item names that is not published; nothing for a kind without assets.
    ///
    /// - Parameter loser: The row of the superseded item; 0 for the item itself.
    func setWaitingAssets(
        _ assets: [ItemAsset], of key: ItemKey, loser: Int64 = 0
    ) throws(Failure) {
        guard Kind.hasAssets else { return }
        let remove = try cache.statement("DELETE FROM waiting_asset WHERE loser = ? AND key = ?")
        remove.bind(loser, at: 1)
        bind(key.bytes, to: remove, at: 2)
        try remove.execute()
        for content in Set(assets.map(\.content)) {
            let add = try cache.statement(
                "INSERT INTO waiting_asset (content, loser, key) VALUES (?, ?, ?)")
            bind(content.bytes, to: add, at: 1)
            add.bind(loser, at: 2)
            bind(key.bytes, to: add, at: 3)
            try add.execute()
        }
    }

    func removeWaitingAssets(ofLoser row: Int64) throws(Failure) {
        guard Kind.hasAssets else { return }
        let remove = try cache.statement("DELETE FROM waiting_asset WHERE loser = ?")
        remove.bind(row, at: 1)
        try remove.execute()
    }

    func removeAllWaitingAssets() throws(Failure) {
        if Kind.hasAssets { try connection.execute("DELETE FROM waiting_asset") }
    }

    /// Whether something that is not published names a content.
    package func isWaiting(_ content: ContentID) throws(Failure) -> Bool {
        let statement = try cache.statement(
            "SELECT 1 FROM waiting_asset WHERE content = ? LIMIT 1")
        defer { statement.reset() }
        bind(content.bytes, to: statement, at: 1)
        return try statement.step()
    }

    // MARK: Packs

    /// The packs of a generation's assets, in the order of their commits; those that no commit names come first.
    func packs(
        of generation: UInt64, zone: String
    ) throws(Failure) -> [(pack: PackReference, sequence: UInt64)] {
        let statement = try cache.statement(
            "SELECT pack, size, index_hash, sequence FROM pack WHERE generation = ? ORDER BY sequence, id"
        )
        defer { statement.reset() }
        statement.bind(Int64(bitPattern: generation), at: 1)
        var packs: [(pack: PackReference, sequence: UInt64)] = []
        while try statement.step() {
            guard let hash = ContentID(Array(statement.bytes(2))) else {
                throw connection.corrupt("a pack cannot be decoded")
            }
            let pack = PackReference(
                id: Array(statement.bytes(0)), size: statement.integer(1), indexHash: hash,
                zone: zone)
            packs.append((pack, UInt64(bitPattern: statement.integer(3))))
        }
        return packs
    }

    /// The generations that packs are known of, the latest first.
    func generationsWithPacks() throws(Failure) -> [UInt64] {
        let statement = try cache.statement(
            "SELECT DISTINCT generation FROM pack ORDER BY generation DESC")
        defer { statement.reset() }
        var found: [UInt64] = []
        while try statement.step() { found.append(UInt64(bitPattern: statement.integer(0))) }
        return found
    }

    /// Records packs of the present generation.
    ///
    /// - Parameter sequence: The commit that names them; 0 for none yet.
    func add(_ packs: [PackReference], sequence: UInt64) throws(Failure) {
        guard !packs.isEmpty else { return }
        let generation = try generation()
        for pack in packs {
            let statement = try cache.statement(
                """
                INSERT INTO pack (pack, size, index_hash, generation, sequence)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (pack) DO UPDATE SET sequence = max(sequence, excluded.sequence)
                """)
            bind(pack.id, to: statement, at: 1)
            statement.bind(pack.size, at: 2)
            bind(pack.indexHash.bytes, to: statement, at: 3)
            statement.bind(Int64(bitPattern: generation), at: 4)
            statement.bind(Int64(clamping: sequence), at: 5)
            try statement.execute()
        }
    }

    func removePacks(_ ids: some Sequence<[UInt8]>) throws(Failure) {
        for id in ids {
            let statement = try cache.statement("DELETE FROM pack WHERE pack = ?")
            bind(id, to: statement, at: 1)
            try statement.execute()
        }
    }

    /// Forgets the packs of the present generation, as a checkpoint lists those that are in use.
    func removePacksOfGeneration() throws(Failure) {
        let statement = try cache.statement("DELETE FROM pack WHERE generation = ?")
        statement.bind(Int64(bitPattern: try generation()), at: 1)
        try statement.execute()
    }

    func removeAllPacks() throws(Failure) { try connection.execute("DELETE FROM pack") }
}
