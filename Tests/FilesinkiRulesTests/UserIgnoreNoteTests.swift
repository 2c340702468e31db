import Testing

@testable import FilesinkiRules

@Suite("A replica's note of the ignore files of users")
struct UserIgnoreNoteTests {
    private func file(_ path: String, _ text: String) -> RulesLoad.DeviceFile {
        RulesLoad.DeviceFile(path: path, bytes: Array(text.utf8))
    }

    @Test func `it is read as it was written, without files that ignore nothing`() {
        let kept = [file("/a b/\n%/ignore", "# mine\n*.env\n"), file("/home/ü/ignore", "x")]
        let settings = [file("/a", "gitignore = true\n"), file("/c", "gitignore = yes\n")]
        let note = UserIgnoreNote(
            [kept[1], file("/c", "# nothing\n"), file("/d", "")] + kept.prefix(1),
            settings: [settings[1], file("/b", "gitignore = false\n")] + settings.prefix(1))
        #expect(note.files == kept && note.settings == settings)
        #expect(UserIgnoreNote(note.bytes) == note)
        #expect(UserIgnoreNote([]) == UserIgnoreNote([], settings: []))
    }

    @Test(arguments: [
        "ignore /a", "ignore /a eA== eA==\n", "ignore /a x\n", "ignore /%4 eA==\n", "x /a eA==\n",
    ])
    func `a damaged one is refused`(_ text: String) {
        #expect(UserIgnoreNote(Array(text.utf8)) == nil)
    }
}
