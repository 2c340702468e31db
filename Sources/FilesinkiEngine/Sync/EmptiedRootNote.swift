import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// Remembers that the root was found empty until its paths are back, or are deleted on purpose: see ``EmptiedRoot``.
extension SyncEngine {
    /// Notes that a run has found nothing of the base in the root.
    ///
    /// - Parameter paths: How many paths are missing.
    func noteEmptiedRoot(paths: Int) throws {
        let found = EmptiedRoot(sequence: try manifest.token?.sequence ?? 0, paths: paths)
        guard try manifest.emptiedRoot != found else { return }
        try manifest.write { try $0.setValue(ManifestDatabase.emptiedRootName, found.bytes) }
    }

    /// Notes an emptied root before a command that brings back a part of it: afterwards it is not empty any more.
    ///
    /// Costs one look-up where the first path of the base is there.
    func noteEmptiedRoot() throws {
        let paths = try manifest.baseCount()
        guard paths >= Guard().minimumEmptied, try !isAnyPresent() else { return }
        try noteEmptiedRoot(paths: paths)
    }

    /// Forgets that the root was empty once no path is missing since then: it is back, or no path of the base any more.
    ///
    /// While something is missing, costs a look-up for each path that is before it in the base.
    func forgetEmptiedRoot() throws {
        guard let emptied = try manifest.emptiedRoot else { return }
        let pages = manifest.basePages()
        while case let page = try pages.next(), !page.isEmpty {
            for row in page where emptied.covers(row.version) {
                // What cannot be looked up may be missing.
                guard (try? root.holds(row.path)) == true else { return }
            }
        }
        try manifest.write { try $0.setValue(ManifestDatabase.emptiedRootName, nil) }
    }

    private func isAnyPresent() throws -> Bool {
        let pages = manifest.basePages(of: 64)
        while case let page = try pages.next(), !page.isEmpty {
            for row in page where (try? root.holds(row.path)) != false { return true }
        }
        return false
    }
}

extension ManifestDatabase {
    static let emptiedRootName = "emptied-root"

    /// When the root was found empty; nil if nothing is missing since then.
    var emptiedRoot: EmptiedRoot? {
        get throws { try value(Self.emptiedRootName).flatMap(EmptiedRoot.init) }
    }
}
