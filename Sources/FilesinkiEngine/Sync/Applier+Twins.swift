import FilesinkiFileSystem
import FilesinkiModel

extension Applier {
    /// Leaves out what is new here and whose name the root's file system takes for that of another
    /// file, before any content is fetched for it. It is a problem in each run until one of the two has
    /// another name; when the other one is to go in this run, the next round brings it.
    func holdTwins(_ work: inout ApplyWork, _ result: inout ApplyResult) {
        // In a folder that is new, nothing is there yet.
        let made = Set((work.newFolders + work.folders).lazy.map(\.path))
        let leaving = work.leaving
        var held: Set<RelativePath> = []
        for path in work.newPaths.sorted()
        where !(path.parent.map(made.contains) ?? false) && !held.contains(path)
            && !path.ancestors.contains(where: held.contains)
        {
            do throws(Failure) {
                guard let twin = try root.twin(of: path) else { continue }
                // A file makes way before another one comes.
                let isFolder = try root.status(twin)?.kind == .directory
                if leaving.contains(twin), !isFolder { continue }
                held.insert(path)
                if leaving.contains(twin) {
                    result.surprised.append(path)
                } else {
                    result.problems.append(Problem(path, .twin(path, twin)))
                }
            } catch {
                held.insert(path)
                result.problems.append(Problem(path, error))
            }
        }
        work.drop(below: held)
    }
}
