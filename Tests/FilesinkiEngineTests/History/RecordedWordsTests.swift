import FilesinkiModel
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

@Suite struct RecordedWordsTests {
    @Test("the words in the log stay: what is stored already has them")
    func words() {
        #expect(
            [Change.restored, Change.undeleted, Change.resolved, Change.openedAgain]
                == ["restore", "undelete", "resolve", "undo"])
        #expect(
            [Commit.deletion, Commit.preservation, Commit.prune, Commit.repair]
                == ["delete", "preserve", "prune", "repair"])
    }
}
