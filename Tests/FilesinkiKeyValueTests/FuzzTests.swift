import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

/// Mutated input is read, and then says the same when it is written and read again; or it is refused
/// with a failure.
@Suite("Key-value readers and mutated input")
struct FuzzTests {
    @Test func `a record that is read encodes to the same record`() {
        let corpus = ValueTests.samples.map { Forger.record($0) } + HostileTests.records.map(\.1)
        let counts = Fuzz(corpus.filter { $0.count < 10_000 }).run { bytes in
            guard let held = ValueRecord.decode(bytes, time: 5) else { return false }
            #expect(ValueRecord.encode(held) == bytes)
            return true
        }
        #expect(counts.isMixed, "\(counts)")
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
        let counts = try Fuzz(corpus).run { bytes in
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
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `a property list that is read is written and read again as the same value`() throws {
        let corpus =
            ValueTests.samples.compactMap { try? PropertyList.encode($0) }
            + [
                "<plist><dict><key>a</key><array><true/><real>-1e9</real></array></dict></plist>",
                "<string>&lt;\u{301}&#x26;\u{301}<![CDATA[&x;]]><!-- c --></string>",
                "<?xml version='1.0'?><plist><date>2024-05-01T09:30:00Z</date></plist>",
                "<date>2024-05-01T09:30:00.250Z</date>",
                String(repeating: "<array>", count: 70),
            ].map { Array($0.utf8) }
        let counts = try Fuzz(corpus).run { bytes in
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
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `a token that is read encodes to the same token`() throws {
        let corpus = ["0102030405060708-12", "ffffffffffffffff-9223372036854775807", "-", ""]
        let counts = try Fuzz(corpus.map { Array($0.utf8) }).run { bytes in
            let token: FeedToken
            do throws(Failure) {
                token = try FeedToken(parsing: String(decoding: bytes, as: UTF8.self))
            } catch {
                #expect(error.code == .usage)
                return false
            }
            let again = try FeedToken(parsing: token.description)
            #expect(again == token && token.feed.count == 8)
            return true
        }
        #expect(counts.isMixed, "\(counts)")
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
        var random = SeededRandom(seed: Fuzz.seed &+ 2)
        let counts = try Fuzz(texts.map { Array($0.utf8) }).run { bytes in
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
        #expect(counts.isMixed, "\(counts)")
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
