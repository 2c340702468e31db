import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Every combination of a few states over two paths and three trees: the laws hold in all of them.
@Suite struct SmallWorldTests {
    @Test("p and q inside it", arguments: SmallWorld.nested)
    func nested(_ base: SmallWorld) { base.checkAll(SmallWorld.nested, SmallWorld.everyRule) }

    @Test("p and q beside it", arguments: SmallWorld.beside)
    func beside(_ base: SmallWorld) { base.checkAll(SmallWorld.beside, [UniformRules()]) }
}

/// One tree of the small worlds.
struct SmallWorld: Sendable, CustomTestStringConvertible {
    var tree: [RelativePath: Entry]

    init(_ tree: Tree) {
        self.tree = Dictionary(uniqueKeysWithValues: tree.map { (path($0.key), $0.value) })
    }

    var testDescription: String { text(tree) }

    private static let leaves: [Entry] = [
        file("X"), file("X", mode: 0o755, time: 3), file("Y", time: 4), file("Z", time: 2),
        symlink("t", time: 5),
    ]

    /// The path p as anything, and p/q where p is a directory.
    static let nested: [SmallWorld] =
        [SmallWorld([:])] + leaves.map { SmallWorld(["p": $0]) }
        + [folder, directory(0o700)].map { SmallWorld(["p": $0]) }
        + (leaves + [folder]).map { SmallWorld(["p": folder, "p/q": $0]) }

    /// The paths p and q as anything that is not a directory with something inside.
    static let beside: [SmallWorld] = {
        let states = [nil, file("X"), file("X", time: 3), file("Y", time: 4), folder]
        return states.flatMap { left in
            states.map { right in
                var tree: Tree = [:]
                tree["p"] = left
                tree["q"] = right
                return SmallWorld(tree)
            }
        }
    }()

    static let everyRule = [
        UniformRules(), UniformRules(onDelete: .delete),
        UniformRules(Strategy([.choice(.newest)])), UniformRules(Strategy([.choice(.theirs)])),
        UniformRules(Strategy([.end(.leave)])),
    ]

    /// Takes this world as the base, and every pair of the others as what two replicas made of it.
    func checkAll(_ worlds: [SmallWorld], _ rules: [UniformRules]) {
        var store = Store()
        var first = Replica(device: .theirs)
        var second = Replica(device: .ours)
        first.local = tree
        first.sync(&store)
        second.sync(&store)
        for rule in rules {
            (first.rules, second.rules) = (rule, rule)
            for left in worlds {
                // What the first one publishes is the same beside every tree of the second one.
                var (one, published) = (first, store)
                one.local = left.tree
                one.sync(&published)
                for right in worlds {
                    second.local = right.tree
                    check(left, right, one, second, published)
                }
            }
        }
    }

    /// - Parameters:
    ///   - one: The first replica, which has published its tree.
    ///   - before: The store since then.
    private func check(
        _ left: SmallWorld, _ right: SmallWorld, _ one: Replica, _ two: Replica, _ before: Store
    ) {
        var (first, second, store) = (one, two, before)
        let rules = first.rules
        let contents = Set((Array(left.tree.values) + right.tree.values).map(\.content))

        let plan = second.sync(&store)
        first.sync(&store)

        let story: () -> Comment = {
            """
            base: \(text(tree)); first: \(text(left.tree)); second: \(text(right.tree)); \(rules)
            plan of the second: \(plan)
            now: \(text(first.local)) | \(text(second.local)) | \(text(store.tree))
            """
        }
        let isOpen = plan.steps.contains { $0.action == .leave }
        if !agree(first.local, store.tree) {
            Issue.record("the first is not as the store: \(story())")
        }
        if !isOpen, !agree(second.local, store.tree) { Issue.record("not converged: \(story())") }
        if !(first.violations + second.violations).isEmpty {
            Issue.record("\(first.violations + second.violations): \(story())")
        }
        let known = store.history.union(second.local.values.map(\.content))
        if !contents.isSubset(of: known) { Issue.record("a content was lost: \(story())") }
        let kept = Set((Array(store.tree.values) + second.local.values).map(\.content))
        if rules.strategy == .standard, rules.onDelete == .keep,
            !edits(left).union(edits(right)).isSubset(of: kept)
        {
            Issue.record("an edit was lost: \(story())")
        }
        let again = [first.sync(&store), second.sync(&store)].flatMap(\.steps)
        if again.contains(where: { $0.action != .leave }) {
            Issue.record("another run does something: \(again): \(story())")
        }
    }

    /// The contents of files that are nowhere in this world.
    private func edits(_ other: SmallWorld) -> Set<ContentID> {
        Set(other.tree.values.lazy.filter { $0.kind == .file }.map(\.content))
            .subtracting(tree.values.map(\.content))
    }
}
