import FilesinkiModel
import FilesinkiReconcile

extension ReconcileInput {
    /// What a run works from whose three trees are these, each change of theirs with a version of its own.
    ///
    /// - Parameters:
    ///   - ourMoves: What the scan here saw by inode: the new path and the old one.
    ///   - theirMoves: What the commits there say, likewise.
    init(
        base: Tree, ours: Tree, theirs: Tree, ourMoves: [String: String] = [:],
        theirMoves: [String: String] = [:], blocked: Set<String> = [],
        ignored: Set<String> = [], excluded: Set<String> = [], unheld: Set<String> = [],
        rules: any StrategyRules = UniformRules()
    ) {
        let names = Set(base.keys).union(ours.keys).union(theirs.keys)
        var locals: [RelativePath: LocalChange] = [:]
        var remotes: [RelativePath: RemoteChange] = [:]
        for name in names {
            let before = base[name]
            if !same(ours[name], before) {
                locals[path(name)] = LocalChange(ours[name], movedFrom: ourMoves[name].map(path))
            }
            if !same(theirs[name], before) {
                remotes[path(name)] = RemoteChange(
                    VersionedEntry(theirs[name] ?? .tombstone, version: 2),
                    movedFrom: theirMoves[name].map(path), device: .theirs)
            }
        }
        self.init(
            base: Dictionary(
                uniqueKeysWithValues: base.map {
                    (path($0.key), VersionedEntry($0.value, version: 1))
                }), ours: locals, theirs: remotes, blocked: Set(blocked.map(path)),
            ignored: Set(ignored.map(path)), excluded: Set(excluded.map(path)),
            unheld: Set(unheld.map(path)), rules: rules, device: .ours)
    }
}

private func same(_ one: Entry?, _ other: Entry?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.agrees(with: other)
}

extension Plan {
    /// Each step in a line: its action, path, origin and rule.
    var lines: [String] {
        steps.map { step in
            let origin = step.origin.map { " from \($0)" } ?? ""
            return "\(step.action.word) \(step.path)\(origin): \(step.reason.word)"
        }
    }

    func step(_ name: String) -> Step? { steps.first { $0.path == path(name) } }
}

extension Strategy {
    /// A chain of a test, which is written without an error.
    init(_ text: String) {
        self = (try? Strategy(parsing: text)) ?? Strategy([])
    }
}
