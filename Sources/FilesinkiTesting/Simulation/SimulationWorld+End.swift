import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile

extension SimulationWorld {
    /// Lets all replicas run, without faults and edits, until all are equal, and checks the laws
    /// that hold at the end.
    func settle(_ random: inout SeededRandom) async throws {
        let limit = 2 * replicas.count + 3
        var round = 0
        while round < limit, violations.isEmpty {
            round += 1
            for number in replicas.indices.shuffled(using: &random) {
                _ = try await perform(SimulatedRun(number))
            }
            if try differences().isEmpty { break }
        }
        guard violations.isEmpty else { return }
        let end = SimulatedRun(0)
        for difference in try differences() {
            found(end, "no convergence after \(round) rounds: \(difference)")
        }
        try await checkQuiet()
        try checkSurvivors()
    }

    /// Where the roots differ from the first one, and that from the remote tree.
    private func differences() throws -> [String] {
        let trees = try replicas.map { try $0.disk().flat }
        guard let first = trees.first else { return [] }
        var found: [String] = []
        for (number, tree) in trees.enumerated().dropFirst() {
            for path in Set(tree.keys).union(first.keys).sorted() where tree[path] != first[path] {
                found.append(
                    "\(path): 0 has \(Self.show(first[path])), \(number) has \(Self.show(tree[path]))"
                )
            }
        }
        for path in Set(first.keys).union(witness.tree.keys).sorted() {
            if Self.agrees(first[path], witness.tree[path]) { continue }
            found.append(
                "\(path): 0 has \(Self.show(first[path])), the log "
                    + (witness.tree[path].map { "\($0.kind) \($0.mode)" } ?? "nothing"))
        }
        return found
    }

    private static func agrees(_ node: TreeFixture.Node?, _ entry: Entry?) -> Bool {
        switch (node, entry) {
        case (nil, nil): true
        case (.bytes(_, let mode, _)?, let entry?):
            entry.kind == .file && entry.mode == mode
                && node.flatMap(HeldValue.init) == HeldValue(entry)
        case (.folder(_, let mode)?, let entry?): entry.kind == .directory && entry.mode == mode
        case (.link(let target)?, let entry?): entry.kind == .symlink && entry.target == target
        default: false
        }
    }

    private static func show(_ node: TreeFixture.Node?) -> String {
        switch node {
        case .bytes(let bytes, let mode, let time):
            "'\(printable(bytes.prefix(20)))' \(String(mode, radix: 8)) \(time?.nanoseconds ?? 0)"
        case .folder(_, let mode): "a folder \(String(mode, radix: 8))"
        case .link(let target): "a link to \(printable(target))"
        case .special: "something special"
        case nil: "nothing"
        }
    }

    /// One more run of each writes nothing anywhere.
    private func checkQuiet() async throws {
        let commits = witness.commits
        for number in replicas.indices {
            let before = try replicas[number].disk()
            let run = SimulatedRun(number)
            guard let report = try await perform(run) else { continue }
            if report.publishedCommits != 0 || witness.commits != commits {
                found(run, "published at rest: \(report.steps.map(\.description))")
            } else if !report.isQuiet {
                found(run, "is not at rest: \(report.steps.map(\.description))")
            }
            if try replicas[number].disk() != before { found(run, "wrote at rest") }
        }
    }

    /// What no user replaced or removed is still in the tree, when nothing but keeping both sides
    /// resolved the conflicts.
    private func checkSurvivors() throws {
        guard isLossless, let first = replicas.first else { return }
        let present = try first.disk().values
        for value in unfinished.subtracting(present) {
            found(SimulatedRun(0), "lost: nobody removed \(value), and it is in no tree")
        }
    }
}
