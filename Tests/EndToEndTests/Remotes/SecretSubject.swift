import FilesinkiTesting
import Glibc
import Testing

/// A machine with a replica of a remote that wants a secret, and who looks for traces of it.
final class SecretSubject {
    /// What the remote wants.
    enum Kind: String, CustomTestStringConvertible, Sendable {
        case token, password, key

        var testDescription: String { rawValue }

        var isChosen: Bool {
            switch self {
            case .token: true
            case .password: RealServer.apacheBasic.isInstalled
            case .key: RemoteKind.chosen.contains(.ceph)
            }
        }
    }

    let machine: Machine
    let proxy: FaultProxy
    /// The remote's, by way of the proxy.
    let address: String
    private let place: RemotePlace
    private let secrets: [String]

    /// Where secrets may be: the user's own files, what a replica keeps for its owner alone, and the
    /// files of servers that are not ours.
    private static let allowed = [
        RemotePlace.environmentFile, "wrong", "secrets", "token", "access.toml",
    ]

    init(_ kind: Kind) async throws {
        machine = try Machine()
        place = try await Self.place(kind, machine)
        proxy = try FaultProxy(to: try #require(place.port))
        address = place.address(through: proxy.port)
        secrets = try Self.secrets(kind, machine)
        try machine.write(secrets.joined(separator: "\n") + "\n", to: "secrets")
        try machine.shell("mkdir a; echo one >a/one")
    }

    private static func place(_ kind: Kind, _ machine: Machine) async throws -> RemotePlace {
        switch kind {
        case .token: return try RemotePlace.withToken(machine)
        case .password: return try await RemotePlace.withPassword(machine)
        case .key:
            try machine.write(
                "export AWS_ACCESS_KEY_ID=filesinki AWS_SECRET_ACCESS_KEY=another\n", to: "wrong")
            return try await RemotePlace.make(.ceph, for: machine)
        }
    }

    /// The secret in every form in which it could be seen.
    private static func secrets(_ kind: Kind, _ machine: Machine) throws -> [String] {
        switch kind {
        case .token:
            let token = (machine.read("token") ?? "").filter { $0 != "\n" }
            try #require(token.count > 40)
            // What stands behind the token's public name; it may contain "_", too.
            let parts = token.split(separator: "_", maxSplits: 2)
            try #require(parts.count == 3 && parts[2].count > 30)
            return [token, String(parts[2])]
        case .password:
            // "ann:open sesame" as Basic says it, in base 64.
            return [RealServer.password, "YW5uOm9wZW4gc2VzYW1l"]
        case .key: return [RemoteKind.cephKey.secret]
        }
    }

    // MARK: Runs

    /// Runs a command of the program and expects one of the exit codes.
    func run(
        _ command: String, wrongSecret: Bool = false, exits codes: Set<Int32>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let run = try machine.remotely(
            (wrongSecret ? ". ./wrong; " : "") + "echo $$ >>a/one; filesinki \(command)")
        #expect(
            codes.contains(run.code), "\(command): \(run)", sourceLocation: sourceLocation)
    }

    /// Starts a command of the program, with a limit that would let it leave a core.
    ///
    /// Where the compiler is installed its own program catches a crash first, takes minutes to tell of
    /// it, and lets a process go on that was only sent the signal. A user has no such thing.
    func start(_ command: String) throws -> Machine.Running {
        try machine.start(
            [
                "/bin/sh", "-c",
                "ulimit -c unlimited; export SWIFT_BACKTRACE=enable=no; "
                    + ". ./\(RemotePlace.environmentFile); "
                    + "exec \"$FILESINKI\" \(command)",
            ], input: "")
    }

    /// Waits until the proxy holds a request back.
    func waitUntilStruck() -> Bool {
        // A real process sends it: there is nothing but to look. 60 s are more than any machine takes.
        for _ in 0..<6000 where !proxy.hasStruck { usleep(10_000) }
        return proxy.hasStruck
    }

    // MARK: Traces

    /// The files below the machine's folder that hold a secret: streams, logs, state and store.
    func traces(besides allowed: [String]) throws -> [String] {
        let excluded = allowed.map { "--exclude='\($0)'" }.joined(separator: " ")
        return try machine.shell("grep -rlaF -f secrets \(excluded) .").output
            .split(separator: "\n").map(String.init)
    }

    func expectNoTrace(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try traces(besides: Self.allowed)
        #expect(found == [], sourceLocation: sourceLocation)
    }

    /// No process of the machine names a secret in its command line.
    func expectNoCommandLine(sourceLocation: SourceLocation = #_sourceLocation) throws {
        // The shell's own command line names the file, not what is in it.
        let found = try machine.shell("grep -laF -f secrets /proc/[0-9]*/cmdline 2>/dev/null")
        #expect(found.output == "", sourceLocation: sourceLocation)
        let seen = try machine.shell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '")
        #expect(seen.output.contains("sync a"), sourceLocation: sourceLocation)
    }

    /// The lines of a file of the system.
    func text(of path: String) -> [Substring] {
        (try? machine.shell("cat \(path)").output.split(separator: "\n")) ?? []
    }
}

extension RemotePlace {
    /// The own server that wants a token, with a log of all requests.
    static func withToken(_ machine: Machine) throws -> RemotePlace {
        let made = try machine.shell(
            """
            umask 077 && mkdir served && filesinki serve token make --create served tests >token &&
            echo "export FILESINKI_TOKEN_FILE=$PWD/token" >\(environmentFile) &&
            sed 's/..$/zz/' token >wrong-token &&
            echo "export FILESINKI_TOKEN_FILE=$PWD/wrong-token" >wrong
            """)
        guard made.code == 0 else { throw RemoteTrouble("serve token", made.talk) }
        return try ownServer(.server, machine, options: ["--access-log", "access.log"])
    }

    /// Apache that wants a name and a password.
    static func withPassword(_ machine: Machine) async throws -> RemotePlace {
        let http = try await RealServer.apacheBasic.sharedAddress()
        let export = "export FILESINKI_USER='\(RealServer.user)' FILESINKI_PASSWORD="
        try machine.write("\(export)'\(RealServer.password)'\n", to: environmentFile)
        try machine.write("\(export)'another'\n", to: "wrong")
        let address = http.replacing("http://", with: "webdav://")
        return RemotePlace(.apache, "\(address)/\(UInt32.random(in: .min ... .max))", machine)
    }
}
