import FilesinkiModel
import Testing

@testable import FilesinkiEngine

@Suite struct HyphenPathTests {
    @Test func `a remedy names a path that begins with a hyphen so that it is no option`() {
        let path = RelativePath(unchecked: Array("-n".utf8))
        #expect(
            Failure.isNotDeleted(path).remedy
                == "To go back to an older version, use filesinki restore ./-n@VERSION.")
        #expect(
            Failure.folderIsThere(path).remedy
                == "To bring back what was deleted in it, run filesinki undelete ./'-n/*'.")
        #expect(
            Failure.notHeld(path).remedy == "Add it with filesinki only add ./-n, then sync.")
        #expect(
            Failure.remedyElsewhere(path, version: 3)
                == "Write what was there into another folder with filesinki restore ./-n --commit 3 -o DIR"
        )
    }
}
