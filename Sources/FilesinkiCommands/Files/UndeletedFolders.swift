import FilesinkiEngine
import FilesinkiModel

extension Session {
    /// The failure of `undelete` of a folder that is there. Where nothing in it was deleted, there is nothing to bring back, and
    /// nothing is proposed.
    func refined(_ failure: Failure) async -> Failure {
        guard failure.code == .exists, let path = try? RelativePath(failure.path),
            RootReader(root: root.path).isFolder(path),
            let deleted = try? await replica.deleted([path]),
            !deleted.contains(where: { $0.path.isInside(path) })
        else { return failure }
        var refined = failure
        refined.remedy = "Nothing in it was deleted: see filesinki ls --deleted."
        return refined
    }
}
