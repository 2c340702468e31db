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

    @OptionGroup var replica: RootOptions
    @OptionGroup var talk: TalkOptions

    func run(in console: Console) async throws -> ExitCode {
        talk.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let target = try session.path(path)
        let older = try await session.older(target, first)
        let old = try await session.content(target, version: older)
        let new = try await session.content(target, version: second)
        guard old != new else { return .done }
        let lines = UnifiedDiff.lines(
            old, named: "\(target)@\(older)", new,
            named: second.map { "\(target)@\($0)" } ?? "\(target)", console.outputStyle)
        for line in lines {
            try console.output.write(line)
            try console.output.write(CollectionOfOne(UInt8(ascii: "\n")))
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

    /// A version's content; that which is here when `version` is nil.
    fileprivate func content(_ path: RelativePath, version: UInt64?) async throws -> [UInt8] {
        let content = Mutex<[UInt8]>([])
        let collect: @Sendable (UnsafeRawBufferPointer) throws -> Void = { part in
            try content.withLock { bytes in
                guard bytes.count + part.count <= Self.comparedLimit else {
                    throw Failure(
                        .limit, path: path.bytes, "It is too large to compare.",
                        remedy: "Compare the contents with cmp, from filesinki show.")
                }
                bytes.append(contentsOf: part)
            }
        }
        if let version {
            try await replica.show(path, version: version, collect)
        } else {
            _ = try await replica.load(path, isOffline: true, SyncOptions(), collect)
        }
        return content.withLock { $0 }
    }
}
