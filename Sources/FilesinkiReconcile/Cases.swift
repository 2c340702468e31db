import FilesinkiModel

extension ReconcileInput {
    /// Everything that has to be decided, each thing under the name it will have. Paths that are
    /// left by a rename, and blocked ones, are set in the planner at once.
    func cases(following renames: Renames, into planner: inout Planner) -> [Case] {
        var cases: [Case] = []
        cases.reserveCapacity(max(here.count, there.count))
        var sources: [RelativePath: RelativePath] = [:]
        var finals: Set<RelativePath> = []
        var usedHere: Set<RelativePath> = []
        var usedThere: Set<RelativePath> = []
        for link in renames.links {
            if link.basePath != link.path { sources[link.basePath] = link.path }
            finals.insert(link.path)
            usedHere.insert(link.herePath)
            usedThere.insert(link.therePath)
            cases.append(
                Case(
                    link: link, base: base.entry(link.basePath), here: local(link.herePath),
                    there: remote(link.therePath)))
        }
        for path in changedPaths where !finals.contains(path) {
            if isBlocked(path) {
                planner.set(.init(path: path, outcome: .skip, reason: .blocked))
                continue
            }
            let item = Case(
                at: path, base: sources[path] == nil ? base.entry(path) : nil,
                here: usedHere.contains(path) ? nil : local(path),
                there: usedThere.contains(path) ? nil : remote(path))
            if item.here == nil, item.there == nil, let target = sources[path] {
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
        var paths = Array(here.keys)
        paths.reserveCapacity(max(here.count, there.count))
        for path in there.keys where here[path] == nil { paths.append(path) }
        return paths
    }
}
