package import FilesinkiRemote

/// One guarantee of ``FilesinkiRemote/Remote``, with its check. The tests of each remote run ``all``; their
/// log then is the contract.
///
/// ```
/// @Test("honours the remote contract", arguments: RemoteContract.all)
/// func contract(_ contract: RemoteContract) async throws {
///     try await contract.check(MemoryRemote())
/// }
/// ```
package struct RemoteContract: Sendable, CustomStringConvertible {
    /// The guarantee, as a sentence.
    package let description: String
    private let body: @Sendable (RemoteSubject) async throws -> Void

    init(
        _ description: String, _ body: @escaping @Sendable (RemoteSubject) async throws -> Void
    ) {
        self.description = description
        self.body = body
    }

    /// All guarantees.
    package static let all = reading + publishing + listing + deleting + waiting

    /// Checks the guarantee.
    ///
    /// - Parameter connections: One or more connections to the same empty store. Races use all of them.
    /// - Throws: ``ContractViolation``, or what the remote throws.
    package func check(_ connections: any Remote...) async throws {
        guard let first = connections.first else { return }
        try await body(RemoteSubject(remote: first, connections: connections))
    }
}

/// The remote that a check tests.
struct RemoteSubject: Sendable {
    let remote: any Remote
    let connections: [any Remote]

    /// The connection of the writer with this number.
    func connection(_ number: Int) -> any Remote { connections[number % connections.count] }
}

/// A remote broke a guarantee.
package struct ContractViolation: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless both are equal.
func require<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
    guard value == expected else {
        throw ContractViolation("\(what) is \(value), and should be \(expected)")
    }
}

/// The key of a text.
func key(_ text: String) throws -> ObjectKey { try ObjectKey(text) }

/// The UTF-8 bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension RemoteContract {
    /// `get` and `put`.
    static let reading = [
        RemoteContract("what was put is read back whole") { subject in
            for size in [0, 1, 255, 65_536, 1_000_001] {
                let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
                try await subject.remote.put(content, to: key("other/\(size)"))
                let found = try await subject.remote.get(key("other/\(size)"), range: nil)
                try require(found == content, is: true, "equality of \(size) bytes")
            }
        },
        RemoteContract("a range is held to the object's end") { subject in
            try await subject.remote.put(bytes("0123456789"), to: key("other/00/a"))
            let cases: [(Range<Int64>, String)] = [
                (0..<10, "0123456789"), (0..<1, "0"), (3..<7, "3456"), (8..<99, "89"), (4..<4, ""),
                (10..<12, ""), (50..<60, ""), (0..<Int64.max, "0123456789"),
            ]
            for (range, wanted) in cases {
                let found = try await subject.remote.get(key("other/00/a"), range: range)
                try require(found, is: bytes(wanted), "\(range)")
            }
        },
        RemoteContract("an absent key reads as nil, wherever it is") { subject in
            try await subject.remote.put(bytes("x"), to: key("a/b"))
            for absent in ["b", "a", "a/c", "a/b/c", "c/d/e", "zones/main/log/1/c"] {
                try require(
                    try await subject.remote.get(key(absent), range: nil), is: nil, absent)
                try require(
                    try await subject.remote.get(key(absent), range: 2..<5), is: nil, absent)
            }
        },
        RemoteContract("putting twice is harmless") { subject in
            for _ in 0..<2 { try await subject.remote.put(bytes("same"), to: key("other/00/a")) }
            let found = try await subject.remote.get(key("other/00/a"), range: nil)
            try require(found, is: bytes("same"), "the object")
        },
        RemoteContract("16 may put one object at once") { subject in
            let content = [UInt8](repeating: 7, count: 100_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        try await subject.connection(number).put(content, to: key("other/00/a"))
                        let found = try await subject.connection(number + 1).get(
                            key("other/00/a"), range: nil)
                        try require(found == content, is: true, "equality after put")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]

    /// `delete`.
    static let deleting = [
        RemoteContract("delete of a missing key succeeds") { subject in
            try await subject.remote.delete(key("other/00/a"))
            try await subject.remote.put(bytes("x"), to: key("other/00/a"))
            for _ in 0..<2 { try await subject.remote.delete(key("other/00/a")) }
            let found = try await subject.remote.get(key("other/00/a"), range: nil)
            try require(found, is: nil, "a deleted object")
        },
        RemoteContract("delete takes no other object with it") { subject in
            for name in ["a", "a-b", "a.b", "ab", "b/c"] {
                try await subject.remote.put(bytes(name), to: key("other/\(name)"))
            }
            for name in ["other/a", "other", "other/b"] {
                try await subject.remote.delete(key(name))
            }
            let left = try await subject.remote.list(prefix: "", after: nil, limit: 10)
            try require(
                left.map(\.key.description),
                is: ["other/a-b", "other/a.b", "other/ab", "other/b/c"],
                "the list")
        },
        RemoteContract("a key can be put again after its deletion, and beside it") { subject in
            for round in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await subject.connection(0).delete(key("other/00/a")) }
                    group.addTask {
                        try await subject.connection(1).put([1], to: key("other/00/b"))
                    }
                    group.addTask {
                        _ = try await subject.connection(2).publish(
                            [2], to: key("other/01/\(round)/c"))
                    }
                    try await group.waitForAll()
                }
                let found = try await subject.remote.get(key("other/00/b"), range: nil)
                try require(found, is: [1], "the object beside")
                for left in ["other/00/b", "other/01/\(round)/c"] {
                    try await subject.remote.delete(key(left))
                }
            }
        },
    ]

    /// `wait`.
    static let waiting = [
        RemoteContract("wait ends when its time is over") { subject in
            for prefix in ["", "zones/main/log/", "nowhere/at/all"] {
                try await subject.remote.wait(prefix: prefix, timeout: .milliseconds(5))
                try await subject.remote.wait(prefix: prefix, timeout: .zero)
            }
        },
        RemoteContract("what comes between two waits ends the second") { subject in
            let prefix = "zones/main/log/"
            try await subject.remote.wait(prefix: prefix, timeout: .zero)
            _ = try await subject.connection(2).publish([1], to: key(prefix + "0001/c"))
            // If the change is missed, the time limit of the test run fails.
            try await subject.remote.wait(prefix: prefix, timeout: .seconds(86_400))
        },
        RemoteContract("wait ends when its task is cancelled") { subject in
            let task = Task {
                try await subject.remote.wait(prefix: "zones/", timeout: .seconds(600))
            }
            task.cancel()
            // If it does not end, the time limit of the test run fails.
            _ = await task.result
        },
    ]
}

extension RemoteContract {
    /// `publish`.
    static let publishing = [
        RemoteContract("a fresh slot is ours") { subject in
            let outcome = try await subject.remote.publish(bytes("one"), to: slot(1))
            try require(outcome, is: .mine, "the outcome")
            try require(
                try await subject.remote.get(slot(1), range: nil), is: bytes("one"), "the slot")
        },
        RemoteContract("a filled slot stays as it is and is read back") { subject in
            _ = try await subject.remote.publish(bytes("one"), to: slot(1))
            let outcome = try await subject.remote.publish(bytes("two"), to: slot(1))
            try require(outcome, is: .theirs(bytes("one")), "the outcome")
            try require(
                try await subject.remote.get(slot(1), range: nil), is: bytes("one"), "the slot")
        },
        RemoteContract("a publication finds a key as it is afterwards, whoever filled the slot") {
            subject in
            let search = KeySearch(prefix: "zones/main/log/", after: try slot(2))
            let first = try await subject.remote.publish(
                bytes("one"), to: slot(1), thenFind: search)
            try require(first.outcome, is: .mine, "the outcome")
            try require(first.found, is: nil, "the key")
            let second = try await subject.remote.publish(
                bytes("three"), to: slot(3), thenFind: search)
            try require(second.outcome, is: .mine, "the outcome")
            try require(second.found, is: slot(3), "the key")
            let third = try await subject.remote.publish(
                bytes("other"), to: slot(1), thenFind: search)
            try require(third.outcome, is: .theirs(bytes("one")), "the outcome")
            try require(third.found, is: slot(3), "the key")
        },
        RemoteContract("publishing the same bytes again is ours: a lost answer is harmless") {
            subject in
            for _ in 0..<3 {
                let outcome = try await subject.remote.publish(bytes("one"), to: slot(1))
                try require(outcome, is: .mine, "the outcome")
            }
        },
        RemoteContract("the store's first slot lies at the top") { subject in
            let outcome = try await subject.remote.publish(bytes("format"), to: key("filesinki/c"))
            try require(outcome, is: .mine, "the outcome")
            let listed = try await subject.remote.list(prefix: "filesinki", after: nil, limit: 9)
            try require(
                listed, is: [ObjectInfo(key: key("filesinki/c"), size: 6)], "the list")
        },
        RemoteContract("of 16 who race for a slot exactly one wins, and it never changes") {
            subject in
            for round in 1...8 { try await race(for: slot(round), writers: 16, subject) }
            let listed = try await subject.remote.list(prefix: "zones/", after: nil, limit: 99)
            try require(listed.map(\.key), is: try (1...8).map(slot), "the list")
        },
    ]

    private static func slot(_ number: Int) throws -> ObjectKey {
        let digits = String(number)
        return try key(
            "zones/main/log/\(String(repeating: "0", count: 20 - digits.count))\(digits)/c")
    }

    private static func race(
        for slot: ObjectKey, writers: Int, _ subject: RemoteSubject
    ) async throws {
        let outcomes = try await withThrowingTaskGroup(
            of: (content: [UInt8], outcome: PublishOutcome).self
        ) { group in
            for writer in 0..<writers {
                group.addTask {
                    let remote = subject.connection(writer)
                    let content = [UInt8](repeating: UInt8(writer), count: 1000 + writer)
                    let outcome = try await remote.publish(content, to: slot)
                    let seen = try await remote.get(slot, range: nil)
                    try require(seen, is: outcome.bytes(of: content), "the slot after the answer")
                    return (content, outcome)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winners = outcomes.filter { $0.outcome == .mine }
        try require(winners.count, is: 1, "the number of winners")
        let final = try await subject.remote.get(slot, range: nil)
        try require(final, is: winners.first?.content, "the slot in the end")
        for (content, outcome) in outcomes {
            try require(outcome.bytes(of: content), is: winners.first?.content ?? [], "an answer")
        }
    }

    /// `list`.
    static let listing = [
        RemoteContract("a list is in the order of keys, byte by byte") { subject in
            let names = [
                "a", "a-b/x", "a.b/x", "a/x", "a0", "a_b/x", "ab/x", "b/c/d/e", "b/c/d1", "b0",
            ]
            for name in names.reversed() {
                // No store has an object at the name of a folder.
                if name != "a" { try await subject.remote.put(bytes(name), to: key("l/\(name)")) }
            }
            let listed = try await subject.remote.list(prefix: "l/", after: nil, limit: 99)
            let wanted = names.dropFirst().map { "l/" + $0 }
            try require(listed.map(\.key.description), is: wanted, "the list")
            try require(
                listed.map(\.size), is: wanted.map { Int64($0.utf8.count - 2) }, "the sizes")
        },
        RemoteContract("pages of every size make the same list") { subject in
            let names = ["a/1", "a/2/c", "a-/1", "b/1/c", "b/2/c", "b/3", "c"]
            for name in names { try await subject.remote.put([1], to: key(name)) }
            for limit in 1...8 {
                var found: [ObjectKey] = []
                while true {
                    let page = try await subject.remote.list(
                        prefix: "", after: found.last, limit: limit)
                    if page.isEmpty { break }
                    try require(page.count <= limit, is: true, "a page within \(limit)")
                    found += page.map(\.key)
                }
                try require(found, is: try names.map(key).sorted(), "pages of \(limit)")
            }
        },
        RemoteContract("a list holds the prefix and nothing else") { subject in
            for name in ["a/1", "a/12", "a/2/c", "ab/1", "b/1"] {
                try await subject.remote.put([1], to: key(name))
            }
            let cases: [(String, [String])] = [
                ("", ["a/1", "a/12", "a/2/c", "ab/1", "b/1"]),
                ("a", ["a/1", "a/12", "a/2/c", "ab/1"]),
                ("a/", ["a/1", "a/12", "a/2/c"]), ("a/1", ["a/1", "a/12"]), ("a/2", ["a/2/c"]),
                ("a/2/", ["a/2/c"]), ("c", []), ("a/3/", []), ("a/1/", []), ("../", []), ("//", []),
            ]
            for (prefix, wanted) in cases {
                let listed = try await subject.remote.list(prefix: prefix, after: nil, limit: 99)
                try require(listed.map(\.key.description), is: wanted, "the list of '\(prefix)'")
            }
        },
        RemoteContract("a list goes on after a key that is absent, and is empty for a limit of 0") {
            subject in
            for name in ["a/1", "a/3/c", "b/1"] { try await subject.remote.put([1], to: key(name)) }
            let cases: [(String, [String])] = [
                ("a", ["a/1", "a/3/c", "b/1"]), ("a/1", ["a/3/c", "b/1"]),
                ("a/2", ["a/3/c", "b/1"]),
                ("a/3/b", ["a/3/c", "b/1"]), ("a/3/c", ["b/1"]), ("a/3/d", ["b/1"]), ("c", []),
            ]
            for (after, wanted) in cases {
                let listed = try await subject.remote.list(prefix: "", after: key(after), limit: 99)
                try require(listed.map(\.key.description), is: wanted, "the list after \(after)")
            }
            let none = try await subject.remote.list(prefix: "", after: nil, limit: 0)
            try require(none, is: [], "the list of none")
        },
        RemoteContract("a list begins after an absent key, in an absent folder and among folders") {
            subject in
            let prefix = "zones/main/archives/"
            func listed(_ prefix: String, after: String) async throws -> [String] {
                try await subject.remote.list(prefix: prefix, after: key(after), limit: 1)
                    .map(\.key.description)
            }
            try require(try await listed(prefix, after: prefix + "07/ff"), is: [], "no folder")
            try await subject.remote.put([1], to: key(prefix + "07/0a"))
            try await subject.remote.put([1], to: key(prefix + "09/0b"))
            try await subject.remote.put([1], to: key("zones/main-2/archives/09/0b"))
            for (after, wanted) in [
                ("06/ff", "07/0a"), ("07/ff", "09/0b"), ("08/ff", "09/0b"), ("09/ff", nil),
            ] {
                let found = try await listed(prefix, after: prefix + after)
                try require(found, is: wanted.map { [prefix + $0] } ?? [], "after \(after)")
            }
            let next = try await listed("zones/", after: "zones/main-20")
            try require(next, is: [prefix + "07/0a"], "after the zone main-2")
            try require(try await listed("zones/", after: "zones/main0"), is: [], "after main")
        },
    ]
}

extension PublishOutcome {
    /// What the slot holds, when `own` was published.
    fileprivate func bytes(of own: [UInt8]) -> [UInt8] {
        switch self {
        case .mine: own
        case .theirs(let bytes): bytes
        }
    }
}
