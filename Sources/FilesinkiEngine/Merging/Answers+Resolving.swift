import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile

extension Answers {
    /// Asks the program that knows the file's type; what it makes of both waits to be stored.
    func resolve(
        _ step: Step, _ versions: ContestedFiles, _ folder: MergeFolder
    ) throws -> LinkAnswer {
        guard let resolver, resolver.wants(step.path) else { return LinkAnswer(.declined) }
        let limit = LinkRunner.memoryLimit
        guard let here = try folder.read(.here, limit: limit),
            let there = try folder.read(.there, limit: limit),
            let base = try folder.read(.base, limit: limit)
        else { return LinkAnswer(.declined, ["A content is larger than \(limit) bytes."]) }
        let divergence = Divergence(
            path: step.path, base: versions.base == nil ? nil : base, here: here, there: there,
            identity: identity(versions.base, versions.here, versions.there))
        switch resolver.resolve(divergence) {
        case .merged(let bytes):
            try folder.write(bytes, as: .result)
            return LinkAnswer(
                try shelf.keep(folder.file(.result), of: versions, by: "\(StrategyLink.program)"))
        case .here: return LinkAnswer(.ours)
        case .there: return LinkAnswer(.theirs)
        case .declined(let reason): return LinkAnswer(.declined, [reason])
        case .postponed: return LinkAnswer(nil)
        }
    }

    /// Asks who can be asked: of a deletion the program that knows the file, else a person.
    func ask(_ step: Step) async -> LinkAnswer {
        guard let resolver, resolver.wants(step.path), let contest = step.contest,
            contest.ours == nil || contest.theirs == nil
        else { return LinkAnswer(await options.ask?(step) ?? .leave) }
        // What somebody edited after it was deleted here has been seen by nobody here.
        guard let here = contest.ours else { return LinkAnswer(.theirs) }
        do {
            return try await askAboutDeletion(of: here, contest, step, resolver)
        } catch let failure as Failure {
            return LinkAnswer(undecided(here, contest), [failure.description])
        } catch {
            return LinkAnswer(undecided(here, contest), [Failure.unforeseen(error).description])
        }
    }

    private func askAboutDeletion(
        of here: Entry, _ contest: Contest, _ step: Step, _ resolver: any DivergenceResolver
    ) async throws -> LinkAnswer {
        guard here.kind == .file else { return LinkAnswer(undecided(here, contest)) }
        let divergence = Divergence(
            path: step.path, base: try await bytes(of: contest.base),
            here: try root.readWhole(contest.oursPath, limit: LinkRunner.memoryLimit).bytes,
            there: nil, identity: identity(contest.base, here, nil))
        switch resolver.resolve(divergence) {
        case .here, .merged: return LinkAnswer(.ours)
        case .there: return LinkAnswer(.theirs)
        case .declined(let reason): return LinkAnswer(undecided(here, contest), [reason])
        case .postponed: return LinkAnswer(nil)
        }
    }

    /// Where nobody has an answer an edit stays, and what nobody edited goes.
    private func undecided(_ here: Entry, _ contest: Contest) -> Answer {
        contest.base.map { here.hasSameContent(as: $0) } ?? false ? .theirs : .ours
    }

    private func bytes(of entry: Entry?) async throws -> [UInt8]? {
        guard let entry, entry.kind == .file, entry.size <= Int64(LinkRunner.memoryLimit) else {
            return nil
        }
        var bytes: [UInt8] = []
        try await contents.stream(entry.content, size: entry.size) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private func identity(_ entries: Entry?...) -> [ContentID] {
        entries.map { $0?.content ?? .none }
    }
}
