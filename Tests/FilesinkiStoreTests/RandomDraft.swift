import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting

@testable import FilesinkiStore

/// Drafts by chance: few rows or many, short paths or long, with and without everything that a row can
/// have.
struct RandomDraft {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// A draft that follows commit 4.
    mutating func draft() -> CommitDraft {
        let length = [8, 60, 400, 4_000].randomElement(using: &random) ?? 8
        let changes = paths(count(), length).map { change($0, length) }
        let superseded = paths(count(), length).map { change($0, 0) }
        var draft = CommitDraft(
            device: Device(id: random.bytes(16), name: text(600)), time: time(), changes: changes,
            superseded: superseded, operation: text(40))
        draft.basedOnTokens = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.next() }
        draft.packs = (0..<Int.random(in: 0...5, using: &random)).map { _ in pack() }
        draft.inline = inline(changes + superseded)
        return draft
    }

    /// Limits that most drafts exceed, and that any single row of them keeps to.
    mutating func limits() -> CommitLimits {
        CommitLimits(
            rows: Int.random(in: 1...30, using: &random),
            pathBytes: Int.random(in: 8_200...40_000, using: &random),
            plainBytes: Int.random(in: 20_000...80_000, using: &random))
    }

    private mutating func count() -> Int {
        Int.random(in: 0...([0, 3, 40, 120].randomElement(using: &random) ?? 3), using: &random)
    }

    /// Different paths in order; neighbours share a beginning.
    private mutating func paths(_ count: Int, _ length: Int) -> [RelativePath] {
        let folder = name(length / 2)
        var found: Set<RelativePath> = []
        for _ in 0..<count {
            let isInside = random.chance(0.7)
            let path = isInside ? folder + [UInt8(ascii: "/")] + name(length / 2) : name(length)
            found.insert(RelativePath(unchecked: path))
        }
        return found.sorted()
    }

    /// Names with a slash after every 200 bytes at most.
    private mutating func name(_ length: Int) -> [UInt8] {
        let alphabet: [UInt8] = [UInt8(ascii: "a"), UInt8(ascii: "z"), 0xFF, 0x0A, 0xC3]
        let bytes = (0..<Int.random(in: 1...max(1, length), using: &random)).map { _ in
            alphabet.randomElement(using: &random) ?? 0
        }
        return bytes.enumerated().map { index, byte in
            index % 200 == 199 && index < bytes.count - 1 ? UInt8(ascii: "/") : byte
        }
    }

    private mutating func change(_ path: RelativePath, _ length: Int) -> Change {
        var change = Change(
            path: path, entry: entry(), basedOn: UInt64.random(in: 0...4, using: &random))
        if random.chance(0.5) { change.reason = text(30) }
        guard length > 0 else { return change }
        if random.chance(0.3) { change.movedFrom = RelativePath(unchecked: name(length)) }
        if random.chance(0.2) { change.mergedWith = UInt64.random(in: 0...4, using: &random) }
        return change
    }

    private mutating func entry() -> Entry {
        switch Int.random(in: 0...9, using: &random) {
        case 0:
            return .directory(mode: UInt16.random(in: 0...0o777, using: &random), modified: time())
        case 1:
            let target = random.bytes(Int.random(in: 1...4_095, using: &random)).map { $0 | 1 }
            return .symlink(to: target, modified: time())
        case 2: return Entry(kind: .tombstone, modified: time())
        default:
            // Some contents occur several times, and some travel inside the commit.
            let id = ContentHasher.hash(content(UInt8.random(in: 0...60, using: &random)))
            return .file(
                id, size: Int64.random(in: 0...(.max), using: &random),
                mode: UInt16.random(in: 0...0o777, using: &random), modified: time())
        }
    }

    private func content(_ number: UInt8) -> [UInt8] {
        [UInt8](repeating: number, count: Int(number) * 40)
    }

    /// The contents of some of the rows.
    private mutating func inline(_ changes: [Change]) -> [InlineContent] {
        let wanted = Set(changes.map(\.entry.content))
        return (UInt8(0)...60).map(content).map {
            InlineContent(id: ContentHasher.hash($0), bytes: $0)
        }
        .filter { wanted.contains($0.id) && random.chance(0.6) }
    }

    private mutating func pack() -> PackReference {
        PackReference(
            id: random.bytes(16), size: Int64.random(in: 0...(.max), using: &random),
            indexHash: ContentHasher.hash(random.bytes(4)))
    }

    private mutating func time() -> Timestamp {
        Timestamp(nanoseconds: Int64(bitPattern: random.next()))
    }

    private mutating func text(_ length: Int) -> String {
        let alphabet: [Character] = ["a", "é", "文", "🙂", " "]
        return String(
            (0..<Int.random(in: 0...length, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? "a"
            })
    }
}
