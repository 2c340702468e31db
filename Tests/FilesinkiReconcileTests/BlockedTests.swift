import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Row 24: paths that are ignored here, or cannot be read. Nothing is decided about them, nor about what
/// is below them; the folders above them stay.
@Suite struct BlockedTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var base: Tree
        /// As base where nil.
        var ours: Tree?
        var theirs: Tree?
        var blocked: Set<String>
        /// Of what is blocked.
        var ignored: Set<String> = []
        var excluded: Set<String> = []
        var unheld: Set<String> = []
        /// What this replica does not hold; nothing is there yet.
        var outside: Set<String> = []
        var lines: [String]

        var testDescription: String { name }
    }

    @Test("what the run does", arguments: paths + folders + renames + leftOut)
    func lines(_ row: Case) {
        var input = ReconcileInput(
            base: row.base, ours: row.ours ?? row.base, theirs: row.theirs ?? row.base,
            blocked: row.blocked, ignored: row.ignored, excluded: row.excluded, unheld: row.unheld)
        input.holds = { !row.outside.contains($0.description) }
        #expect(reconcile(input).lines == row.lines)
    }

    static let paths = [
        Case(
            name: "edited there", base: ["f": file("X")], theirs: ["f": file("Y")],
            blocked: ["f"], lines: ["skip f: blocked"]),
        Case(
            name: "created there", base: [:], theirs: ["f": file("Y")], blocked: ["f"],
            lines: ["skip f: blocked"]),
        Case(
            name: "deleted there", base: ["f": file("X")], theirs: [:], blocked: ["f"],
            lines: ["skip f: blocked"]),
        Case(
            name: "not seen here, as it cannot be read", base: ["f": file("X")], ours: [:],
            blocked: ["f"], lines: ["skip f: blocked"]),
        Case(
            name: "not seen here and deleted there", base: ["f": file("X")], ours: [:],
            theirs: [:], blocked: ["f"], lines: ["skip f: blocked"]),
        Case(
            name: "edited on both sides: no conflict", base: ["f": file("X")],
            ours: ["f": file("Y")], theirs: ["f": file("Z")], blocked: ["f"],
            lines: ["skip f: blocked"]),
        Case(
            name: "as base on both sides: nothing is said", base: ["f": file("X")],
            blocked: ["f"], lines: []),
        Case(
            name:
                "only its own bytes: a longer name, another case and a path that ends so are others",
            base: [:], theirs: ["ff": file("X"), "F": file("Y"), "g": folder, "g/f": file("Z")],
            blocked: ["f"],
            lines: [
                "take g: created", "take F: created", "take ff: created", "take g/f: created",
            ]),
        Case(
            name: "several", base: ["f": file("X"), "g": file("Y"), "h": file("Z")], ours: [:],
            theirs: ["f": file("X"), "g": file("Y")], blocked: ["f", "g"],
            lines: ["skip f: blocked", "skip g: blocked", "agree h: equal"]),
    ]

    static let folders = [
        Case(
            name: "a folder: all that is below it", base: ["d": folder, "d/f": file("X")],
            theirs: [
                "d": directory(0o700), "d/f": file("Y"), "d/s": folder, "d/s/n": file("Z"),
            ], blocked: ["d"],
            lines: [
                "skip d: blocked", "skip d/f: blocked", "skip d/s: blocked", "skip d/s/n: blocked",
            ]),
        Case(
            name: "a folder that a file replaced there", base: ["d": folder, "d/f": file("X")],
            theirs: ["d": file("Y")], blocked: ["d/s"],
            lines: ["skip d: holds-blocked", "delete d/f: deleted"]),
        Case(
            name: "a folder that a symlink replaced there", base: ["d": folder],
            theirs: ["d": symlink("t")], blocked: ["d/s"], lines: ["skip d: holds-blocked"]),
        Case(
            name: "folders above it that were deleted there",
            base: ["a": folder, "a/b": folder, "a/b/f": file("X"), "a/g": file("Y")], theirs: [:],
            blocked: ["a/b/s"],
            lines: [
                "skip a: holds-blocked", "skip a/b: holds-blocked", "delete a/g: deleted",
                "delete a/b/f: deleted",
            ]),
        Case(
            name: "folders above it that were deleted there together with it",
            base: ["d": folder, "d/s": file("X"), "d/f": file("Y")], theirs: [:],
            blocked: ["d/s"],
            lines: ["skip d: holds-blocked", "skip d/s: blocked", "delete d/f: deleted"]),
        Case(
            name: "a folder that was deleted here, and where it was created there",
            base: ["d": folder], ours: [:], theirs: ["d": folder, "d/s": file("X")],
            blocked: ["d/s"], lines: ["skip d: holds-blocked", "skip d/s: blocked"]),
        Case(
            name: "a folder above it gets another mode", base: ["d": folder],
            theirs: ["d": directory(0o700)], blocked: ["d/s"], lines: ["take d: metadata"]),
        Case(
            name: "beside it, all goes on", base: ["d": folder, "d/f": file("X")],
            theirs: ["d": folder, "d/f": file("Y"), "d/n": file("Z")], blocked: ["d/s"],
            lines: ["take d/f: edit", "take d/n: created"]),
        Case(
            name: "a folder above it that is kept for a survivor, too",
            base: ["d": folder, "d/f": file("X")], ours: ["d": folder, "d/f": file("Y")],
            theirs: [:], blocked: ["d/s"],
            lines: ["publish d: holds-survivor", "publish d/f: edit-beats-delete"]),
        Case(
            name: "a folder here, where a file was created there: the folder keeps the name",
            base: [:], ours: ["d": folder], theirs: ["d": file("Y")], blocked: ["d/s"],
            lines: [
                "write-both d (conflict theirs 59595959): conflict-copy",
                "publish d: folder-keeps-name",
            ]),
    ]

    static let renames = [
        Case(
            name: "a file renamed there to the name of a folder that stays: an edit of it stays",
            base: ["d": folder, "f": file("X")], ours: ["d": folder, "f": file("Y")],
            theirs: ["d": file("X")], blocked: ["d/s"],
            lines: ["skip d: holds-blocked", "publish f: edit-beats-delete"]),
        Case(
            name: "a folder renamed there, with something blocked in it: the old one stays",
            base: ["d": folder, "d/f": file("X")], theirs: ["e": folder, "e/f": file("X")],
            blocked: ["d/s"],
            lines: [
                "take e: created", "take e/f from d/f: renamed", "skip d: holds-blocked",
                "delete d/f: moved",
            ]),
        Case(
            name: "a folder renamed there, a blocked child in it is not followed",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")],
            theirs: ["e": folder, "e/f": file("X"), "e/g": file("W"), "e/h": file("V")],
            blocked: ["d/h"],
            lines: [
                "take e: created", "take e/f from d/f: renamed", "take e/g from d/g: renamed",
                "skip d: holds-blocked", "skip d/h: blocked", "take e/h: created",
                "delete d/g: moved", "delete d/f: moved",
            ]),
        Case(
            name: "created here in a folder that was renamed there to a blocked name: it stays",
            base: ["d": folder, "d/f": file("X")],
            ours: ["d": folder, "d/f": file("X"), "d/n": file("Y")],
            theirs: ["e": folder, "e/f": file("X")], blocked: ["e/n"],
            lines: [
                "take e: created", "take e/f from d/f: renamed", "publish d: holds-survivor",
                "publish d/n: created", "delete d/f: moved",
            ]),
        Case(
            name: "created here in a folder that was renamed there to what is not held: it stays",
            base: ["d": folder, "d/f": file("X")],
            ours: ["d": folder, "d/f": file("X"), "d/n": file("Y")],
            theirs: ["e": folder, "e/f": file("X")], blocked: [], outside: ["e/n"],
            lines: [
                "take e: created", "take e/f from d/f: renamed", "publish d: holds-survivor",
                "publish d/n: created", "delete d/f: moved",
            ]),
        Case(
            name: "created there in a folder that was renamed here to what is not held: it stays",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Y")], blocked: [],
            outside: ["e/n"],
            lines: [
                "take d: holds-survivor", "take d/n: created", "publish e: created",
                "publish e/f: renamed", "publish-deletion d/f: moved",
            ]),
    ]

    /// Row 11, where the survivor is at the other side only.
    static let leftOut = [
        Case(
            name: "a folder deleted here comes back while what is not held here is in it there",
            base: ["d": folder, "d/f": file("X")], ours: [:], blocked: ["d/n"], unheld: ["d/n"],
            lines: ["take d: holds-blocked", "publish-deletion d/f: deleted"]),
        Case(
            name: "a folder deleted here comes back while what is ignored here is in it there",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": directory(0o700), "d/f": file("X"), "d/n": file("Y")],
            blocked: ["d/n"], ignored: ["d/n"],
            lines: [
                "take d: holds-ignored", "skip d/n: ignored", "publish-deletion d/f: deleted",
            ]),
        Case(
            name: "with the folders above it", base: ["a": folder, "a/b": folder, "a/c": folder],
            ours: [:], blocked: ["a/b/n"], unheld: ["a/b/n"],
            lines: [
                "take a: holds-blocked", "take a/b: holds-blocked", "publish-deletion a/c: deleted",
            ]),
        Case(
            name: "not for what an option of this run leaves out: the next run deletes it",
            base: ["d": folder, "d/f": file("X")], ours: [:], blocked: ["d/f"], excluded: ["d/f"],
            lines: ["skip d: holds-ignored", "skip d/f: excluded"]),
        Case(
            name: "not for what is ignored and not there",
            base: ["d": folder, "d/f": file("X")], ours: [:], blocked: ["d/n"], ignored: ["d/n"],
            lines: ["skip d: holds-ignored", "publish-deletion d/f: deleted"]),
        Case(
            name: "not while a person has to see to something else in it",
            base: ["d": folder, "d/f": file("X")], ours: [:], blocked: ["d/f", "d/n"],
            unheld: ["d/n"], lines: ["skip d: holds-blocked", "skip d/f: blocked"]),
        Case(
            name: "not below a file that took the place of the folder above it",
            base: ["a": folder, "a/b": folder], ours: ["a": file("X")], blocked: ["a/b/n"],
            unheld: ["a/b/n"], lines: ["skip a: holds-blocked", "skip a/b: holds-blocked"]),
    ]
}
