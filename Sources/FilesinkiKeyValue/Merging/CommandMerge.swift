internal import Dispatch
internal import FilesinkiModel
internal import FilesinkiProcess
internal import Glibc

/// Two changes of one key that a command of this device is to merge. It is thrown where the answer is not
/// known, because no transaction spans the run of a command.
struct CommandQuestion: Error, Hashable, Sendable {
    var key: ValueKey
    var command: String
    var base: TypedValue?
    var here: TypedValue
    var there: TypedValue
}

/// What a command has made of two values.
struct CommandAnswer: Sendable {
    /// Nil when the key's published rule decides.
    var value: TypedValue?
    /// Why there is no value; nil when the command has declined.
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
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try run(in: parent) })
            }
        }
    }

    private func run(in parent: String) throws(Failure) -> CommandAnswer {
        let (here, there) = (question.here, question.there)
        // What does not come back from its own text would lose its types.
        guard here.type == there.type,
            [here, there].allSatisfy({ $0.sameType(plainBytes: $0.plainBytes) == $0 })
        else { return CommandAnswer() }
        let files = try CommandFiles(in: parent)
        defer { files.remove() }
        try files.write(question.base?.plainBytes ?? [], to: files.base)
        try files.write(here.plainBytes, to: files.here)
        try files.write(there.plainBytes, to: files.there)
        let command = UserCommand(
            text: MergeDriver(question.command).expanded,
            variables: MergeDriver.variables(
                base: files.base, here: files.here, there: files.there,
                path: question.key.bytes), limit: Self.limit)
        switch try command.run() {
        case .ended(code: 0, _): return try result(files)
        case .ended(code: 1, _): return CommandAnswer()
        case .ended(let code, _): return failed("The merge command failed with exit code \(code).")
        case .ranOutOfTime: return failed("The merge command took longer than \(Self.limit).")
        }
    }

    private func result(_ files: CommandFiles) throws(Failure) -> CommandAnswer {
        guard let bytes = try files.read(files.here, limit: 64 << 20),
            let value = question.here.sameType(plainBytes: bytes)
        else {
            return failed(
                "The merge command left a result that is not a value of the type "
                    + "\(question.here.type.rawValue).")
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
    var here: String { folder + "/here" }
    var there: String { folder + "/there" }

    init(in parent: String) throws(Failure) {
        var template = Array("\(parent)/merge-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure(parent, "make a folder in") }
        folder = String(
            decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func write(_ bytes: [UInt8], to file: String) throws(Failure) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(file, "write") }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(file, "write") }
            rest = rest.dropFirst(count)
        }
    }

    /// Nil when there is no regular file any more, or more than `limit` bytes.
    func read(_ file: String, limit: Int) throws(Failure) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(file, "read") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// Removes the folder with what a command has left in it, as far as it is no folder itself.
    func remove() {
        for file in [base, here, there] { unlink(file) }
        rmdir(folder)
    }

    private static func failure(_ path: String, _ action: String) -> Failure {
        let number = errno
        return Failure(
            number == ENOSPC || number == EDQUOT ? .full : .io, path: path,
            "Cannot \(action) it for a merge: \(String(cString: strerror(number))).",
            remedy: "Check the free space and the permissions there.")
    }
}
