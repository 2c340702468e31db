import Dispatch
import FilesinkiModel
import FilesinkiProtocol
import FilesinkiRemote
import FilesinkiSystem

/// A connection that is ready, by what is at its far end.
enum SSHWay: Sendable {
    case sftp(SFTPSession)
    case filesinki(StreamedConnection)

    var isOver: Bool {
        switch self {
        case .sftp(let session): session.connection.isOver
        case .filesinki(let connection): connection.isOver
        }
    }

    /// Ends the connection. Waiting requests fail.
    func close() {
        switch self {
        case .sftp(let session): session.connection.close()
        case .filesinki(let connection): connection.close()
        }
    }
}

/// Opens connections to a host, and finds out what is there.
struct SSHConnector: Sendable {
    let address: SSHAddress
    let command: SSHCommand
    let bandwidth: Bandwidth?
    /// Whether only SFTP is of use.
    let needsSFTP: Bool
    let patience: SSHPatience

    /// How long ssh has to end by itself when the far end has closed its end.
    private static let timeToEnd = Duration.seconds(5)

    /// Opens a connection. Asks for filesinki first, and for SFTP where that is not there.
    ///
    /// - Parameters:
    ///   - note: Where it is noted that the host has no filesinki; nil for nowhere.
    ///   - isCreating: Whether filesinki may create the store's folder.
    ///   - login: The login that the connection shares with others; nil for one of its own.
    /// - Throws: `Failure`: `away`, `not-allowed`, `usage`, `unfit-store`.
    func open(
        _ note: SSHNote?, creating isCreating: Bool, sharing login: SharedLogin? = nil
    ) async throws -> SSHWay {
        let canAsk = !needsSFTP && SSHCommand.canAskForFilesinki(address)
        let isKnown = canAsk && note?.hasNoFilesinki(at: address) == true
        if canAsk, !isKnown {
            let isLasting: Bool
            let end: SSHEnd?
            switch try await connect(.filesinki(creating: isCreating), login) {
            case .ready(let way): return way
            case .absent(let isKnownToLast, let reason): (isLasting, end) = (isKnownToLast, reason)
            }
            let way = try await openSFTP(sharing: login, after: end)
            if case .sftp = way, isLasting { note?.noteNoFilesinki(at: address) }
            return way
        }
        do { return try await openSFTP(sharing: login) } catch let failure as Failure
            where failure.code == .usage
        {
            guard isKnown,
                case .ready(let way) = try await connect(.filesinki(creating: isCreating), login)
            else { throw failure }
            note?.forget()
            return way
        }
    }

    /// Opens a connection to a host whose SFTP has been used before.
    ///
    /// - Parameter end: How the connection that was asked for filesinki ended; nil if none was.
    /// - Throws: As ``open(_:creating:sharing:)`` does.
    func openSFTP(
        sharing login: SharedLogin? = nil, after end: SSHEnd? = nil
    ) async throws -> SSHWay {
        guard case .ready(let way) = try await connect(.sftp, login, after: end) else {
            throw Failure(
                .newerFormat, path: address.text,
                "The host's filesinki has another version of the protocol.",
                remedy: "Install the same version of filesinki on both sides.")
        }
        return way
    }

    private enum Answer {
        case ready(SSHWay)
        /// What was asked for is not there, or is of another version; also at the next run, if nothing is
        /// installed there. With how it ended, if it said nothing else.
        case absent(isLasting: Bool, SSHEnd? = nil)
    }

    private func connect(
        _ service: SSHCommand.Service, _ login: SharedLogin?, after first: SSHEnd? = nil
    ) async throws -> Answer {
        let process = try await offload {
            try command.start(for: address, service, sharing: login, patience)
        }
        guard let opening = try await opening(of: process) else {
            // It would not notice the end of the connection before it has one.
            await end(process, within: .zero)
            try Task.checkCancellation()
            throw patience.failure(address)
        }
        let place = address.text
        switch opening {
        case .filesinki: return .ready(try streamed(process, service))
        case .sftp(let version):
            let connection = SFTPConnection(process, bandwidth) { $0.failure(place) }
            do {
                return .ready(
                    .sftp(try await SFTPSession(connection, version: version, address: place)))
            } catch {
                connection.close()
                throw error
            }
        case .otherVersion:
            await end(process)
            return .absent(isLasting: true)
        case .damaged(let damage):
            await end(process)
            throw damage.failure(place)
        case .ended: return try await ended(process, service, after: first)
        }
    }

    private func streamed(
        _ process: ConnectedProcess, _ service: SSHCommand.Service
    ) throws(Failure) -> SSHWay {
        let connection = StreamedConnection(process, bandwidth, service, address: address.text)
        guard needsSFTP else { return .filesinki(connection) }
        connection.close()
        throw Failure(
            .away, path: address.text, "The host offers filesinki in place of SFTP.",
            remedy: "Run the command again.")
    }

    /// What it means that the far end has ended the connection before it said anything.
    private func ended(
        _ process: ConnectedProcess, _ service: SSHCommand.Service, after first: SSHEnd?
    ) async throws -> Answer {
        let (code, messages) = await end(process)
        try Task.checkCancellation()
        let ended = SSHEnd.ended(code: code, messages: messages)
        // A program that a signal has ended may be there the next time.
        if service != .sftp, ended.isOfTheFarEnd {
            return .absent(isLasting: code <= 128 || code == 255, ended)
        }
        throw ended.withMessages(of: first).failure(address.text)
    }

    /// - Returns: What the host's program sends first; nil if it takes too long.
    private func opening(of process: ConnectedProcess) async throws -> SSHOpening? {
        try await withTaskCancellationHandler {
            try await offload {
                // If it cannot be sent, the far end has ended.
                try? process.send(StreamOpening.client)
                guard patience.waitForHost(process, address, command) else { return nil }
                return SSHOpening.read(from: process)
            }
        } onCancel: {
            process.disconnect()
        }
    }

    @discardableResult
    private func end(
        _ process: ConnectedProcess, within limit: Duration = timeToEnd
    ) async -> (code: Int32, messages: [UInt8]) {
        process.disconnect()
        let ended = try? await offload { process.end(within: limit) }
        return ended ?? (code: 255, messages: [])
    }
}
