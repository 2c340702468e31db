import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import Synchronization

/// `diff`: two versions of a path, line by line.
struct DiffCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compare two versions of a path, or one with what is here.",
        discussion: """
            Without a version, the newest one is compared with what is here. Exits with 0 when they \
            are equal and with 1 when they differ.
            """)

    @Argument(help: "What to compare.", completion: .file())
    var path: String

    @Argument(help: "The older version.")
    var first: UInt64?

    @Argument(help: "The newer version; what is here without it.")
    var second: UInt64?

    @Flag(name: .long, help: "The three contents of an open conflict.")
    var conflict = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var talk: TalkOptions

    func run(in console: Console) async throws -> ExitCode {
        talk.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let target = try session.path(path)
        if conflict { return try await diffConflict(of: target, session, in: console) }
        let older = try await session.older(target, first)
        let old = try await session.content(target, version: older)
        let new = try await session.content(target, version: second)
        guard old != new else { return .done }
        try show(
            old, "\(target)@\(older)", new, second.map { "\(target)@\($0)" } ?? "\(target)",
            in: console)
        return .negative
    }

    func validate() throws {
        if conflict, first != nil { throw ValidationError("--conflict takes no versions.") }
    }

    private func show(
        _ old: [UInt8], _ oldName: String, _ new: [UInt8], _ newName: String, in console: Console
    ) throws {
        let lines = UnifiedDiff.lines(
            old, named: oldName, new, named: newName, console.outputStyle)
        for line in lines {
            try console.output.write(line)
            try console.output.write(CollectionOfOne(UInt8(ascii: "\n")))
        }
    }

    /// From the base to here, and from the base to there; where no base is known, from there to here.
    private func diffConflict(
        of target: RelativePath, _ session: Session, in console: Console
    ) async throws -> ExitCode {
        let open = try await session.replica.conflicts().last { $0.path == target }
        guard let open else {
            throw Failure(
                .notFound, path: target.bytes, "There is no open conflict.",
                remedy: "See the open ones with filesinki conflicts.")
        }
        let here = try await session.content(of: open.here, at: open.copy ?? target)
        let there = try await session.content(of: open.there, at: target)
        if let entry = open.base {
            let base = try await session.content(of: entry, at: target)
            try show(base, "\(target) base", here, "\(target) here", in: console)
            try show(base, "\(target) base", there, "\(target) there", in: console)
        } else {
            try show(there, "\(target) there", here, "\(target) here", in: console)
        }
        return .negative
    }
}

extension Session {
    /// The largest content that is compared, in bytes.
    private static var comparedLimit: Int { 64 << 20 }

    /// The version given, or the newest one that the path has.
    fileprivate func older(_ path: RelativePath, _ given: UInt64?) async throws -> UInt64 {
        if let given { return given }
        guard let newest = try await replica.list([path]).first(where: { $0.0 == path }) else {
            throw Failure(
                .notFound, path: path.bytes, "There is no version of it.",
                remedy: "See what there is with filesinki ls, and what was with filesinki log.")
        }
        return newest.1.version
    }

    /// The content of one side of a conflict, from the store or, where it has it not, from here.
    fileprivate func content(of entry: Entry?, at path: RelativePath) async throws -> [UInt8] {
        guard let entry, entry.kind == .file else { return entry?.target ?? [] }
        do {
            return try await collect(path) { try await replica.show(content: entry.content, $0) }
        } catch let failure as Failure where failure.code == .notFound {
            return try await content(path, version: nil)
        }
    }

    /// A version's content; that which is here when `version` is nil.
    fileprivate func content(_ path: RelativePath, version: UInt64?) async throws -> [UInt8] {
        try await collect(path) { take in
            if let version {
                try await replica.show(path, version: version, take)
            } else {
                _ = try await replica.load(path, isOffline: true, SyncOptions(), take)
            }
        }
    }

    private func collect(
        _ path: RelativePath,
        _ read: (@escaping @Sendable (UnsafeRawBufferPointer) throws -> Void) async throws -> Void
    ) async throws -> [UInt8] {
        let content = Mutex<[UInt8]>([])
        try await read { part in
            try content.withLock { bytes in
                guard bytes.count + part.count <= Self.comparedLimit else {
                    throw Failure(
                        .limit, path: path.bytes, "It is too large to compare.",
                        remedy: "Compare the contents with cmp, from filesinki show.")
                }
                bytes.append(contentsOf: part)
            }
        }
        return content.withLock { $0 }
    }
}
