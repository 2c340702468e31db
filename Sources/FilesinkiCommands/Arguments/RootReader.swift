import FilesinkiModel
import FilesinkiRules
import Glibc

/// Reads the few small files of a root that hold rules, without opening the replica.
struct RootReader {
    /// The root's absolute path.
    let root: String

    /// The largest file of rules that is read, in bytes.
    private static let limit = 4 << 20

    /// The content of a regular file; nil when there is none. The file itself may not be a symlink.
    ///
    /// - Throws: `Failure` when it is there and cannot be read.
    func read(_ path: RelativePath) throws -> [UInt8]? {
        let place = place(path)
        guard let status = FileCall.status(place), status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        let file = try InputFile(place: place, flags: O_NOFOLLOW, name: path.description)
        return try file.readAll(limit: Self.limit)
    }

    /// Whether a path is a folder now.
    func isFolder(_ path: RelativePath) -> Bool {
        FileCall.status(place(path)).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// The ignore rules of the root, and what was wrong with the settings that say which count.
    func ignoreFilter(_ environment: [String: String]) throws -> (IgnoreFilter, [Failure]) {
        let rules = try settings(environment)
        let filter = try IgnoreFilter(gitignore: rules.rules.gitignore) { name in
            try read(RelativePath(name))
        }
        return (filter, rules.problems)
    }

    private func settings(_ environment: [String: String]) throws -> RulesLoad {
        var device: [RulesLoad.DeviceFile] = []
        if let path = Settings.userFile(environment: { environment[$0] }),
            FileCall.status(Array(path.utf8)) != nil
        {
            let file = try InputFile(place: Array(path.utf8), flags: 0, name: path)
            device.append(
                RulesLoad.DeviceFile(path: path, bytes: try file.readAll(limit: Self.limit)))
        }
        return RulesLoad(
            synced: try read(RelativePath(Settings.syncedFile)), device: device)
    }

    private func place(_ path: RelativePath) -> [UInt8] {
        Array(root.utf8) + [UInt8(ascii: "/")] + path.bytes
    }
}
