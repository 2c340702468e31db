import FilesinkiHashing
import FilesinkiText
import HTTPTypes
import Testing

@testable import FilesinkiServer

/// The documents of the pages: one answer has all that a browser needs to paint, and to run.
@Suite struct PageFilesTests {
    @Test(
        "the policy lets the document's own style and script run", arguments: ["style", "script"])
    func policy(_ element: String) throws {
        for files in [PageFiles.ofReplica, .ofStore] {
            let document = String(decoding: try #require(files[""]).bytes, as: UTF8.self)
            // Up to the first end, as a browser reads it.
            let parts = document.split(separator: "<\(element)>")
            try #require(parts.count == 2)
            let text = parts[1].prefix(
                upTo: try #require(parts[1].firstRange(of: "</\(element)")).lowerBound)
            var fields: HTTPFields = [:]
            files.policy.apply(to: &fields)
            let hash = Base64.encode(SHA256.hash(Array(text.utf8)))
            let policy = try #require(fields[.contentSecurityPolicy])
            #expect(policy.contains("\(element)-src 'sha256-\(hash)';"))
            #expect(text.utf8.count > 4_000)
            #expect(!document.contains("<script src") && !document.contains("stylesheet"))
        }
    }
}
