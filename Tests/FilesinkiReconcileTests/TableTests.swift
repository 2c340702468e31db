import FilesinkiModel
import FilesinkiReconcile
import Testing

/// The table of what happens to a path. X is the base's content, Y and Z are edits.
@Suite struct TableTests {
    @Test("ours and theirs", arguments: rows)
    func asWritten(_ row: Row) { row.check(mirrored: false) }

    @Test("theirs and ours", arguments: rows)
    func mirrored(_ row: Row) { row.check(mirrored: true) }

    static let rows = [
        Row(
            name: "1: same edit, same edit: agree, nothing is written",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: ["f": file("Y")],
            result: ["f": file("Y")], reasons: ["f": .equal], writesNothing: true),
        Row(
            name: "1: created equal on both sides: agree, no strategy is asked",
            base: [:], ours: ["f": file("Y")], theirs: ["f": file("Y")],
            result: ["f": file("Y")], reasons: ["f": .equal],
            strategy: Strategy([.end(.leave)]), writesNothing: true),
        Row(
            name: "2, 3: edit, as base: the edit",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: ["f": file("X")],
            result: ["f": file("Y")], reasons: ["f": .edit]),
        Row(
            name: "2, 3: created on one side",
            base: [:], ours: ["d": folder, "d/f": file("Y")], theirs: [:],
            result: ["d": folder, "d/f": file("Y")], reasons: ["d/f": .created]),
        Row(
            name: "4, 5: delete, as base: deleted",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/f": file("X")],
            result: [:], reasons: ["d/f": .deleted]),
        Row(
            name: "6: delete, delete: agree",
            base: ["f": file("X")], ours: [:], theirs: [:], result: [:], reasons: ["f": .equal],
            writesNothing: true),
        Row(
            name: "7: edit, edit: the chain; keep-both keeps both, the committed one the name",
            base: ["f.txt": file("X")], ours: ["f.txt": file("Y")], theirs: ["f.txt": file("Z")],
            result: ["f.txt": file("Z"), copy(of: "f.txt", "Y", by: .ours): file("Y")],
            mirrored: ["f.txt": file("Y"), copy(of: "f.txt", "Z", by: .ours): file("Z")],
            reasons: ["f.txt": .asks("auto")]),
        Row(
            name: "8: created, created other: the chain",
            base: [:], ours: ["f": file("Y")], theirs: ["f": file("Z")],
            result: ["f": file("Z"), copy(of: "f", "Y", by: .ours): file("Y")],
            mirrored: ["f": file("Y"), copy(of: "f", "Z", by: .ours): file("Z")]),
        Row(
            name: "9, 10: edit, delete: the edit stays",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: [:],
            result: ["f": file("Y")], reasons: ["f": .editBeatsDelete]),
        Row(
            name: "9, 10: edit, delete, on-delete says delete: the deletion stays",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: [:],
            result: [:], reasons: ["f": .deleteBeatsEdit], onDelete: .delete),
        Row(
            name: "9, 10: edit, delete, on-delete asks, nobody answers: the edit stays",
            base: ["f": file("X")], ours: ["f": file("Y")], theirs: [:],
            result: ["f": file("Y")], onDelete: .ask),
        Row(
            name: "11: folder deleted, child edited: that child and its parents survive",
            base: ["a": folder, "a/d": folder, "a/d/f": file("X"), "a/d/g": file("X")], ours: [:],
            theirs: ["a": folder, "a/d": folder, "a/d/f": file("Y"), "a/d/g": file("X")],
            result: ["a": folder, "a/d": folder, "a/d/f": file("Y")],
            reasons: ["a": .holdsSurvivor, "a/d/f": .editBeatsDelete, "a/d/g": .deleted]),
        Row(
            name: "11: folder deleted, child new inside: that child and its parents survive",
            base: ["d": folder, "d/g": file("X")], ours: [:],
            theirs: ["d": folder, "d/g": file("X"), "d/n": file("Y")],
            result: ["d": folder, "d/n": file("Y")],
            reasons: ["d": .holdsSurvivor, "d/n": .created, "d/g": .deleted]),
        Row(
            name: "12: file, directory: the directory keeps the name",
            base: ["p": file("X")], ours: ["p": file("Y")],
            theirs: ["p": folder, "p/q": file("Z")],
            result: [
                "p": folder, "p/q": file("Z"), copy(of: "p", "Y", by: .ours): file("Y"),
            ],
            mirrored: [
                "p": folder, "p/q": file("Z"), copy(of: "p", "Y", by: .theirs): file("Y"),
            ],
            reasons: ["p": .folderKeepsName]),
        Row(
            name: "12: file in a folder's place, child edited: the folder keeps the name",
            base: ["p": folder, "p/q": file("X")], ours: ["p": file("Y")],
            theirs: ["p": folder, "p/q": file("Z")],
            result: [
                "p": folder, "p/q": file("Z"), copy(of: "p", "Y", by: .ours): file("Y"),
            ],
            mirrored: [
                "p": folder, "p/q": file("Z"), copy(of: "p", "Y", by: .theirs): file("Y"),
            ]),
        Row(
            name: "12: file in a folder's place, the folder as base: the file",
            base: ["p": folder, "p/q": file("X")], ours: ["p": file("Y")],
            theirs: ["p": folder, "p/q": file("X")], result: ["p": file("Y")]),
        Row(
            name: "17: mode changed, content edited: both applied",
            base: ["f": file("X")], ours: ["f": file("X", mode: 0o755)],
            theirs: ["f": file("Y", time: 5)],
            result: ["f": file("Y", mode: 0o755, time: 5)]),
        Row(
            name: "18: only mtime changed, content edited: the edit",
            base: ["f": file("X")], ours: ["f": file("X", time: 9)],
            theirs: ["f": file("Y", time: 5)], result: ["f": file("Y", time: 5)],
            reasons: ["f": .edit]),
        Row(
            name: "19: only mtime, only mtime: the later",
            base: ["f": file("X")], ours: ["f": file("X", time: 9)],
            theirs: ["f": file("X", time: 5)], result: ["f": file("X", time: 9)],
            reasons: ["f": .laterTime]),
        Row(
            name: "20: mode x, mode y: the committed one",
            base: ["f": file("X")], ours: ["f": file("X", mode: 0o755)],
            theirs: ["f": file("X", mode: 0o600)], result: ["f": file("X", mode: 0o600)],
            mirrored: ["f": file("X", mode: 0o755)], reasons: ["f": .committedMode]),
        Row(
            name: "20: a directory's mode",
            base: ["d": folder], ours: ["d": directory(0o700)], theirs: ["d": folder],
            result: ["d": directory(0o700)]),
        Row(
            name: "21: kind changed, edited: the chain without its merges",
            base: ["f": file("X")], ours: ["f": symlink("t", time: 9)], theirs: ["f": file("Y")],
            result: ["f": symlink("t", time: 9)], reasons: ["f": .strategy("newest")],
            strategy: Strategy([.merge(.format(.text)), .choice(.newest)])),
        Row(
            name: "21: symlink, symlink: the chain without its merges",
            base: [:], ours: ["f": symlink("t", time: 9)], theirs: ["f": symlink("u")],
            result: ["f": symlink("u")], reasons: ["f": .strategy("oldest")],
            strategy: Strategy([.merge(.auto), .choice(.oldest)])),
        Row(
            name: "8: a file and a symlink created: the chain without its merges",
            base: [:], ours: ["f": file("Y")], theirs: ["f": symlink("t")],
            result: ["f": symlink("t"), copy(of: "f", "Y", by: .ours): file("Y")],
            mirrored: ["f": file("Y"), symlinkCopy(of: "f", to: "t"): symlink("t")],
            reasons: ["f": .strategy("keep-both")]),
        Row(
            name: "9, 10: only mode changed, delete: deleted",
            base: ["f": file("X")], ours: ["f": file("X", mode: 0o755, time: 9)], theirs: [:],
            result: [:], reasons: ["f": .deleted]),
        Row(
            name: "9, 10: kind changed, delete: the new kind stays",
            base: ["f": file("X")], ours: ["f": symlink("t")], theirs: [:],
            result: ["f": symlink("t")], reasons: ["f": .editBeatsDelete]),
        Row(
            name: "11: folder deleted, child's mode changed: all of it goes",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/f": file("X", mode: 0o600)], result: [:],
            reasons: ["d": .deleted, "d/f": .deleted]),
        Row(
            name: "11: folder deleted, an empty folder new inside: it survives",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/f": file("X"), "d/s": folder],
            result: ["d": folder, "d/s": folder], reasons: ["d": .holdsSurvivor, "d/s": .created]),
        Row(
            name: "11: folder deleted, on-delete says delete: new ones survive, edits do not",
            base: ["d": folder, "d/f": file("X")], ours: [:],
            theirs: ["d": folder, "d/f": file("Y"), "d/n": file("Z")],
            result: ["d": folder, "d/n": file("Z")], reasons: ["d/f": .deleteBeatsEdit],
            onDelete: .delete),
        Row(
            name: "12: file and directory created: the directory keeps the name",
            base: [:], ours: ["p": file("Y")], theirs: ["p": folder],
            result: ["p": folder, copy(of: "p", "Y", by: .ours): file("Y")],
            mirrored: ["p": folder, copy(of: "p", "Y", by: .theirs): file("Y")],
            reasons: ["p": .folderKeepsName]),
        Row(
            name:
                "12: folder deleted and a file in its place, child new: the folder keeps the name",
            base: ["p": folder, "p/q": file("X")], ours: ["p": file("Y")],
            theirs: ["p": folder, "p/q": file("X"), "p/n": file("Z")],
            result: ["p": folder, "p/n": file("Z"), copy(of: "p", "Y", by: .ours): file("Y")],
            mirrored: [
                "p": folder, "p/n": file("Z"), copy(of: "p", "Y", by: .theirs): file("Y"),
            ]),
        Row(
            name: "17: content and mode edited, another mode: the edit's own mode",
            base: ["f": file("X")], ours: ["f": file("Y", mode: 0o755, time: 5)],
            theirs: ["f": file("X", mode: 0o600)], result: ["f": file("Y", mode: 0o755, time: 5)]),
        Row(
            name: "17: mode changed, another kind: the other kind with its own mode",
            base: ["f": file("X")], ours: ["f": file("X", mode: 0o755)],
            theirs: ["f": symlink("t")], result: ["f": symlink("t")]),
        Row(
            name: "19, 20: time changed, mode changed: both",
            base: ["f": file("X")], ours: ["f": file("X", time: 9)],
            theirs: ["f": file("X", mode: 0o755)], result: ["f": file("X", mode: 0o755, time: 9)],
            reasons: ["f": .metadata]),
        Row(
            name: "19, 20: mode and time changed on both sides: the later time, the committed mode",
            base: ["f": file("X")], ours: ["f": file("X", mode: 0o755, time: 9)],
            theirs: ["f": file("X", mode: 0o600, time: 5)],
            result: ["f": file("X", mode: 0o600, time: 9)],
            mirrored: ["f": file("X", mode: 0o755, time: 9)], reasons: ["f": .committedMode]),
        Row(
            name: "20: mode changed on one side: that mode",
            base: ["f": file("X", mode: 0o600)], ours: ["f": file("X", mode: 0o600)],
            theirs: ["f": file("X", mode: 0o755)], result: ["f": file("X", mode: 0o755)],
            reasons: ["f": .metadata]),
        Row(
            name: "22: created on both sides, only time and mode differ: no conflict",
            base: [:], ours: ["f": file("X", mode: 0o755, time: 9)],
            theirs: ["f": file("X", time: 5)], result: ["f": file("X", time: 9)],
            mirrored: ["f": file("X", mode: 0o755, time: 9)], reasons: ["f": .committedMode]),
    ]
}
