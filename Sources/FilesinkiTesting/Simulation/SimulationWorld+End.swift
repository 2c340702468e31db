import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile

extension SimulationWorld {
    /// Syncs all replicas, without faults and edits, until all are equal, and checks the laws that hold at
    /// the end.
    func syncUntilEqual(_ random: inout SeededRandom) async throws {
        await late.flush()
        let limit = 2 * replicas.count + 3
        var round = 0
        while round < limit, violations.isEmpty {
            round += 1
            var isQuiet = true
            for number in replicas.indices.shuffled(using: &random) {
                let report = try await perform(SimulatedRun(number))
                isQuiet = isQuiet && report?.isQuiet == true
            }
            // Where paths are left out, the times of folders are not compared.
            if try differences().isEmpty, try isQuiet || isComplete() { break }
        }
        guard violations.isEmpty else { return }
        let end = SimulatedRun(0)
        for difference in try differences() {
            addViolation(end, "no convergence after \(round) rounds: \(difference)")
        }
        try await checkQuiet()
        try checkSurvivors()
    }

    /// The differences of the roots from the remote tree, without what each replica leaves out.
    private func differences() throws -> [String] {
        var found: [String] = []
        for replica in replicas {
            let (tree, omission) = (try replica.disk().flat, try replica.omission())
            let omitted = tree.keys.filter(omission.leavesOut)
            let unsent = unsent[replica.number] ?? []
            for path in Set(tree.keys).union(witness.tree.keys).sorted()
            where !omission.leavesOut(path) && !Self.agrees(tree[path], witness.tree[path]) {
                // A folder stays if it holds files that are left out.
                if omitted.contains(where: { $0.hasPrefix(path + "/") }) { continue }
                if unsent.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) { continue }
                // It stays at the store with what is not sent.
                if tree[path] == nil, unsent.contains(where: { $0.hasPrefix(path + "/") }) {
                    continue
                }
                found.append(
                    "\(path): \(replica.number) has \(Self.show(tree[path])), the log "
                        + (witness.tree[path].map { "\($0.kind) \($0.mode)" } ?? "nothing"))
            }
        }
        return try isComplete() ? found + differencesOfTimes() : found
    }

    /// Whether no replica leaves anything out.
    private func isComplete() throws -> Bool {
        try replicas.allSatisfy { try $0.omission().isNothing }
    }

    /// The differences of complete roots from the first one, also in times.
    private func differencesOfTimes() throws -> [String] {
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
        case .special: "a special file"
        case nil: "nothing"
        }
    }

    /// Another run of each replica changes nothing.
    private func checkQuiet() async throws {
        let commits = witness.commits
        for number in replicas.indices {
            let before = try replicas[number].disk()
            let run = SimulatedRun(number)
            guard let report = try await perform(run) else { continue }
            if report.publishedCommits != 0 || witness.commits != commits {
                addViolation(run, "published at rest: \(report.steps.map(\.description))")
            } else if !report.isQuiet {
                addViolation(run, "is not at rest: \(report.steps.map(\.description))")
            }
            if try replicas[number].disk() != before { addViolation(run, "wrote at rest") }
        }
    }

    /// If all conflicts were resolved by keeping both sides, every value that no user replaced or removed is
    /// still in the tree, or on the disk of a replica that leaves it out.
    private func checkSurvivors() throws {
        guard isLossless else { return }
        var present = Set(witness.tree.values.compactMap(HeldValue.init))
        for replica in replicas {
            let (disk, omission) = (try replica.disk(), try replica.omission())
            present.formUnion(omission.isNothing ? [] : disk.values)
        }
        checkTexts(present)
        let units = texts.units(present)
        for value in unfinished.subtracting(present)
        where !texts.isContained(value, in: units) {
            addViolation(SimulatedRun(0), "lost: no user removed \(value), and it is in no tree")
        }
    }
}
