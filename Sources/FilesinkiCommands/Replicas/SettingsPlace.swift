import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import FilesinkiText
import Glibc

/// Which settings file a command means.
struct ConfigOptions: ParsableArguments {
    @Flag(
        name: .long,
        help: "Use this device's ~/.config/filesinki/config.toml, not the synced file.")
    var device = false

    @Flag(
        name: .customLong("replica"),
        help: "Use this replica's .filesinki/config.toml, not the synced file.")
    var ofReplica = false

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        if device, ofReplica { throw ValidationError("Give --device or --replica.") }
    }

    /// The file that is meant. Without `--device` it is one of a replica.
    func place(in console: Console) async throws -> SettingsPlace {
        report.apply(to: console)
        if device {
            if let path = Settings.userFile(environment: { console.environment[$0] }) {
                return .device(path)
            }
            throw Failure(
                .usage, "HOME is not set.", remedy: "Set it, or set XDG_CONFIG_HOME.")
        }
        let session = try await Session.open(replica, writable: false, remote: false, in: console)
        await session.replica.close()
        guard ofReplica else { return .synced(session) }
        return .device(session.settings.stateFolder.path + "/" + Settings.deviceFile)
    }

    /// The key that an argument names.
    ///
    /// - Throws: `Failure` with code `usage` for text that is not a key.
    static func key(_ argument: String) throws(Failure) -> [String] {
        let bytes = ArgumentText.bytes(of: argument)
        let text = String(validating: bytes, as: UTF8.self)
        if let parts = text.flatMap(TOMLReader.key) { return parts }
        throw Failure(
            .usage, path: bytes, "Invalid key.",
            remedy: "Write it as in the file, with dots and quotes: on-delete, rule.1.match.")
    }
}

/// A settings file that is read and changed as a whole.
enum SettingsPlace {
    /// The file that all devices share, in the root.
    case synced(Session)
    /// A file of this device, by its absolute path.
    case device(String)

    private static let syncedPath = RelativePath(unchecked: Array(Settings.syncedFile.utf8))

    /// The absolute path, for people and programs.
    var path: String {
        switch self {
        case .synced(let session): session.root.path + "/" + Settings.syncedFile
        case .device(let path): path
        }
    }

    /// Whether the file may set a key.
    func mayHave(_ key: SettingKey) -> Bool {
        if case .synced = self { !key.isOfDevice } else { true }
    }

    /// Reads the file; one that does not exist has no settings.
    func read(in console: Console) throws -> SettingsDocument {
        switch self {
        case .synced(let session):
            try settings(RootReader(root: session.root.path).read(Self.syncedPath))
        case .device(let path): try settings(StateFile.read(path, followingSymlinks: true))
        }
    }

    /// Reads the file, changes it and replaces it, unless the change throws or changes nothing.
    ///
    /// - Returns: The settings as they are then.
    func update(
        in console: Console, _ change: (inout SettingsDocument) throws(Failure) -> Void
    ) throws -> SettingsDocument {
        switch self {
        case .synced(let session): try updateSynced(session, change)
        case .device(let path): try updateDevice(path, change, in: console)
        }
    }

    private func settings(_ bytes: [UInt8]?) throws(Failure) -> SettingsDocument {
        switch self {
        case .synced:
            try SettingsDocument(bytes ?? [], file: Settings.syncedFile, source: .synced)
        case .device(let path): try SettingsDocument(bytes ?? [], file: path, source: .device)
        }
    }

    /// A sync that runs meanwhile treats it as a user's edit.
    private func updateSynced(
        _ session: Session, _ change: (inout SettingsDocument) throws(Failure) -> Void
    ) throws -> SettingsDocument {
        var result: Result<SettingsDocument, Failure>?
        _ = try RootFiles(session.settings).update(Self.syncedPath) { present in
            do throws(Failure) {
                var file = try settings(present)
                try change(&file)
                result = .success(file)
                return file.bytes == present ?? [] ? nil : file.bytes
            } catch {
                result = .failure(error)
                return nil
            }
        }
        guard let result else { throw Failure.settingsChanging(path) }
        return try result.get()
    }

    /// The lock of the folder keeps two of these commands apart. It ends with the process.
    private func updateDevice(
        _ path: String, _ change: (inout SettingsDocument) throws(Failure) -> Void,
        in console: Console
    ) throws -> SettingsDocument {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        try StateFile.makeFolder(folder)
        let lock = try SystemError.reported(
            "open the folder", folder.utf8, of: .local
        ) { () throws(SystemError) in
            let lock = try FileHandle(folder, O_RDONLY | O_DIRECTORY)
            _ = try lock.lock(waits: true)
            return lock
        }
        defer { lock.unlock() }
        let present = try StateFile.read(path, followingSymlinks: true)
        var file = try settings(present)
        try change(&file)
        guard file.bytes != present ?? [] else { return file }
        let output = try OutputFile(path, in: console)
        try file.bytes.withUnsafeBytes(output.write)
        // An editor does not know the lock.
        guard try StateFile.read(path, followingSymlinks: true) == present else {
            throw Failure.settingsChanging(path)
        }
        try output.finish()
        return file
    }
}

extension Failure {
    fileprivate static func settingsChanging(_ path: String) -> Failure {
        Failure(
            .changing, path: path, "The file changed while it was being replaced.",
            remedy: "Run the command again.")
    }
}

extension SettingKey {
    /// The settings for all paths, for a shell.
    static var completion: CompletionKind { .list(allCases.map(\.rawValue)) }
}
