import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

/// How the user's rclone is run for an address.
struct RcloneCommand: Sendable {
    let address: RcloneAddress
    /// Returns the value of a variable.
    let environment: @Sendable (String) -> String?

    /// The name and the password with which this process is the only one that rclone serves.
    struct Login: Sendable {
        var user: String
        var password: Secret

        init(_ systemContext: SystemContext) {
            user = hexadecimal(systemContext.randomBytes(16))
            password = Secret(hexadecimal(systemContext.randomBytes(32)))
        }
    }

    /// Starts rclone as a WebDAV server on a free port of loopback, which it writes to its log.
    ///
    /// A shell starts it, and ends it when the connection to this process ends, in whatever way this process
    /// ends: the kernel then closes it. (The signal that prctl(2) offers for that comes when the thread ends
    /// that started the child, and threads come and go.) Its log comes over the same connection.
    ///
    /// - Throws: `Failure` with code `io` when it cannot be started.
    func serve(_ login: Login) throws(Failure) -> ConnectedProcess {
        let words = ["sh", "-c", Self.script, "rclone"] + arguments
        return try ConnectedProcess(
            ChildProcess(
                "/bin/sh", words.map { Array($0.utf8) },
                // Others can read a command line, and not the environment.
                environment: variables + [
                    Array("RCLONE_USER=\(login.user)".utf8),
                    Array("RCLONE_PASS=\(login.password.value)".utf8),
                ], group: .session))
    }

    /// Runs a command of rclone that answers and ends.
    ///
    /// - Throws: `Failure`: `io` when it cannot be started, what the end of rclone means.
    func ask(_ words: [String], limit: Int = 1 << 20) async throws -> [UInt8] {
        let found = try await offload {
            try ChildProcess(
                "/bin/sh",
                ["sh", "-c", Self.asking, "rclone"].map { Array($0.utf8) }
                    + words.map { Array($0.utf8) },
                environment: variables, group: .session
            ).collect(input: [], limit: limit)
        }
        guard found.code == 0, let output = found.output else {
            throw RcloneEnd(code: found.code, messages: found.messages).failure(address)
        }
        return output
    }

    /// Relative paths of rclone's configuration would mean another folder in each working directory.
    private static let script = """
        cd / || exit
        command -v rclone >/dev/null || exit 127
        exec 3<&0 </dev/null
        rclone "$@" 2>&1 3<&- &
        child=$!
        (while read -r line; do :; done; kill "$child") <&3 >/dev/null 2>&1 &
        watcher=$!
        exec 3<&-
        wait "$child"
        code=$?
        kill "$watcher"
        exit "$code"
        """

    private static let asking = """
        cd / || exit
        command -v rclone >/dev/null || exit 127
        exec rclone "$@"
        """

    /// Nothing is kept in memory that another device may have changed, and nothing is confirmed before it is at
    /// the provider.
    var arguments: [String] {
        [
            "serve", "webdav", "--addr", "127.0.0.1:0", "--vfs-cache-mode", "off",
            "--dir-cache-time", "0s", "--poll-interval", "0", "--use-server-modtime",
            "--ask-password=false", "--", address.target,
        ]
    }

    /// The environment of rclone, without what would make it another server, or hide objects from it.
    private var variables: [[UInt8]] {
        var kept = ChildProcess.inheritedEnvironment.filter { pair in
            let name = String(decoding: pair.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            return !Self.given.contains(name) && !Self.isDropped(name)
        }
        for name in Self.given {
            guard let value = environment(name) else { continue }
            kept.append(Array("\(name)=\(value)".utf8))
        }
        for (name, value) in Self.patience where environment(name) == nil {
            kept.append(Array("\(name)=\(value)".utf8))
        }
        return kept
    }

    /// Whether the environment changes what rclone's configuration says of a remote of the type `crypt`.
    func overrides(remote: String) -> Bool {
        let name = String(remote.uppercased().map { "-.@+ ".contains($0) ? "_" : $0 })
        return variables.contains { pair in
            pair.starts(with: "RCLONE_CONFIG_\(name)_".utf8)
                || pair.starts(with: "RCLONE_CRYPT_REMOTE=".utf8)
        }
    }

    /// What a caller with an environment of its own may set.
    private static let given = ["PATH", "HOME", "RCLONE_CONFIG"]

    /// rclone tries again by itself, and so does this program.
    private static let patience = [
        ("RCLONE_CONTIMEOUT", "15s"), ("RCLONE_LOW_LEVEL_RETRIES", "3"),
    ]

    private static func isDropped(_ name: String) -> Bool {
        guard name.hasPrefix("RCLONE_") else { return false }
        let option = name.dropFirst("RCLONE_".count)
        return droppedOptions.contains(String(option))
            || droppedPrefixes.contains { option.hasPrefix($0) }
    }

    private static let droppedOptions: Set<String> = [
        "ADDR", "AUTH_PROXY", "BASEURL", "CERT", "CLIENT_CA", "DIR_CACHE_TIME", "DRY_RUN",
        "ETAG_HASH", "HTPASSWD", "IGNORE_CASE", "INTERACTIVE", "KEY", "MAX_DEPTH", "NO_MODTIME",
        "PASS", "POLL_INTERVAL", "PROGRESS", "QUIET", "READ_ONLY", "REALM", "SALT", "STATS",
        "TEMPLATE", "USER", "USE_JSON_LOG", "VERBOSE",
    ]

    private static let droppedPrefixes = [
        "EXCLUDE", "FILES_FROM", "FILTER", "INCLUDE", "LOG_", "MAX_AGE", "MAX_SIZE", "METADATA_",
        "MIN_AGE", "MIN_SIZE", "RC_", "STATS_", "SYSLOG", "VFS_",
    ]
}
