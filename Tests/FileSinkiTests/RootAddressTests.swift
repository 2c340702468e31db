import Testing

@testable import FileSinki

/// The store addresses of the other roots.
@Suite("Addresses of other roots")
struct RootAddressTests {
    @Test(
        "FS-15: another root is a sibling of the first, at the same host or bucket",
        arguments: [
            ("/mnt/game", "/mnt/game-documents"), ("/mnt/game//", "/mnt/game-documents"),
            ("/", "/documents"), ("/mnt/what?", "/mnt/what?-documents"),
            ("dir:/mnt/game", "/mnt/game-documents"), ("dir:/", "/documents"),
            ("file:///mnt/game", "/mnt/game-documents"),
            ("file:///mnt/my%20game/", "/mnt/my game-documents"),
            ("http://host", "http://host/documents"), ("http://host:1/", "http://host:1/documents"),
            ("https://host/game", "https://host/game-documents"),
            ("davs://me@host/a/b/", "davs://me@host/a/b-documents"),
            ("webdav://host/game", "webdav://host/game-documents"),
            ("webdavs://[::1]:2/", "webdavs://[::1]:2/documents"),
            ("dav://host", "dav://host/documents"), ("DAVS://host/x", "DAVS://host/x-documents"),
            ("s3://bucket", "s3://bucket/documents"), ("s3://bucket/", "s3://bucket/documents"),
            ("s3://bucket/a/b/", "s3://bucket/a/b-documents"),
            ("s3://bucket/a?region=eu", "s3://bucket/a-documents?region=eu"),
            (
                "s3://bucket?endpoint=http://host:1/x&style=path",
                "s3://bucket/documents?endpoint=http://host:1/x&style=path"
            ),
            ("s3://bucket/?profile=me", "s3://bucket/documents?profile=me"),
        ])
    func beside(_ first: String, _ other: String) throws {
        #expect(try FileSinki.Root.documentDirectory.address(first) == other)
        #expect(
            try FileSinki.Root.cachesDirectory.address(first)
                == other.replacing("documents", with: "caches"))
        #expect(try FileSinki.Root.applicationSupportDirectory.address(first) == first)
    }

    @Test("an invalid address is refused", arguments: ["", "game", "ftp://host/", "file://host/x"])
    func refused(_ text: String) {
        let error = #expect(throws: FileSinkiError.self) {
            try FileSinki.Root.documentDirectory.address(text)
        }
        #expect(error?.code == .usage)
    }
}
