import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote
package import FilesinkiStore

/// A store whose log of files a test writes commit by commit, as devices do that may say anything.
package struct LogFixture {
    package let format: StoreFormat
    package let log: CommitLog
    package private(set) var token: ChangeToken
    private let clock: ManualClock

    /// Begins a store at a remote.
    package init(at remote: any Remote, seed: UInt64 = 1) async throws {
        clock = ManualClock(seed: seed)
        format = try await StoreFormat.create(at: remote, systemContext: clock.systemContext)
        log = try CommitLog(remote: remote, zone: "files", store: format)
        token = log.genesis
    }

    /// A device.
    package static func device(_ name: String, _ number: UInt8 = 0xD1) -> Device {
        Device(id: Array(repeating: number, count: 16), name: name)
    }

    /// A day after 1970-01-01.
    package static func day(_ number: Int64) -> Timestamp {
        Timestamp(seconds: number * 86_400 + 3600, nanoseconds: 0)
    }

    /// A change to a file whose content is this text.
    package static func file(
        _ path: String, _ text: String, basedOn: UInt64 = 0, from origin: String? = nil
    ) throws -> Change {
        try file(Array(path.utf8), text, basedOn: basedOn, from: origin)
    }

    /// As ``file(_:_:basedOn:from:)``, for a path that may be no text.
    package static func file(
        _ path: [UInt8], _ text: String, basedOn: UInt64 = 0, from origin: String? = nil
    ) throws -> Change {
        let bytes = Array(text.utf8)
        return Change(
            path: try RelativePath(path),
            entry: .file(
                ContentHasher.hash(bytes), size: Int64(bytes.count), mode: 0o644,
                modified: day(1)),
            basedOn: basedOn, movedFrom: try origin.map { try RelativePath($0) })
    }

    package static func folder(_ path: String) throws -> Change {
        Change(
            path: try RelativePath(path), entry: .directory(mode: 0o755, modified: day(1)),
            basedOn: 0)
    }

    package static func deletion(_ path: String, basedOn: UInt64) throws -> Change {
        Change(path: try RelativePath(path), entry: .tombstone, basedOn: basedOn)
    }

    package static func inline(_ texts: String...) -> [InlineContent] {
        texts.map {
            InlineContent(id: ContentHasher.hash(Array($0.utf8)), bytes: Array($0.utf8))
        }
    }

    /// Publishes a commit.
    @discardableResult
    package mutating func commit(
        _ changes: [Change], inline: [InlineContent] = [], packs: [PackReference] = [],
        superseded: [Change] = [], by device: Device = device("laptop"), on day: Int64 = 100,
        operation: String = "sync", pruning: Pruning? = nil
    ) async throws -> Commit {
        var draft = CommitDraft(
            device: device, time: Self.day(day), changes: changes, inline: inline, packs: packs,
            superseded: superseded, operation: operation)
        draft.pruning = pruning
        let outcome = try await log.append(
            draft, after: token, id: clock.systemContext.randomBytes(16))
        guard case .mine(let commit) = outcome else {
            throw Failure(.busy, "Another device published first.", remedy: "Use one fixture.")
        }
        token = commit.token
        return commit
    }
}
