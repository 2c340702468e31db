import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem

/// Answers the links of a strategy that need contents, a command or a person.
struct Answers: Sendable {
    let options: SyncOptions
    let rules: RunRules
    let root: RootFolder
    let contents: ContentSource
    /// Where working copies are made, and where merged contents wait to be stored.
    let shelf: MergeOutputs
    let runner: LinkRunner
    /// Who resolves what the program's own types know; nil where there is none.
    let resolver: (any DivergenceResolver)?

    func answer(_ link: StrategyLink, _ step: Step) async -> LinkAnswer {
        switch link {
        case .end(.ask): return await ask(step)
        case .choice, .end: return LinkAnswer(.declined)
        case .command, .merge, .comparison, .program: break
        }
        guard let versions = ContestedFiles(step) else { return LinkAnswer(.declined) }
        do {
            let folder = try await lay(out: versions, step.path)
            defer { folder.remove() }
            if link == .program { return try resolve(step, versions, folder) }
            return try decide(link, step, versions, folder)
        } catch let failure as Failure {
            return LinkAnswer(.declined, [failure.description])
        } catch {
            return LinkAnswer(.declined, [Failure.unforeseen(error).description])
        }
    }

    private func decide(
        _ link: StrategyLink, _ step: Step, _ versions: ContestedFiles, _ folder: MergeFolder
    ) throws -> LinkAnswer {
        let question = MergeQuestion(
            path: step.path, hasBase: versions.base != nil,
            hereModified: versions.here.modified, thereModified: versions.there.modified,
            settings: rules.merging(step.path))
        switch try runner.ask(link, question, in: folder) {
        case .merged(let file, let word):
            return LinkAnswer(try shelf.keep(file, of: versions, by: word))
        case .side(let side): return LinkAnswer(side == .here ? .ours : .theirs)
        case .keepBoth: return LinkAnswer(.keepBoth)
        case .declined(let reasons): return LinkAnswer(.declined, reasons)
        }
    }

    /// Writes the three versions into a folder of their own.
    func lay(out versions: ContestedFiles, _ path: RelativePath) async throws -> MergeFolder {
        let folder = try MergeFolder(in: shelf.path, for: path)
        do {
            try await copy(versions.there, to: folder.writer(.there))
            let base = try folder.writer(.base)
            if let entry = versions.base { try await copy(entry, to: base) }
            try await copyHere(versions, to: folder)
            return folder
        } catch {
            folder.remove()
            throw error
        }
    }

    private func copy(_ entry: Entry, to writer: NamedFile) async throws {
        try await contents.stream(entry.content, size: entry.size) { try writer.write($0) }
    }

    /// What is here comes from the store where it has it, as it was seen; a dry run stores nothing,
    /// and reads the file.
    private func copyHere(_ versions: ContestedFiles, to folder: MergeFolder) async throws {
        let writer = try folder.writer(.here)
        if try await contents.holds(versions.here.content) {
            return try await copy(versions.here, to: writer)
        }
        var hasher = ContentHasher()
        _ = try root.readChunks(versions.herePath, bufferSize: 1 << 20) { bytes in
            hasher.update(bytes)
            try writer.write(bytes)
        }
        guard hasher.finish() == versions.here.content else {
            throw Failure(
                .changing, path: versions.herePath.bytes, "The file changed while it was read.",
                remedy: "Run again.")
        }
    }
}

/// The three files that meet in a conflict.
struct ContestedFiles: Sendable {
    let base: Entry?
    let here: Entry
    let there: Entry
    let herePath: RelativePath

    /// Nil where one of them is not a file.
    init?(_ step: Step) {
        guard let contest = step.contest, let here = contest.ours, let there = contest.theirs,
            here.kind == .file, there.kind == .file, (contest.base?.kind ?? .file) == .file
        else { return nil }
        base = contest.base
        self.here = here
        self.there = there
        herePath = contest.oursPath
    }
}
