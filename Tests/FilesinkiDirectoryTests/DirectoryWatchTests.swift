import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiDirectory

/// Watches that are kept between two waits.
@Suite struct DirectoryWatchTests {
    let folder: TemporaryFolder
    let remote: DirectoryRemote
    let store: StoreFolder
    let watches = IdleWatches()

    init() throws {
        folder = try TemporaryFolder()
        remote = try DirectoryRemote.create(path: folder.path("store"))
        store = StoreFolder(path: folder.path("store"))
    }

    @Test func `a change between two waits ends the second`() async throws {
        try await remote.put([1], to: ObjectKey("p/a"))
        try await watches.wait(store, prefix: "p/", timeout: .zero)
        try await remote.put([1], to: ObjectKey("p/b"))
        // If the change were missed, this would wait for a day.
        try await watches.wait(store, prefix: "p/", timeout: .seconds(86_400))
    }

    @Test func `only the most recent watches are kept`() async throws {
        for number in 0..<20 {
            try await remote.put([1], to: ObjectKey("p\(number)/a"))
            try await watches.wait(store, prefix: "p\(number)/", timeout: .zero)
        }
        #expect(watches.count == IdleWatches.maximum)
        try await remote.put([1], to: ObjectKey("p19/b"))
        try await watches.wait(store, prefix: "p19/", timeout: .seconds(86_400))
        #expect(watches.count == IdleWatches.maximum)
    }
}
