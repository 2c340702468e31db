import FilesinkiDirectory
import FilesinkiModel
import FilesinkiStore

/// Makes a store in a folder, as another device would have, or leaves the one that is there.
///
/// Where there is none, the first replica tests the folder with hundreds of writers, which takes longer than most tests.
package func makeStore(in folder: String) async throws {
    let remote = try DirectoryRemote.create(path: folder)
    _ = try await StoreFormat.create(at: remote, systemContext: .quick)
}
