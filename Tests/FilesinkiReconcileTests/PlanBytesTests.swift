import FilesinkiModel
import FilesinkiReconcile
import Testing

/// The bytes whose hash is a plan's id. Every field of a step is in them: who approves a plan approves
/// nothing else. ``Encoder`` writes what the documentation of `forEachCanonicalPiece` says.
@Suite struct PlanBytesTests {
    private let full = Step(
        path: path("a/b"), base: VersionedEntry(file("X", mode: 0o600, time: 3), version: 4),
        ours: symlink("target", time: 5), theirs: VersionedEntry(file("Z", time: -1), version: 9),
        action: .both(file("Y", time: 6)), reason: .renamed(from: path("old")),
        origin: path("old"))

    private func pieces(_ steps: [Step]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        Plan(steps).forEachCanonicalPiece { pieces.append($0) }
        return pieces
    }

    @Test func `a plan without steps is its length`() {
        #expect(pieces([]) == [[0, 0, 0, 0, 0, 0, 0, 0]])
    }

    @Test func `a step is written field by field`() {
        var expected = Encoder()
        expected.number(2)
        expected.text("a/b")
        expected.text("write-both")
        expected.file("Y", mode: 0o644, time: 6)
        expected.text("renamed")
        expected.file("X", mode: 0o600, time: 3)
        expected.symlink("target", time: 5)
        expected.bytes.append(1)
        expected.number(9)
        expected.bytes += Encoder.file("Z", mode: 0o644, time: -1)
        expected.bytes.append(1)
        expected.text("old")

        expected.text("c")
        expected.text("undecided")
        expected.bytes.append(0)
        expected.text("asks")
        expected.bytes += [0, 0, 0, 0]
        expected.text("newest, keep-both")
        let asked = Conflict(
            path: path("c"), base: nil, ours: file("X"), theirs: file("Y"),
            links: [.choice(.newest), .end(.keepBoth)])
        let undecided = Step(path: path("c"), action: .undecided(asked), reason: .asks("newest"))
        #expect(pieces([full, undecided]) == [expected.bytes])
    }

    @Test func `the time of a directory is not in them, as no sync compares it`() {
        let one = Step(path: path("d"), action: .take(folder), reason: .created)
        var later = folder
        later.modified = Timestamp(nanoseconds: 8)
        let other = Step(path: path("d"), action: .take(later), reason: .created)
        #expect(pieces([one]) == pieces([other]))
        var expected = Encoder()
        expected.number(1)
        expected.text("d")
        expected.text("take")
        expected.bytes += [1] + Encoder.header(folder, time: 0)
        expected.text("created")
        expected.bytes += [0, 0, 0, 0]
        #expect(pieces([one]) == [expected.bytes])
    }

    @Test func `a long plan comes in pieces of at least 64 KiB, which join to the same bytes`() {
        let name = String(repeating: "n", count: 1000)
        let steps = (0..<200).map {
            Step(path: path("\(name)\($0)"), action: .skip, reason: .blocked)
        }
        let pieces = pieces(steps)
        var expected = Encoder()
        expected.number(200)
        for step in steps {
            expected.text(step.path.description)
            expected.text("skip")
            expected.bytes.append(0)
            expected.text("blocked")
            expected.bytes += [0, 0, 0, 0]
        }
        #expect(pieces.flatMap(\.self) == expected.bytes)
        #expect(pieces.count == 4)
        #expect(pieces.dropLast().allSatisfy { (64 << 10..<66 << 10).contains($0.count) })
    }

    @Test func `a piece of exactly 64 KiB is given away`() {
        let empty = pieces([Step(path: path(""), action: .skip, reason: .blocked)])[0].count
        let name = String(repeating: "n", count: (64 << 10) - empty)
        let pieces = pieces([Step(path: path(name), action: .skip, reason: .blocked)])
        #expect(pieces.map(\.count) == [64 << 10, 0])
    }
}

/// Writes a plan as bytes, in this test's own way.
private struct Encoder {
    var bytes: [UInt8] = []

    static func number(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// An entry up to its target's bytes.
    static func header(_ entry: Entry, time: Int64, target: Int = 0) -> [UInt8] {
        [entry.kind.rawValue] + number(Int64(entry.mode)) + number(time) + number(entry.size)
            + entry.content.withBytes { Array($0) } + number(Int64(target))
    }

    static func file(_ content: Character, mode: UInt16, time: Int64) -> [UInt8] {
        header(FilesinkiReconcileTests.file(content, mode: mode), time: time)
    }

    mutating func number(_ number: Int64) { bytes += Self.number(number) }

    mutating func text(_ text: String) {
        number(Int64(text.utf8.count))
        bytes += Array(text.utf8)
    }

    mutating func file(_ content: Character, mode: UInt16, time: Int64) {
        bytes += [1] + Self.file(content, mode: mode, time: time)
    }

    mutating func symlink(_ target: String, time: Int64) {
        let entry = FilesinkiReconcileTests.symlink(target)
        bytes += [1] + Self.header(entry, time: time, target: target.utf8.count)
        bytes += Array(target.utf8)
    }
}
