import Dispatch
import FilesinkiSystem
import Glibc
import Synchronization

/// A real server to test with, started on loopback by a script of `Scripts/servers`. Tests with servers that
/// are not installed are skipped:
///
/// ```
/// @Test(.enabled(if: RealServer.nginx.isInstalled, "nginx is not installed"))
/// ```
package struct RealServer: Hashable, Sendable, CustomStringConvertible {
    /// The name in the test log.
    package let description: String
    let script: String
    let variables: [String: String]
    /// The number of ports that it needs.
    let ports: Int

    /// - Parameters:
    ///   - script: The name of a script in `Scripts/servers`, without `.sh`.
    ///   - variables: Additional environment variables of the script.
    ///   - ports: The number of ports that it needs.
    package init(
        _ description: String, script: String, variables: [String: String] = [:], ports: Int = 1
    ) {
        self.description = description
        self.script = script
        self.variables = variables
        self.ports = ports
    }

    /// Apache with mod_dav_fs.
    package static let apache = RealServer("Apache", script: "apache")
    /// Apache with Basic authentication: see ``user`` and ``password``.
    package static let apacheBasic = RealServer(
        "Apache with Basic", script: "apache", variables: ["APACHE_AUTH": "basic"])
    /// Apache with Digest authentication and nonces that expire every few seconds.
    package static let apacheDigest = RealServer(
        "Apache with Digest", script: "apache", variables: ["APACHE_AUTH": "digest"])
    /// nginx with four processes and the extension for PROPFIND.
    package static let nginx = RealServer("nginx", script: "nginx")
    /// lighttpd with one process.
    package static let lighttpd = RealServer("lighttpd", script: "lighttpd")
    /// lighttpd with four processes, each with its own cache.
    package static let lighttpdOfFour = RealServer(
        "lighttpd with 4 workers", script: "lighttpd", variables: ["WORKERS": "4"])

    /// OpenSSH's sshd with SFTP. Beside the folder of its address is ``sshCommand(for:)``.
    package static let sshd = RealServer("sshd", script: "sshd")

    /// The same with a `filesinki` at the host.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - keyOptions: Those of the user's key, such as a forced command.
    package static func sshd(with program: String, keyOptions: String = "") -> RealServer {
        RealServer(
            "sshd with filesinki", script: "sshd",
            variables: ["FILESINKI_PROGRAM": program, "KEY_OPTIONS": keyOptions])
    }

    /// What reaches the server at an address of ``sshd``: a value of `FILESINKI_SSH_COMMAND`.
    package static func sshCommand(for address: String) -> String {
        let path = address.split(separator: "/").dropFirst(2).dropLast()
        return path.map { "/" + $0 }.joined() + "/ssh"
    }

    /// All WebDAV servers.
    package static let webDAV: [RealServer] = [
        apache, apacheBasic, apacheDigest, nginx, lighttpd, lighttpdOfFour,
    ]

    /// The user of the servers with authentication.
    package static let user = "ann"
    /// The user's password.
    package static let password = "open sesame"

    /// Whether the programs that it needs are installed.
    package var isInstalled: Bool {
        Self.installed.withLock { known in
            if let answer = known[script] { return answer }
            let answer = (try? GuardedProcess(path, ["check"]))?.end() == 0
            known[script] = answer
            return answer
        }
    }

    /// Starts an empty server.
    ///
    /// - Returns: The server. It ends when it is deallocated, or with this process.
    /// - Throws: ``ServerError`` with the output of the script.
    package func start() async throws -> StartedServer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try startNow() })
            }
        }
    }

    /// The address of a server that all tests of this process share.
    ///
    /// - Throws: ``ServerError``, at each call.
    package func sharedAddress() async throws -> String {
        let starting = Self.shared.withLock { servers in
            if let known = servers[self] { return known }
            let task = Task { try await start() }
            servers[self] = task
            return task
        }
        return try await starting.value.address
    }

    private static let installed = Mutex<[String: Bool]>([:])
    private static let shared = Mutex<[RealServer: Task<StartedServer, any Error>]>([:])

    private var path: String {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
        return "\(root)/Scripts/servers/\(script).sh"
    }

    private func startNow() throws -> StartedServer {
        var last = ServerError(description: "\(self) was not started.")
        // Another process may take a free port between its choice and its use.
        for _ in 0..<4 {
            let folder = try emptyFolder()
            let ports = try freePorts(self.ports)
            let more = ports.dropFirst().map { "\($0)" }.joined(separator: " ")
            let process = try GuardedProcess(
                path, ["guard", "\(ports.first ?? 0)", folder],
                variables.merging(["MORE_PORTS": more]) { own, _ in own })
            let line = process.line()
            if line.firstRange(of: "://") != nil {
                return StartedServer(address: line, folder: folder, process)
            }
            last = ServerError(description: "\(self): \(line)\n\(process.rest())")
            _ = process.end()
            // The script normally has removed the folder already.
            removeTree(Array(folder.utf8))
        }
        throw last
    }
}

/// A server that runs until this object is deallocated.
package final class StartedServer: Sendable {
    /// The address, such as `http://127.0.0.1:4711/dav`, without a slash at its end.
    package let address: String
    /// The folder of its data.
    package let folder: String
    private let process: GuardedProcess

    init(address: String, folder: String, _ process: GuardedProcess) {
        self.address = address
        self.folder = folder
        self.process = process
    }

    deinit {
        // Not on this thread, because ending takes a moment.
        DispatchQueue.global().async { [process] in _ = process.end() }
    }

    /// Ends the server, and returns when its processes have ended.
    package func stop() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                _ = process.end()
                continuation.resume()
            }
        }
    }
}

/// A server could not be started.
package struct ServerError: Error, CustomStringConvertible {
    package let description: String
}

/// A new folder, which the script removes when the server ends.
private func emptyFolder() throws -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/filesinki-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FixtureError("mkdtemp", parent, errno) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Different ports of loopback that were free a moment ago.
private func freePorts(_ count: Int) throws -> [UInt16] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    return try (0..<count).map { _ in
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        sockets.append(number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                bind(number, general, length) == 0 ? getsockname(number, general, &length) : -1
            }
        }
        guard result == 0 else { throw FixtureError("bind", "127.0.0.1", errno) }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// A script that runs until its standard input is closed, and so at most as long as this process. It has a
/// session of its own, so that Ctrl-C at the terminal does not end it before it has cleaned up.
final class GuardedProcess: Sendable {
    private struct State {
        var input: Int32
        var output: Int32
        var child: pid_t
    }

    private let state: Mutex<State>

    /// - Throws: ``FixtureError`` when it cannot be started.
    init(_ path: String, _ words: [String], _ variables: [String: String] = [:]) throws {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            throw FixtureError("start", path, errno)
        }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (child, error) = Self.spawn([path] + words, variables, input[0], output[1])
        close(input[0])
        close(output[1])
        state = Mutex(State(input: input[1], output: output[0], child: child))
        guard error == 0 else { throw FixtureError("start", path, error) }
    }

    deinit { _ = end() }

    /// The next line of its output without its newline; empty at the end.
    func line() -> String { read { $0.last == UInt8(ascii: "\n") } }

    /// The rest of its output.
    func rest() -> String { read { _ in false } }

    /// Closes its input and waits for it to end.
    ///
    /// - Returns: Its exit code; -1 if it was ended before, or by a signal.
    func end() -> Int32 {
        let ended = state.withLock { state in
            defer { state = State(input: -1, output: -1, child: -1) }
            return state
        }
        guard ended.child > 0 else { return -1 }
        close(ended.input)
        close(ended.output)
        var status: Int32 = 0
        while waitpid(ended.child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }

    private func read(until isEnd: ([UInt8]) -> Bool) -> String {
        let output = state.withLock { $0.output }
        var bytes: [UInt8] = []
        while !isEnd(bytes), bytes.count < 65_536 {
            var byte: UInt8 = 0
            let count = Glibc.read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func spawn(
        _ words: [String], _ variables: [String: String], _ input: Int32, _ output: Int32
    ) -> (child: pid_t, error: Int32) {
        // In addition to the environment of this process.
        let settings = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // It has to clean up after the reader of its output is gone.
        let process = ChildProcess(
            "/usr/bin/env", (["env"] + settings + words).map { Array($0.utf8) },
            streams: [STDIN_FILENO: .descriptor(input), STDOUT_FILENO: .descriptor(output)],
            group: .session, diesOfBrokenPipe: false)
        do {
            return (try process.start(), 0)
        } catch {
            return (-1, error.error)
        }
    }
}
