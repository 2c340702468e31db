import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Row 14 and what it meets: folders that are renamed, moved into each other, joined and divided, and
/// files that leave or enter them.
@Suite struct FolderRenameTests {
    @Test("ours and theirs", arguments: moved + joined + within + crossing)
    func asWritten(_ row: Row) { row.check(mirrored: false) }

    @Test("theirs and ours", arguments: moved + joined + within + crossing)
    func mirrored(_ row: Row) { row.check(mirrored: true) }

    static let moved = [
        Row(
            name: "14: moved down, d→s/d, child created: it lands there",
            base: ["d": folder, "d/f": file("X"), "s": folder],
            ours: ["s": folder, "s/d": folder, "s/d/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Y"), "s": folder],
            result: ["s": folder, "s/d": folder, "s/d/f": file("X"), "s/d/n": file("Y")]),
        Row(
            name: "14: moved up, s/d→d, child created: it lands there",
            base: ["s": folder, "s/d": folder, "s/d/f": file("X")],
            ours: ["s": folder, "d": folder, "d/f": file("X")],
            theirs: ["s": folder, "s/d": folder, "s/d/f": file("X"), "s/d/n": file("Y")],
            result: ["s": folder, "d": folder, "d/f": file("X"), "d/n": file("Y")],
            reasons: ["s/d": .moved(to: path("d"))]),
        Row(
            name: "14: moved into itself, d→d/d, child edited: the edit is followed",
            base: ["d": folder, "d/f": file("X")],
            ours: ["d": folder, "d/d": folder, "d/d/f": file("X")],
            theirs: ["d": folder, "d/f": file("Y")],
            result: ["d": folder, "d/d": folder, "d/d/f": file("Y")]),
        Row(
            name: "14: renamed on both sides to the same name, child edited on one: the edit",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["e": folder, "e/f": file("Y")],
            result: ["e": folder, "e/f": file("Y")], theirMoves: ["e/f": "d/f"]),
        Row(
            name: "14: renamed d→e, where the other side created e with another file: one e",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "e": folder, "e/k": file("Y")],
            result: ["e": folder, "e/f": file("X"), "e/k": file("Y")]),
        Row(
            name: "14, 12: renamed d→e, where the other side created a file e: e is the folder",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "e": file("Y")],
            result: ["e": folder, "e/f": file("X"), copy(of: "e", "Y", by: .theirs): file("Y")],
            mirrored: ["e": folder, "e/f": file("X"), copy(of: "e", "Y", by: .ours): file("Y")],
            reasons: ["e": .folderKeepsName]),
        Row(
            name: "14: renamed d→e, a symlink created in d: it lands in e",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/l": symlink("t")],
            result: ["e": folder, "e/f": file("X"), "e/l": symlink("t")]),
        Row(
            name: "14: renamed d→e, only the mode of a child changed: the mode is in e",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X", mode: 0o600)],
            result: ["e": folder, "e/f": file("X", mode: 0o600)]),
        Row(
            name: "14: an inner folder renamed, child created in the inner one: it lands there",
            base: ["a": folder, "a/d": folder, "a/d/f": file("X")],
            ours: ["a": folder, "a/e": folder, "a/e/f": file("X")],
            theirs: ["a": folder, "a/d": folder, "a/d/f": file("X"), "a/d/n": file("Y")],
            result: ["a": folder, "a/e": folder, "a/e/f": file("X"), "a/e/n": file("Y")]),
        Row(
            name: "14: an inner folder renamed, child created in the outer one: it stays",
            base: ["a": folder, "a/d": folder, "a/d/f": file("X")],
            ours: ["a": folder, "a/e": folder, "a/e/f": file("X")],
            theirs: ["a": folder, "a/d": folder, "a/d/f": file("X"), "a/n": file("Y")],
            result: ["a": folder, "a/e": folder, "a/e/f": file("X"), "a/n": file("Y")],
            reasons: ["a/n": .created]),
        Row(
            name: "14: an outer and its inner folder renamed: the nearest one is followed",
            base: ["a": folder, "a/d": folder, "a/d/f": file("X"), "a/g": file("W")],
            ours: ["b": folder, "b/e": folder, "b/e/f": file("X"), "b/g": file("W")],
            theirs: [
                "a": folder, "a/d": folder, "a/d/f": file("X"), "a/g": file("W"),
                "a/d/n": file("Y"), "a/m": file("Z"),
            ],
            result: [
                "b": folder, "b/e": folder, "b/e/f": file("X"), "b/g": file("W"),
                "b/e/n": file("Y"), "b/m": file("Z"),
            ], ourMoves: ["b": "a", "b/e": "a/d"]),
        Row(
            name: "14: d, whose name begins another's, renamed: the other one stays",
            base: ["d": folder, "d/f": file("X"), "dd": folder, "dd/g": file("W")],
            ours: ["e": folder, "e/f": file("X"), "dd": folder, "dd/g": file("W")],
            theirs: [
                "d": folder, "d/f": file("X"), "dd": folder, "dd/g": file("W"),
                "dd/n": file("Y"),
            ],
            result: [
                "e": folder, "e/f": file("X"), "dd": folder, "dd/g": file("W"),
                "dd/n": file("Y"),
            ]),
    ]

    static let joined = [
        Row(
            name: "14: a→c and b→c, a child created in each: both land in c",
            base: ["a": folder, "a/f": file("X"), "b": folder, "b/g": file("Y")],
            ours: ["c": folder, "c/f": file("X"), "c/g": file("Y")],
            theirs: [
                "a": folder, "a/f": file("X"), "a/m": file("Z"), "b": folder, "b/g": file("Y"),
                "b/n": file("W"),
            ],
            result: [
                "c": folder, "c/f": file("X"), "c/g": file("Y"), "c/m": file("Z"),
                "c/n": file("W"),
            ]),
        Row(
            name: "14: a→c and b→c, the same name created in both: the second one stays in b",
            base: ["a": folder, "a/f": file("X"), "b": folder, "b/g": file("Y")],
            ours: ["c": folder, "c/f": file("X"), "c/g": file("Y")],
            theirs: [
                "a": folder, "a/f": file("X"), "a/n": file("Z"), "b": folder, "b/g": file("Y"),
                "b/n": file("W"),
            ],
            result: [
                "b": folder, "b/n": file("W"), "c": folder, "c/f": file("X"), "c/g": file("Y"),
                "c/n": file("Z"),
            ], reasons: ["b": .holdsSurvivor]),
        Row(
            name: "14: divided, two thirds to e: what is created follows the larger part",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")],
            ours: [
                "e": folder, "e/f": file("X"), "e/g": file("W"), "k": folder, "k/h": file("V"),
            ],
            theirs: [
                "d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V"),
                "d/n": file("Y"),
            ],
            result: [
                "e": folder, "e/f": file("X"), "e/g": file("W"), "e/n": file("Y"), "k": folder,
                "k/h": file("V"),
            ]),
        Row(
            name: "14: files that got other names on the way do not make a renamed folder",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/1": file("X"), "e/2": file("W")],
            theirs: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/n": file("Y")],
            result: [
                "d": folder, "d/n": file("Y"), "e": folder, "e/1": file("X"), "e/2": file("W"),
            ], reasons: ["d": .holdsSurvivor, "e/1": .renamed(from: path("d/f"))]),
        Row(
            name: "14: files at any depth count: one above and two below went to e",
            base: [
                "d": folder, "d/f": file("X"), "d/s": folder, "d/s/g": file("W"),
                "d/s/h": file("V"),
            ],
            ours: ["e": folder, "e/s": folder, "e/s/g": file("W"), "e/s/h": file("V")],
            theirs: [
                "d": folder, "d/f": file("X"), "d/s": folder, "d/s/g": file("W"),
                "d/s/h": file("V"), "d/n": file("Y"),
            ],
            result: [
                "e": folder, "e/n": file("Y"), "e/s": folder, "e/s/g": file("W"),
                "e/s/h": file("V"),
            ], reasons: ["d/f": .deleted]),
        Row(
            name: "14: two folders exchanged their names: a child is followed, a new one stays",
            base: ["a": folder, "a/f": file("X"), "b": folder, "b/g": file("Y")],
            ours: ["a": folder, "a/g": file("Y"), "b": folder, "b/f": file("X")],
            theirs: [
                "a": folder, "a/f": file("Z"), "a/n": file("W"), "b": folder, "b/g": file("Y"),
            ],
            result: [
                "a": folder, "a/g": file("Y"), "a/n": file("W"), "b": folder, "b/f": file("Z"),
            ]),
    ]

    static let within = [
        Row(
            name: "14, 15: renamed d→e, a child renamed on the other side: both names, in e",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/f": file("X"), "e/g": file("W")],
            theirs: ["d": folder, "d/k": file("X"), "d/g": file("W")],
            result: ["e": folder, "e/f": file("X"), "e/g": file("W"), "e/k": file("X")],
            reasons: ["e/f": .bothNames(of: path("d/f"))]),
        Row(
            name: "14, 15: renamed d→e, a child moved out on the other side: both places",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/f": file("X"), "e/g": file("W")],
            theirs: ["d": folder, "d/g": file("W"), "f": file("X")],
            result: ["e": folder, "e/f": file("X"), "e/g": file("W"), "f": file("X")],
            reasons: ["f": .bothNames(of: path("d/f"))]),
        Row(
            name: "14, 15: a→b here, a/d→a/e there: both names of the inner folder, in b",
            base: ["a": folder, "a/d": folder, "a/d/f": file("X")],
            ours: ["b": folder, "b/d": folder, "b/d/f": file("X")],
            theirs: ["a": folder, "a/e": folder, "a/e/f": file("X")],
            result: [
                "b": folder, "b/d": folder, "b/d/f": file("X"), "b/e": folder,
                "b/e/f": file("X"),
            ]),
        Row(
            name: "14: renamed d→e, a child replaced by a folder: the folder is in e",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")],
            ours: ["e": folder, "e/f": file("X"), "e/g": file("W"), "e/h": file("V")],
            theirs: [
                "d": folder, "d/f": folder, "d/f/n": file("Y"), "d/g": file("W"),
                "d/h": file("V"),
            ],
            result: [
                "e": folder, "e/f": folder, "e/f/n": file("Y"), "e/g": file("W"),
                "e/h": file("V"),
            ]),
        Row(
            name: "14: renamed d→e and a child edited on both sides: the chain, in e",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/f": file("Y"), "e/g": file("W")],
            theirs: ["d": folder, "d/f": file("Z", time: 9), "d/g": file("W")],
            result: ["e": folder, "e/f": file("Z", time: 9), "e/g": file("W")],
            reasons: ["e/f": .strategy("newest")], ourMoves: ["e": "d"],
            strategy: Strategy("newest")),
        Row(
            name: "14: renamed d→e, a conflict copy put in place of its file: e/f, and no copy",
            base: ["d": folder, "d/f": file("X"), "d/\(ended)": file("Y"), "d/g": file("W")],
            ours: ["d": folder, "d/f": file("Y"), "d/g": file("W")],
            theirs: ["e": folder, "e/f": file("X"), "e/\(ended)": file("Y"), "e/g": file("W")],
            result: ["e": folder, "e/f": file("Y"), "e/g": file("W")],
            reasons: ["e/f": .renamedAndEdited(from: path("d/f"))]),
        Row(
            name: "15: a conflict copy renamed alone, and put in place of its file: both",
            base: ["f": file("X"), "\(ended)": file("Y")],
            ours: ["f": file("Y")],
            theirs: ["f": file("X"), "k": file("Y")],
            result: ["f": file("Y"), "k": file("Y")]),
    ]

    private static let ended = "f (conflict b 0c1d2e3f)"

    static let crossing = [
        Row(
            name: "13: into a new folder, f→d/f, f edited: the edit is in d",
            base: ["f": file("X")], ours: ["d": folder, "d/f": file("X")],
            theirs: ["f": file("Y")], result: ["d": folder, "d/f": file("Y")],
            reasons: ["d/f": .renamedAndEdited(from: path("f"))]),
        Row(
            name: "13: out of a folder that is gone, d/f→f, d/f edited: the edit is f",
            base: ["d": folder, "d/f": file("X")], ours: ["f": file("X")],
            theirs: ["d": folder, "d/f": file("Y")], result: ["f": file("Y")],
            reasons: ["d": .deleted, "f": .renamedAndEdited(from: path("d/f"))]),
        Row(
            name: "13: from one folder to another, a/f→b/f, edited: the edit is in b",
            base: ["a": folder, "a/f": file("X"), "b": folder],
            ours: ["a": folder, "b": folder, "b/f": file("X")],
            theirs: ["a": folder, "a/f": file("Y"), "b": folder],
            result: ["a": folder, "b": folder, "b/f": file("Y")]),
        Row(
            name: "13, 11: into a folder that is deleted on the other side: it stays for the file",
            base: ["a": folder, "a/f": file("X"), "b": folder],
            ours: ["a": folder, "b": folder, "b/f": file("X")],
            theirs: ["a": folder, "a/f": file("X")],
            result: ["a": folder, "b": folder, "b/f": file("X")],
            reasons: ["b": .holdsSurvivor, "b/f": .renamed(from: path("a/f"))]),
        Row(
            name: "13: out of a folder that is deleted with it on the other side: the file stays",
            base: ["d": folder, "d/f": file("X")], ours: ["d": folder, "f": file("X")],
            theirs: [:], result: ["f": file("X")], reasons: ["d": .deleted, "f": .created]),
        Row(
            name: "13, 12: f→p/f in a new folder p, a file p created: the folder keeps the name",
            base: ["f": file("X")], ours: ["p": folder, "p/f": file("X")],
            theirs: ["f": file("X"), "p": file("Y")],
            result: ["p": folder, "p/f": file("X"), copy(of: "p", "Y", by: .theirs): file("Y")],
            mirrored: ["p": folder, "p/f": file("X"), copy(of: "p", "Y", by: .ours): file("Y")]),
        Row(
            name: "13: f→d/f where d was the file g: the folder takes g's name",
            base: ["f": file("X"), "g": file("W")], ours: ["g": folder, "g/f": file("X")],
            theirs: ["f": file("Y"), "g": file("W")],
            result: ["g": folder, "g/f": file("Y")], reasons: ["g": .edit]),
        Row(
            name: "13: d/f→d, the file takes the name of its own folder, edited: the edit is d",
            base: ["d": folder, "d/f": file("X")], ours: ["d": file("X")],
            theirs: ["d": folder, "d/f": file("Y")], result: ["d": file("Y")]),
    ]
}
