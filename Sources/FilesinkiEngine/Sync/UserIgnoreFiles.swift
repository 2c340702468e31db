package import FilesinkiModel
package import FilesinkiRules
import FilesinkiSystem

/// The ignore files of users that hold in a replica: that of the run's own user, and those that earlier runs found. With them
/// the settings of these users, which may let `.gitignore` files apply.
///
/// `HOME` and `XDG_CONFIG_HOME` say where a user's files are. A run of cron, sudo or a service has others, or none; what the user
/// ignores is private from it, too. So the replica notes each file that a run finds, and its content: where it is not found
/// again, its rules hold as they were, until a file is in its place.
package struct UserIgnoreFiles: Sendable {
    /// The ignore files; that of the run's own user is the first one.
    package private(set) var files: [RulesLoad.DeviceFile] = []
    private var settings: [RulesLoad.DeviceFile] = []
    /// The paths of those that hold as they are noted.
    private var missing: [String] = []

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - configuration: The path of the settings of the run's user; nil if nobody knows where they would be.
    ///   - state: The replica's state folder.
    /// - Throws: `Failure` when the user's own file, or the note, cannot be read.
    package static func find(
        _ configuration: String?, in state: StateFolder
    ) throws(Failure) -> UserIgnoreFiles {
        var found = UserIgnoreFiles()
        let note = try state.userIgnoreNote()
        let ignore = configuration.map(Settings.ignoreFile(beside:))
        found.files = try found.read(ignore, and: note.files)
        found.settings = try found.read(configuration, and: note.settings)
        return found
    }

    /// - Parameter own: The path of the file of the run's user.
    private mutating func read(
        _ own: String?, and noted: [RulesLoad.DeviceFile]
    ) throws(Failure) -> [RulesLoad.DeviceFile] {
        var files: [RulesLoad.DeviceFile] = []
        if let own, let bytes = try StateFile.read(own, followingSymlinks: true) {
            files.append(RulesLoad.DeviceFile(path: own, bytes: bytes))
        }
        let present = files.first
        for file in noted where file.path != present?.path {
            if let bytes = Self.readable(file.path) {
                files.append(RulesLoad.DeviceFile(path: file.path, bytes: bytes))
            } else if file.bytes != present?.bytes {
                files.append(file)
                missing.append(file.path)
            }
            // Else the file was moved, and holds at its new place.
        }
        return files
    }

    /// Whether `.gitignore` files apply by the settings of one of the users.
    ///
    /// - Parameter synced: The synced settings, which override a user's, as those of the replica on this device do.
    package func applyGitignore(
        synced: [UInt8]?, in state: StateFolder
    ) throws(Failure) -> Bool {
        guard !settings.isEmpty else { return false }
        let path = state.path + "/" + Settings.deviceFile
        let ofReplica = try StateFile.read(path, followingSymlinks: true).map {
            RulesLoad.DeviceFile(path: path, bytes: $0)
        }
        return settings.contains { ofUser in
            let device = [ofUser, ofReplica].compactMap(\.self)
            return RulesLoad(synced: synced, device: device).gitignore
        }
    }

    /// The bytes of a file that may be another user's; nil if it is not there, or not for this user to read.
    private static func readable(_ path: String) -> [UInt8]? {
        (try? StateFile.read(path, followingSymlinks: true)) ?? nil
    }

    /// Notes the files for later runs.
    func record(in state: StateFolder) throws(Failure) {
        let note = UserIgnoreNote(files, settings: settings)
        guard try note != state.userIgnoreNote() else { return }
        try StateFile.replace(state.userIgnores, with: note.bytes)
    }

    /// What is said of the files that were not found.
    var notices: [Failure] {
        missing.map { path in
            Failure(
                .notFound, path: path,
                "Not found or not readable in this run: its rules hold as an earlier run has read them.",
                remedy: "To change them, put a file in its place; an empty one ends them.")
        }
    }
}

extension StateFolder {
    /// The note of the ignore files of users.
    ///
    /// - Throws: Code `corrupt` for an invalid one, because any guess could publish what was ignored.
    fileprivate func userIgnoreNote() throws(Failure) -> UserIgnoreNote {
        guard let bytes = try StateFile.read(userIgnores) else {
            return UserIgnoreNote([], settings: [])
        }
        if let note = UserIgnoreNote(bytes) { return note }
        throw Failure(
            .corrupt, path: userIgnores, "The note of the users' ignore files is damaged.",
            remedy: "Remove the file, and sync first as each user who has an ignore file.")
    }
}

extension ReplicaOptions {
    /// The path of the user's ignore file; nil if nobody knows where it would be.
    var userIgnoreFile: String? { configuration.map(Settings.ignoreFile(beside:)) }

    /// See ``UserIgnoreFiles/find(_:in:)``.
    func userIgnoreFiles() throws(Failure) -> UserIgnoreFiles {
        try UserIgnoreFiles.find(configuration, in: stateFolder)
    }
}
