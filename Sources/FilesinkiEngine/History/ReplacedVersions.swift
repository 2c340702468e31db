import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// What a restore replaces that was in no commit before it, or in none that this replica had received: the run before the restore
/// has found it.
struct ReplacedVersions {
    private struct Found {
        let path: RelativePath
        let origin: Origin
        /// Its version; 0 for none yet.
        let version: UInt64
    }

    private enum Origin { case edited, merged, received }

    /// So many paths get a notice of their own.
    private static let named = 20

    private let found: [Found]
    private let isPlan: Bool

    /// - Parameters:
    ///   - before: The run, which has just ended.
    ///   - manifest: As that run has left it.
    init(_ before: SyncReport, _ manifest: ManifestDatabase) throws {
        isPlan = before.isDryRun
        var found: [RelativePath: Found] = [:]
        for step in before.steps {
            guard let origin = Self.origin(of: step) else { continue }
            let version =
                origin == .received
                ? step.theirs?.version : before.isDryRun ? 0 : try manifest.base(step.path)?.version
            found[step.path] = Found(path: step.path, origin: origin, version: version ?? 0)
        }
        self.found = found.values.sorted { $0.path < $1.path }
    }

    /// Where the content comes from that a step leaves at its path; nil where it leaves the one of the base, or none.
    private static func origin(of step: Step) -> Origin? {
        // Only a dry run leaves it so.
        if case .undecided = step.action { return .edited }
        guard let entry = step.action.entry, entry.kind == .file || entry.kind == .symlink,
            step.base?.entry.hasSameContent(as: entry) != true
        else { return nil }
        switch step.action {
        case .take: return .received
        case .both:
            let isMerge =
                step.ours?.hasSameContent(as: entry) == false
                && step.theirs?.entry.hasSameContent(as: entry) == false
            return isMerge ? .merged : .edited
        case .publish, .agree, .undecided, .leave, .skip: return .edited
        }
    }

    /// What to say of those of them that were replaced.
    ///
    /// - Parameters:
    ///   - restored: The paths that were written.
    ///   - device: The device that made a commit; nil if that is not known.
    func notices(
        of restored: [RelativePath], by device: (UInt64) async -> Device?
    ) async -> [Problem] {
        let written = Set(restored)
        let replaced = found.filter { written.contains($0.path) }
        var notices: [Problem] = []
        for one in replaced.prefix(Self.named) {
            notices.append(Problem(one.path, await notice(of: one, by: device)))
        }
        let more = replaced.dropFirst(Self.named)
        if let next = more.first {
            notices.append(Problem(next.path, .replacedToo(next.path, more.count, isPlan: isPlan)))
        }
        return notices
    }

    private func notice(of one: Found, by device: (UInt64) async -> Device?) async -> Failure {
        switch one.origin {
        case .edited:
            return .replaced(
                one.path, one.version, isPlan ? "not synced" : "not synced before", isPlan: isPlan)
        case .merged:
            return .replaced(
                one.path, one.version, "merged with another device's version", isPlan: isPlan)
        case .received:
            let name = await device(one.version).map { printable($0.name.utf8) + "'s version" }
            return .replaced(
                one.path, one.version, byOther: name ?? "Version", isPlan: isPlan)
        }
    }
}

extension Restores {
    /// Refuses what the run before could not publish, such as a side of a conflict that stays open: no history has it.
    ///
    /// - Throws: Code `usage`.
    func requirePublished(at path: RelativePath, orEqualTo entry: Entry) throws {
        guard let present = try manifest.local(path)?.entry,
            present.kind == .file || present.kind == .symlink, !present.hasSameContent(as: entry)
        else { return }
        throw Failure.wouldReplaceUnpublished(path)
    }

    /// Says what was replaced that was not in the history, or not received here.
    func noteReplaced(
        _ replaced: ReplacedVersions, _ report: inout RestoreReport
    ) async {
        report.notices += await replaced.notices(of: report.restored) { version in
            try? await connected().log.read(version)?.device
        }
    }
}

extension Failure {
    static func wouldReplaceUnpublished(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "It was edited here, and that is not in the history yet: it would be replaced.",
            remedy: "Run filesinki sync first, or resolve its conflict: see filesinki conflicts.")
    }

    /// - Parameter state: What is to be known of what was in place.
    fileprivate static func replaced(
        _ path: RelativePath, _ version: UInt64, _ state: String, isPlan: Bool
    ) -> Failure {
        isPlan
            ? Failure(
                .exists, path: path.bytes,
                "What is in place, \(state), would become a version, and then be replaced.",
                remedy: "filesinki log \(ShellWord.path(path.bytes)) would list it.")
            : Failure(
                .exists, path: path.bytes,
                "What was in place, \(state), is version \(version) now.",
                remedy: bringBack(path, version))
    }

    fileprivate static func replaced(
        _ path: RelativePath, _ version: UInt64, byOther name: String, isPlan: Bool
    ) -> Failure {
        isPlan
            ? Failure(
                .exists, path: path.bytes,
                "\(name) \(version), not received here yet, would be replaced.",
                remedy: "To see it, run filesinki show \(word(path, version)).")
            : Failure(
                .exists, path: path.bytes,
                "\(name) \(version), not received here before, was replaced.",
                remedy: bringBack(path, version))
    }

    /// - Parameter count: How many paths are not named, with the given one.
    fileprivate static func replacedToo(
        _ path: RelativePath, _ count: Int, isPlan: Bool
    ) -> Failure {
        let more = count == 1 ? "" : " and \(CountText.text(count - 1)) more"
        return Failure(
            .exists, path: path.bytes,
            "What was not synced at this path\(more) \(isPlan ? "would be" : "was") replaced, too.",
            remedy: "filesinki log \(ShellWord.path(path.bytes)) lists the versions.")
    }

    private static func bringBack(_ path: RelativePath, _ version: UInt64) -> String {
        "To bring it back, run filesinki restore \(word(path, version))."
    }

    private static func word(_ path: RelativePath, _ version: UInt64) -> String {
        ShellWord.path(path.bytes + Array("@\(version)".utf8))
    }
}
