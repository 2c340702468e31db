import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Rows 11 and 12 at any depth: what survives in a deleted folder, and what a folder meets that is none.
@Suite struct FolderRowTests {
    @Test("ours and theirs", arguments: survivors + replaced + copies)
    func asWritten(_ row: Row) { row.check(mirrored: false) }

    @Test("theirs and ours", arguments: survivors + replaced + copies)
    func mirrored(_ row: Row) { row.check(mirrored: true) }

    static let survivors = [
        Row(
            name: "11: folder deleted, a child renamed inside: it survives under its new name",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")], ours: [:],
            theirs: ["d": folder, "d/k": file("X"), "d/g": file("W")],
            result: ["d": folder, "d/k": file("X")],
            reasons: ["d": .holdsSurvivor, "d/g": .deleted, "d/k": .created]),
        Row(
            name: "11: folder deleted, a symlink inside retargeted: it survives",
            base: ["d": folder, "d/l": symlink("t"), "d/g": file("W")], ours: [:],
            theirs: ["d": folder, "d/l": symlink("u"), "d/g": file("W")],
            result: ["d": folder, "d/l": symlink("u")],
            reasons: ["d": .holdsSurvivor, "d/l": .editBeatsDelete]),
        Row(
            name: "11: folder deleted, a child became a folder: that folder survives",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/f": folder], result: ["d": folder, "d/f": folder],
            reasons: ["d/f": .editBeatsDelete]),
        Row(
            name: "11: folder deleted, an inner folder became a file: that file survives",
            base: ["d": folder, "d/s": folder, "d/s/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/s": file("Y")], result: ["d": folder, "d/s": file("Y")],
            reasons: ["d/s": .editBeatsDelete, "d/s/f": .equal]),
        Row(
            name: "11: folder deleted, only the mode of a folder inside changed: all of it goes",
            base: ["d": folder, "d/s": folder, "d/s/f": file("X")], ours: [:],
            theirs: ["d": directory(0o700), "d/s": directory(0o700), "d/s/f": file("X")],
            result: [:], reasons: ["d": .deleted, "d/s": .deleted]),
        Row(
            name: "11: folder deleted, a survivor deep inside: no other branch survives",
            base: [
                "a": folder, "a/b": folder, "a/b/c": folder, "a/b/c/f": file("X"), "a/e": folder,
                "a/e/g": file("W"), "a/h": file("V"),
            ], ours: [:],
            theirs: [
                "a": folder, "a/b": folder, "a/b/c": folder, "a/b/c/f": file("Y"), "a/e": folder,
                "a/e/g": file("W"), "a/h": file("V"),
            ],
            result: ["a": folder, "a/b": folder, "a/b/c": folder, "a/b/c/f": file("Y")],
            reasons: [
                "a": .holdsSurvivor, "a/b": .holdsSurvivor, "a/b/c": .holdsSurvivor,
                "a/e": .deleted, "a/h": .deleted,
            ]),
        Row(
            name: "11: folder deleted, its mode changed and a child edited: it has that mode",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": directory(0o700), "d/f": file("Y")],
            result: ["d": directory(0o700), "d/f": file("Y")], reasons: ["d": .holdsSurvivor]),
        Row(
            name: "11: a child edited here, another one there, each side deleted the other's",
            base: ["d": folder, "d/f": file("X"), "d/g": file("W")],
            ours: ["d": folder, "d/f": file("Y")], theirs: ["d": folder, "d/g": file("Z")],
            result: ["d": folder, "d/f": file("Y"), "d/g": file("Z")],
            reasons: ["d/f": .editBeatsDelete, "d/g": .editBeatsDelete]),
        Row(
            name: "11: an inner folder deleted, the outer one on the other side: both are gone",
            base: ["a": folder, "a/b": folder, "a/b/f": file("X"), "a/g": file("W")],
            ours: ["a": folder, "a/g": file("W")], theirs: [:], result: [:],
            reasons: ["a": .deleted, "a/b": .equal, "a/b/f": .equal, "a/g": .deleted]),
        Row(
            name: "11: folder deleted and made again with another file: the old one is gone",
            base: ["d": folder, "d/f": file("X")], ours: ["d": folder, "d/n": file("Y")],
            theirs: ["d": folder, "d/f": file("X")], result: ["d": folder, "d/n": file("Y")],
            reasons: ["d/f": .deleted, "d/n": .created]),
        Row(
            name: "11: folder deleted, a conflict inside it cannot be: only one side has the child",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/f": file("Y")], result: ["d": folder, "d/f": file("Y")],
            reasons: ["d/f": .editBeatsDelete], strategy: Strategy("leave")),
        Row(
            name: "2, 3: folders created on both sides are one, with what each put in",
            base: [:], ours: ["d": folder, "d/f": file("X"), "d/s": folder],
            theirs: ["d": folder, "d/g": file("Y"), "d/s": folder, "d/s/h": file("Z")],
            result: [
                "d": folder, "d/f": file("X"), "d/g": file("Y"), "d/s": folder,
                "d/s/h": file("Z"),
            ], reasons: ["d": .equal, "d/f": .created]),
    ]

    static let replaced = [
        Row(
            name: "12: a folder of two levels replaced by a file, as base there: the file",
            base: ["p": folder, "p/q": folder, "p/q/r": file("X")], ours: ["p": file("Y")],
            theirs: ["p": folder, "p/q": folder, "p/q/r": file("X")], result: ["p": file("Y")],
            reasons: ["p": .edit, "p/q": .deleted]),
        Row(
            name: "12: a file replaced by a folder of two levels, as base there: the folder",
            base: ["p": file("X")], ours: ["p": folder, "p/q": folder, "p/q/r": file("Y")],
            theirs: ["p": file("X")],
            result: ["p": folder, "p/q": folder, "p/q/r": file("Y")],
            reasons: ["p": .edit, "p/q/r": .created]),
        Row(
            name: "12: a folder replaced by a symlink, a child edited: the folder keeps the name",
            base: ["p": folder, "p/q": file("X")], ours: ["p": symlink("t")],
            theirs: ["p": folder, "p/q": file("Y")],
            result: [
                "p": folder, "p/q": file("Y"), symlinkCopy(of: "p", to: "t"): symlink("t"),
            ],
            mirrored: [
                "p": folder, "p/q": file("Y"),
                symlinkCopy(of: "p", to: "t").replacing("ours", with: "theirs"): symlink("t"),
            ], reasons: ["p": .folderKeepsName]),
        Row(
            name: "12: a folder replaced by a file here, by a symlink there: both without a merge",
            base: ["p": folder, "p/q": file("X")], ours: ["p": file("Y")],
            theirs: ["p": symlink("t")],
            result: ["p": symlink("t"), copy(of: "p", "Y", by: .ours): file("Y")],
            mirrored: ["p": file("Y"), symlinkCopy(of: "p", to: "t"): symlink("t")],
            reasons: ["p": .strategy("keep-both"), "p/q": .equal]),
        Row(
            name: "12: a folder replaced by different files: both, without a merge",
            base: ["p": folder, "p/q": file("X")], ours: ["p": file("Y")],
            theirs: ["p": file("Z")],
            result: ["p": file("Z"), copy(of: "p", "Y", by: .ours): file("Y")],
            mirrored: ["p": file("Y"), copy(of: "p", "Z", by: .ours): file("Z")],
            reasons: ["p": .strategy("keep-both")]),
        Row(
            name: "12: a folder replaced by the same file on both sides: agree",
            base: ["p": folder, "p/q": file("X")], ours: ["p": file("Y")],
            theirs: ["p": file("Y")], result: ["p": file("Y")], writesNothing: true),
        Row(
            name: "12: a file edited, a folder there, the strategy prefers a side: both stay",
            base: ["p": file("X")], ours: ["p": file("Y", time: 9)], theirs: ["p": folder],
            result: ["p": folder, copy(of: "p", "Y", by: .ours): file("Y", time: 9)],
            mirrored: ["p": folder, copy(of: "p", "Y", by: .theirs): file("Y", time: 9)],
            reasons: ["p": .folderKeepsName], strategy: Strategy("newest, here")),
        Row(
            name: "12: in a folder: file and directory, the copy is beside them",
            base: ["d": folder], ours: ["d": folder, "d/p.txt": file("Y")],
            theirs: ["d": folder, "d/p.txt": folder, "d/p.txt/q": file("Z")],
            result: [
                "d": folder, "d/p.txt": folder, "d/p.txt/q": file("Z"),
                copy(of: "d/p.txt", "Y", by: .ours): file("Y"),
            ],
            mirrored: [
                "d": folder, "d/p.txt": folder, "d/p.txt/q": file("Z"),
                copy(of: "d/p.txt", "Y", by: .theirs): file("Y"),
            ]),
        Row(
            name: "12, 11: a deleted folder's name taken by a file, and the folder survives: both",
            base: ["a": folder, "a/p": folder, "a/p/q": file("X")],
            ours: ["a": folder, "a/p": file("Y")],
            theirs: ["a": folder, "a/p": folder, "a/p/q": file("X"), "a/p/n": file("Z")],
            result: [
                "a": folder, "a/p": folder, "a/p/n": file("Z"),
                copy(of: "a/p", "Y", by: .ours): file("Y"),
            ],
            mirrored: [
                "a": folder, "a/p": folder, "a/p/n": file("Z"),
                copy(of: "a/p", "Y", by: .theirs): file("Y"),
            ], reasons: ["a/p/q": .deleted, "a/p/n": .created]),
        Row(
            name: "12: folder and file created, the folder's mode is its own",
            base: [:], ours: ["p": file("Y", mode: 0o600)], theirs: ["p": directory(0o700)],
            result: [
                "p": directory(0o700), copy(of: "p", "Y", by: .ours): file("Y", mode: 0o600),
            ],
            mirrored: [
                "p": directory(0o700), copy(of: "p", "Y", by: .theirs): file("Y", mode: 0o600),
            ]),
    ]

    static let copies = [
        Row(
            name: "7: a conflict copy that is edited on both sides gets a copy of its own",
            base: [copy(of: "f", "X", by: .theirs): file("X")],
            ours: [copy(of: "f", "X", by: .theirs): file("Y")],
            theirs: [copy(of: "f", "X", by: .theirs): file("Z")],
            result: [
                copy(of: "f", "X", by: .theirs): file("Z"),
                copy(of: copy(of: "f", "X", by: .theirs), "Y", by: .ours): file("Y"),
            ],
            mirrored: [
                copy(of: "f", "X", by: .theirs): file("Y"),
                copy(of: copy(of: "f", "X", by: .theirs), "Z", by: .ours): file("Z"),
            ]),
        Row(
            name: "7: two conflicts at once, in a folder and beside it: two copies",
            base: ["f": file("X"), "d": folder, "d/f": file("W")],
            ours: ["f": file("Y"), "d": folder, "d/f": file("V")],
            theirs: ["f": file("Z"), "d": folder, "d/f": file("U")],
            result: [
                "f": file("Z"), copy(of: "f", "Y", by: .ours): file("Y"), "d": folder,
                "d/f": file("U"), copy(of: "d/f", "V", by: .ours): file("V"),
            ],
            mirrored: [
                "f": file("Y"), copy(of: "f", "Z", by: .ours): file("Z"), "d": folder,
                "d/f": file("V"), copy(of: "d/f", "U", by: .ours): file("U"),
            ]),
        Row(
            name: "7: the same conflict in two files of the same name: a copy in each folder",
            base: ["a": folder, "a/f": file("X"), "b": folder, "b/f": file("X")],
            ours: ["a": folder, "a/f": file("Y"), "b": folder, "b/f": file("Y")],
            theirs: ["a": folder, "a/f": file("Z"), "b": folder, "b/f": file("Z")],
            result: [
                "a": folder, "a/f": file("Z"), copy(of: "a/f", "Y", by: .ours): file("Y"),
                "b": folder, "b/f": file("Z"), copy(of: "b/f", "Y", by: .ours): file("Y"),
            ],
            mirrored: [
                "a": folder, "a/f": file("Y"), copy(of: "a/f", "Z", by: .ours): file("Z"),
                "b": folder, "b/f": file("Y"), copy(of: "b/f", "Z", by: .ours): file("Z"),
            ]),
        Row(
            name: "7: the copy keeps the mode and the time of its version",
            base: ["f": file("X")], ours: ["f": file("Y", mode: 0o600, time: 3)],
            theirs: ["f": file("Z", mode: 0o755, time: 8)],
            result: [
                "f": file("Z", mode: 0o755, time: 8),
                copy(of: "f", "Y", by: .ours): file("Y", mode: 0o600, time: 3),
            ],
            mirrored: [
                "f": file("Y", mode: 0o600, time: 3),
                copy(of: "f", "Z", by: .ours): file("Z", mode: 0o755, time: 8),
            ]),
    ]
}
