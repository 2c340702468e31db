internal import FilesinkiItems
internal import FilesinkiModel
internal import FilesinkiSystem
internal import Glibc

/// Two changes of one key for a command of this device to merge. Thrown when the answer is not known, as
/// no transaction spans the run of a command.
package struct CommandQuestion: Error, Hashable, Sendable {
    var key: ValueKey
    var command: String
    var base: TypedValue?
    var ours: TypedValue
    var theirs: TypedValue
}

/// The result of a merge command.
package struct CommandAnswer: Sendable {
    /// Nil when the key's published rule decides.
    var value: TypedValue?
    /// Why the command failed; nil when it succeeded or declined.
    var problem: Failure?
}

/// Merges values by a command of this device: see ``MergeDriver``.
///
/// The files hold what `kv get --raw` prints. The result has the type of both values.
struct CommandMerge: Sendable {
    /// How long a command may take.
    static let limit = Duration.seconds(60)

    let question: CommandQuestion

    /// Runs the command on a thread of its own.
    ///
    /// - Parameter parent: The folder in which the files are made.
    func answer(in parent: String) async throws -> CommandAnswer {
        try await offload { try runCommand(in: parent) }
    }

    private func runCommand(in parent: String) throws(Failure) -> CommandAnswer {
        let (ours, theirs) = (question.ours, question.theirs)
        // A value that does not survive its text form would lose its types.
        guard ours.type == theirs.type,
            [ours, theirs].allSatisfy({ $0.sameType(plainBytes: $0.plainBytes) == $0 })
        else { return CommandAnswer() }
        let files = try CommandFiles(in: parent)
        defer { files.remove() }
        try files.write(question.base?.plainBytes ?? [], to: files.base)
        try files.write(ours.plainBytes, to: files.ours)
        try files.write(theirs.plainBytes, to: files.theirs)
        let command = UserCommand(
            text: MergeDriver(question.command).expanded,
            variables: MergeDriver.variables(
                base: files.base, here: files.ours, there: files.theirs,
                path: question.key.bytes), limit: Self.limit)
        switch try command.run() {
        case .ended(code: 0, _): return try result(files)
        case .ended(code: 1, _): return CommandAnswer()
        case .ended(let code, _): return failed("The merge command failed with exit code \(code).")
        case .ranOutOfTime: return failed("The merge command took longer than \(Self.limit).")
        }
    }

    private func result(_ files: CommandFiles) throws(Failure) -> CommandAnswer {
        guard let bytes = try files.read(files.ours, limit: 64 << 20),
            let value = question.ours.sameType(plainBytes: bytes)
        else {
            return failed(
                "The merge command left a result that is not a value of the type "
                    + "\(question.ours.type.rawValue).")
        }
        return CommandAnswer(value: value)
    }

    private func failed(_ message: String) -> CommandAnswer {
        CommandAnswer(
            problem: Failure(
                .differs, path: question.key.bytes, message,
                remedy: "The key's published rule decided. Correct the command with "
                    + "kv set KEY --merge exec:COMMAND."))
    }
}

/// The files of one merge, in a private folder.
private struct CommandFiles {
    private let folder: String

    var base: String { folder + "/base" }
    var ours: String { folder + "/here" }
    var theirs: String { folder + "/there" }

    init(in parent: String) throws(Failure) {
        folder = try StateFile.makeScratchFolder(in: parent)
    }

    func write(_ bytes: [UInt8], to file: String) throws(Failure) {
        try NamedFile(file, O_WRONLY | O_CREAT | O_EXCL, of: .own).write(bytes)
    }

    /// - Returns: Nil when it is not a regular file any more, or has more than `limit` bytes.
    func read(_ file: String, limit: Int) throws(Failure) -> [UInt8]? {
        guard let handle = try? FileHandle(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
            (try? handle.record())?.isRegularFile == true
        else { return nil }
        do { return try handle.readAll(limit: limit) } catch {
            throw error.failure("read the file", file)
        }
    }

    /// Removes the folder and everything that the command left in it.
    func remove() { TreeRemoval.remove(folder) }
}

extension KeyValueDatabase {
    private static func name(ofCommandFor key: ValueKey) -> String {
        "merge-command:" + hexadecimal(key.bytes)
    }

    /// The command that merges a key on this device; nil for none.
    func mergeCommand(_ key: ValueKey) throws(Failure) -> String? {
        try setting(Self.name(ofCommandFor: key)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Parameter command: Empty for none.
    func set(mergeCommand command: String, of key: ValueKey) throws(Failure) {
        try set(
            Self.name(ofCommandFor: key), command.isEmpty ? nil : Array(command.utf8))
    }
}
