import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("References between records")
struct ReferenceTests {
    /// Records by name, and who refers to whom, as a database would say.
    struct World {
        var records: [RecordName: Record] = [:]

        init(_ records: [Record]) {
            for record in records { self.records[record.name] = record }
        }

        func graph(_ saves: [Record], _ deletions: [String] = []) -> ReferenceGraph {
            let records = records
            return ReferenceGraph(
                saves: saves, deletions: deletions.map(name), lookup: { records[$0] },
                referrers: { target in
                    records.values.filter {
                        $0.references.contains(Reference(target, action: .deleteSelf))
                    }
                    .map(\.name)
                })
        }

        func failure(_ saves: [Record], _ deletions: [String] = []) -> Failure? {
            FilesinkiRecordsTests.failure { () throws(Failure) in
                try graph(saves, deletions).check()
            }
        }
    }

    /// A record that refers to others; `!` before a name deletes it with that one.
    static func node(_ recordName: String, _ targets: String...) -> Record {
        let references = targets.map { target in
            target.hasPrefix("!")
                ? reference(String(target.dropFirst()), delete: true) : reference(target)
        }
        return record(recordName, "Node", ["to": list(references, of: .reference)])
    }

    @Test func `CK-11 a reference needs its target, in the zone or in the batch`() {
        let world = World([Self.node("old")])
        #expect(world.failure([Self.node("a", "old")]) == nil)
        #expect(world.failure([Self.node("a", "b"), Self.node("b")]) == nil)
        let found = world.failure([Self.node("a", "old", "gone")])
        #expect(found?.code == .usage && found?.path == Array("a".utf8))
        #expect(
            found?.message == "reference-violation: 'a' refers to 'gone', which does not exist.")
        #expect(found?.remedy.contains("'gone'") == true)
    }

    @Test func `CK-11 a target that the batch deletes is missing`() {
        let world = World([Self.node("old")])
        let found = world.failure([Self.node("a", "old")], ["old"])
        #expect(
            found?.message
                == "reference-violation: 'a' refers to 'old', which is deleted in the same batch.")
        #expect(world.failure([Self.node("a", "old"), Self.node("old")], ["old"]) != nil)
        // What is deleted needs no target.
        #expect(world.failure([Self.node("a", "gone")], ["a"]) == nil)
        // What the batch does not save may lose its target: such references are not deleted with it.
        #expect(World([Self.node("old"), Self.node("b", "old")]).failure([], ["old"]) == nil)
    }

    @Test(
        "CK-11 a cycle of deletions is refused with its names",
        arguments: [
            (["a": ["!a"]], "a -> a."), (["a": ["!b"], "b": ["!a"]], "a -> b -> a."),
            (["a": ["!b"], "b": ["!c"], "c": ["!b"]], "b -> c -> b."),
            (["a": ["!b", "!c"], "b": ["!d"], "c": ["!d"], "d": []], nil),
            (["a": ["!b"], "b": ["a"]], nil), (["a": ["a"]], nil),
        ] as [([String: [String]], String?)])
    func cycle(_ edges: [String: [String]], _ shown: String?) {
        let nodes = edges.map { key, targets in
            record(
                key, "Node",
                [
                    "to": list(
                        targets.map { target in
                            target.hasPrefix("!")
                                ? reference(String(target.dropFirst()), delete: true)
                                : reference(target)
                        }, of: .reference)
                ])
        }
        let found = World([]).failure(nodes)
        #expect(found?.code == (shown == nil ? nil : .usage))
        #expect(
            shown.map { found?.message.hasSuffix("next: " + $0) == true } ?? true,
            "\(String(describing: found))")
    }

    @Test func `CK-11 a cycle through records that are not in the batch is found`() {
        let world = World([Self.node("b", "!c"), Self.node("c", "!a"), Self.node("a")])
        #expect(
            world.failure([Self.node("a", "!b")])?.message.hasSuffix("a -> b -> c -> a.") == true)
        // The batch breaks the cycle that it would close.
        #expect(world.failure([Self.node("a", "!b"), Self.node("c")]) == nil)
    }

    @Test func `CK-11 a cycle and a cascade may be as deep as there are records`() {
        let depth = 20_000
        var chain = (1..<depth).map { Self.node("n\($0)", "!n\($0 - 1)") }
        chain.append(Self.node("n0"))
        let records = Dictionary(uniqueKeysWithValues: chain.map { ($0.name, $0) })
        func graph(_ saves: [Record], _ deletions: [RecordName]) -> ReferenceGraph {
            ReferenceGraph(
                saves: saves, deletions: deletions, lookup: { records[$0] },
                referrers: { target in
                    Int(target.text.dropFirst()).map { [name("n\($0 + 1)")] } ?? []
                })
        }
        #expect(graph([], [name("n0")]).cascade().count == depth - 1)
        let closing = failure { () throws(Failure) in
            try graph([Self.node("n0", "!n\(depth - 1)")], []).check()
        }
        #expect(
            closing?.message.contains(
                "n0 -> n19999 -> n19998 -> n19997 -> n19996 -> n19995 -> … -> n5") == true)
    }

    @Test func `CK-11 no more than 750 records are deleted with one`() {
        let many = (1...750).map { Self.node("n\($0)", "!top") }
        let world = World([Self.node("top")] + many)
        #expect(world.failure([Self.node("n1", "!top"), Self.node("x", "top")]) == nil)
        let found = world.failure([Self.node("x", "!top")])
        #expect(found?.code == .limit && found?.path == Array("top".utf8))
        #expect(found?.message.hasPrefix("751 records") == true)
        // One goes, another comes.
        #expect(world.failure([Self.node("x", "!top"), Self.node("n1")]) == nil)
        #expect(world.failure([Self.node("x", "!top")], ["n1"]) == nil)
    }

    @Test func `CK-11 a deletion takes with it what refers to it, any depth`() {
        let world = World([
            Self.node("top"), Self.node("a", "!top"), Self.node("b", "!a"), Self.node("c", "!b"),
            Self.node("d", "a"), Self.node("e", "!d"), Self.node("f", "!a", "!top"),
        ])
        func names(_ graph: ReferenceGraph) -> String {
            graph.cascade().map(\.text).joined(separator: " ")
        }
        #expect(names(world.graph([], ["top"])) == "a b c f")
        #expect(names(world.graph([], ["b"])) == "c")
        #expect(names(world.graph([], ["b", "d"])) == "c e")
        #expect(names(world.graph([], ["c", "gone"])) == "")
        #expect(names(world.graph([], ["top", "a"])) == "b c f")
        // What the batch saves counts as it will be.
        #expect(names(world.graph([Self.node("b", "a")], ["top"])) == "a f")
        #expect(names(world.graph([Self.node("g", "!c")], ["top"])) == "a b c f g")
        #expect(names(world.graph([], [])) == "")
    }

    @Test func `CK-11 many deletions of a batch look at each record once`() {
        let depth = 1_000
        var asked = 0
        let graph = ReferenceGraph(
            saves: [], deletions: [],
            lookup: { name in
                Int(name.text.dropFirst()).map { Self.node(name.text, "!n\($0 - 1)") }
            },
            referrers: { target in
                asked += 1
                return Int(target.text.dropFirst()).flatMap {
                    $0 < depth ? name("n\($0 + 1)") : nil
                }
                .map { [$0] } ?? []
            })
        var known: Set<RecordName> = []
        let taken = stride(from: depth - 1, through: 0, by: -1).map {
            graph.cascade(of: name("n\($0)"), beside: &known).map(\.text)
        }
        #expect(taken.first == ["n\(depth)"])
        #expect(taken.dropFirst().joined().isEmpty)
        #expect(asked == depth + 1)
    }

    @Test
    func `CK-11 all saves without a target are found at once, and then those that refer to them`() {
        let world = World([])
        let saves = [
            Self.node("a", "gone"), Self.node("b", "a"), Self.node("c", "lost"), Self.node("d"),
        ]
        #expect(world.graph(saves).violations().map(\.name.text) == ["a", "c"])
        let rest = world.graph([saves[1], saves[3]]).violations()
        #expect(rest.map(\.name.text) == ["b"])
        #expect(rest[0].failure.message.hasSuffix("'b' refers to 'a', which does not exist."))
    }

    @Test func `CK-11 a cascade ends in an old cycle`() {
        let world = World([Self.node("a", "!b"), Self.node("b", "!a"), Self.node("c", "!a")])
        #expect(world.graph([], ["a"]).cascade().map(\.text) == ["b", "c"])
    }
}
