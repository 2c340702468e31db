import FilesinkiModel
import FilesinkiReconcile
import Testing

/// One row of the table: three trees, and what both sides have after one run.
struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var base: Tree
    var ours: Tree
    var theirs: Tree
    /// What both sides have afterwards.
    var result: Tree
    /// What they have when here and there change places, if it is something else.
    var mirrored: Tree?
    /// Why, by path, in either direction.
    var reasons: [String: Reason] = [:]
    /// Renames that the scan here saw by inode, or that a commit there says: new → old.
    var ourMoves: [String: String] = [:]
    var theirMoves: [String: String] = [:]
    var strategy = Strategy.standard
    var onDelete = OnDelete.keep
    /// Whether there is nothing to write: all steps only move the base.
    var writesNothing = false

    var testDescription: String { name }
}

extension Row {
    /// Runs the row, from this side or with the sides changed.
    func check(mirrored isMirrored: Bool) {
        var store = Store()
        var replica = Replica(device: .ours)
        replica.rules = UniformRules(strategy, onDelete: onDelete)
        for (name, entry) in base.sorted(by: { $0.key < $1.key }) {
            replica.base[path(name)] = store.publish(entry, at: path(name), by: .theirs)
        }
        replica.local = Dictionary(
            uniqueKeysWithValues: (isMirrored ? theirs : ours).map { (path($0.key), $0.value) })
        let moves = isMirrored ? (theirMoves, ourMoves) : (ourMoves, theirMoves)
        for (new, old) in moves.0 { replica.moves[path(new)] = path(old) }
        commit(isMirrored ? ours : theirs, moves.1, to: &store)

        let before = store.version
        let plan = replica.sync(&store)
        let expected = Dictionary(
            uniqueKeysWithValues: (isMirrored ? mirrored ?? result : result).map {
                (path($0.key), $0.value)
            })
        #expect(
            agree(replica.local, expected),
            "here: \(text(replica.local)) wanted: \(text(expected))\n\(plan)")
        #expect(
            agree(store.tree, expected),
            "there: \(text(store.tree)) wanted: \(text(expected))\n\(plan)")
        #expect(replica.violations.isEmpty, "\(replica.violations)\n\(plan)")
        for (name, reason) in reasons {
            let step = plan.steps.first { $0.path == path(name) }
            #expect(step?.reason == reason, "\(name): \(plan)")
        }
        if writesNothing { #expect(store.version == before) }
        let again = replica.sync(&store)
        #expect(again.isEmpty, "a second run: \(again)")
    }

    private func commit(_ tree: Tree, _ moves: [String: String], to store: inout Store) {
        for name in base.keys.sorted(by: >) where tree[name] == nil {
            store.publish(.tombstone, at: path(name), by: .theirs)
        }
        for (name, entry) in tree.sorted(by: { $0.key < $1.key })
        where !(base[name]?.agrees(with: entry) ?? false) {
            store.publish(entry, at: path(name), by: .theirs, movedFrom: moves[name].map(path))
        }
    }
}
