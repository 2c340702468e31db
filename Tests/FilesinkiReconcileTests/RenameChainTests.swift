import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Renames that meet other renames: chains, exchanges, letters' case, and the same name twice.
@Suite struct RenameChainTests {
    @Test("ours and theirs", arguments: chains + exchanges + cases + sameNames + kinds)
    func asWritten(_ row: Row) { row.check(mirrored: false) }

    @Test("theirs and ours", arguments: chains + exchanges + cases + sameNames + kinds)
    func mirrored(_ row: Row) { row.check(mirrored: true) }

    static let chains = [
        Row(
            name: "13: f→g and g→h, g edited: the edit is in h",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X"), "h": file("Y")],
            theirs: ["f": file("X"), "g": file("W")], result: ["g": file("X"), "h": file("W")],
            reasons: [
                "f": .moved(to: path("g")), "g": .renamed(from: path("f")),
                "h": .renamedAndEdited(from: path("g")),
            ], ourMoves: ["g": "f", "h": "g"]),
        Row(
            name: "13: f→g and g→h, both edited: each edit follows its file",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X"), "h": file("Y")],
            theirs: ["f": file("Z"), "g": file("W")], result: ["g": file("Z"), "h": file("W")],
            ourMoves: ["g": "f", "h": "g"]),
        Row(
            name: "13: f→g and g→h, g deleted: h stays, as a rename beats a deletion",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X"), "h": file("Y")],
            theirs: ["f": file("X")], result: ["g": file("X"), "h": file("Y")],
            ourMoves: ["g": "f", "h": "g"]),
        Row(
            name: "13: f→g and g→h that nobody reports: what came to h counts as a copy",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X"), "h": file("Y")],
            theirs: ["f": file("X"), "g": file("Y")], result: ["g": file("X"), "h": file("Y")],
            reasons: ["g": .renamed(from: path("f")), "h": .created]),
        Row(
            name: "13: f→g over g on one side, g→h on the other: both are followed",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X")],
            theirs: ["f": file("X"), "h": file("Y")], result: ["g": file("X"), "h": file("Y")],
            reasons: ["g": .renamed(from: path("f"))]),
        Row(
            name: "13: f→g over g on one side, g edited on the other: g goes through the chain",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X")],
            theirs: ["f": file("X"), "g": file("Z", time: 9)], result: ["g": file("Z", time: 9)],
            reasons: ["g": .strategy("newest")], strategy: Strategy("newest")),
        Row(
            name: "13: f→g on one side, g→f over f on the other: both contents stay",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X")],
            theirs: ["f": file("Y")], result: ["f": file("Y"), "g": file("X")],
            reasons: ["f": .editBeatsDelete, "g": .editBeatsDelete]),
        Row(
            name: "13: f→g and g edited before it went to h: the edit is in h",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("X"), "h": file("V")],
            theirs: ["f": file("Z"), "g": file("Y")], result: ["g": file("Z"), "h": file("V")],
            reasons: ["h": .renamedAndEdited(from: path("g"))], ourMoves: ["g": "f", "h": "g"]),
    ]

    static let exchanges = [
        Row(
            name: "swapped f↔g, another mode of f: the mode follows the file",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["f": file("X", mode: 0o600), "g": file("Y")],
            result: ["f": file("Y"), "g": file("X", mode: 0o600)]),
        Row(
            name: "swapped f↔g, f deleted: both stay under their new names",
            base: ["f": file("X"), "g": file("Y")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["g": file("Y")], result: ["f": file("Y"), "g": file("X")],
            reasons: ["f": .renamed(from: path("g")), "g": .created]),
        Row(
            name: "swapped f↔g in two folders, f edited: the edit follows its file",
            base: ["a": folder, "a/f": file("X"), "b": folder, "b/g": file("Y")],
            ours: ["a": folder, "a/f": file("Y"), "b": folder, "b/g": file("X")],
            theirs: ["a": folder, "a/f": file("Z"), "b": folder, "b/g": file("Y")],
            result: ["a": folder, "a/f": file("Y"), "b": folder, "b/g": file("Z")]),
        Row(
            name: "15: rotated one way here and the other way there: the chain, name by name",
            base: ["f": file("X"), "g": file("Y"), "h": file("Z")],
            ours: ["f": file("Z"), "g": file("X"), "h": file("Y")],
            theirs: ["f": file("Y"), "g": file("Z"), "h": file("X")],
            result: ["f": file("Y"), "g": file("Z"), "h": file("X")],
            mirrored: ["f": file("Z"), "g": file("X"), "h": file("Y")],
            reasons: ["f": .strategy("there"), "h": .strategy("there")],
            strategy: Strategy("there")),
        Row(
            name: "15: rotated the same way on both sides: agree",
            base: ["f": file("X"), "g": file("Y"), "h": file("Z")],
            ours: ["f": file("Z"), "g": file("X"), "h": file("Y")],
            theirs: ["f": file("Z"), "g": file("X"), "h": file("Y")],
            result: ["f": file("Z"), "g": file("X"), "h": file("Y")], writesNothing: true),
        Row(
            name: "two pairs exchanged at once, an edit in each: each edit follows its file",
            base: ["a": file("X"), "b": file("Y"), "c": file("Z"), "d": file("W")],
            ours: ["a": file("Y"), "b": file("X"), "c": file("W"), "d": file("Z")],
            theirs: ["a": file("U"), "b": file("Y"), "c": file("T"), "d": file("W")],
            result: ["a": file("Y"), "b": file("U"), "c": file("W"), "d": file("T")]),
        Row(
            name: "a circle in which two files are equal is no circle: nothing is followed",
            base: ["f": file("X"), "g": file("Y"), "h": file("X")],
            ours: ["f": file("Y"), "g": file("X"), "h": file("Y")],
            theirs: ["f": file("X"), "g": file("Y"), "h": file("X"), "n": file("W")],
            result: ["f": file("Y"), "g": file("X"), "h": file("Y"), "n": file("W")],
            reasons: ["f": .edit, "g": .edit, "h": .edit]),
        Row(
            name: "swapped two symlinks, one retargeted: the target follows its link",
            base: ["k": symlink("t"), "l": symlink("u")],
            ours: ["k": symlink("u"), "l": symlink("t")],
            theirs: ["k": symlink("v"), "l": symlink("u")],
            result: ["k": symlink("u"), "l": symlink("v")]),
        Row(
            name: "a file and a folder exchanged their names, the file edited: the edit follows",
            base: ["f": file("X"), "d": folder, "d/g": file("Y")],
            ours: ["d": file("X"), "f": folder, "f/g": file("Y")],
            theirs: ["f": file("Z"), "d": folder, "d/g": file("Y")],
            result: ["d": file("Z"), "f": folder, "f/g": file("Y")]),
        Row(
            name: "a file and a folder exchanged their names, as base there: exchanged",
            base: ["f": file("X"), "d": folder, "d/g": file("Y")],
            ours: ["d": file("X"), "f": folder, "f/g": file("Y")],
            theirs: ["f": file("X"), "d": folder, "d/g": file("Y")],
            result: ["d": file("X"), "f": folder, "f/g": file("Y")]),
    ]

    static let cases = [
        Row(
            name: "13: another case only, f→F, f edited: the edit is in F",
            base: ["f": file("X")], ours: ["F": file("X")], theirs: ["f": file("Y")],
            result: ["F": file("Y")], reasons: ["f": .moved(to: path("F"))]),
        Row(
            name: "13: another case only, of an empty file that the scan recognised",
            base: ["f": empty], ours: ["F": empty], theirs: ["f": empty], result: ["F": empty],
            reasons: ["F": .renamed(from: path("f"))], ourMoves: ["F": "f"]),
        Row(
            name: "15: another case here, other letters there: both names",
            base: ["note": file("X")], ours: ["NOTE": file("X")], theirs: ["Note": file("X")],
            result: ["NOTE": file("X"), "Note": file("X")],
            reasons: ["NOTE": .bothNames(of: path("note"))]),
        Row(
            name: "14: another case of a folder, child created: it lands in the new one",
            base: ["d": folder, "d/f": file("X")], ours: ["D": folder, "D/f": file("X")],
            theirs: ["d": folder, "d/f": file("X"), "d/n": file("Y")],
            result: ["D": folder, "D/f": file("X"), "D/n": file("Y")],
            reasons: ["d": .moved(to: path("D"))]),
    ]

    static let sameNames = [
        Row(
            name: "16: f→h here, g→h there: h goes through the chain, both old names are gone",
            base: ["f": file("X"), "g": file("Y")], ours: ["g": file("Y"), "h": file("X")],
            theirs: ["f": file("X"), "h": file("Y")],
            result: ["h": file("Y"), copy(of: "h", "X", by: .ours): file("X")],
            mirrored: ["h": file("X"), copy(of: "h", "Y", by: .ours): file("Y")]),
        Row(
            name: "16: f→h here, g→h there, each old file edited: all four contents stay",
            base: ["f": file("X"), "g": file("Y")],
            ours: ["g": file("V"), "h": file("X", time: 9)],
            theirs: ["f": file("W"), "h": file("Y")],
            result: ["f": file("W"), "g": file("V"), "h": file("X", time: 9)],
            reasons: ["f": .editBeatsDelete, "g": .editBeatsDelete], strategy: Strategy("newest")),
        Row(
            name: "16: f→g here, a copy of f to g there: f is gone, g agrees",
            base: ["f": file("X")], ours: ["g": file("X")],
            theirs: ["f": file("X"), "g": file("X")], result: ["g": file("X")],
            reasons: ["f": .deleted, "g": .equal]),
        Row(
            name: "16: f→g where another g was deleted: g is the renamed file",
            base: ["f": file("X"), "g": file("W")], ours: ["g": file("X")],
            theirs: ["f": file("Y")], result: ["g": file("Y")],
            reasons: ["g": .renamedAndEdited(from: path("f"))]),
        Row(
            name: "16: f→g here, a folder g created there: the folder keeps the name",
            base: ["f": file("X")], ours: ["g": file("X")],
            theirs: ["f": file("X"), "g": folder, "g/n": file("Y")],
            result: ["g": folder, "g/n": file("Y"), copy(of: "g", "X", by: .ours): file("X")],
            mirrored: ["g": folder, "g/n": file("Y"), copy(of: "g", "X", by: .theirs): file("X")],
            reasons: ["g": .folderKeepsName]),
        Row(
            name: "15: f→g and f→h, g edited: the edit in g, the other name as it was",
            base: ["f": file("X")], ours: ["g": file("Y")], theirs: ["h": file("X")],
            result: ["g": file("Y"), "h": file("X")],
            reasons: ["g": .bothNames(of: path("f")), "h": .bothNames(of: path("f"))],
            ourMoves: ["g": "f"]),
        Row(
            name: "15: f→g and f→h, and a new f on both sides: three files",
            base: ["f": file("X")], ours: ["f": file("Y"), "g": file("X")],
            theirs: ["f": file("Y"), "h": file("X")],
            result: ["f": file("Y"), "g": file("X"), "h": file("X")],
            ourMoves: ["g": "f"], theirMoves: ["h": "f"]),
        Row(
            name: "13: f copied to g, f deleted on the other side: g stays",
            base: ["f": file("X")], ours: ["f": file("X"), "g": file("X")], theirs: [:],
            result: ["g": file("X")], reasons: ["f": .deleted, "g": .created]),
        Row(
            name: "13: f copied to g and edited there, f edited on the other side: two files",
            base: ["f": file("X")], ours: ["f": file("X"), "g": file("Y")],
            theirs: ["f": file("Z")], result: ["f": file("Z"), "g": file("Y")],
            reasons: ["f": .edit, "g": .created]),
    ]

    static let kinds = [
        Row(
            name: "13: a symlink renamed, retargeted on the other side: the new target",
            base: ["l": symlink("t")], ours: ["m": symlink("t")], theirs: ["l": symlink("u")],
            result: ["m": symlink("u")], reasons: ["m": .renamedAndEdited(from: path("l"))]),
        Row(
            name: "13: a symlink renamed and retargeted on the same side is a new one",
            base: ["l": symlink("t")], ours: ["m": symlink("u")], theirs: ["l": symlink("t")],
            result: ["m": symlink("u")], reasons: ["l": .deleted, "m": .created]),
        Row(
            name: "13: renamed f→g, f became a symlink: the symlink is g",
            base: ["f": file("X")], ours: ["g": file("X")], theirs: ["f": symlink("t")],
            result: ["g": symlink("t")], reasons: ["g": .renamedAndEdited(from: path("f"))]),
        Row(
            name: "13: renamed f→g with another time, f with a still later one: the later one",
            base: ["f": file("X")], ours: ["g": file("X", time: 5)],
            theirs: ["f": file("X", time: 9)], result: ["g": file("X", time: 9)]),
        Row(
            name: "20: renamed f→g with another mode, f with a third one: the committed one",
            base: ["f": file("X")], ours: ["g": file("X", mode: 0o600)],
            theirs: ["f": file("X", mode: 0o755)], result: ["g": file("X", mode: 0o755)],
            mirrored: ["g": file("X", mode: 0o600)], reasons: ["g": .committedMode]),
        Row(
            name: "13: renamed f→g and edited, f deleted: the edit stays under g",
            base: ["f": file("X")], ours: ["g": file("Y")], theirs: [:],
            result: ["g": file("Y")], reasons: ["f": .equal, "g": .created], ourMoves: ["g": "f"]),
        Row(
            name: "13: renamed f→g and edited, f deleted, on-delete delete: g stays, as it is new",
            base: ["f": file("X")], ours: ["g": file("Y")], theirs: [:],
            result: ["g": file("Y")], ourMoves: ["g": "f"], onDelete: .delete),
        Row(
            name: "13: what became a folder is no new name of a file",
            base: ["f": file("X")], ours: ["g": folder], theirs: ["f": file("Y")],
            result: ["f": file("Y"), "g": folder], reasons: ["f": .editBeatsDelete],
            ourMoves: ["g": "f"]),
    ]
}
