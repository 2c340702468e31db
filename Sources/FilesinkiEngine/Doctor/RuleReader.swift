import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem

/// Reads the rules of a root without opening the replica, to see whether they are understood.
struct RuleReader {
    let options: ReplicaOptions
    let state: StateFolder

    /// The largest file of rules that is read, in bytes.
    private static let limit = 1 << 20

    /// What is wrong with the rules, file by file.
    func problems() throws -> [Failure] {
        let root = try RootFolder(path: options.root)
        var files: [RulesLoad.DeviceFile] = []
        for path in [options.configuration, state.path + "/" + Settings.deviceFile] {
            if let path, let bytes = try StateFile.read(path) {
                files.append(RulesLoad.DeviceFile(path: path, bytes: bytes))
            }
        }
        let synced = try Self.read(Settings.syncedFile, root)
        // Trusted, so that a command that waits for trust is no mistake.
        let load = RulesLoad(synced: synced, isTrusted: true, device: files)
        _ = try IgnoreFilter(gitignore: load.rules.gitignore) { try Self.read($0, root) }
        return load.problems
    }

    private static func read(_ name: String, _ root: RootFolder) throws -> [UInt8]? {
        let path = try RelativePath(name)
        guard try root.status(path)?.kind == .file else { return nil }
        return try root.readWhole(path, limit: limit).bytes
    }
}
