import FilesinkiModel
import FilesinkiSQLite
import Testing

@testable import FilesinkiManifest

/// A damaged file is noticed: what is read is what was written, or a failure.
@Suite struct DamageTests {
    /// Every so many bytes one bit is flipped. Prime, so that the places differ from one
    /// page to the next.
    static let stride = 331

    let temporary: TemporaryManifest
    let sound: [UInt8]

    init() throws {
        temporary = try TemporaryManifest()
        try Samples.fill(temporary.open())
        sound = try temporary.read()
    }

    @Test func `closing leaves everything in one file`() throws {
        #expect(temporary.names == ["manifest"])
        #expect(sound.starts(with: "SQLite format 3".utf8))
    }

    @Test func `any flipped bit gives the written rows or a failure`() throws {
        var noticed = 0
        for position in Swift.stride(from: 0, to: sound.count, by: Self.stride) {
            var damaged = sound
            damaged[position] ^= 1 << UInt8(position % 8)
            if try isNoticed(damaged, "byte \(position)") { noticed += 1 }
        }
        #expect(noticed > 10)
    }

    @Test func `truncation at any length gives the written rows or a failure`() throws {
        for length in [1, 15, 16, 99, 100, 4_095]
            + Array(Swift.stride(from: 4_096, to: sound.count, by: 4_096))
        {
            #expect(try isNoticed(Array(sound[..<length]), "length \(length)"), "length \(length)")
        }
    }

    @Test func `detects a page of zeros or another page in its place`() throws {
        let size = 4_096
        for start in Swift.stride(from: size, to: sound.count, by: size) {
            var zeros = sound
            zeros.replaceSubrange(start..<(start + size), with: repeatElement(0, count: size))
            _ = try isNoticed(zeros, "zeros at \(start)")
            var other = sound
            let next = start + size < sound.count ? start + size : size
            other.replaceSubrange(start..<(start + size), with: sound[next..<(next + size)])
            _ = try isNoticed(other, "another page at \(start)")
        }
    }

    /// Whether a damaged file leads to a failure; that it leads to no wrong row is expected.
    private func isNoticed(_ bytes: [UInt8], _ comment: Comment) throws -> Bool {
        temporary.clear()
        try temporary.write(bytes)
        do {
            let manifest = try ManifestDatabase.open(at: temporary.path, create: false)
            for (path, row) in zip(Samples.paths, Samples.base) {
                let found = try manifest.base(path)
                #expect(found == nil || found == row, comment)
            }
            #expect(try manifest.token == Samples.token, comment)
            #expect(try manifest.value(Samples.setting.name) == Samples.setting.value, comment)
            #expect(try Contents(of: manifest) == .samples, comment)
            return false
        } catch let failure as Failure {
            let expected: [Failure.Code] = [.corrupt, .newerFormat, .io]
            #expect(expected.contains(failure.code), comment)
            #expect(!failure.remedy.isEmpty && failure.path == Array(temporary.path.utf8))
            return true
        }
    }

    @Test(arguments: [
        ("no database", Array("this is no database, whatever its name says".utf8)),
        ("nothing", []),
    ])
    func `refuses a foreign file`(_ name: String, _ bytes: [UInt8]) throws {
        temporary.clear()
        try temporary.write(bytes)
        let failure = #expect(throws: Failure.self) {
            try ManifestDatabase.open(at: temporary.path, create: false)
        }
        #expect(failure?.code == .corrupt)
    }

    @Test func `detects rows that vanished together with their checks`() throws {
        let connection = try OwnConnection(temporary.path, .manifest(.writing))
        try connection.execute("DELETE FROM base WHERE path = x'61'")
        let manifest = try ManifestDatabase.openReadOnly(at: temporary.path)
        let failure = #expect(throws: Failure.self) { try manifest.loadBase() }
        #expect(failure?.code == .corrupt)
        #expect(try manifest.loadLocal().count == Samples.local.count)
    }

    @Test(arguments: [
        "UPDATE base SET version = version + 1", "UPDATE base SET stamp_size = 9 WHERE changed = 0",
        "UPDATE base SET changed = NULL", "UPDATE base SET content = NULL",
        "UPDATE base SET path = CAST(path || 'x' AS BLOB)",
        "UPDATE base SET row_check = row_check + 1",
        "UPDATE base SET kind = 9",
    ])
    func `detects a changed value`(_ sql: String) throws {
        let connection = try OwnConnection(temporary.path, .manifest(.writing))
        try connection.execute(sql)
        let manifest = try ManifestDatabase.openReadOnly(at: temporary.path)
        let failure = #expect(throws: Failure.self) { try manifest.loadBase() }
        #expect(failure?.code == .corrupt)
    }
}
