import Dispatch
import FilesinkiHTTP
import FilesinkiModel
import Glibc

/// A command that prints credentials, as `credential_process` names it:
/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
struct CredentialCommand: Sendable {
    /// What the shell runs.
    var text: String
    var environment: @Sendable (String) -> String?
    /// How long it may take: a person may have to touch a key.
    var limit = Duration.seconds(60)

    /// More than this is no answer.
    private static let maximumOutput = 64 << 10

    /// What is passed on from the environment: nothing that holds a secret.
    private static let inherited = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ", "XDG_RUNTIME_DIR",
        "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME",
        "SSH_AUTH_SOCK", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CONFIG_FILE",
        "AWS_SHARED_CREDENTIALS_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
    ]

    /// - Throws: `Failure` with code `not-allowed` when the command fails, takes too long, or prints
    ///   something else. What it printed is in no message.
    func credentials() async throws -> S3Credentials {
        let output = try await withCheckedThrowingContinuation { continuation in
            // It waits in the kernel, which would hold a thread that tasks share.
            DispatchQueue.global().async {
                continuation.resume(with: Result { try run() })
            }
        }
        return try Self.credentials(in: String(decoding: output, as: UTF8.self))
    }

    static func credentials(in output: String) throws(Failure) -> S3Credentials {
        guard let values = FlatJSON(output)?.values, values["Version"] == "1",
            let id = values["AccessKeyId"], let secret = values["SecretAccessKey"]
        else { throw failure("it printed something else than credentials") }
        var found = try AWSConfiguration.checked(id, secret, token: values["SessionToken"], "")
        if let expires = values["Expiration"] {
            guard let time = BasicTime.parse(expires) else {
                throw failure("it printed an end of life that is no time")
            }
            found.expires = time
        }
        return found
    }

    private func run() throws(Failure) -> [UInt8] {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Self.failure("there is no pipe for it") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        defer { close(ends[0]) }
        let child = spawn(output: ends[1])
        close(ends[1])
        guard let child else { throw Self.failure("the shell could not be started") }
        let result = wait(for: child, reading: ends[0])
        // Whatever the command left running ends with it.
        kill(-child, SIGKILL)
        guard let result else {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            throw Self.failure("it took too long or printed too much")
        }
        guard result.status == 0 else { throw Self.failure("it failed") }
        return result.output
    }

    /// How the command ended and what it printed; nil when it has to be ended.
    private func wait(
        for child: pid_t, reading file: Int32
    ) -> (status: Int32, output: [UInt8])? {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        var output: [UInt8] = []
        var isOpen = true
        while clock.now < end {
            var status: Int32 = 0
            let hasEnded = waitpid(child, &status, WNOHANG) == child
            while isOpen, Self.hasOutput(file, within: hasEnded ? 0 : 20) {
                isOpen = Self.read(file, into: &output)
                guard output.count <= Self.maximumOutput else { return nil }
            }
            if hasEnded { return (status, output) }
            if !isOpen { poll(nil, 0, 5) }
        }
        return nil
    }

    /// Whether something, or the end, can be read now or within so many milliseconds.
    private static func hasOutput(_ file: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Takes what is there; false when nothing can come any more.
    private static func read(_ file: Int32, into output: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: maximumOutput)
        let count = Glibc.read(file, &buffer, buffer.count)
        if count > 0 { output += buffer[..<count] }
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
    }

    private func spawn(output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var child: pid_t = 0
        let pairs = Self.inherited.compactMap { name in environment(name).map { "\(name)=\($0)" } }
        let result = withCStrings(["sh", "-c", text]) { argv in
            withCStrings(pairs) { envp in
                posix_spawn(&child, "/bin/sh", &actions, &attributes, argv, envp)
            }
        }
        return result == 0 ? child : nil
    }

    private static func failure(_ reason: String) -> Failure {
        Failure(
            .notAllowed, "The credential_process of the profile gave no credentials: \(reason).",
            remedy: "Run the command by hand, and see what it says.")
    }
}

/// Calls `body` with the strings as C has lists of them: each ended by NUL, the list by nil.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
