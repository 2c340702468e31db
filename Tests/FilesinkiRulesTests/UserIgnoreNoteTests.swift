import Testing

@testable import FilesinkiRules

@Suite("A replica's note of the ignore files of users")
struct UserIgnoreNoteTests {
    private func file(_ path: String, _ text: String) -> RulesLoad.DeviceFile {
        RulesLoad.DeviceFile(path: path, bytes: Array(text.utf8))
    }

    @Test func `it is read as it was written, without files that ignore nothing`() {
        let kept = [file("/a b/\n%/ignore", "# mine\n*.env\n"), file("/home/ü/ignore", "x")]
        let note = UserIgnoreNote(
            [kept[1], file("/c", "# nothing\n"), file("/d", "")] + kept.prefix(1))
        #expect(note.files == kept)
        #expect(UserIgnoreNote(note.bytes) == note)
        #expect(UserIgnoreNote([] as [UInt8]) == UserIgnoreNote([] as [RulesLoad.DeviceFile]))
    }

    @Test(arguments: ["/a", "/a eA== eA==\n", "/a x\n", "/%4 eA==\n"])
    func `a damaged one is refused`(_ text: String) {
        #expect(UserIgnoreNote(Array(text.utf8)) == nil)
    }
}
