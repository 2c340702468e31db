import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// Notes what is now agreed on, and how far the log has been seen, in one transaction.
    func record(
        _ run: SyncRun, _ view: RemoteView, _ steps: [Step], _ applied: ApplyResult,
        _ publication: Publication
    ) throws {
        let settled = Set(steps.map(\.path))
        try manifest.write { writer in
            for row in run.observation.refreshed { try writer.putBase(row) }
            try recordIgnored(run, writer)
            for step in steps {
                try record(step, run, applied, publication, writer)
            }
            try recordHistory(run, steps, applied, publication, writer)
            try recordUnselected(run, view, settled, writer)
            for (pack, sequence) in view.packs { try writer.addPack(pack.manifestRow(sequence)) }
            for (content, sequence) in view.inline { try writer.addInline(content, sequence: sequence) }
            try recordPublication(publication, view, writer)
        }
    }

    private func recordPublication(
        _ publication: Publication, _ view: RemoteView, _ writer: ManifestWriter
    ) throws {
        guard case .published(let commits, _) = publication, let last = commits.last else {
            return try writer.setToken(view.token)
        }
        for commit in commits {
            for pack in commit.packs { try writer.addPack(pack.manifestRow(commit.sequence)) }
            for content in commit.inline { try writer.addInline(content.id, sequence: commit.sequence) }
        }
        try writer.setToken(last.token)
    }

    /// Paths that a rule leaves out now: both sides go separate ways, and meet as for the first time
    /// when the rule is gone. So neither the rule nor its end can be read as a deletion.
    private func recordIgnored(_ run: SyncRun, _ writer: ManifestWriter) throws {
        for path in run.observation.ignored {
            for row in [run.base.row(path)].compactMap({ $0 }) + run.base.rows(below: path) {
                try writer.removeBase(row.path)
                try writer.putRemote(
                    RemoteRow(
                        path: row.path, entry: VersionedEntry(row.entry, version: row.version),
                        movedFrom: nil))
            }
        }
    }

    /// Paths that this run does not look after: what was seen of them waits for another.
    private func recordUnselected(
        _ run: SyncRun, _ view: RemoteView, _ settled: Set<RelativePath>, _ writer: ManifestWriter
    ) throws {
        guard !run.selection.isEverything else { return }
        for (path, change) in view.changes where !settled.contains(path) {
            try writer.putRemote(
                RemoteRow(path: path, entry: change.entry, movedFrom: change.movedFrom))
            // Without a base only these can tell a stale copy from a new file later.
            if !view.hasBase, change.entry.entry.kind == .tombstone {
                try writer.putTombstone(
                    TombstoneRow(
                        path: path, version: change.entry.version,
                        contents: Array(change.formerContents)))
            }
        }
    }

    private func record(
        _ step: Step, _ run: SyncRun, _ applied: ApplyResult, _ publication: Publication,
        _ writer: ManifestWriter
    ) throws {
        guard let agreed = agreement(step, applied, publication) else {
            return try recordOpen(step, run, writer)
        }
        try writer.removeLocal(step.path)
        try writer.removeRemote(step.path)
        if agreed.entry.kind == .tombstone {
            try writer.removeBase(step.path)
            try writer.putTombstone(
                TombstoneRow(
                    path: step.path, version: agreed.version, contents: formerContents(step)))
        } else {
            try writer.removeTombstone(step.path)
            let stamp = applied.done[step.path] ?? knownStamp(step, run)
            try writer.putBase(
                BaseRow(
                    path: step.path, entry: agreed.entry, version: agreed.version, stamp: stamp))
        }
    }

    /// What both sides have at the step's path from now on; nil when that is still open.
    private func agreement(
        _ step: Step, _ applied: ApplyResult, _ publication: Publication
    ) -> VersionedEntry? {
        switch step.action {
        case .agree:
            return step.there ?? VersionedEntry(.tombstone, version: step.base?.version ?? 0)
        case .take(let entry):
            guard applied.done[step.path] != nil else { return nil }
            return VersionedEntry(entry, version: step.there?.version ?? 0)
        case .publish(let entry), .both(let entry):
            guard applied.allows(step), case .published(_, let versions) = publication,
                let version = versions[step.path]
            else { return nil }
            return VersionedEntry(entry, version: version)
        case .undecided, .leave, .skip:
            return nil
        }
    }

    private func knownStamp(_ step: Step, _ run: SyncRun) -> FileStamp? {
        if run.observation.unsettled.contains(step.path) { return nil }
        return run.observation.stamps[step.path] ?? run.base.row(step.path)?.stamp
    }

    private func formerContents(_ step: Step) -> [ContentID] {
        [step.base?.entry, step.here].compactMap { $0 }.filter { $0.kind == .file }.map(\.content)
    }

    /// A path on which both sides still differ: each side's state is kept as it was seen.
    private func recordOpen(
        _ step: Step, _ run: SyncRun, _ writer: ManifestWriter
    ) throws {
        if let there = step.there, step.base != there {
            try writer.putRemote(
                RemoteRow(path: step.path, entry: there, movedFrom: nil))
        }
        if let change = run.observation.changes[step.path] {
            try writer.putLocal(
                LocalRow(
                    path: step.path, entry: change.entry,
                    stamp: run.observation.stamps[step.path], movedFrom: change.movedFrom))
        }
    }
}

extension ManifestWriter {
    /// Notes local changes that wait for the remote.
    func recordWaiting(_ observation: Observation) throws {
        for row in observation.refreshed { try putBase(row) }
        for (path, change) in observation.changes {
            try putLocal(
                LocalRow(
                    path: path, entry: change.entry, stamp: observation.stamps[path],
                    movedFrom: change.movedFrom))
        }
    }
}
