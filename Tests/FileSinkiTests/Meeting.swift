import FileSinki
import FilesinkiTesting
import Foundation
import Synchronization
import Testing

/// Some roots and their store, removed with the value.
final class Meeting: Sendable {
    let folder: TemporaryFolder
    /// The failures of background work.
    let failures = Calls<FileSinkiError>()

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    var store: String { folder.path("store") }
    var address: String { "dir:" + store }

    func root(_ name: String) -> URL {
        URL(filePath: folder.path(name), directoryHint: .isDirectory)
    }

    /// Opens a root.
    ///
    /// - Parameter remote: Nil for the folder.
    func sinki(_ name: String, remote: String? = nil) async throws -> FileSinki {
        if remote == nil, !isUnplugged { try await makeStore(in: store) }
        return try await FileSinki(root: root(name), remote: remote ?? address, device: name) {
            [failures] in
            failures.note($0)
        }
    }

    private var isUnplugged: Bool { FileManager.default.fileExists(atPath: store + "-") }

    /// Takes the remote away, as an unplugged disk.
    func unplug() throws { try FileManager.default.moveItem(atPath: store, toPath: store + "-") }

    func plugIn() throws { try FileManager.default.moveItem(atPath: store + "-", toPath: store) }

    /// What a file holds, seen from outside.
    func text(_ name: String, _ path: String) -> String? {
        try? String(contentsOf: root(name).appending(path: path), encoding: .utf8)
    }

    func exists(_ name: String, _ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root(name).appending(path: path).path)
    }

    /// The names of all files in a root, but for the replica's own.
    func names(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root(name).path)
            .filter { !$0.hasPrefix(".filesinki") }.sorted()
    }
}

/// Collects what closures were called with.
final class Calls<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    var all: [Value] { values.withLock { $0 } }
    var count: Int { all.count }

    func note(_ value: Value) { values.withLock { $0.append(value) } }
}
