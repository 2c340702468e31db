import FilesinkiModel
import FilesinkiTesting
import FilesinkiText
import Glibc
import Testing

@testable import FilesinkiRecords

/// Mutated input is read, and then says the same when it is written and read again; or it is refused.
/// `FILESINKI_FUZZ_SECONDS` makes each test run so long, `FILESINKI_FUZZ_SEED` repeats a run or makes
/// another one. A crash ends the run.
@Suite("Readers of records and mutated input")
struct FuzzTests {
    private static let usualCount = 3_000

    private static func knob(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Calls `body` with mutated input; it says whether it was read.
    private func fuzz(
        _ corpus: [[UInt8]], atLeast share: Int = 50, _ body: ([UInt8]) throws -> Bool
    ) rethrows {
        let seed = Self.knob("FILESINKI_FUZZ_SEED") ?? 1
        let seconds = Self.knob("FILESINKI_FUZZ_SECONDS")
        var mutator = Mutator(random: SeededRandom(seed: UInt64(clamping: seed)), corpus: corpus)
        let start = ContinuousClock.now
        var counts = (all: 0, read: 0)
        while seconds.map({ start.duration(to: .now) < .seconds($0) })
            ?? (counts.all < Self.usualCount)
        {
            if try body(mutator.next()) { counts.read += 1 }
            counts.all += 1
        }
        #expect(counts.read > counts.all / share, "mutation breaks nearly everything: \(counts)")
    }

    @Test func `a record that is read encodes to the same bytes`() {
        let corpus =
            Samples.values.map { RecordCoder.encode(record("a", "Note", ["f": $0])) }
            + [RecordCoder.encode(Samples.record)] + RecordCoderTests.hostile.map(\.bytes)
        fuzz(corpus) { bytes in
            guard let record = RecordCoder.decode(bytes) else { return false }
            #expect(RecordCoder.encode(record) == bytes)
            return true
        }
    }

    @Test func `JSON that is read is written and read again as the same fields`() throws {
        let corpus =
            Samples.values.map { RecordJSON.object(record("a", "Note", ["f": $0])).bytes }
            + RecordJSONTests.rows.map { Array("{\"fields\":{\($0.fields)}}".utf8) }
        try fuzz(corpus) { bytes in
            let input: RecordInput
            do throws(Failure) {
                input = try RecordInput(parsing: bytes) { _, name in RecordJSONTests.known[name] }
            } catch {
                #expect(error.code == .usage)
                return false
            }
            var again = record("a")
            for (name, input) in input.fields {
                if case .value(let value) = input { try again.set(name, Field(value, stamp(1))) }
            }
            let read = try RecordInput(parsing: RecordJSON.object(again).bytes) { _, _ in nil }
            let values = input.fields.filter { if case .value = $0.value { true } else { false } }
            #expect(read.fields == values)
            return true
        }
    }

    @Test func `an argument that is read is of its type, or is refused`() {
        let corpus = FieldArgumentTests.rows.map { Array($0.argument.utf8) }
        fuzz(corpus) { bytes in
            do throws(Failure) {
                let found = try FieldArgumentTests.parse(String(decoding: bytes, as: UTF8.self))
                if let known = FieldArgumentTests.known[found.name], let type = found.input.type {
                    #expect(type == known)
                }
                return true
            } catch {
                #expect(error.code == .usage)
                return false
            }
        }
    }
}

struct Mutator {
    var random: SeededRandom
    let corpus: [[UInt8]]

    mutating func next() -> [UInt8] {
        var bytes = corpus.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 0...3, using: &random) { mutate(&bytes) }
        return Array(bytes.prefix(20_000))
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1 where start < bytes.count:
            bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.insert(contentsOf: Array(bytes[start..<end]), at: start)
        case 3:
            bytes.insert(contentsOf: corpus.randomElement(using: &random) ?? [], at: start)
        case 4: bytes.removeSubrange(start...)
        case 5:
            let copies = Array(repeating: Array(bytes[start..<end]), count: 100).joined()
            bytes.insert(contentsOf: Array(copies), at: start)
        default:
            bytes.insert(contentsOf: random.bytes(Int.random(in: 1...4, using: &random)), at: start)
        }
    }
}
