import FilesinkiModel
import FilesinkiRemote
import Testing

/// What devices at the old place are told of a store that was moved.
@Suite("Words of a store that was moved")
struct MovedStoreFailureTests {
    @Test(
        "the step names the option for a token at a server, and nowhere else",
        arguments: [
            ("https://nas", ", with --token-file FILE if its server asks for a token"),
            ("http://127.0.0.1:8080", ", with --token-file FILE if its server asks for a token"),
            ("webdavs://host/x", ""), ("s3://bucket/x", ""), ("/mnt/store", ""),
        ])
    func step(_ address: String, _ option: String) {
        let moved = Failure.storeMoved(to: address, by: "a")
        #expect(
            moved.remedy
                == "If you know that address, run filesinki remote set \(address)\(option).")
    }
}
