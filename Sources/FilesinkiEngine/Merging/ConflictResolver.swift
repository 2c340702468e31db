import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// What a link of a strategy says of a conflict.
enum LinkResult: Sendable {
    /// - Parameter notes: What the user should know beside it.
    case resolved(Resolution, notes: [String] = [])
    /// The link does not decide: a sentence for each place where it would have to guess, or what went
    /// wrong.
    case declined([String])
    /// The answer is not known yet: the conflict stays undecided, and a later run asks again.
    case pending
}

/// What a chain of links came to.
struct ChainResult: Sendable {
    /// Nil while the conflict stays undecided.
    var resolution: Resolution?
    /// The conflict without the links that have declined.
    var conflict: Conflict
    /// What links said that declined, in the order in which they were asked.
    var declined: [(link: StrategyLink, reasons: [String])] = []

    /// Goes on with the links that need the entries only.
    fileprivate mutating func advance(_ body: (inout Conflict) -> Resolution?) {
        let before = conflict.links
        resolution = body(&conflict)
        for case .choice(let choice) in before.prefix(before.count - conflict.links.count) {
            declined.append((.choice(choice), ["Both sides are equal by this criterion."]))
        }
    }
}

extension Conflict {
    /// Asks the links of the chain one by one until one of them decides. `sync`, `merge` and programs
    /// that use the library all come through this loop.
    ///
    /// - Parameter ask: Asks the first link of the conflict, which needs the contents, a command or a
    ///   person.
    func resolve(
        asking ask: (StrategyLink, Conflict) async throws -> LinkResult
    ) async rethrows -> ChainResult {
        var result = ChainResult(conflict: self)
        result.advance { $0.resolveByEntries() }
        while result.resolution == nil, let link = result.conflict.links.first {
            switch try await ask(link, result.conflict) {
            case .resolved(let resolution, let notes):
                if !notes.isEmpty { result.declined.append((link, notes)) }
                result.resolution = resolution
            case .declined(let reasons):
                result.declined.append((link, reasons))
                result.advance { $0.declineFirstLink() }
            case .pending: return result
            }
        }
        return result
    }
}

/// Resolves the conflicts of a replica: by contents, commands, the program, or a person.
struct ConflictResolver: Sendable {
    let options: SyncOptions
    let root: RootFolder
    let contents: ContentSource
    /// Where working copies are made, and where merged contents wait to be stored.
    let outputs: MergeOutputs
    var links: LinkRunner
    /// The program that resolves conflicts of its own files; nil when there is no program.
    let program: (any ProgramResolver)?
    /// Who wrote the versions; nil if no link asks.
    let writers: ConflictWriters?
    /// Whether a prune may have removed what both sides started from.
    let isPruned: Bool

    /// A dry run starts no command: where one would have to be asked, the conflict stays undecided.
    func resolve(_ conflict: Conflict) async -> ChainResult {
        let versions = MergeVersions(in: outputs.path, for: conflict.path)
        defer { versions.remove() }
        return await conflict.resolve { link, conflict in
            if options.isDryRun, link.runsCommand { return .pending }
            if link == .end(.ask) { return await askPerson(conflict) }
            if case .device(let name) = link {
                return writers?.version(by: name, of: conflict) ?? .declined([])
            }
            guard conflict.isOfFiles else { return .declined([]) }
            return await Self.declining { try await ask(link, conflict, versions) }
        }
    }

    /// What a body says; where it fails, the link declines.
    private static func declining(
        _ body: () async throws -> LinkResult
    ) async -> LinkResult {
        do {
            return try await body()
        } catch let failure as Failure {
            return .declined([failure.description])
        } catch {
            return .declined([Failure.unforeseen(error).description])
        }
    }

    private func ask(
        _ link: StrategyLink, _ conflict: Conflict, _ versions: MergeVersions
    ) async throws -> LinkResult {
        try await load(versions, of: conflict)
        if link == .program { return try askProgram(conflict, versions) }
        return try links.ask(link, conflict, versions, outputs)
    }
}

/// The contents of the versions.
extension ConflictResolver {
    /// Reads the versions into memory, or where they are large, into files.
    private func load(_ versions: MergeVersions, of conflict: Conflict) async throws {
        guard !versions.isLoaded, let ours = conflict.ours, let theirs = conflict.theirs else {
            return
        }
        let size = (conflict.base?.size ?? 0) + ours.size + theirs.size
        try versions.load(inMemory: size <= MergeVersions.heldLimit, hasBase: conflict.base != nil)
        try await stream(theirs) { try versions.append($0, to: .theirs) }
        if let base = conflict.base {
            try await streamBase(base) { try versions.append($0, to: .base) }
        }
        try await streamOurs(ours, at: conflict.oursPath) { try versions.append($0, to: .ours) }
        versions.finishLoading()
    }

    private func stream(
        _ entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await contents.stream(entry.content, size: entry.size, body)
    }

    /// - Throws: Code `not-found` if the store no longer has it. A prune keeps it for the devices that it knows;
    ///   one that was forgotten may come back.
    private func streamBase(
        _ base: Entry, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        do {
            try await stream(base, body)
        } catch let failure as Failure
            where failure.cause is AbsentContent || contents.lost.contains(base.content)
        {
            throw Failure.noBase(isPruned: isPruned && !contents.lost.contains(base.content))
        }
    }

    /// Ours comes from the store, which has it as the scan read it. A dry run stores nothing, and reads
    /// the file.
    private func streamOurs(
        _ entry: Entry, at path: RelativePath, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        if try await contents.holds(entry.content) { return try await stream(entry, body) }
        var hasher = ContentHasher()
        _ = try root.readChunks(path, bufferSize: 1 << 20) { bytes in
            hasher.update(bytes)
            try body(bytes)
        }
        guard hasher.finish() == entry.content else {
            throw Failure(
                .changing, path: path.bytes, "The file changed while it was read.",
                remedy: "Run again.")
        }
    }
}

/// The program and the person.
extension ConflictResolver {
    /// Asks the program that knows the file's type.
    private func askProgram(
        _ conflict: Conflict, _ versions: MergeVersions
    ) throws -> LinkResult {
        guard let program, program.handles(conflict.path) else { return .declined([]) }
        let limit = MergeVersions.readLimit
        guard let ours = try versions.read(.ours, limit: limit),
            let theirs = try versions.read(.theirs, limit: limit),
            let base = try versions.read(.base, limit: limit)
        else { return .declined(["A content is larger than \(limit) bytes."]) }
        let found = ConflictContents(
            path: conflict.path, base: conflict.base == nil ? nil : base, ours: ours,
            theirs: theirs, identity: conflict.identity)
        let rule = "\(StrategyLink.program)"
        switch program.resolve(found) {
        case .merged(let bytes):
            versions.hold(bytes, as: .result)
            return .resolved(try outputs.keepResult(of: versions, conflict, by: rule))
        case .ours: return .resolved(Resolution(.ours, by: rule))
        case .theirs: return .resolved(Resolution(.theirs, by: rule))
        case .declined(let reason): return .declined([reason])
        case .postponed: return .pending
        }
    }

    /// Asks about a deletion the program that knows the file, about anything else a person. Where there
    /// is no person, the conflict stays open.
    private func askPerson(_ conflict: Conflict) async -> LinkResult {
        let rule = End.ask.rawValue
        guard let program, program.handles(conflict.path), conflict.kind == .deletion else {
            let outcome = await options.ask?(conflict) ?? .leave
            return .resolved(Resolution(outcome, by: rule))
        }
        // The edit of a file that was deleted here was not seen here.
        guard let ours = conflict.ours else { return .resolved(Resolution(.theirs, by: rule)) }
        do {
            return try await askAboutDeletion(of: ours, conflict, program)
        } catch let failure as Failure {
            return conflict.keepingEdit([failure.description])
        } catch {
            return conflict.keepingEdit([Failure.unforeseen(error).description])
        }
    }

    private func askAboutDeletion(
        of ours: Entry, _ conflict: Conflict, _ program: any ProgramResolver
    ) async throws -> LinkResult {
        guard ours.kind == .file else { return conflict.keepingEdit([]) }
        let found = ConflictContents(
            path: conflict.path, base: try await bytes(of: conflict.base),
            ours: try root.readWhole(conflict.oursPath, limit: MergeVersions.readLimit).bytes,
            theirs: nil, identity: conflict.identity)
        let rule = End.ask.rawValue
        switch program.resolve(found) {
        case .ours, .merged: return .resolved(Resolution(.ours, by: rule))
        case .theirs: return .resolved(Resolution(.theirs, by: rule))
        case .declined(let reason): return conflict.keepingEdit([reason])
        case .postponed: return .pending
        }
    }

    private func bytes(of entry: Entry?) async throws -> [UInt8]? {
        guard let entry, entry.kind == .file, entry.size <= Int64(MergeVersions.readLimit) else {
            return nil
        }
        var bytes: [UInt8] = []
        try await streamBase(entry) { bytes.append(contentsOf: $0) }
        return bytes
    }
}

extension Conflict {
    /// Says which conflict it is: the identities of the three contents.
    fileprivate var identity: [ContentID] { [base, ours, theirs].map { $0?.content ?? .none } }

    /// Ends a deletion that the program did not decide: an edited file stays, another is deleted.
    fileprivate func keepingEdit(_ notes: [String]) -> LinkResult {
        let isUnedited = base.map { ours?.hasSameContent(as: $0) ?? false } ?? false
        return .resolved(
            Resolution(isUnedited ? .theirs : .ours, by: End.ask.rawValue), notes: notes)
    }
}

extension Failure {
    /// The version that both sides of a conflict started from cannot be read any more, so that nothing can be merged.
    fileprivate static func noBase(isPruned: Bool) -> Failure {
        Failure(
            .notFound,
            isPruned
                ? "The version that both sides started from was removed by a prune."
                : "The store no longer holds the version that both sides started from.",
            remedy: isPruned ? "" : "Run filesinki check.")
    }
}
