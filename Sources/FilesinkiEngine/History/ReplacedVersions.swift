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
    ///   - device: The device that made a commit; nil if that is not known. It is asked once for each commit.
    func notices(
        of restored: [RelativePath], by device: (UInt64) async -> Device?
    ) async -> [Problem] {
        let written = Set(restored)
        let replaced = found.filter { written.contains($0.path) }
        var devices: [UInt64: Device?] = [:]
        var notices: [Problem] = []
        for one in replaced.prefix(Self.named) {
            if one.origin == .received, devices[one.version] == nil {
                devices[one.version] = .some(await device(one.version))
            }
            notices.append(Problem(one.path, notice(of: one, by: devices[one.version] ?? nil)))
        }
        let more = replaced.dropFirst(Self.named)
        if let next = more.first {
            notices.append(Problem(next.path, .replacedToo(next.path, more.count, isPlan: isPlan)))
        }
        return notices
    }

    private func notice(of one: Found, by device: Device?) -> Failure {
        let word = ShellWord.path(one.path.bytes + Array("@\(one.version)".utf8))
        let back = "To bring it back, run filesinki restore \(word)."
        let state: String
        switch one.origin {
        case .edited: state = isPlan ? "not synced" : "not synced before"
        case .merged: state = "merged with another device's version"
        case .received:
            let name = device.map { printable($0.name.utf8) + "'s version" } ?? "Version"
            let version = "\(name) \(one.version), not received here"
            return isPlan
                ? .replaced(
                    one.path, "\(version) yet, would be replaced.",
                    "To see it, run filesinki show \(word).")
                : .replaced(one.path, "\(version) before, was replaced.", back)
        }
        return isPlan
            ? .replaced(
                one.path,
                "What is in place, \(state), would become a version, and then be replaced.",
                "filesinki log \(ShellWord.path(one.path.bytes)) would list it.")
            : .replaced(
                one.path, "What was in place, \(state), is version \(one.version) now.", back)
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

    fileprivate static func replaced(
        _ path: RelativePath, _ message: String, _ remedy: String
    ) -> Failure {
        Failure(.exists, path: path.bytes, message, remedy: remedy)
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
}
