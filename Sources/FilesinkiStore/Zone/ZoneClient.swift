package import FilesinkiModel
package import FilesinkiRemote

/// The one client of a zone's log.
///
/// It reaches the store and makes sure that it is the one that is known, fetches what is new, publishes,
/// stores checkpoints and acknowledges. What the items are, how two of them are merged and where they are
/// kept is the owner's affair: see ``ZoneMemory`` and ``FetchTarget``.
///
/// Not safe for use by several tasks at a time: its owner is an actor, or one task. Several processes may
/// share the memory where it says so.
package final class ZoneClient {
    package let zone: Zone
    package let memory: any ZoneMemory
    let systemContext: SystemContext
    private let open: () throws -> any Remote
    private var openedRemote: (any Remote)?
    private var current: ZoneConnection?

    /// - Parameter open: Opens the remote; called once, and again after ``disconnect()``.
    package init(
        _ zone: Zone, memory: any ZoneMemory, systemContext: SystemContext,
        open: @escaping () throws -> any Remote
    ) {
        self.zone = zone
        self.memory = memory
        self.systemContext = systemContext
        self.open = open
    }

    /// Ends the use of the remote.
    package func disconnect() {
        openedRemote = nil
        current = nil
    }

    /// The store; nil before it was reached in this process.
    package var reached: ZoneConnection? { try? connection() }

    /// The store, once it was reached in this process and while it is the one that is known.
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

    /// Notes that the end of the log was proved.
    func markEndProven() { current?.isEndProven = true }

    func connect(_ format: StoreFormat) throws -> ZoneConnection {
        let made = try ZoneConnection(remote: remote(), format: format, zone: zone)
        current = made
        return made
    }

    var now: UInt64 { UInt64(clamping: systemContext.now().seconds) }
}

extension ZoneClient {
    /// Reaches the store, once for each process, and makes sure that it is the one that is known.
    ///
    /// - Throws: Code `away` when it cannot be reached, `not-found` or `wrong-store` when no store or
    ///   another one is there.
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

    /// The way into the known store without a look at it; nil where no store is known.
    package func assumedConnection() throws -> ZoneConnection? {
        if let connection = try connection() { return connection }
        guard let known = try memory.store else { return nil }
        return try ZoneConnection(remote: remote(), format: known.assumedFormat, zone: zone)
    }

    /// Reaches the log behind a position: one request, which proves that the store is the one that is
    /// known and reads ahead.
    ///
    /// - Throws: As ``connected()`` and ``LogReader/prove(alongside:_:)`` do.
    package nonisolated(nonsending) func reader(
        behind position: LogPosition
    ) async throws -> LogReader {
        do { return try await provenReader(behind: position).0 } catch let mismatch as StoreMismatch
        {
            throw mismatch.failure
        }
    }

    /// As ``reader(behind:)``, but throws a ``StoreMismatch`` for another store.
    ///
    /// The commit that was read last can be in no other store, so the description of a known store is
    /// not read unless the proof fails: then it tells what is there instead. Only an empty log, which
    /// proves nothing, is read together with the description.
    nonisolated(nonsending) func provenReader(
        behind position: LogPosition
    ) async throws -> (LogReader, ZoneConnection) {
        guard let known = try memory.store else {
            let connection = try await connectedChecked()
            var reader = LogReader(connection.log, after: position)
            try await reader.prove()
            return (reader, connection)
        }
        let present = try connection()
        let connection = try present ?? assumed(known)
        var reader = LogReader(connection.log, after: position)
        if position.token.sequence == 0 {
            let (zone, remote) = (zone, connection.remote)
            try await reader.prove(alongside: StoreFormat.request()) { reply in
                _ = try zone.recognise(StoreFormat(reply: reply), at: remote, known)
            }
        } else {
            try await prove(&reader, connection.remote, known)
        }
        if present == nil { current = connection }
        return (reader, connection)
    }

    private nonisolated(nonsending) func prove(
        _ reader: inout LogReader, _ remote: any Remote, _ known: KnownStore
    ) async throws {
        do {
            try await reader.prove()
        } catch let failure as Failure where Self.aboutStore.contains(failure.code) {
            _ = try zone.recognise(await StoreFormat.read(from: remote), at: remote, known)
            throw failure
        }
    }

    private func assumed(_ known: KnownStore) throws -> ZoneConnection {
        try ZoneConnection(remote: remote(), format: known.assumedFormat, zone: zone)
    }

    /// Failures that are raised by what a store holds, not by the way to it.
    private static let aboutStore: Set<Failure.Code> = [
        .wrongStore, .tokenExpired, .corrupt, .newerFormat,
    ]

    /// Waits until something may have been published in the zone, or the time is over. A hint only.
    ///
    /// - Returns: False at once where no store is known.
    package nonisolated(nonsending) func wait(_ timeout: Duration) async throws -> Bool {
        guard let connection = try assumedConnection() else { return false }
        try await connection.remote.wait(
            prefix: connection.log.watchedPrefix, timeout: timeout)
        return true
    }
}

extension LogReader {
    /// Reads what comes behind a position.
    init(_ log: CommitLog, after position: LogPosition) {
        self.init(log, after: position.token, storedHeader: position.storedHeader)
    }
}
