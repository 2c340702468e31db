import FilesinkiEngine
import FilesinkiModel
import FilesinkiRecordZones
import Synchronization

/// What a command has of the process that runs it beside others: see ``RPCCommand``.
struct CallContext: Sendable {
    /// What the command reads in place of standard input.
    var input: [UInt8] = []
    /// Takes the content that the command would print.
    var content = Output(DiscardingSink())
    /// Zones that stay open between calls; nil for a command that goes on, which opens its own, and so
    /// sees what the others do.
    var zones: OpenZones?
    /// Takes the failures that the command reports, also those that do not end it.
    var report: @Sendable (Failure) -> Void = { _ in }
    /// Takes the save that is the command's only one, and was refused.
    var refuse: @Sendable (RecordConflict) -> Void = { _ in }
    /// Takes the progress of the command; nil if nobody asked for it.
    var onProgress: (@Sendable (Progress) -> Void)?
    /// Called when the command prints from now on what happens.
    var onReady: @Sendable () -> Void = {}
}

/// Drops everything.
final class DiscardingSink: ByteSink {
    func write(_ bytes: UnsafeRawBufferPointer) {}
}

/// Keeps what a command prints, up to a limit.
final class CollectingSink: ByteSink {
    private let collected = Mutex<[UInt8]>([])
    private let limit: Int
    private let excess: Failure

    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - excess: What is thrown when there are more.
    init(limit: Int, excess: Failure) {
        self.limit = limit
        self.excess = excess
    }

    var bytes: [UInt8] { collected.withLock { $0 } }

    /// The lines without their newlines.
    var lines: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "\n")) }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        try collected.withLock { collected in
            guard bytes.count <= limit - collected.count else { throw excess }
            collected.append(contentsOf: bytes)
        }
    }
}

/// Passes each line on to a client that may be slow. The command waits for it where it drains its output.
final class LineSink: DrainingSink {
    private let waiting = Mutex<[UInt8]>([])
    private let send: @Sendable ([UInt8]) async throws -> Void

    /// - Parameter send: Receives a line without its newline.
    init(_ send: @escaping @Sendable ([UInt8]) async throws -> Void) { self.send = send }

    func write(_ bytes: UnsafeRawBufferPointer) {
        waiting.withLock { $0.append(contentsOf: bytes) }
    }

    func drain() async throws {
        let bytes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for line in bytes.split(separator: UInt8(ascii: "\n")) { try await send(Array(line)) }
    }
}
