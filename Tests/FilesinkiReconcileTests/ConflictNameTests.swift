import FilesinkiModel
import FilesinkiReconcile
import Testing

/// The names of conflict copies.
@Suite struct ConflictNameTests {
    private func name(_ text: String, device: String = "ours") -> String {
        conflictName(
            for: path(text), device: Device(id: [], name: device), content: Character("Y").id
        )
        .description
    }

    /// With its dot, the longest extension that is kept.
    private static let extension31 = String(repeating: "e", count: 31)

    @Test(
        "is in the file's folder and keeps the extension",
        arguments: [
            ("a.txt", "a (conflict ours 59595959).txt"),
            ("d/e/a.txt", "d/e/a (conflict ours 59595959).txt"),
            ("a", "a (conflict ours 59595959)"),
            ("a.tar.gz", "a.tar (conflict ours 59595959).gz"),
            (".bashrc", ".bashrc (conflict ours 59595959)"),
            (".a.conf", ".a (conflict ours 59595959).conf"),
            ("..x", "..x (conflict ours 59595959)"),
            ("a.", "a. (conflict ours 59595959)"),
            ("d.d/a", "d.d/a (conflict ours 59595959)"),
            ("a." + extension31, "a (conflict ours 59595959)." + extension31),
            ("a.x" + extension31, "a.x" + extension31 + " (conflict ours 59595959)"),
        ])
    func names(_ text: String, _ expected: String) {
        #expect(name(text) == expected)
    }

    @Test(
        "a copy is kept as a file without the word, and what is no copy is not",
        arguments: [
            ("a.txt", "a (ours 59595959).txt"), ("d/e/a", "d/e/a (ours 59595959)"),
            ("a (conflict b 12345678)", "a (conflict b 12345678) (ours 59595959)"),
        ])
    func kept(_ text: String, _ expected: String) {
        #expect(keptName(of: path(name(text)))?.description == expected)
        #expect(keptName(of: path("a (ours 59595959).txt")) == nil)
    }

    @Test(
        "keeps only plain letters of the device",
        arguments: [
            ("Ann's Mac/2", "Ann-s-Mac-2"), ("", "unknown"), ("é", "--"),
            (String(repeating: "x", count: 99), String(repeating: "x", count: 32)),
        ])
    func devices(_ device: String, _ expected: String) {
        #expect(name("a", device: device) == "a (conflict \(expected) 59595959)")
    }

    @Test(
        "is never longer than the limit of a name",
        arguments: [
            String(repeating: "n", count: 255), String(repeating: "n", count: 251) + ".txt",
            String(repeating: "é", count: 127), "a." + String(repeating: "e", count: 253),
            "x" + String(repeating: "🙂", count: 63),
        ])
    func lengths(_ text: String) throws {
        let copy = conflictName(
            for: path(text), device: Device(id: [], name: String(repeating: "d", count: 40)),
            content: Character("Y").id)
        #expect(copy.bytes.count <= 255)
        #expect(try RelativePath(copy.bytes) == copy)
        #expect(String(validating: copy.bytes, as: UTF8.self) != nil)
        #expect(copy.description.contains("59595959)"))
    }

    @Test func `an existing equal copy is not made twice`() {
        let chain = UniformRules(Strategy([.end(.keepBoth)]))
        var input = conflict(chain, file("Y"), file("Z"))
        let name = path(copy(of: "f", "Y", by: .ours))
        input.base =
            [
                path("f"): VersionedEntry(file("X"), version: 1),
                name: VersionedEntry(file("Y"), version: 1),
            ] as [RelativePath: VersionedEntry]
        #expect(reconcile(input).steps.map(\.path.description) == ["f"])
    }

    @Test(
        "a taken name with another content gets a longer one",
        arguments: [
            LocalChange(file("W")), LocalChange(nil),
        ])
    func longer(_ change: LocalChange) {
        let chain = UniformRules(Strategy([.end(.keepBoth)]))
        var input = conflict(chain, file("Y"), file("Z"))
        let name = path(copy(of: "f", "Y", by: .ours))
        input.base =
            [
                path("f"): VersionedEntry(file("X"), version: 1),
                name: VersionedEntry(file("Y"), version: 1),
            ] as [RelativePath: VersionedEntry]
        input.ours[name] = change
        let copies = reconcile(input).steps.filter(\.isConflictCopy)
        #expect(copies.map(\.path.description) == ["f (conflict ours 5959595959595959)"])
    }

    @Test func `a symlink's copy is named by its target`() {
        let chain = UniformRules(Strategy([.end(.keepBoth)]))
        let names = ["t", "u"].map { target in
            reconcile(conflict(chain, symlink(target), file("Z"))).steps
                .first(where: \.isConflictCopy)?.path
        }
        #expect(Set(names).count == 2)
        #expect(!names.contains(nil))
    }
}

@Suite struct ConflictOriginalTests {
    @Test(
        "the name of a conflict copy contains its device",
        arguments: [
            ("f (conflict b 0123abcd).txt", "f.txt", "0123abcd"),
            ("d/f (conflict b 0123abcd)", "d/f", "0123abcd"),
            (
                "f (conflict a 0123abcd) (conflict b 89abcdef).txt", "f (conflict a 0123abcd).txt",
                "89abcdef"
            ),
            ("f (conflict b 0123).txt", nil, nil),
            ("f (conflict b 0123ABCD).txt", nil, nil),
            ("f (conflict 0123abcd).txt", nil, nil),
            (" (conflict b 0123abcd)", nil, nil),
            ("f.txt", nil, nil),
            // As long as what a conflict copy's name has in its middle.
            ("elevenbytes", nil, nil), (" (conflict ", nil, nil),
        ])
    func original(_ copy: String, _ path: String?, _ digits: String?) throws {
        let found = conflictOriginal(of: try RelativePath(copy))
        #expect(found?.path.description == path)
        #expect(found?.digits == digits)
    }
}
