import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiKeyValue

/// Mutated input is read, and then says the same when it is written and read again; or it is refused
/// with a failure. `FILESINKI_FUZZ_SECONDS` makes each test run so long, `FILESINKI_FUZZ_SEED` repeats
/// a run or makes another one. A crash ends the run.
@Suite("Key-value readers and mutated input")
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

    @Test func `a record that is read encodes to the same record`() {
        let corpus = ValueTests.samples.map { Forger.record($0) } + HostileTests.records.map(\.1)
        fuzz(corpus.filter { $0.count < 10_000 }) { bytes in
            guard let held = ValueRecord.decode(bytes, time: 5) else { return false }
            #expect(ValueRecord.encode(held) == bytes)
            return true
        }
    }

    @Test(arguments: [JSONText.Form.plain, .exact])
    func `JSON that is read is written and read again as the same value`(
        _ form: JSONText.Form
    ) throws {
        let corpus =
            ValueTests.samples.map { JSONText.encode($0, form) }
            + [
                #"{ "a" : [1, -0, 1e3, "\ud83d\ude00\u0000", {"$double":"inf"}], "b": null }"#,
                #"{"$dictionary":{"$date":"2024-05-01T09:30:00.250Z"}}"#,
                String(repeating: "[", count: 70),
            ].map { Array($0.utf8) }
        try fuzz(corpus) { bytes in
            let value: TypedValue
            do throws(Failure) {
                value = try JSONText.decode(bytes, form)
            } catch {
                #expect(error.code == .usage)
                return false
            }
            let again = try JSONText.decode(JSONText.encode(value, .exact), .exact)
            #expect(again == value)
            return true
        }
    }

    @Test func `a property list that is read is written and read again as the same value`() throws {
        let corpus =
            ValueTests.samples.compactMap { try? PropertyList.encode($0) }
            + [
                "<plist><dict><key>a</key><array><true/><real>-1e9</real></array></dict></plist>",
                "<string>&lt;\u{301}&#x26;\u{301}<![CDATA[&x;]]><!-- c --></string>",
                "<?xml version='1.0'?><plist><date>2024-05-01T09:30:00Z</date></plist>",
                String(repeating: "<array>", count: 70),
            ].map { Array($0.utf8) }
        try fuzz(corpus) { bytes in
            let value: TypedValue
            do throws(Failure) {
                value = try PropertyList.decode(bytes)
            } catch {
                #expect(error.code == .usage)
                return false
            }
            let again = try PropertyList.decode(PropertyList.encode(value))
            #expect(again == value)
            return true
        }
    }

    @Test func `a token that is read encodes to the same token`() throws {
        let corpus = ["0102030405060708-12", "ffffffffffffffff-9223372036854775807", "-", ""]
        try fuzz(corpus.map { Array($0.utf8) }) { bytes in
            let token: FeedToken
            do throws(Failure) {
                token = try FeedToken(parsing: String(decoding: bytes, as: UTF8.self))
            } catch {
                #expect(error.code == .usage)
                return false
            }
            let again = try FeedToken(parsing: token.description)
            #expect(again == token && token.number >= 0 && token.feed.count == 8)
            return true
        }
    }

    @Test(arguments: [SettingsFile.Format.env, .ini, .json, .plist])
    func `a settings file changes only the requested names`(
        _ format: SettingsFile.Format
    ) throws {
        let names = ["theme", "s.size", "a=b", "a\n[x]", "#c", " d", "é", "[e]", "", "export x"]
        let texts = [
            "dark", "a\r\nevil=1", "x\n[y]\nz=1", " lead", "\"q", "'s", "\u{301}", "a # b", "a\\",
            "=", "\r", "$x`y`", "\"\u{301}",
        ]
        var random = SeededRandom(seed: 3)
        try fuzz(texts.map { Array($0.utf8) }, atLeast: 100) { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return false }
            let name = Array((names.randomElement(using: &random) ?? "").utf8)
            let start = try Self.start(format)
            var file = SettingsFile(start, format)
            guard let form = file.form(of: .string(text), at: name) else { return false }
            var expected = try file.values()
            expected[name] = form
            try file.change([name: .string(text)])
            #expect(try SettingsFile(file.bytes, format).values() == expected, "\(name) \(bytes)")
            return true
        }
    }

    private static func start(_ format: SettingsFile.Format) throws -> [UInt8] {
        switch format {
        case .json: Array(#"{"foreign": "1", "theme": "old"}"#.utf8)
        case .env: Array("foreign=1\r\ntheme=old\r\n".utf8)
        case .ini: Array("foreign = 1\ntheme = old\n[s]\nsize = 3\n[t]\nsize = 4\n".utf8)
        case .plist:
            try PropertyList.encode(
                .dictionary(ValueMembers([("foreign", .string("1")), ("theme", .string("old"))])))
        }
    }
}

/// Changes bytes by chance that a seed repeats.
private struct Mutator {
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
