import FilesinkiModel
import FilesinkiReconcile
import Testing

/// The rows of the table that follow renames.
@Suite struct RenameTests {
    @Test("ours and theirs", arguments: files + folders + circles + claimed)
    func asWritten(_ row: Row) { row.check(mirrored: false) }

    @Test("theirs and ours", arguments: files + folders + circles + claimed)
    func mirrored(_ row: Row) { row.check(mirrored: true) }

    /// Renames of which several claim the same file or name: the one with the same content counts.
    static let claimed = [
        Row(
            name: "13: two new names of f: the rename is the one that is not edited",
            base: ["f": file("X")], ours: ["g": file("Y"), "h": file("X")],
            theirs: ["f": file("Z")], result: ["g": file("Y"), "h": file("Z")],
            reasons: ["h": .renamedAndEdited(from: path("f"))], ourMoves: ["g": "f", "h": "f"]),
        Row(
            name: "13: two new names of f, and a new f: likewise",
            base: ["f": file("X")], ours: ["f": file("W"), "g": file("Y"), "h": file("X")],
            theirs: ["f": file("Z")], result: ["f": file("W"), "g": file("Y"), "h": file("Z")],
            ourMoves: ["g": "f", "h": "f"]),
        Row(
            name: "13: renamed f→g and edited to what a deleted file was: g is f",
            base: ["f": file("X"), "d": file("Y")], ours: ["g": file("Y")],
            theirs: ["f": file("X", mode: 0o600), "d": file("Y")],
            result: ["g": file("Y", mode: 0o600)], ourMoves: ["g": "f"]),
        Row(
            name: "13: renamed f→g, where another file was renamed to f: both stay apart",
            base: ["f": file("X"), "d": file("Y")], ours: ["g": file("X"), "d": file("Y")],
            theirs: ["f": file("Y")], result: ["f": file("Y"), "g": file("X")]),
    ]

    static let files = [
        Row(
            name: "13: renamed f→g, f as base: g",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["f": file("X")],
            result: ["g": file("X")],
            reasons: ["g": .renamed(from: path("f")), "f": .moved(to: path("g"))]),
        Row(
            name: "13: renamed f→g, f edited: the edit under the new name g; f is gone",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["f": file("Y")],
            result: ["g": file("Y")],
            reasons: ["g": .renamedAndEdited(from: path("f")), "f": .moved(to: path("g"))]),
        Row(
            name: "13: renamed f→g and its mode changed, f edited: both under the new name",
            base: ["f": file("X")], ours: ["g": file("X", mode: 0o755)],
            theirs: ["f": file("Y")], result: ["g": file("Y", mode: 0o755)]),
        Row(
            name: "13: renamed f→g and edited, f as base: the edit under the new name",
            base: ["f": file("X")], ours: ["g": file("Y")], theirs: ["f": file("X")],
            result: ["g": file("Y")], reasons: ["g": .renamedAndEdited(from: path("f"))],
            ourMoves: ["g": "f"]),
        Row(
            name: "13: renamed f→g and edited, f edited: the chain under the new name",
            base: ["f": file("X")], ours: ["g": file("Y", time: 9)], theirs: ["f": file("Z")],
            result: ["g": file("Y", time: 9)], reasons: ["g": .strategy("newest")],
            ourMoves: ["g": "f"], strategy: Strategy([.choice(.newest)])),
        Row(
            name: "13: renamed f→g and edited, f edited: keep-both keeps both",
            base: ["f": file("X")], ours: ["g": file("Y")], theirs: ["f": file("Z")],
            result: ["g": file("Z"), copy(of: "g", "Y", by: .ours): file("Y")],
            mirrored: ["g": file("Y"), copy(of: "g", "Z", by: .ours): file("Z")],
            ourMoves: ["g": "f"]),
        Row(
            name: "13: renamed f→g, f deleted: g stays",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: [:],
            result: ["g": file("X")]),
        Row(
            name: "13: renamed f→g on both sides: agree",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["g": file("X")],
            result: ["g": file("X")], writesNothing: true),
        Row(
            name: "13: renamed f→g on both sides, edited on one: the edit",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["g": file("Y")],
            result: ["g": file("Y")], theirMoves: ["g": "f"]),
        Row(
            name: "13: copied f→g, then f edited on both sides: no rename",
            base: ["f": file("X")], ours: ["f": file("Y", time: 9), "g": file("X")],
            theirs: ["f": file("Z")], result: ["f": file("Y", time: 9), "g": file("X")],
            strategy: Strategy([.choice(.newest)])),
        Row(
            name: "13: renamed f→g and a new f, f edited: the edit under g, the new f as it is",
            base: ["f": file("X")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["f": file("Z")], result: ["f": file("Y"), "g": file("Z")],
            ourMoves: ["g": "f"]),
        Row(
            name: "13: renamed over another file g, f edited: the edit under g",
            base: ["f": file("X"), "g": file("W")], ours: ["g": file("X")],
            theirs: ["f": file("Y"), "g": file("W")], result: ["g": file("Y")]),
        Row(
            name: "13: renamed to inside a folder of the old name, f edited",
            base: ["f": file("X")], ours: ["f": folder, "f/g": file("X")],
            theirs: ["f": file("Y")], result: ["f": folder, "f/g": file("Y")]),
        Row(
            name: "15: f→g1, f→g2: both names",
            base: ["f": file("X")], ours: ["g1": file("X")], theirs: ["g2": file("X")],
            result: ["g1": file("X"), "g2": file("X")],
            reasons: ["g1": .bothNames(of: path("f")), "g2": .bothNames(of: path("f"))]),
        Row(
            name: "16: f→g, creates another g: g goes through the chain",
            base: ["f": file("X")], ours: ["g": file("X")],
            theirs: ["f": file("X"), "g": file("Y")],
            result: ["g": file("Y"), copy(of: "g", "X", by: .ours): file("X")],
            mirrored: ["g": file("X"), copy(of: "g", "Y", by: .ours): file("Y")]),
        Row(
            name: "16: f→g, creates another g and edits f: nothing is lost",
            base: ["f": file("X")], ours: ["g": file("X", time: 9)],
            theirs: ["f": file("Z"), "g": file("Y")],
            result: ["f": file("Z"), "g": file("X", time: 9)],
            strategy: Strategy([.choice(.newest)])),
        Row(
            name: "13: an empty file is not recognised by its content",
            base: ["f": empty], ours: ["g": empty], theirs: ["f": file("Y")],
            result: ["f": file("Y"), "g": empty],
            reasons: ["f": .editBeatsDelete, "g": .created]),
        Row(
            name: "13: an empty file is recognised where the side reports the rename",
            base: ["f": empty], ours: ["g": empty], theirs: ["f": file("Y")],
            result: ["g": file("Y")], reasons: ["g": .renamedAndEdited(from: path("f"))],
            ourMoves: ["g": "f"]),
        Row(
            name: "13: two equal files under new names: which is which is not known",
            base: ["a": file("X"), "b": file("X")], ours: ["c": file("X"), "d": file("X")],
            theirs: ["a": file("Y"), "b": file("X")],
            result: ["a": file("Y"), "c": file("X"), "d": file("X")],
            reasons: ["a": .editBeatsDelete, "b": .deleted, "c": .created]),
        Row(
            name: "13: two equal files, of which one kept its last name: that one is followed",
            base: ["a": file("X"), "b": file("X")],
            ours: ["s": folder, "s/a": file("X"), "s/c": file("X")],
            theirs: ["a": file("Y"), "b": file("X")],
            result: ["s": folder, "s/a": file("Y"), "s/c": file("X")],
            reasons: ["s/a": .renamedAndEdited(from: path("a"))]),
        Row(
            name: "13: renamed f→g, f deleted, of a file that g replaced: g stays",
            base: ["f": file("X"), "g": file("W")], ours: ["g": file("X")],
            theirs: ["g": file("W")], result: ["g": file("X")]),
        Row(
            name: "13: renamed f→g, f became a directory: nothing is followed",
            base: ["f": file("X")], ours: ["g": file("X")],
            theirs: ["f": folder, "f/n": file("Y")],
            result: ["f": folder, "f/n": file("Y"), "g": file("X")]),
    ]

    static let folders = [
        Row(
            name: "14: renamed d→e, child edited: it lands in e",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/f": file("X"), "e/g": file("W")],
            theirs: ["d": folder, "d/f": file("Y"), "d/g": file("W")],
            result: ["e": folder, "e/f": file("Y"), "e/g": file("W")],
            reasons: ["d": .moved(to: path("e")), "e/f": .renamedAndEdited(from: path("d/f"))]),
        Row(
            name: "14: renamed d→e, child created: it lands in e",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/s": folder, "d/s/n": file("Y")],
            result: ["e": folder, "e/f": file("X"), "e/s": folder, "e/s/n": file("Y")],
            reasons: ["d/s/n": .moved(to: path("e/s/n"))]),
        Row(
            name: "14: renamed d→e, child deleted: it is deleted in e",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/f": file("X"), "e/g": file("W")],
            theirs: ["d": folder, "d/g": file("W")],
            result: ["e": folder, "e/g": file("W")]),
        Row(
            name: "14: renamed d→e, child edited and renamed: it is found by its place",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")],
            ours: ["e": folder, "e/f": file("Y"), "e/g": file("W"), "e/h": file("V")],
            theirs: [
                "d": folder, "d/f": file("X", mode: 0o755), "d/g": file("W"), "d/h": file("V"),
            ],
            result: [
                "e": folder, "e/f": file("Y", mode: 0o755), "e/g": file("W"), "e/h": file("V"),
            ]),
        Row(
            name: "14: renamed with its folder above, of files that are equal",
            base: ["a": folder, "a/d": folder, "a/d/f": file("X"), "a/d/g": file("X")],
            ours: ["b": folder, "b/d": folder, "b/d/f": file("X"), "b/d/g": file("X")],
            theirs: [
                "a": folder, "a/d": folder, "a/d/f": file("Y"), "a/d/g": file("X"),
                "a/n": file("Z"),
            ],
            result: [
                "b": folder, "b/d": folder, "b/d/f": file("Y"), "b/d/g": file("X"),
                "b/n": file("Z"),
            ]),
        Row(
            name: "14: an empty folder renamed, child created: it lands in e",
            base: ["d": folder], ours: ["e": folder], theirs: ["d": folder, "d/n": file("Y")],
            result: ["e": folder, "e/n": file("Y")], ourMoves: ["e": "d"]),
        Row(
            name: "14: renamed d→e, both created the same name: the chain",
            base: ["d": folder, "d/f": file("X")],
            ours: ["e": folder, "e/f": file("X"), "e/n": file("Y", time: 9)],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Z")],
            result: ["e": folder, "e/f": file("X"), "e/n": file("Y", time: 9)],
            strategy: Strategy([.choice(.newest)])),
        Row(
            name: "14: renamed d→e on one side, d→k on the other: both names",
            base: ["d": folder, "d/f": file("X")], ours: ["e": folder, "e/f": file("X")],
            theirs: ["k": folder, "k/f": file("X")],
            result: ["e": folder, "e/f": file("X"), "k": folder, "k/f": file("X")]),
        Row(
            name: "14: less than half moved: the folder was not renamed",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")],
            ours: ["e": folder, "e/f": file("X")],
            theirs: [
                "d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V"), "d/n": file("Y"),
            ],
            result: ["d": folder, "d/n": file("Y"), "e": folder, "e/f": file("X")]),
        Row(
            name: "14: renamed d→e and a child edited, that child deleted: the edit stays in e",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/h": file("V")],
            ours: ["e": folder, "e/f": file("Y"), "e/g": file("W"), "e/h": file("V")],
            theirs: ["d": folder, "d/g": file("W"), "d/h": file("V")],
            result: ["e": folder, "e/f": file("Y"), "e/g": file("W"), "e/h": file("V")],
            ourMoves: ["e/f": "d/f"]),
        Row(
            name: "14: half moved, and not more: the folder was not renamed",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/g": file("W"), "d/n": file("Y")],
            result: ["d": folder, "d/n": file("Y"), "e": folder, "e/f": file("X")]),
        Row(
            name: "14: all files moved, and d is still there: it was not renamed",
            base: ["d": folder, "d/f": file("X")],
            ours: ["d": directory(0o700), "e": folder, "e/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Y")],
            result: ["d": directory(0o700), "d/n": file("Y"), "e": folder, "e/f": file("X")]),
        Row(
            name: "14: renamed d→e, child created where e has another already: the chain",
            base: ["d": folder, "d/f": file("X"), "e": folder, "e/n": file("W")],
            ours: ["e": folder, "e/f": file("X"), "e/n": file("W")],
            theirs: [
                "d": folder, "d/f": file("X"), "d/n": file("Y"), "e": folder, "e/n": file("W"),
            ],
            result: [
                "d": folder, "d/n": file("Y"), "e": folder, "e/f": file("X"), "e/n": file("W"),
            ]),
        Row(
            name: "14: renamed d→e, child created whose name was deleted in e: it stays in d",
            base: ["d": folder, "d/f": file("X"), "e": folder, "e/n": file("W")],
            ours: ["e": folder, "e/f": file("X"), "e/n": file("W")],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Y"), "e": folder],
            result: ["d": folder, "d/n": file("Y"), "e": folder, "e/f": file("X")],
            reasons: ["d/n": .created, "e/n": .deleted]),
    ]

    static let circles = [
        Row(
            name: "swapped f↔g, f edited: the edit follows its file",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["f": file("Z"), "g": file("Y")], result: ["f": file("Y"), "g": file("Z")]),
        Row(
            name: "swapped f↔g, both edited: each edit follows its file",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["f": file("Z"), "g": file("W")], result: ["f": file("W"), "g": file("Z")]),
        Row(
            name: "swapped f↔g on both sides: agree",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["f": file("Y"), "g": file("X")], result: ["f": file("Y"), "g": file("X")],
            writesNothing: true),
        Row(
            name: "swapped f↔g there, and a killed run had written g here: the swap",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("X"), "g": file("X")],
            theirs: ["f": file("Y"), "g": file("X")], result: ["f": file("Y"), "g": file("X")],
            theirMoves: ["f": "g", "g": "f"]),
        Row(
            name: "swapped f↔g there, and a killed run had written f here: the swap",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("Y")],
            theirs: ["f": file("Y"), "g": file("X")], result: ["f": file("Y"), "g": file("X")],
            theirMoves: ["f": "g", "g": "f"]),
        Row(
            name: "rotated f→g→h→f, h edited: the edit follows its file",
            base: ["f": file("X"), "g": file("Y"), "h": file("Z")],
            ours: ["g": file("X"), "h": file("Y"), "f": file("Z")],
            theirs: ["f": file("X"), "g": file("Y"), "h": file("W")],
            result: ["g": file("X"), "h": file("Y"), "f": file("W")]),
        Row(
            name: "rotated f→g→h, h gone, f edited: the edit follows its file",
            base: ["f": file("X"), "g": file("Y"), "h": file("Z")],
            ours: ["g": file("X"), "h": file("Y")],
            theirs: ["f": file("W"), "g": file("Y"), "h": file("Z")],
            result: ["g": file("W"), "h": file("Y")], ourMoves: ["g": "f", "h": "g"]),
    ]
}
