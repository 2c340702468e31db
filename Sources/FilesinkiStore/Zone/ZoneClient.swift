package import FilesinkiModel
package import FilesinkiRemote

/// The client of a zone's log.
///
/// It connects to the store and verifies its identity, fetches new commits, publishes, stores
/// checkpoints and acknowledges. The owner defines the items, merges and stores them; see
/// ``ZoneMemory`` and ``FetchTarget``.
///
/// Must not be used by several tasks at once. Several processes may share the memory if it allows
/// that.
package final class ZoneClient {
    package let zone: Zone
    package let memory: any ZoneMemory
    let systemContext: SystemContext
    private let open: () throws -> any Remote
    private var openedRemote: (any Remote)?
    private var current: ZoneConnection?

    /// - Parameter open: Opens the remote. Called once, and again after ``disconnect()``.
    package init(
        _ zone: Zone, memory: any ZoneMemory, systemContext: SystemContext,
        open: @escaping () throws -> any Remote
    ) {
        self.zone = zone
        self.memory = memory
        self.systemContext = systemContext
        self.open = open
    }

    /// Closes the remote.
    package func disconnect() {
        openedRemote = nil
        current = nil
    }

    /// The connection; nil before the store was reached in this process.
    package var reached: ZoneConnection? { try? connection() }

    /// The connection of this process; nil if it does not exist, or if another store is known now.
    func connection() throws -> ZoneConnection? {
        guard let current else { return nil }
        guard let known = try memory.store, known != KnownStore(current.format) else {
            return current
        }
        self.current = nil
        return nil
    }

    func remote() throws -> any Remote {
        if let openedRemote { return openedRemote }
        let made = try open()
        openedRemote = made
        return made
    }

    /// Begins to log in at the store, where that takes time. What fails is thrown by the next request.
    package func beginConnecting() {
        (try? remote())?.unwrapped(as: (any ConnectingRemote).self)?.connect()
    }

    /// Records that the end of the log was proved.
    func markEndProven() { current?.isEndProven = true }

    func connect(_ format: StoreFormat) throws -> ZoneConnection {
        let made = try ZoneConnection(remote: remote(), format: format, zone: zone)
        current = made
        return made
    }

    var now: UInt64 { UInt64(clamping: systemContext.now().seconds) }
}

extension ZoneClient {
    /// Connects to the store, once per process, and verifies its identity.
    ///
    /// - Throws: Code `away` when the store cannot be reached, `not-found` or `wrong-store` when
    ///   the remote holds no store or another one.
    package nonisolated(nonsending) func connected() async throws -> ZoneConnection {
        do { return try await connectedChecked() } catch let mismatch as StoreMismatch {
            throw mismatch.failure
        }
    }

    /// As ``connected()``, but throws a ``StoreMismatch`` for another store.
    nonisolated(nonsending) func connectedChecked() async throws -> ZoneConnection {
        if let connection = try connection() { return connection }
        let remote = try remote()
        let known = try memory.store
        let format = try zone.recognise(
            await StoreFormat.read(from: remote), at: remote, known)
        if known == nil { try memory.remember(KnownStore(format)) }
        return try connect(format)
    }

    /// A connection to the known store without any request; nil when no store is known.
    package func assumedConnection() throws -> ZoneConnection? {
        if let connection = try connection() { return connection }
        guard let known = try memory.store else { return nil }
        return try ZoneConnection(remote: remote(), format: known.assumedFormat, zone: zone)
    }

    /// A reader of the log after a position. One request verifies the store's identity and reads
    /// ahead.
    ///
    /// - Throws: As ``connected()`` and ``LogReader/prove(alongside:_:)`` do.
    package nonisolated(nonsending) func reader(
        behind position: LogPosition
    ) async throws -> LogReader {
        do { return try await provenReader(behind: position).reader } catch let mismatch
            as StoreMismatch
        {
            throw mismatch.failure
        }
    }

    /// As ``reader(behind:)``, but throws a ``StoreMismatch`` for another store.
    ///
    /// The last known commit can be in no other store, so the description is read only if the proof
    /// fails; it then says which store is at the remote. An empty log proves nothing and is read
    /// together with the description.
    nonisolated(nonsending) func provenReader(
        behind position: LogPosition
    ) async throws -> (reader: LogReader, connection: ZoneConnection, move: StoreMove?) {
        guard let known = try memory.store else {
            let connection = try await connectedChecked()
            var reader = LogReader(connection.log, after: position)
            let move = try await prove(&reader, of: connection.format.id)
            return (reader, connection, move)
        }
        let present = try connection()
        let connection = try present ?? assumed(known)
        var reader = LogReader(connection.log, after: position)
        let move: StoreMove?
        if position.token.sequence == 0 {
            let (zone, remote) = (zone, connection.remote)
            move = try await prove(&reader, of: known.id, alongside: StoreFormat.request()) {
                _ = try zone.recognise(StoreFormat(reply: $0), at: remote, known)
            }
        } else {
            move = try await prove(&reader, connection.remote, known)
        }
        if present == nil { current = connection }
        return (reader, connection, move)
    }

    /// Proves the start of a reader, and reads the note of a move with the same request.
    ///
    /// - Parameters:
    ///   - store: The id of the store.
    ///   - other: Another object to read, whose reply is checked first.
    private nonisolated(nonsending) func prove(
        _ reader: inout LogReader, of store: [UInt8], alongside other: ObjectRequest? = nil,
        _ accept: (ObjectReply) throws -> Void = { _ in }
    ) async throws -> StoreMove? {
        var others = [other].compactMap(\.self)
        if zone.readsMove { others.append(try StoreMove.request()) }
        var move: StoreMove?
        try await reader.prove(alongside: others) { replies in
            if other != nil, let reply = replies.first { try accept(reply) }
            guard zone.readsMove, let reply = replies.last else { return }
            move = StoreMove(reply: reply, of: store)
        }
        return move
    }

    private nonisolated(nonsending) func prove(
        _ reader: inout LogReader, _ remote: any Remote, _ known: KnownStore
    ) async throws -> StoreMove? {
        do {
            return try await prove(&reader, of: known.id)
        } catch let failure as Failure where Self.aboutStore.contains(failure.code) {
            _ = try zone.recognise(await StoreFormat.read(from: remote), at: remote, known)
            throw failure
        }
    }

    private func assumed(_ known: KnownStore) throws -> ZoneConnection {
        try ZoneConnection(remote: remote(), format: known.assumedFormat, zone: zone)
    }

    /// Failures that the contents of a store cause, not the connection.
    private static let aboutStore: Set<Failure.Code> = [
        .wrongStore, .tokenExpired, .corrupt, .newerFormat,
    ]

    /// Waits until something may have been published in the zone, or until the timeout. A hint
    /// only.
    ///
    /// - Returns: False immediately when no store is known.
    package nonisolated(nonsending) func wait(_ timeout: Duration) async throws -> Bool {
        guard let connection = try assumedConnection() else { return false }
        try await connection.remote.wait(
            prefix: connection.log.watchedPrefix, timeout: timeout)
        return true
    }
}

extension LogReader {
    /// Reads the commits after a position.
    init(_ log: CommitLog, after position: LogPosition) {
        self.init(log, after: position.token, storedHeader: position.storedHeader)
    }
}
