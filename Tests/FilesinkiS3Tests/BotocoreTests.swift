import FilesinkiHTTP
import FilesinkiModel
import FilesinkiTesting
import Foundation
import Testing

@testable import FilesinkiS3

/// botocore, AWS's own library, signs the same random requests.
@Suite(.enabled(if: Python.hasBotocore, "python3 has no botocore"))
struct BotocoreTests {
    @Test func `signs random requests as botocore does`() throws {
        let seed = UInt64(knob("FILESINKI_S3_SEED", otherwise: 20_240_820))
        var random = SeededRandom(seed: seed)
        let cases = (0..<knob("FILESINKI_S3_CASES", otherwise: 400)).map { _ in
            RandomRequest(&random)
        }
        let script = #filePath.replacing("BotocoreTests.swift", with: "sign-with-botocore.py")
        let output = try Python.run([script], cases.map(\.json).joined(separator: "\n"))
        let lines = output.split(separator: "\n").map(String.init)
        try #require(lines.count == cases.count)
        for (index, line) in lines.enumerated() {
            let one = cases[index]
            let signer = SignatureV4(one.credentials, region: one.region)
            let fields = signer.fields(for: one.request, at: one.time)
            let place = one.request.url.prefix { $0 != "?" }
            #expect(
                "\(place) \(fields["authorization"] ?? "")" == line,
                "case \(index) of seed \(seed): \(one.json)")
        }
    }
}

/// The Python of this machine.
enum Python {
    static let hasBotocore = (try? run(["-c", "from botocore import auth"], "")) != nil

    /// What Python prints.
    static func run(_ words: [String], _ input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + words
        let folder = try TemporaryFolder()
        try Data(input.utf8).write(to: URL(fileURLWithPath: folder.path("input")))
        process.standardInput = FileHandle(forReadingAtPath: folder.path("input"))
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused() }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct Refused: Error {}
}

/// A request of every kind of sign that a path, a query or a field may hold.
struct RandomRequest {
    var request: S3Request
    var credentials: S3Credentials
    var region: String
    var time: Timestamp

    private static let signs = Array("aZ09-._~ +%/?#&=:@!$'()*,;[]{}|\\\"<>^`üß漢😀")
    private static let words = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    init(_ random: inout SeededRandom) {
        func text(_ signs: [Character], _ lengths: ClosedRange<Int>) -> String {
            let count = Int.random(in: lengths, using: &random)
            return String((0..<count).compactMap { _ in signs.randomElement(using: &random) })
        }
        let methods = ["GET", "PUT", "POST", "DELETE", "HEAD"]
        let port = random.chance(0.5) ? ":\(Int.random(in: 1024...65535, using: &random))" : ""
        request = S3Request(
            methods.randomElement(using: &random) ?? "GET", isSecure: random.chance(0.5),
            host: text(Self.words, 1...20) + ".example.org" + port,
            path: "/" + text(Self.signs, 0...40))
        request.query = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            (text(Self.signs.filter { $0 != " " }, 1...8), text(Self.signs, 0...12))
        }
        if random.chance(0.5) { request.fields["If-None-Match"] = "*" }
        if random.chance(0.5) { request.fields["Range"] = "bytes=0-\(text(["7"], 1...6))" }
        if random.chance(0.5) { request.fields["Content-Type"] = "text/plain;  charset=utf-8" }
        if random.chance(0.3) { request.fields["Content-MD5"] = text(Self.words, 24...24) }
        if random.chance(0.3) { request.fields["x-amz-meta-a"] = " " + text(Self.words, 1...9) }
        request.body = random.bytes(Int.random(in: 0...300, using: &random))
        credentials = S3Credentials(
            keyID: text(Self.words, 16...20), secretKey: Secret(text(Self.signs, 1...60)),
            sessionToken: random.chance(0.5) ? Secret(text(Self.words, 1...400)) : nil)
        region = text(Self.words, 1...12)
        time = Timestamp(
            seconds: Int64.random(in: 0...4_000_000_000, using: &random), nanoseconds: 0)
    }

    var json: String {
        let place = "\(request.isSecure ? "https" : "http")://\(request.host)"
        let object: [String: Any] = [
            "method": request.method, "place": place, "path": request.path,
            "query": request.query.map { [$0.name, $0.value] },
            "fields": request.fields.all.map { [$0.name, $0.value] },
            "body": hexadecimal(request.body), "key": credentials.keyID,
            "secret": credentials.secretKey.value, "token": credentials.sessionToken?.value ?? "",
            "region": region, "time": time.seconds,
        ]
        let data = try? JSONSerialization.data(withJSONObject: object)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
