import FilesinkiManifest
import FilesinkiModel

/// What was deleted here and is not sent: the next run would delete it everywhere.
struct LocalDeletions: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Finds what `status` shows as deleted: what a run has recorded and could not send, and what is missing now. The old names
    /// of what was renamed are left out, as far as the inodes of the new files tell, but for what has replaced another file.
    ///
    /// Costs what ``LocalStateScan/find()`` costs: it reads the names and the file status of the whole root, no content, and asks no
    /// remote. Where that gives nil, as while a run is in progress, only what was recorded is known.
    ///
    /// - Returns: The paths in order.
    func find() async throws -> [DeletedPath] {
        try find(besides: await LocalStateScan(replica).find())
    }

    /// As ``find()``, in a run that has received nothing and whose base is complete.
    func find(in run: SyncRun) async throws -> [DeletedPath] {
        try find(besides: await LocalStateScan(replica).find(in: run))
    }

    private func find(besides found: LocalState?) throws -> [DeletedPath] {
        let recorded = try manifest.loadLocal()
        let left = Set(try conflicts.open().flatMap(\.leftPaths))
        var gone = Set(recorded.filter { $0.entry == nil }.map(\.path)).subtracting(left)
        var renamed = Set(recorded.compactMap(\.movedFrom))
        if let found {
            gone.subtract(found.ended)
            gone.formUnion(found.changes.filter { $0.value == .deleted }.keys)
            renamed.formUnion(found.newNames.keys)
        }
        return try others(of: gone, than: renamed).sorted().map {
            DeletedPath(path: $0, version: 0, isUnsent: true)
        }
    }

    /// The paths that were not renamed. A folder was, if each file in it was.
    func others(
        of gone: Set<RelativePath>, than renamed: Set<RelativePath>
    ) throws -> Set<RelativePath> {
        let renamed = renamed.intersection(gone)
        guard !renamed.isEmpty else { return gone }
        let kept = gone.subtracting(renamed)
        let folders = Set(
            try renamed.flatMap(\.ancestors).filter { try isFolder($0, among: kept) })
        let files = try kept.filter { try !folders.contains($0) && !isFolder($0, among: kept) }
        let needed = Set(files.flatMap(\.ancestors))
        return kept.subtracting(folders.subtracting(needed))
    }

    private func isFolder(_ path: RelativePath, among gone: Set<RelativePath>) throws -> Bool {
        try gone.contains(path) && manifest.base(path)?.entry.kind == .directory
    }
}
