import FilesinkiManifest
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import Glibc

/// The ignore files of other programs in a root that has none of this program: what they leave out is synced here.
struct ForeignIgnoreFiles {
    private let options: ReplicaOptions

    init(_ options: ReplicaOptions) { self.options = options }

    /// What the user should know of a new replica, for each file.
    ///
    /// - Parameter moment: When the user is told of what git leaves out; nil if not now.
    func notices(_ moment: ForeignExclusions.Moment?) throws -> [Failure] {
        let unread = hasUnread ? [Failure.unread(path(Self.unreadName))] : []
        guard let moment else { return unread }
        return try unread + exclusions().notices(moment, in: options.root)
    }

    /// What git leaves out and is synced, by the settings that are here.
    func exclusions() throws -> ForeignExclusions {
        var found: ForeignExclusions = []
        guard !exists(IgnoreFilter.fileName) else { return found }
        if try exists(".git") && !isIgnoredByUser(".git") { found.insert(.repository) }
        if try exists(".gitignore") && !appliesGitignore() { found.insert(.gitignored) }
        return found
    }

    fileprivate static let unreadName = ".stignore"

    /// Whether there is Syncthing's file, and none of this program.
    var hasUnread: Bool { !exists(IgnoreFilter.fileName) && exists(Self.unreadName) }

    /// Whether an ignore file of the user has the name.
    private func isIgnoredByUser(_ name: String) throws -> Bool {
        let filter = IgnoreFilter(
            gitignore: false, device: try options.userIgnoreFiles().files, read: { _ in nil })
        return filter.ignores(Array(name.utf8)[...], isDirectory: true)
    }

    private func path(_ name: String) -> String { options.root + "/" + name }

    private func exists(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

    private func appliesGitignore() throws -> Bool {
        let synced = try StateFile.read(path(Settings.syncedFile), followingSymlinks: true)
        return RulesLoad(synced: synced, device: try options.deviceFiles()).gitignore
    }
}

extension SyncEngine {
    /// That Syncthing's file is not read, in the first run that finds it: it may have come after `init`, which says so, too.
    func foreignIgnoreNotices(_ run: SyncRun) throws -> [Problem] {
        guard run.selection.isEverything else { return [] }
        let hasUnread = ForeignIgnoreFiles(options).hasUnread
        guard try hasUnread != (manifest.value(ManifestDatabase.unreadIgnoreFile) != nil) else {
            return []
        }
        if !run.options.isDryRun { try manifest.write { try $0.noteUnreadIgnoreFile(hasUnread) } }
        guard hasUnread else { return [] }
        let path = RelativePath(unchecked: Array(ForeignIgnoreFiles.unreadName.utf8))
        return [Problem(path, .unread(ForeignIgnoreFiles.unreadName), isNews: true)]
    }
}

extension ManifestDatabase {
    fileprivate static let unreadIgnoreFile = "unread-ignore-file"
}

extension ManifestWriter {
    /// Notes whether the user has been told of an ignore file that is not read.
    func noteUnreadIgnoreFile(_ isTold: Bool) throws {
        try setValue(ManifestDatabase.unreadIgnoreFile, isTold ? [1] : nil)
    }
}

extension Failure {
    /// Syncthing's file.
    fileprivate static func unread(_ path: String) -> Failure {
        Failure(
            .usage, path: path, "This ignore file of another program is not read.",
            remedy:
                "Write what filesinki is to leave out into .filesinkiignore, in the syntax of .gitignore."
        )
    }
}
