package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// The result of `restore`, `undelete` or an export.
package struct RestoreReport: Sendable {
    package var restored: [RelativePath] = []
    /// Those of them that are folders.
    package private(set) var folders: Set<RelativePath> = []
    /// The paths that were already as they were to be.
    package var unchanged: [RelativePath] = []
    /// What else is in the folders of a restore that has found everything in its place; nil for nothing.
    package var later: LaterPaths?
    package var sync: SyncReport?
    package var problems: [Problem] = []
    /// What is worth a word about paths that are in place.
    package var notices: [Problem] = []
    /// What would end the command before it sends anything, of a plan: the store was moved. A notice says so, too.
    package var refusal: Failure?
    /// The entry at the given path after the restore.
    package var entry: Entry?
    /// The commit that the path is at; 0 while the change waits for the remote.
    package var version: UInt64 = 0
    /// The same of each of several given paths that is in place.
    package var states: [RelativePath: VersionedEntry] = [:]
    /// What was restored of several paths, by the version of the path that was named.
    var versions: [UInt64: [RelativePath]] = [:]

    package init() {}

    /// What was restored, without what is in a restored folder.
    var restoredTops: [RelativePath] {
        restored.filter(Set(restored).outermost.contains)
    }

    /// What was done here, where nothing can be published any more: some paths may not have been restored.
    var doneHere: String {
        problems.isEmpty
            ? "Restored here" : "Restored here but for \(CountText.text(problems.count, "path"))"
    }

    /// Sets what is at the given path after the restore.
    mutating func setState(_ now: (entry: Entry?, version: UInt64)) {
        (entry, version) = now
    }

    mutating func add(restored path: RelativePath, _ entry: Entry) {
        restored.append(path)
        if entry.kind == .directory { folders.insert(path) }
    }

    /// Adds what another device has brought back at a path and below it, which a run has received, or would receive.
    ///
    /// - Returns: Whether the path itself is among it.
    @discardableResult
    mutating func add(received path: RelativePath, _ run: SyncReport) -> Bool {
        let received = run.steps.filter { step in
            step.action.writesOurs && step.action.entry?.kind != .tombstone
                && (step.path == path || step.path.isInside(path))
        }
        for step in received {
            if let entry = step.action.entry { add(restored: step.path, entry) }
        }
        return received.contains { $0.path == path }
    }

    /// Takes out the problems of paths that a user has named, which are failures of the command.
    package mutating func takeFailures(of paths: [RelativePath]) -> [Failure] {
        let named = Set(paths)
        let failures = problems.filter { named.contains($0.path) }.map(\.failure)
        problems.removeAll { named.contains($0.path) }
        return failures
    }

    /// The elements for which a check throws nothing; of the others the problems are reported.
    mutating func keep<Element>(
        _ elements: [Element], path: (Element) -> RelativePath,
        _ check: (Element) async throws -> Void
    ) async throws -> [Element] {
        var kept: [Element] = []
        for element in elements {
            do {
                try await check(element)
                kept.append(element)
            } catch let failure as Failure where failure.code != .interrupted {
                problems.append(Problem(path(element), failure))
            }
        }
        return kept
    }
}
