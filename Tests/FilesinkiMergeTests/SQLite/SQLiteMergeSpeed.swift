import FilesinkiMerge
import Glibc
import Testing

/// Measures, where somebody asks: `FILESINKI_SQLITE_SPEED` is a folder with `base.db`, `here.db` and
/// `there.db`.
@Suite struct SQLiteMergeSpeed {
    private static let folder = getenv("FILESINKI_SQLITE_SPEED").map { String(cString: $0) }

    @Test(.enabled(if: folder != nil)) func `a large database merges in time`() throws {
        let folder = try #require(Self.folder)
        let result = "\(folder)/result.db"
        unlink(result)
        let clock = ContinuousClock()
        let time = try clock.measure {
            let outcome = try SQLiteMerge().merge(
                base: "\(folder)/base.db", ours: "\(folder)/here.db",
                theirs: "\(folder)/there.db", into: result)
            #expect(outcome == .merged)
        }
        print("The merge took \(time).")
    }
}
