import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// Two devices resolve one conflict, each without knowing of the other: who was first is reported, with what was chosen.
///
/// A resolve deletes the conflict copy. Where that is gone once the store is read, another device has resolved the conflict.
extension Conflicts {
    /// Verifies that no other device has resolved conflicts that are about to be.
    ///
    /// - Parameters:
    ///   - rows: The conflicts, as they were before the store was read.
    ///   - resolution: What was chosen of them.
    /// - Throws: Code `changing` if one has, and has chosen another content. The conflict can be opened again then.
    func requireOpen(_ rows: [ConflictRow], _ resolution: Resolution.Outcome) async throws {
        guard let path = rows.last?.path, case .merged(let chosen) = resolution else { return }
        let ended = try rows.filter { try isCopyGone($0) }
        let present = try manifest.base(path)?.entry
        guard !ended.isEmpty, present?.hasSameContent(as: chosen) != true else { return }
        // An undo needs the rows.
        try manifest.write { writer in
            for row in ended where row.id == 0 { try writer.addConflict(row) }
        }
        let copies = ended.compactMap(\.copyPath)
        let name = try await resolver(of: copies).map { printable($0.name.utf8) }
        let deed = "\(name ?? "Another device") has resolved it meanwhile"
        if let edited = await editedSince(path, .changing, deed) { throw edited }
        throw Failure(
            .changing, path: path.bytes, "\(deed): \(try inPlace(path)).",
            remedy: "To choose otherwise, open it again first: filesinki resolve --undo "
                + "\(ShellWord.path(path.bytes)).")
    }

    /// That no conflict is open, and who has resolved one.
    ///
    /// - Parameter name: A path, or a conflict copy.
    func noneOpen(_ name: RelativePath) async throws -> Failure {
        if let ended = try await endedInPlace(name) { return ended }
        let rows = try manifest.conflicts().filter { $0.path == name || $0.copyPath == name }
        let path = rows.last?.path ?? conflictOriginal(of: name)?.path ?? name
        // One that an undo would open again: what was written in place later is not replaced.
        let received = try receivedEnd(of: path)
        let present = try manifest.base(path)?.version
        let isLast = present.map { $0 <= received?.version ?? 0 } ?? false
        let copies =
            [rows.last?.copyPath, conflictOriginal(of: name) == nil ? nil : name].compactMap { $0 }
            + (isLast ? received?.copies ?? [] : [])
        // Of two resolves without each other, the second one is in place.
        let second = try await laterResolver(of: path)
        let first = second == nil ? try await resolver(of: copies) : nil
        guard let device = second ?? first else {
            if let ended = try await endedHere(name) { return ended }
            return Failure(
                .notFound, path: name.bytes, "No open conflict was found.",
                remedy: "See the open ones with filesinki conflicts.")
        }
        let deed =
            device.id == config.device.id
            ? "It was resolved here" : "\(printable(device.name.utf8)) has resolved it"
        if let edited = await editedSince(path, .notFound, deed) { return edited }
        return Failure(
            .notFound, path: path.bytes, "\(deed): \(try inPlace(path)).",
            remedy: rows.isEmpty && !isLast && second == nil
                ? "filesinki log \(ShellWord.path(path.bytes)) lists its versions."
                : "To choose otherwise, open it again first: filesinki resolve --undo "
                    + "\(ShellWord.path(path.bytes)).")
    }

    /// That a conflict was resolved, and what is in place is a later edit, with what brings the conflict copy back beside
    /// it; nil if that is not known. An undo would be refused.
    func editedSince(
        _ path: RelativePath, _ code: Failure.Code, _ deed: String
    ) async -> Failure? {
        guard let edit = try? await laterEdit(of: path) else { return nil }
        return Failure(
            code, path: path.bytes, "\(deed), and it was edited since.", remedy: edit.remedy)
    }

    /// What is in place, as of the last sync, in words.
    func inPlace(_ path: RelativePath) throws -> String {
        try manifest.base(path).map { "version \($0.version) is in place" } ?? "it is deleted"
    }

    /// The device whose resolve has put in place what is there, after the conflict copies had been deleted: two devices
    /// have resolved the conflict, each without the other. Nil if none has, or if it is not known.
    ///
    /// Costs a request if something was written in place after the deletion.
    private func laterResolver(of path: RelativePath) async throws -> Device? {
        guard let version = try manifest.base(path)?.version,
            let deleted = try deletedCopies(of: path).map(\.version).max(), version > deleted,
            let commit = try? await connected().log.read(version)
        else { return nil }
        let isChoice = commit.changes.contains {
            $0.path == path && $0.reason == Change.resolved
        }
        return isChoice ? commit.device : nil
    }

    /// The other device that deleted one of the conflict copies; nil if this one did, or if it is not known. Costs one request.
    private func resolver(of copies: [RelativePath]) async throws -> Device? {
        let versions = try copies.compactMap { try manifest.tombstone($0)?.version }
        guard let version = versions.max() else { return nil }
        let device = try? await connected().log.read(version)?.device
        return device?.id == config.device.id ? nil : device
    }
}

/// A sync after two devices have resolved a conflict, each without the other.
extension SyncEngine {
    /// The paths of which the last resolve here is not published yet.
    func unpublishedResolves(_ plan: [Step]) throws -> Set<RelativePath> {
        let originals = plan.compactMap { step in
            step.base != nil && step.ours == nil ? conflictOriginal(of: step.path)?.path : nil
        }
        guard !originals.isEmpty else { return [] }
        let resolves = try manifest.lastResolves()
        return Set(originals.filter { resolves[$0] != nil })
    }

    /// Says of conflicts that were resolved here and elsewhere whose choice is in place. Costs no request.
    ///
    /// - Parameters:
    ///   - plan: All steps of the round.
    ///   - done: Those that were carried out.
    func reportDisputes(_ run: inout SyncRun, _ plan: [Step], _ done: [Step]) throws {
        let resolves = try manifest.lastResolves()
        guard !resolves.isEmpty else { return }
        let changes = run.remote.changes
        let renamed = Set(changes.compactMap { name, change in change.renames(to: name) })
        var deleters: [RelativePath: RemoteChange] = [:]
        var reopened: Set<RelativePath> = []
        for step in plan {
            guard let path = conflictOriginal(of: step.path)?.path else { continue }
            if step.base != nil, step.ours == nil, step.theirs?.entry.kind == .tombstone,
                !renamed.contains(step.path)
            {
                deleters[path] = changes[step.path]
            } else if step.action.writesOurs, step.action.entry?.kind != .tombstone {
                reopened.insert(path)
            }
        }
        let waiting = try unpublishedResolves(plan)
        for step in done {
            guard let resolve = resolves[step.path], !reopened.contains(step.path) else { continue }
            if waiting.contains(step.path), let notice = goneMeanwhile(step, changes) {
                run.report.notices.append(Problem(step.path, notice))
                continue
            }
            // Where others stayed open, or the path was edited since, another conflict may have been resolved there.
            let isInPlace = resolve.chosen != nil && step.base?.entry.identity == resolve.chosen
            let later = resolve.others.isEmpty && isInPlace ? changes[step.path] : nil
            guard let other = deleters[step.path] ?? (later?.isResolve == true ? later : nil),
                other.device?.id != config.device.id,
                let notice = Failure.disputed(step, by: other.device)
            else { continue }
            run.report.notices.append(Problem(step.path, notice))
        }
    }

    /// That another device had deleted or renamed the file in place of a conflict which was resolved here meanwhile; nil if it had
    /// not, or if the choice has the new name.
    private func goneMeanwhile(_ step: Step, _ changes: [RelativePath: RemoteChange]) -> Failure? {
        guard let change = changes[step.path], change.entry.entry.kind == .tombstone,
            change.device?.id != config.device.id
        else { return nil }
        let newName = changes.first { $0.value.movedFrom == step.path }?.key
        return .gone(step, by: change, newName: newName)
    }
}

extension RemoteChange {
    /// The file that has another name now; nil also for a conflict copy that was put in place of its file, which resolves it.
    fileprivate func renames(to name: RelativePath) -> RelativePath? {
        movedFrom.flatMap { conflictOriginal(of: $0)?.path == name ? nil : $0 }
    }
}

extension Failure {
    /// - Returns: Nil if the step changes nothing that was chosen.
    fileprivate static func gone(
        _ step: Step, by change: RemoteChange, newName: RelativePath?
    ) -> Failure? {
        guard let entry = step.action.entry else { return nil }
        let name = change.device.map { printable($0.name.utf8) } ?? "Another device"
        let path = ShellWord.path(step.path.bytes)
        let deed = newName.map { "renamed it to \"\(printable($0.bytes))\"" } ?? "deleted it"
        let start = "\(name) had \(deed) meanwhile, with version \(change.entry.version)"
        switch (entry.kind == .tombstone, newName) {
        case (true, nil):
            return Failure(
                .declined, "\(start): the version that you chose is deleted, too.",
                remedy: "To bring it back, run filesinki undelete \(path).")
        case (true, _): return nil
        case (false, nil):
            return Failure(
                .declined, "\(start); your choice is in place now.",
                remedy: "To delete it all the same, run filesinki rm \(path).")
        case (false, let newName?):
            return Failure(
                .declined, "\(start); your choice is in place, and both files stay.",
                remedy: "To delete one, run filesinki rm \(path) or filesinki rm "
                    + "\(ShellWord.path(newName.bytes)).")
        }
    }

    /// - Returns: Nil if the step changes nothing that was chosen.
    fileprivate static func disputed(_ step: Step, by device: Device?) -> Failure? {
        let name = device.map { printable($0.name.utf8) } ?? "Another device"
        let path = ShellWord.path(step.path.bytes)
        switch step.action {
        case .publish, .both:
            guard let version = step.theirs?.version ?? step.base?.version else { return nil }
            return Failure(
                .declined,
                "\(name) had resolved this conflict otherwise, with version \(version); your choice is in place now.",
                remedy: "To take the other one, run filesinki restore \(path)@\(version).")
        case .take:
            guard let version = step.theirs?.version else { return nil }
            return Failure(
                .declined,
                "\(name) resolved this conflict otherwise: version \(version) is in place now.",
                remedy: "filesinki log \(path) lists your choice, too.")
        case .agree, .undecided, .leave, .skip: return nil
        }
    }
}
