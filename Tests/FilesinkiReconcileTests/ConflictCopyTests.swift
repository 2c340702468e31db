import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Conflict copies: whose version gets one, where its bytes come from, and the names that are taken.
@Suite struct ConflictCopyTests {
    private static let keepBoth = UniformRules(Strategy("keep-both"))

    private func input(
        _ ours: Entry, _ theirs: Entry, base: Entry? = file("X"), others: Tree = [:],
        blocked: Set<String> = []
    ) -> ReconcileInput {
        var tree = others
        tree["f.txt"] = base
        return ReconcileInput(
            base: tree, ours: others.merging(["f.txt": ours]) { $1 },
            theirs: others.merging(["f.txt": theirs]) { $1 }, blocked: blocked,
            rules: Self.keepBoth)
    }

    private func copy(_ input: ReconcileInput) -> Step? {
        let copies = reconcile(input).steps.filter(\.isConflictCopy)
        return copies.count == 1 ? copies.first : nil
    }

    @Test(
        "our version is copied from where it is, unless it is the folder: then theirs is fetched",
        arguments: [
            (file("Y"), file("Z"), file("Y"), "f.txt", "ours"),
            (file("Y"), symlink("t"), file("Y"), "f.txt", "ours"),
            (symlink("t"), file("Z"), symlink("t"), "f.txt", "ours"),
            (file("Y"), folder, file("Y"), "f.txt", "ours"),
            (symlink("t"), folder, symlink("t"), "f.txt", "ours"),
            (folder, file("Z"), file("Z"), nil, "theirs"),
            (folder, symlink("t"), symlink("t"), nil, "theirs"),
        ] as [(Entry, Entry, Entry, String?, String)])
    func copied(
        _ ours: Entry, _ theirs: Entry, _ entry: Entry, _ origin: String?, _ device: String
    ) throws {
        let step = try #require(copy(input(ours, theirs)))
        #expect(step.action == .both(entry))
        #expect(step.origin == origin.map(path))
        #expect(step.copied == path("f.txt"))
        #expect(step.path.description.hasPrefix("f (conflict \(device) "))
        #expect(step.path.description.hasSuffix(").txt"))
        #expect(step.base == nil && step.ours == nil && step.theirs == nil)
        #expect(step.seen == 0 && step.supersededEntry == nil && step.movedFrom == nil)
    }

    @Test func `after a rename the copy is beside the new name, its bytes under the old one`() {
        let input = ReconcileInput(
            base: ["f": file("X")], ours: ["f": file("Y")],
            theirs: ["d": folder, "d/g": file("Z")],
            theirMoves: ["d/g": "f"], rules: Self.keepBoth)
        let name = FilesinkiReconcileTests.copy(of: "d/g", "Y", by: .ours)
        #expect(
            reconcile(input).lines == [
                "take d: created", "write-both \(name) from f: conflict-copy",
                "take d/g: keep-both", "delete f: moved",
            ])
    }

    /// Eight digits, then 16, 32 and 64: the first name which is free.
    @Test("a name that is taken is made longer", arguments: 0...4)
    func longerNames(_ taken: Int) {
        let lengths = [8, 16, 32, 64]
        let names = lengths.map { length in
            "f (conflict ours \(String(repeating: "59", count: length / 2))).txt"
        }
        var others: Tree = [:]
        for name in names.prefix(taken) { others[name] = file("W") }
        let plan = reconcile(input(file("Y"), file("Z"), others: others))
        let made = plan.steps.filter(\.isConflictCopy).map(\.path.description)
        #expect(made == names.dropFirst(taken).prefix(1).map(\.self))
        #expect(plan.steps.count { $0.path.description.contains("conflict") } == made.count)
        // Where all names are taken, the version is kept in the history.
        #expect(plan.step("f.txt")?.supersededEntry == (taken == 4 ? file("Y") : nil))
    }

    private static let shortName = FilesinkiReconcileTests.copy(of: "f.txt", "Y", by: .ours)
    private static let longName = "f (conflict ours 5959595959595959).txt"

    @Test(
        "a name is taken by what will be there after the run",
        arguments: [
            // base, here, there, and the copies which are written
            (nil, nil, file("W"), [longName]), (nil, file("W"), nil, [longName]),
            (nil, folder, nil, [longName]), (nil, nil, symlink("t"), [longName]),
            // Both sides have something else there: that conflict is for a person.
            (nil, file("V"), file("W"), [longName]),
            (file("W"), file("W"), file("W"), [longName]),
            // What becomes free in this run is not free yet.
            (file("W"), nil, file("W"), [longName]), (file("W"), file("W"), nil, [longName]),
            // It holds the version already, or gets it.
            (file("Y"), file("Y"), file("Y"), []), (nil, file("Y"), file("Y"), []),
            (nil, nil, file("Y"), []), (nil, file("Y"), nil, []),
            (file("W"), file("Y"), file("W"), []), (file("W"), file("W"), file("Y"), []),
            (nil, file("Y", mode: 0o600), nil, []),
            // Nobody has it any more.
            (file("W"), nil, nil, [longName]), (file("Y"), nil, nil, [longName]),
        ] as [(Entry?, Entry?, Entry?, [String])])
    func taken(_ base: Entry?, _ ours: Entry?, _ theirs: Entry?, _ made: [String]) {
        let rules = UniformRules(Strategy("leave"))
        var plain = input(file("Y"), file("Z"))
        plain.rules = CopyRules(other: rules)
        let name = path(Self.shortName)
        var tree: [RelativePath: VersionedEntry] = [
            path("f.txt"): VersionedEntry(file("X"), version: 1)
        ]
        tree[name] = base.map { VersionedEntry($0, version: 1) }
        plain.base = tree
        if ours != base { plain.ours[name] = LocalChange(ours) }
        if theirs != base {
            plain.theirs[name] = RemoteChange(
                VersionedEntry(theirs ?? .tombstone, version: 2), device: .theirs)
        }
        let written = reconcile(plain).steps.filter { $0.isConflictCopy && $0.origin != nil }
        #expect(written.map(\.path.description) == made)
    }

    /// Keeps both versions of `f.txt`, and has another rule for the rest.
    private struct CopyRules: StrategyRules {
        var other: UniformRules

        func strategy(for path: RelativePath) -> Strategy {
            path.description == "f.txt" ? Strategy("keep-both") : other.strategy
        }
        func onDelete(for path: RelativePath) -> OnDelete { .keep }
    }

    @Test("a name that is blocked here counts as taken", arguments: [false, true])
    func blocked(_ isBlocked: Bool) throws {
        let blocked: Set = isBlocked ? [Self.shortName] : []
        let step = try #require(copy(input(file("Y"), file("Z"), blocked: blocked)))
        #expect(step.path.description == (isBlocked ? Self.longName : Self.shortName))
    }

    @Test func `versions whose hashes begin alike get names that differ`() throws {
        let id = try #require(ContentID(Array(repeating: 0x59, count: 31) + [0x58]))
        let other = Entry.file(id, size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 1))
        let step = try #require(
            copy(input(other, file("Z"), others: [Self.shortName: file("Y")])))
        #expect(step.path.description == Self.longName)
        let long = String(repeating: "59", count: 31)
        let third = copy(
            input(
                other, file("Z"),
                others: [
                    Self.shortName: file("Y"), Self.longName: file("Y"),
                    "f (conflict ours \(String(repeating: "59", count: 16))).txt": file("Y"),
                ]))
        #expect(third?.path.description == "f (conflict ours \(long)58).txt")
    }

    @Test(
        "what is a copy of which path is told by name and content",
        arguments: [
            ("f (conflict a 59595959).txt", file("Y"), "f.txt"),
            ("f (conflict a 5959595959595959).txt", file("Y"), "f.txt"),
            ("f (conflict a 59595958).txt", file("Y"), nil),
            ("f (conflict a 5959595).txt", file("Y"), nil),
            ("f (conflict a 59595959).txt", folder, nil),
            ("f (conflict a 59595959).txt", symlink("t"), nil),
            ("g (conflict a 59595959).txt", file("Y"), nil),
            ("f (conflict a b 59595959).txt", file("Y"), nil),
        ] as [(String, Entry, String?)])
    func original(_ name: String, _ entry: Entry, _ original: String?) {
        let tree: Tree = ["f.txt": file("X")]
        let input = ReconcileInput(
            base: tree, ours: tree.merging([name: entry]) { $1 }, theirs: tree)
        let expected = original.map { Reason.conflictCopy(of: path($0)) } ?? .created
        #expect(reconcile(input).steps.map(\.reason) == [expected])
        // A copy that another device made comes from there: it is no conflict of this run.
        let taken = ReconcileInput(
            base: tree, ours: tree, theirs: tree.merging([name: entry]) { $1 })
        #expect(reconcile(taken).steps.map(\.reason) == [.created])
    }

    @Test func `a copy by hand of a path that only the other side has is reported as one, too`() {
        let name = FilesinkiReconcileTests.copy(of: "f.txt", "Y", by: .ours)
        let input = ReconcileInput(base: [:], ours: [name: file("Y")], theirs: ["f.txt": file("Z")])
        #expect(reconcile(input).step(name)?.reason == .conflictCopy(of: path("f.txt")))
    }

    @Test func `the copy of a folder's rival is the same, whichever device makes it`() {
        let here = ReconcileInput(
            base: [:], ours: ["p": file("Y")], theirs: ["p": folder], rules: Self.keepBoth)
        var there = ReconcileInput(
            base: [:], ours: ["p": folder], theirs: ["p": file("Y")], rules: Self.keepBoth)
        there.device = .theirs
        there.theirs[path("p")]?.device = .ours
        let names = [here, there].map { reconcile($0).steps.filter(\.isConflictCopy).map(\.path) }
        #expect(names[0] == names[1] && names[0].count == 1)
    }
}

/// The names of conflict copies as bytes, for every name that there may be.
@Suite struct ConflictNameLawTests {
    private static let device = Device(id: [], name: "laptop")

    private func copy(of name: [UInt8]) -> RelativePath {
        conflictName(
            for: RelativePath(unchecked: name), device: Self.device, content: Character("Y").id)
    }

    /// Names of two or three bytes, of letters, dots, spaces, brackets, and bytes that are no UTF-8.
    private static let shortNames: [[UInt8]] = {
        let bytes = [UInt8](Array("a.) (".utf8) + [0xC3, 0xA9, 0xFF])
        let pairs = bytes.flatMap { first in bytes.map { [first, $0] } }
        return pairs + pairs.flatMap { pair in bytes.map { pair + [$0] } }
    }()

    @Test("the original is read from the name", arguments: [[], Array("d/".utf8)])
    func roundTrip(_ folder: [UInt8]) {
        for name in Self.shortNames where name != [46, 46] {
            let found = conflictOriginal(of: copy(of: folder + name))
            #expect(found?.path.bytes == folder + name, "\(printable(folder + name))")
            #expect(found?.digits == "59595959")
        }
    }

    @Test func `the prefix of a path's copies begins the name of each`() {
        for name in Self.shortNames {
            let path = RelativePath(unchecked: name)
            #expect(copy(of: name).bytes.starts(with: conflictPrefix(of: path)))
            let inside = path.appending(name)
            #expect(copy(of: inside.bytes).bytes.starts(with: conflictPrefix(of: inside)))
        }
        #expect(conflictPrefix(of: path("d/a.b.txt")) == Array("d/a.b (conflict ".utf8))
    }

    @Test func `different names have different copies`() {
        let names = Self.shortNames.map { copy(of: $0) }
        #expect(Set(names).count == Set(Self.shortNames).count)
    }

    @Test("the end of a long name is cut, and never its extension", arguments: 200...255)
    func lengths(_ length: Int) {
        let middle = " (conflict laptop 59595959)"
        for suffix in ["", ".c", ".jpeg"] {
            let stem = String(repeating: "n", count: length - suffix.utf8.count)
            let name = copy(of: Array((stem + suffix).utf8)).description
            let kept = min(stem.utf8.count, 255 - middle.utf8.count - suffix.utf8.count)
            #expect(name == String(stem.prefix(kept)) + middle + suffix)
        }
    }

    @Test(
        "a character is not cut in its middle, whatever its length",
        arguments: ["é", "…", "🙂", "a\u{301}"])
    func characters(_ character: String) {
        for start in ["", "a", "ab", "abc"] {
            let stem = start + String(repeating: character, count: 255 / character.utf8.count)
            let whole = Array(stem.utf8.prefix(255))
            let name = copy(of: whole).bytes
            let kept = Array(name.dropLast(" (conflict laptop 59595959)".utf8.count))
            #expect(name.count <= 255 && name.count > 255 - 4)
            #expect(String(validating: kept, as: UTF8.self) != nil)
            #expect(whole.starts(with: kept))
        }
    }

    @Test func `bytes that are no UTF-8 are kept`() {
        let name: [UInt8] = [0x66, 0xFF, 0x2E, 0x80, 0x81]
        #expect(
            copy(of: name).bytes == [0x66, 0xFF] + Array(" (conflict laptop 59595959)".utf8) + [
                0x2E, 0x80, 0x81,
            ])
        let long = copy(of: [UInt8](repeating: 0x80, count: 255)).bytes
        #expect(long.count <= 255 && long.count >= 252)
    }

    @Test(
        "a name that only looks like one of a conflict copy is none",
        arguments: [
            "f (conflict a 59595959", "f(conflict a 59595959)", "f (Conflict a 59595959)",
            "(conflict a 59595959)",
            "f (conflict a 0123456)", "f (conflict  )", "f (conflict a b c)", "f )(conflict a",
            "f (conflict a 5959595g)",
        ])
    func lookalikes(_ name: String) {
        #expect(conflictOriginal(of: path(name))?.path == nil)
    }

    @Test(
        "each device is in the name by its letters",
        arguments: [
            ("a.b_c-d9", "a.b_c-d9"), ("ÄZ", "--Z"), ("a/b\\c:d", "a-b-c-d"), ("(x)", "-x-"),
            ("a\u{0}b\n", "a-b-"),
            (String(repeating: "é", count: 16), String(repeating: "-", count: 32)),
        ])
    func devices(_ device: String, _ expected: String) {
        let name = conflictName(
            for: path("f"), device: Device(id: [1], name: device), content: Character("Y").id)
        #expect(name.description == "f (conflict \(expected) 59595959)")
        #expect(conflictOriginal(of: name)?.path == path("f"))
    }
}
