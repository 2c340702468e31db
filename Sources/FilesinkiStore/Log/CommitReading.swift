package import FilesinkiModel
import FilesinkiRemote

extension CommitLog {
    /// Reads commits by number, up to 64 with each request, and one listing for each request.
    ///
    /// Memory holds the replies of one request, and one archive.
    ///
    /// - Parameters:
    ///   - sequences: The numbers; commits of archives are read faster in ascending order.
    ///   - body: Receives each number with its commit, nil if it does not exist, or the failure.
    /// - Throws: Errors of the remote and of `body`.
    package func read(
        _ sequences: [UInt64], _ body: (UInt64, Result<Commit?, Failure>) throws -> Void
    ) async throws {
        var reading = CommitReading(self)
        var rest = sequences[...]
        while let first = rest.first {
            if let commit = reading.archived(first) {
                try body(first, commit.map(Optional.some))
                rest.removeFirst()
                continue
            }
            let batch = rest.prefix(Self.maximumBatch)
            rest = rest.dropFirst(batch.count)
            try await reading.begin(Array(batch))
            for sequence in batch { try body(sequence, try await reading.commit(sequence)) }
        }
    }
}

/// Reads commits by number from slots and archives.
private struct CommitReading {
    private let log: CommitLog
    private var replies: [UInt64: SlotReply] = [:]
    /// The archive that was used last.
    private var archive: LogArchive?
    /// After the slots of ``replies`` were read, no archive held this commit or a later one.
    private var unarchived: UInt64?

    init(_ log: CommitLog) { self.log = log }

    /// Reads the slots of commits.
    mutating func begin(_ sequences: [UInt64]) async throws {
        unarchived = nil
        let read = try await log.readSlots(log.slots(sequences))
        replies = Dictionary(read.map { ($0.sequence, $0) }) { _, last in last }
    }

    /// A commit of the archive that is in memory; nil if it is not in it.
    func archived(_ sequence: UInt64) -> Result<Commit, Failure>? {
        guard let archive, archive.contains(sequence) else { return nil }
        return Result { () throws(Failure) in try log.decode(archive, sequence) }
    }

    /// The commit of one of the slots that were read.
    mutating func commit(_ sequence: UInt64) async throws -> Result<Commit?, Failure> {
        let slot = replies[sequence]
        let stored = try await slot?.whole(from: log.remote) ?? []
        if slot?.isWhole == false { unarchived = nil }
        if let failure = try await confirm(sequence) { return .failure(failure) }
        if let commit = archived(sequence) { return commit.map(Optional.some) }
        guard let slot, !slot.isAbsent else { return .success(nil) }
        return Result { () throws(Failure) in try log.decode(stored, sequence) }
    }

    /// Finds out whether a commit is archived, if that is not known yet.
    ///
    /// - Returns: The damage of its archive.
    private mutating func confirm(_ sequence: UInt64) async throws -> Failure? {
        if let unarchived, sequence >= unarchived { return nil }
        if archived(sequence) != nil { return nil }
        do {
            try await find(sequence)
            return nil
        } catch let failure as Failure where failure.isDamage { return failure }
    }

    private mutating func find(_ sequence: UInt64) async throws {
        if let found = try await log.archives.archive(of: sequence) {
            archive = found
        } else {
            unarchived = min(unarchived ?? .max, sequence)
        }
    }
}

extension Failure {
    /// Whether the contents of an object cause it, not the connection.
    fileprivate var isDamage: Bool { [.corrupt, .newerFormat, .wrongStore].contains(code) }
}
