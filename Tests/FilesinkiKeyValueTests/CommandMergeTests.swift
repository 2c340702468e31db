import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Foundation
import Testing

@testable import FilesinkiKeyValue

@Suite("KV-14: merges by a command of this device")
struct CommandMergeTests {
    /// A file's content; nil if it does not exist.
    private func text(of file: String) -> String? {
        try? String(contentsOfFile: file, encoding: .utf8)
    }

    /// Two devices that both set the key `k`, and what `b` holds after it has met `a`'s value.
    private func merged(
        _ command: String, base: TypedValue?, _ ours: TypedValue, _ theirs: TypedValue
    ) async throws -> (value: TypedValue?, report: ExchangeReport) {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", base ?? theirs)
        try await a.sync()
        if base != nil { try await b.sync() }
        let key = try ValueKey("k")
        try await b.values.apply([ValueChange(key, ours, command: command)])
        if base != nil {
            meeting.clock.advance(by: .seconds(1))
            try await a.set("k", theirs)
            try await a.sync()
        }
        let report = try await b.sync()
        try await a.sync()
        #expect(try await a.get("k") == b.get("k"))
        return (try await b.get("k"), report)
    }

    @Test(
        "KV-14 each type is passed to the command and read back as the same type",
        arguments: [
            (TypedValue.string("b"), TypedValue.string("h"), TypedValue.string("t")),
            (.integer(1), .integer(2), .integer(3)), (.double(0.5), .double(1.5), .double(2)),
            (.date(milliseconds: 1), .date(milliseconds: 250), .date(milliseconds: 3)),
            (.data([0, 1]), .data([0, 255, 10]), .data([])),
            (.url("a:b"), .url("https://here.example"), .url("c:d")),
            (.array([]), .array([.integer(1), .string("x")]), .array([.null])),
        ])
    func types(_ base: TypedValue, _ ours: TypedValue, _ theirs: TypedValue) async throws {
        // The local value stays, even if it is the earlier one.
        let kept = try await merged("true", base: base, ours, theirs)
        #expect(kept.value == ours)
        let taken = try await merged("cp %B %A", base: base, ours, theirs)
        #expect(taken.value == theirs)
        let undone = try await merged("cp %O %A", base: base, ours, theirs)
        #expect(undone.value == base)
        #expect(undone.report.problems.isEmpty && undone.report.losers.isEmpty)
    }

    @Test("KV-14 at the first sync the base is an empty file, and the command decides")
    func firstMeeting() async throws {
        let found = try await merged(
            "test ! -s %O && printf '%%s' \"$(cat %A)-$(cat %B)\" >%A", base: nil, .string("h"),
            .string("t"))
        #expect(found.value == .string("h-t"))
    }

    @Test("KV-14 values of two types, or with dates inside, are merged by the published rule")
    func unfit() async throws {
        let types = try await merged("true", base: .integer(1), .string("h"), .integer(2))
        #expect(types.value == .integer(2))
        let inside = TypedValue.array([.date(milliseconds: 5)])
        let nested = try await merged("true", base: .integer(1), inside, .array([]))
        #expect(nested.value == .array([]))
        #expect(types.report.problems.isEmpty && nested.report.problems.isEmpty)
    }

    @Test("KV-14 a command runs once for each divergence, and never for equal values")
    func once() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let log = folder.path("log")
        let command = "echo asked >>\(log)"
        _ = try await merged(command, base: .integer(1), .integer(2), .integer(2))
        #expect(text(of: log) == nil)
        _ = try await merged(command, base: .integer(1), .integer(2), .integer(3))
        #expect(text(of: log) == "asked\n")
    }

    @Test("KV-14 no command runs for a removal: the published rule decides")
    func removal() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .integer(1))
        try await a.sync()
        try await b.sync()
        try await b.values.apply([ValueChange(ValueKey("k"), .integer(2), command: "exit 9")])
        try await a.set("k", nil)
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.isEmpty)
    }

    @Test("KV-14 another process that sets the key while the command runs loses nothing")
    func raced() async throws {
        let meeting = try await Meeting()
        let (a, b) = (try meeting.device("a"), try meeting.device("b"))
        try await a.set("k", .string("base"))
        try await a.sync()
        try await b.sync()
        let folder = try TemporaryFolder(inMemory: true)
        let (began, go) = (folder.path("began"), folder.path("go"))
        // Waits until the test has set the key, in its first run only.
        let command =
            "if test ! -e \(began); then touch \(began); while test ! -e \(go); do :; done; fi; "
            + "printf '%s' \"$(cat %A)+$(cat %B)\" >%A"
        try await b.values.apply(
            [ValueChange(ValueKey("k"), .string("here"), command: command)])
        try await a.set("k", .string("there"))
        try await a.sync()
        async let report = b.sync()
        while text(of: began) == nil { await Task.yield() }
        try await b.anotherProcess().apply([ValueChange(ValueKey("k"), .string("later"))])
        try Data().write(to: URL(filePath: go))
        _ = try await report
        #expect(try await b.get("k") == .string("later+there"))
    }
}
