import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Conflicts of renamed files that stay open: each side keeps its version under the name that it has there.
@Suite struct OpenRenameTests {
    private static let left = ["leave f: moved", "leave g: open"]

    @Test(
        "the old name keeps its version, whichever side renamed the file",
        arguments: [
            // Ours, theirs, our renames, their renames.
            (["f": file("Y")], ["g": file("Z")], [:], ["g": "f"]),
            (["g": file("Z")], ["f": file("Y")], ["g": "f"], [:]),
            // The old name has another file by now.
            (["f": file("Y")], ["f": file("W"), "g": file("Z")], [:], ["g": "f"]),
            (["f": file("W"), "g": file("Z")], ["f": file("Y")], ["g": "f"], [:]),
        ] as [(Tree, Tree, [String: String], [String: String])])
    func oldName(
        _ ours: Tree, _ theirs: Tree, _ ourMoves: [String: String], _ theirMoves: [String: String]
    ) {
        let input = ReconcileInput(
            base: ["f": file("X")], ours: ours, theirs: theirs, ourMoves: ourMoves,
            theirMoves: theirMoves, rules: UniformRules(Strategy("leave")))
        #expect(reconcile(input).lines == Self.left)
    }

    @Test("so it does while nobody has answered")
    func unanswered() {
        let input = ReconcileInput(
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: ["g": file("Z")],
            theirMoves: ["g": "f"], rules: UniformRules(Strategy("ask")))
        var reconciliation = Reconciliation(input)
        #expect(reconciliation.plan().lines == ["leave f: moved", "undecided g: asks"])
        reconciliation.resolve(reconciliation.conflicts[0], Resolution(.leave, by: "ask"))
        #expect(reconciliation.plan().lines == Self.left)
    }

    @Test("an answer moves it")
    func answered() {
        let input = ReconcileInput(
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: ["g": file("Z")],
            theirMoves: ["g": "f"], rules: UniformRules(Strategy("ask")))
        var reconciliation = Reconciliation(input)
        reconciliation.resolve(reconciliation.conflicts[0], Resolution(.ours, by: "ask"))
        #expect(reconciliation.plan().lines == ["write-both g from f: ask", "delete f: moved"])
    }

    @Test("a name that no side has is gone")
    func gone() {
        let input = ReconcileInput(
            base: ["f": file("X")], ours: ["g": file("Y")], theirs: ["g": file("Z")],
            ourMoves: ["g": "f"], theirMoves: ["g": "f"], rules: UniformRules(Strategy("leave")))
        #expect(reconcile(input).lines == ["agree f: moved", "leave g: open"])
    }

    @Test("what was to get the old name keeps its own")
    func source() {
        let input = ReconcileInput(
            base: ["f": file("X"), "s": file("V")], ours: ["f": file("Y"), "s": file("U")],
            theirs: ["f": file("V"), "g": file("Z")], theirMoves: ["f": "s", "g": "f"],
            rules: UniformRules(Strategy("leave")))
        #expect(reconcile(input).lines == Self.left + ["leave s: moved"])
    }

    @Test("the folder of the old name stays with it")
    func folderOfOldName() {
        let base: Tree = ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")]
        let input = ReconcileInput(
            base: base, ours: base.merging(["d/f": file("Y")]) { $1 },
            theirs: ["e": folder, "e/f": file("Z"), "e/g": file("W"), "e/h": file("V")],
            theirMoves: ["e/f": "d/f"], rules: UniformRules(Strategy("leave")))
        let plan = reconcile(input)
        #expect(plan.step("d/f")?.action == .leave && plan.step("e/f")?.action == .leave)
        #expect(plan.step("d")?.reason == .holdsSurvivor)
        #expect(plan.step("d")?.action.writesOurs == false)
        #expect(plan.step("e/g")?.reason == .renamed(from: path("d/g")))
    }
}
