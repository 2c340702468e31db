internal import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Reads and stores the checkpoints of one zone.
package struct CheckpointStore: Sendable {
    private let remote: any Remote
    private let prefix: String
    private let log: CommitLog
    private let parts: String
    private let coder: CheckpointCoder
    private let partLength: Int

    /// - Parameters:
    ///   - zone: 1 to 64 of `a-z 0-9 _ -`.
    ///   - store: The description of the store, from ``StoreFormat/read(from:)``.
    ///   - partLength: A larger checkpoint is stored in parts of this plain length, in bytes; nil
    ///     for the standard, 16 MiB.
    /// - Throws: `Failure` with code `usage` when the zone's name is invalid.
    package init(
        remote: any Remote, zone: String, store: StoreFormat, partLength: Int? = nil
    ) throws(Failure) {
        try StoreLayout.check(zone: zone)
        self.remote = remote
        prefix = StoreLayout.checkpoints(of: zone)
        log = try CommitLog(remote: remote, zone: zone, store: store)
        parts = StoreLayout.parts(of: zone)
        self.partLength = partLength ?? CheckpointCutter.standardLength
        coder = CheckpointCoder(store: store.id, zone: zone)
    }

    /// The numbers of all checkpoints, newest first.
    package func sequences() async throws -> [UInt64] {
        try await sequences(after: nil).reversed()
    }

    /// The number of the newest checkpoint; `known` when no newer one exists. Usually one request.
    ///
    /// A folder reads the names of all checkpoints for it: one for each 256 commits since the last prune; see
    /// ``folderState()``.
    package func newest(after known: UInt64) async throws -> UInt64 {
        let start = known == 0 ? nil : try StoreLayout.slot(prefix, known)
        return try await sequences(after: start).last ?? known
    }

    /// A number for the state of the checkpoints' folder, at most `Int64.max`; another one after a checkpoint was added or
    /// removed. 0 if the remote is not a folder of this machine, and while it has no checkpoints.
    ///
    /// As long as it stays, so do the checkpoints. A hint only: see ``FilesinkiRemote/FolderStamp``.
    func folderState() async throws -> UInt64 {
        guard let local = remote.unwrapped(as: (any LocalRemote).self),
            let stamp = try await local.stamp(ofFolder: prefix)
        else { return 0 }
        return stamp.number
    }

    /// The numbers of the checkpoints after a key, oldest first.
    private func sequences(after start: ObjectKey?) async throws -> [UInt64] {
        var found: [UInt64] = []
        try await remote.listPages(prefix: prefix, after: start) { page in
            found += page.compactMap { StoreLayout.sequence(of: $0.key, below: prefix) }
        }
        return found
    }

    /// Begins to read the checkpoint with this number; nil if it does not exist.
    ///
    /// - Throws: `Failure` with code `corrupt`, `newer-format` or `wrong-store` when the slot holds
    ///   something else, and what the remote throws.
    package func reader(of sequence: UInt64) async throws -> CheckpointReader? {
        let slot = try StoreLayout.slot(prefix, sequence)
        guard let stored = try await remote.get(slot, range: nil) else { return nil }
        guard Envelope.hasKind(stored, .checkpointIndex) else {
            return CheckpointReader(
                self, try coder.open(stored, sequence: sequence, key: slot.description), parts: [])
        }
        let index = try coder.decodeIndex(stored, sequence: sequence, key: slot.description)
        return CheckpointReader(self, CheckpointDecoder(token: index.token), parts: index.parts)
    }

    /// Whether there is a checkpoint with this number, whatever its state.
    package func contains(_ sequence: UInt64) async throws -> Bool {
        try await header(of: sequence) != nil
    }

    private func header(of sequence: UInt64) async throws -> [UInt8]? {
        try await remote.get(key(of: sequence), range: 0..<Int64(Envelope.headerLength))
    }

    /// Removes a checkpoint: its slot, and then its parts, which no other checkpoint lists.
    ///
    /// The parts of a damaged index stay.
    func remove(_ sequence: UInt64) async throws {
        var index: CheckpointIndex?
        if let header = try await header(of: sequence),
            Envelope.hasKind(header, .checkpointIndex),
            let stored = try await remote.get(key(of: sequence), range: nil)
        {
            index = try? coder.decodeIndex(
                stored, sequence: sequence, key: key(of: sequence).description)
        }
        try await remote.delete(key(of: sequence))
        for part in index?.parts ?? [] { try await remote.delete(key(of: part.hash)) }
    }

    /// The key of the checkpoint with this number.
    package func key(of sequence: UInt64) throws(Failure) -> ObjectKey {
        try StoreLayout.slot(prefix, sequence)
    }

    /// Reads the newest readable checkpoint.
    ///
    /// - Parameter last: Later checkpoints are ignored.
    package func newestReader(upTo last: UInt64 = .max) -> NewestCheckpointReader {
        NewestCheckpointReader(self, upTo: last)
    }

    /// Reads a part and adds it to `decoder`.
    func read(
        _ part: CheckpointIndex.Part, into decoder: inout CheckpointDecoder
    ) async throws {
        let key = try key(of: part.hash)
        guard let stored = try await remote.get(key, range: 0..<part.size) else {
            throw Envelope.damaged(key.description, "A part of a checkpoint is missing.")
        }
        guard ContentHasher.hash(stored) == part.hash else {
            throw Envelope.damaged(key.description, "A part of a checkpoint has another hash.")
        }
        try coder.add(stored, as: .checkpointPart, to: &decoder, key: key.description)
    }

    /// Whether the log can be read from its first commit on.
    func hasWholeLog() async throws -> Bool { try await log.isWhole() }

    private func key(of part: ContentID) throws(Failure) -> ObjectKey {
        let name = hexadecimal(part.bytes)
        return try ObjectKey("\(parts)\(name.prefix(2))/\(name)")
    }

    /// Stores a checkpoint in its slot; a large one is stored in parts that the slot lists. A
    /// checkpoint with the same number by another device is kept instead.
    ///
    /// Each record is decoded again and compared before it is sent. Memory holds two parts at most.
    /// When this throws, parts may be in the store that no slot lists.
    ///
    /// - Parameter token: The last commit that the checkpoint includes.
    /// - Throws: `Failure` with code `limit` when the checkpoint is too large, is not in the order of
    ///   paths, or does not decode to what was encoded; errors of the source and of the remote.
    package nonisolated(nonsending) func save(
        _ source: CheckpointSource, at token: ChangeToken
    ) async throws {
        let slot = try StoreLayout.slot(prefix, token.sequence)
        var encoder = CheckpointPartEncoder(coder, token, key: slot.description)
        var cutter = CheckpointCutter(length: partLength)
        var index = CheckpointIndex(token: token)
        var (entries, pathBytes) = (0, 0)
        try checkBounds(entries: source.minimumEntries, pathBytes: 0)
        while let rows = try source.next() {
            entries += rows.entries.count
            pathBytes += rows.entries.reduce(0) { $0 + $1.path.bytes.count }
            try checkBounds(entries: entries, pathBytes: pathBytes)
            for part in cutter.add(rows) { try await put(part, &encoder, &index) }
        }
        let rest = cutter.finish()
        if index.parts.isEmpty, rest.count == 1 {
            _ = try await remote.publish(encoder.encode(rest[0], as: .checkpoint), to: slot)
            return
        }
        for part in rest { try await put(part, &encoder, &index) }
        _ = try await remote.publish(coder.encode(index), to: slot)
    }

    private nonisolated(nonsending) func put(
        _ part: CheckpointRows, _ encoder: inout CheckpointPartEncoder,
        _ index: inout CheckpointIndex
    ) async throws {
        try Task.checkCancellation()
        let stored = try encoder.encode(part, as: .checkpointPart)
        let hash = ContentHasher.hash(stored)
        try await remote.put(stored, to: key(of: hash))
        index.parts.append(.init(hash: hash, size: Int64(stored.count)))
    }

    private func checkBounds(entries: Int, pathBytes: Int) throws(Failure) {
        guard entries <= CheckpointRows.maximumEntries,
            pathBytes <= CheckpointDecoder.maximumLength
        else {
            throw Failure(
                .limit, path: prefix,
                "A checkpoint of \(entries) or more paths exceeds the limits of the format.",
                remedy: "Split the root, or leave paths out with .filesinkiignore.")
        }
    }
}

extension FolderStamp {
    /// 1 to `Int64.max`, from a hash.
    fileprivate var number: UInt64 {
        let fields: [any BinaryInteger] = [
            file.device, file.inode, UInt64(bitPattern: file.size), links,
            file.modified.nanoseconds, file.changed.nanoseconds,
        ]
        let text = fields.map { String($0) }.joined(separator: " ")
        let hash = ContentHasher.hash(Array(text.utf8)).bytes.prefix(8)
        let number = hash.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return max(1, number & UInt64(Int64.max))
    }
}
