import FilesinkiModel

extension ReconcileInput {
    /// Everything that has to be decided, each thing under the name it will have. Paths that are
    /// left by a rename, and blocked ones, are set in the planner at once.
    func cases(following renames: Renames, into planner: inout Planner) -> [Case] {
        var cases: [Case] = []
        cases.reserveCapacity(max(ours.count, theirs.count))
        var sources: [RelativePath: RelativePath] = [:]
        var finals: Set<RelativePath> = []
        var usedOurs: Set<RelativePath> = []
        var usedTheirs: Set<RelativePath> = []
        for link in renames.links {
            if link.basePath != link.path { sources[link.basePath] = link.path }
            finals.insert(link.path)
            usedOurs.insert(link.oursPath)
            usedTheirs.insert(link.theirsPath)
            cases.append(
                Case(
                    link: link, base: base.entry(link.basePath), ours: local(link.oursPath),
                    theirs: remote(link.theirsPath)))
        }
        for path in changedPaths where !finals.contains(path) {
            if isBlocked(path) {
                planner.set(.init(path: path, outcome: .skip, reason: .blocked))
                continue
            }
            let item = Case(
                at: path, base: sources[path] == nil ? base.entry(path) : nil,
                ours: usedOurs.contains(path) ? nil : local(path),
                theirs: usedTheirs.contains(path) ? nil : remote(path))
            if item.ours == nil, item.theirs == nil, let target = sources[path] {
                planner.set(
                    .init(path: path, outcome: .entry(.tombstone), reason: .moved(to: target)))
            } else {
                cases.append(item)
            }
        }
        return cases
    }

    /// Every path that differs from the base on some side, once.
    private var changedPaths: [RelativePath] {
        var paths = Array(ours.keys)
        paths.reserveCapacity(max(ours.count, theirs.count))
        for path in theirs.keys where ours[path] == nil { paths.append(path) }
        return paths
    }
}
