import FilesinkiRemote

extension RemoteContract {
    /// What `publish` promises.
    static let publishing = [
        RemoteContract("a fresh slot is ours") { subject in
            let outcome = try await subject.remote.publish(bytes("one"), to: slot(1))
            try demand(outcome, is: .mine, "the outcome")
            try demand(
                try await subject.remote.get(slot(1), range: nil), is: bytes("one"), "the slot")
        },
        RemoteContract("a filled slot stays as it is and is read back") { subject in
            _ = try await subject.remote.publish(bytes("one"), to: slot(1))
            let outcome = try await subject.remote.publish(bytes("two"), to: slot(1))
            try demand(outcome, is: .theirs(bytes("one")), "the outcome")
            try demand(
                try await subject.remote.get(slot(1), range: nil), is: bytes("one"), "the slot")
        },
        RemoteContract("publishing the same bytes again is ours: a lost answer is harmless") {
            subject in
            for _ in 0..<3 {
                let outcome = try await subject.remote.publish(bytes("one"), to: slot(1))
                try demand(outcome, is: .mine, "the outcome")
            }
        },
        RemoteContract("the store's first slot lies at the top") { subject in
            let outcome = try await subject.remote.publish(bytes("format"), to: key("filesinki/c"))
            try demand(outcome, is: .mine, "the outcome")
            let listed = try await subject.remote.list(prefix: "filesinki", after: nil, limit: 9)
            try demand(
                listed, is: [ObjectInfo(key: key("filesinki/c"), size: 6)], "the list")
        },
        RemoteContract("of 16 who race for a slot exactly one wins, and it never changes") {
            subject in
            for round in 1...8 { try await race(for: slot(round), writers: 16, subject) }
            let listed = try await subject.remote.list(prefix: "zones/", after: nil, limit: 99)
            try demand(listed.map(\.key), is: try (1...8).map(slot), "the list")
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
                    try demand(seen, is: outcome.bytes(of: content), "the slot after the answer")
                    return (content, outcome)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winners = outcomes.filter { $0.outcome == .mine }
        try demand(winners.count, is: 1, "the number of winners")
        let final = try await subject.remote.get(slot, range: nil)
        try demand(final, is: winners.first?.content, "the slot in the end")
        for (content, outcome) in outcomes {
            try demand(outcome.bytes(of: content), is: winners.first?.content ?? [], "an answer")
        }
    }

    /// What `list` promises.
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
            try demand(listed.map(\.key.description), is: wanted, "the list")
            try demand(listed.map(\.size), is: wanted.map { Int64($0.utf8.count - 2) }, "the sizes")
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
                    try demand(page.count <= limit, is: true, "a page within \(limit)")
                    found += page.map(\.key)
                }
                try demand(found, is: try names.map(key).sorted(), "pages of \(limit)")
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
                try demand(listed.map(\.key.description), is: wanted, "the list of '\(prefix)'")
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
                try demand(listed.map(\.key.description), is: wanted, "the list after \(after)")
            }
            let none = try await subject.remote.list(prefix: "", after: nil, limit: 0)
            try demand(none, is: [], "the list of none")
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
