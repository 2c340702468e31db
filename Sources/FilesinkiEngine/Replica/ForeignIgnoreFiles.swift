import FilesinkiManifest
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText
import Glibc

/// The ignore files of other programs in a root that has none of this program: what they leave out is synced here.
struct ForeignIgnoreFiles {
    private let options: ReplicaOptions

    init(_ options: ReplicaOptions) { self.options = options }

    /// What the user should know before the first sync, for each file.
    func notices() throws -> [Failure] {
        guard !exists(IgnoreFilter.fileName) else { return [] }
        var notices: [Failure] = []
        if hasUnread { notices.append(.unread(path(Self.unreadName))) }
        let isRepositorySynced = try exists(".git") && !isIgnoredByUser(".git")
        if exists(".gitignore"), try !appliesGitignore() {
            notices.append(
                .unappliedGitignore(
                    path(".gitignore"), root: options.root, isRepositorySynced: isRepositorySynced))
        } else if isRepositorySynced {
            notices.append(.syncedRepository(path(".git")))
        }
        return notices
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

    /// Git's file, where no settings say that it applies.
    fileprivate static func unappliedGitignore(
        _ path: String, root: String, isRepositorySynced: Bool
    ) -> Failure {
        var notice = Failure(
            .usage, path: path, "What git ignores by this file is synced.",
            remedy: "If it is not to be, before the first sync run filesinki config set --root "
                + "\(ShellWord.shown(root.utf8)) gitignore true.")
        if isRepositorySynced {
            notice.message += " So is the repository itself, .git."
            notice.remedy += " For .git, write the line .git into .filesinkiignore."
        }
        return notice
    }

    /// The files of a repository belong together, and are merged one by one.
    fileprivate static func syncedRepository(_ path: String) -> Failure {
        Failure(
            .usage, path: path, "This git repository is synced as any folder.",
            remedy: "If it is not to be, before the first sync write the line .git into "
                + ".filesinkiignore.")
    }
}
