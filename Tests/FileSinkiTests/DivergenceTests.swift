import FileSinki
import FilesinkiTesting
import Foundation
import Testing

/// A merge is asked once for each divergence.
@Suite("One merge for each divergence")
struct DivergenceTests {
    let meeting: Meeting
    let a: FileSinki
    let b: FileSinki
    let path = "trophies"

    init() async throws {
        meeting = try Meeting()
        a = try await meeting.sinki("a")
        b = try await meeting.sinki("b")
    }

    @Test("FS-11: trophies that are added up are added once, counted over 50 syncs")
    func fifty() async throws {
        for round in 1...5 {
            try await a.save(try await grown("count-a\(round)", a), to: path)
            try await b.save(try await grown("count-b\(round)", nil), to: path)
            for _ in 1...5 {
                _ = try await a.load(Trophies.self, from: path)
                _ = try await b.load(Trophies.self, from: path)
            }
        }
        #expect(Trophies.merges(of: "count-") == 5)
        let end = try await a.load(Trophies.self, from: path)
        #expect(try await b.load(Trophies.self, from: path) == end)
        #expect(meeting.text("a", path) == meeting.text("b", path))
        #expect(end?.trophies.contains("count-a5") == true)
        #expect(end?.trophies.contains("count-b5") == true)
    }

    /// What a device holds, and one more.
    private func grown(_ name: String, _ sinki: FileSinki?) async throws -> Trophies {
        let found = try await sinki?.load(Trophies.self, from: path)?.trophies
        let seen = meeting.text("b", path).flatMap { text in
            try? JSONDecoder().decode(Trophies.self, from: Data(text.utf8)).trophies
        }
        return Trophies(trophies: (found ?? seen ?? []) + [name])
    }

    @Test("FS-11: equal values are never merged, also when both devices created them")
    func equal() async throws {
        try await a.save(Trophies(trophies: ["equal-1"]), to: path)
        #expect(try await b.save(Trophies(trophies: ["equal-1"]), to: path) == .uploaded)
        _ = try await a.load(Trophies.self, from: path)
        #expect(Trophies.merges(of: "equal-") == 0)
    }

    @Test("FS-10, FS-11: nothing is locked while a person decides, and the answer is applied")
    func person() async throws {
        try await a.save(Asked(answer: "from a"), to: "asked")
        async let outcome = b.save(Asked(answer: "from b"), to: "asked")
        #expect(try await eventually { Asked.open.count == 1 })
        // Another path, and another process, go on meanwhile.
        #expect(try await b.save(Score(score: 1), to: "other") == .uploaded)
        let other = try await FileSinki(root: meeting.root("b"))
        #expect(try await other.load(Score.self, from: "other") == Score(score: 1))
        for keep in Asked.open.all { keep.value(Asked(answer: "a third one")) }
        #expect(try await outcome == .merged(Asked(answer: "a third one")))
        #expect(try await a.load(Asked.self, from: "asked") == Asked(answer: "a third one"))
        #expect(Asked.open.count == 1)
    }

    @Test(
        "a full sync asks about the files that the program registered, and waits for the answer"
    )
    func everything() async throws {
        try await a.save(Slow(answer: "from a"), to: "slow")
        try await a.save(Score(score: 1), to: "gone")
        #expect(try await b.load(Score.self, from: "gone") == Score(score: 1))
        try await a.delete("gone")
        #expect(try await b.load(Slow.self, from: "slow") == Slow(answer: "from a"))
        try await a.save(Slow(answer: "newer"), to: "slow")
        try Data(#"{"answer":"edited"}"#.utf8).write(to: b.url(of: "slow"))
        async let synced: Void = b.sync()
        #expect(try await eventually { Slow.open.count == 1 })
        for keep in Slow.open.all { keep.value(Slow(answer: "edited")) }
        try await synced
        #expect(!meeting.exists("b", "gone"))
        #expect(try await a.load(Slow.self, from: "slow") == Slow(answer: "edited"))
        #expect(Slow.open.count == 1)
    }

    @Test("the same contents that diverge again are another divergence")
    func again() async throws {
        for round in 1...2 {
            try await a.save(Trophies(trophies: ["again-a"]), to: path)
            let outcome = try await b.save(Trophies(trophies: ["again-b"]), to: path)
            #expect(outcome == .merged(Trophies(trophies: ["again-a", "again-b"])))
            #expect(Trophies.merges(of: "again-") == round)
            try await a.delete(path)
            #expect(try await b.load(Trophies.self, from: path) == nil)
        }
    }

    @Test("FS-10: releasing a question without an answer keeps both contents")
    func dropped() async throws {
        try await a.save(Dropped(answer: "from a"), to: "dropped")
        let outcome = try await b.save(Dropped(answer: "from b"), to: "dropped")
        guard case .keptBoth(let kept, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(kept == Dropped(answer: "from a"))
    }

    @Test("a task that waits for a person can be cancelled; its save is kept")
    func cancelled() async throws {
        try await a.save(Register(answer: "from a"), to: "held")
        let task = Task { [b] in try await b.save(Register(answer: "from b"), to: "held") }
        #expect(try await eventually { Register.open.count == 1 })
        task.cancel()
        let error = await #expect(throws: FileSinkiError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(meeting.text("b", "held") == #"{"answer":"from b"}"#)
    }
}

/// A closure that a person will call.
struct Keep<Value>: Sendable {
    let value: @Sendable (Value) -> Void
}

private struct Asked: FileSyncable {
    var answer: String
    static let open = Calls<Keep<Asked>>()

    func shouldOverwriteAsync(other: Self, keep: @escaping ShouldOverwriteClosure) {
        Self.open.note(Keep(value: keep))
    }
}

private struct Slow: FileSyncable {
    var answer: String
    static let open = Calls<Keep<Slow>>()

    func shouldOverwriteAsync(other: Self, keep: @escaping ShouldOverwriteClosure) {
        Self.open.note(Keep(value: keep))
    }
}

private struct Register: FileSyncable {
    var answer: String
    static let open = Calls<Keep<Register>>()

    func shouldOverwriteAsync(other: Self, keep: @escaping ShouldOverwriteClosure) {
        Self.open.note(Keep(value: keep))
    }
}

private struct Dropped: FileSyncable {
    var answer: String
    func shouldOverwriteAsync(other: Self, keep: @escaping ShouldOverwriteClosure) {}
}
