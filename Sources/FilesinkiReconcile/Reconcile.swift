/// Decides what a run does, from what three trees say and the rules: touches nothing, and gives the
/// same plan for the same input on every machine.
///
/// The rows of the table in `Docs/Conflicts.md` are carried out in this order: renames are found
/// and each thing is put under the name it will have; each is decided by itself; what survives
/// keeps its folders; what is decided becomes steps, in an order that can be carried out.
///
/// Work and memory grow with the number of changes, times its logarithm, not with the base.
package func reconcile(_ input: ReconcileInput) -> Plan {
    let renames = Renames(input)
    var planner = Planner(input, renames)
    var conflicts: [(Case, Decision)] = []
    for item in input.cases(following: renames, into: &planner) {
        let decision = input.decide(item)
        planner.add(item, decision)
        switch decision {
        case .keepBoth, .folderKeepsName: conflicts.append((item, decision))
        case .settled, .undecided, .leave: break
        }
    }
    for (item, decision) in conflicts.sorted(by: { $0.0.path < $1.0.path }) {
        planner.addCopy(item, decision)
    }
    planner.keepParents()
    planner.keepBlocked()
    return Plan(ordered(planner.steps()))
}
