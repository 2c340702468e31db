import Dispatch
import Glibc
import Synchronization

/// A kind of server that tests run against as it is out there: a script of `Scripts/servers` starts
/// it on loopback. What is not installed here is left out:
///
/// ```
/// @Test(.enabled(if: RealServer.nginx.isInstalled, "nginx is not installed"))
/// ```
package struct RealServer: Hashable, Sendable, CustomStringConvertible {
    /// What the tests' log calls it.
    package let description: String
    let script: String
    let variables: [String: String]
    /// How many free ports it needs.
    let ports: Int

    /// - Parameters:
    ///   - script: The name of a script in `Scripts/servers`, without `.sh`.
    ///   - variables: What the script takes from its environment, besides this process's own.
    ///   - ports: How many free ports it needs.
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
    /// Apache that asks for a password in the clear: see ``user`` and ``password``.
    package static let apacheBasic = RealServer(
        "Apache with Basic", script: "apache", variables: ["APACHE_AUTH": "basic"])
    /// Apache that asks for proof of a password, and anew every few seconds.
    package static let apacheDigest = RealServer(
        "Apache with Digest", script: "apache", variables: ["APACHE_AUTH": "digest"])
    /// nginx with four processes and the extension for PROPFIND.
    package static let nginx = RealServer("nginx", script: "nginx")
    /// lighttpd with one process.
    package static let lighttpd = RealServer("lighttpd", script: "lighttpd")
    /// lighttpd with four processes, each with its own idea of what is there.
    package static let lighttpdOfFour = RealServer(
        "lighttpd with 4 workers", script: "lighttpd", variables: ["WORKERS": "4"])

    /// Every kind that speaks WebDAV.
    package static let webDAV: [RealServer] = [
        apache, apacheBasic, apacheDigest, nginx, lighttpd, lighttpdOfFour,
    ]

    /// The user whom the servers with a password let in.
    package static let user = "ann"
    /// Her password.
    package static let password = "open sesame"

    /// Whether the programs that it needs are on this machine.
    package var isInstalled: Bool {
        Self.installed.withLock { known in
            if let answer = known[script] { return answer }
            let answer = (try? GuardedProcess(path, ["check"]))?.end() == 0
            known[script] = answer
            return answer
        }
    }

    /// Starts a server with nothing in it.
    ///
    /// - Returns: The server; it ends when the last reference to it does, or with this process.
    /// - Throws: ``ServerFailure`` with what the script said.
    package func start() async throws -> StartedServer {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try startNow() })
            }
        }
    }

    /// The address of a server of this kind that all tests of this process share.
    ///
    /// - Throws: ``ServerFailure``, each time again.
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
        var last = ServerFailure(description: "\(self) was not tried.")
        // Another process may take a free port between its choice and its use.
        for _ in 0..<4 {
            let folder = try emptyFolder()
            let ports = try freePorts(self.ports)
            let more = ports.dropFirst().map { "\($0)" }.joined(separator: " ")
            let process = try GuardedProcess(
                path, ["guard", "\(ports.first ?? 0)", folder],
                variables.merging(["MORE_PORTS": more]) { own, _ in own })
            let said = process.line()
            if said.hasPrefix("http") {
                return StartedServer(address: said, folder: folder, process)
            }
            last = ServerFailure(description: "\(self): \(said)\n\(process.rest())")
            _ = process.end()
            // The guard has done it, unless there was none.
            removeTree(Array(folder.utf8))
        }
        throw last
    }
}

/// A server that runs until nobody refers to it any more.
package final class StartedServer: Sendable {
    /// Where it answers, such as `http://127.0.0.1:4711/dav`, without a slash at the end.
    package let address: String
    /// Where it keeps all that it has.
    package let folder: String
    private let process: GuardedProcess

    init(address: String, folder: String, _ process: GuardedProcess) {
        self.address = address
        self.folder = folder
        self.process = process
    }

    deinit {
        // Ending takes a moment; the guard needs nobody to wait for it.
        DispatchQueue.global().async { [process] in _ = process.end() }
    }

    /// Ends the server, and returns when nothing of it is left.
    package func stop() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [process] in
                _ = process.end()
                continuation.resume()
            }
        }
    }
}

/// A server that could not be started.
package struct ServerFailure: Error, CustomStringConvertible {
    package let description: String
}

/// A folder that the guard of a server removes when it is done.
private func emptyFolder() throws -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/filesinki-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FixtureFailure("mkdtemp", parent, errno) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Ports of loopback that were free a moment ago, all different.
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
        guard result == 0 else { throw FixtureFailure("bind", "127.0.0.1", errno) }
        return UInt16(bigEndian: address.sin_port)
    }
}
