import FilesinkiTesting
import Glibc

/// An empty place for a store, of some kind, and how a machine's commands reach it.
final class RemotePlace {
    let kind: RemoteKind
    /// What `--remote` is given.
    let address: String
    private let machine: Machine
    private var server: Machine.Running?

    init(_ kind: RemoteKind, _ address: String, _ machine: Machine) {
        (self.kind, self.address, self.machine) = (kind, address, machine)
    }

    deinit {
        guard let server else { return }
        kill(server.process, SIGTERM)
        _ = try? machine.wait(for: server)
    }

    /// The same place, reached by way of another port of this machine.
    func address(through port: Int) -> String {
        guard let own = Self.port(in: address) else { return address }
        return address.replacing("127.0.0.1:\(own)", with: "127.0.0.1:\(port)")
    }

    /// The server's port; nil for a folder.
    var port: Int? { Self.port(in: address) }

    /// What a shell reads before a command: secrets stand in a file, for a command line is public.
    static let environmentFile = "environment"
    /// What the own server says.
    static let serverTalk = "serve.talk"

    static func make(_ kind: RemoteKind, for machine: Machine) async throws -> RemotePlace {
        try machine.write("", to: environmentFile)
        switch kind {
        case .directory: return RemotePlace(kind, machine.folder + "/store", machine)
        case .server, .secureServer: return try ownServer(kind, machine)
        case .ceph: return try await bucket(machine)
        case .ssh, .sshFilesinki: return try await folderOverSSH(kind, machine)
        case .rclone: return try folderOverRclone(machine)
        default:
            let http = try await started(kind)
            let address = http.replacing("http://", with: "webdav://") + "/" + name()
            return RemotePlace(kind, address, machine)
        }
    }

    /// Starts the built program as a server of the folder `served`.
    ///
    /// - Parameter options: Further words of its command line.
    static func ownServer(
        _ kind: RemoteKind, _ machine: Machine, options: [String] = []
    ) throws -> RemotePlace {
        if kind == .secureServer { try makeToken(machine) }
        let started = try startServer(kind, machine, port: 0, options: options)
        let place = RemotePlace(kind, started.address, machine)
        place.server = started.running
        return place
    }

    private static func startServer(
        _ kind: RemoteKind, _ machine: Machine, port: Int, options: [String]
    ) throws -> (running: Machine.Running, address: String) {
        let words = (kind == .secureServer ? ["--self-signed"] : []) + options
        try machine.write("", to: serverTalk)
        let running = try machine.start(
            [
                "/bin/sh", "-c", "exec \"$FILESINKI\" serve served \"$@\" 2>\(serverTalk)", "serve",
                "--create", "--listen", "127.0.0.1:\(port)",
            ] + words, input: "")
        guard let address = machine.address(saidBy: running) else {
            kill(running.process, SIGKILL)
            _ = try machine.wait(for: running)
            throw RemoteTrouble("serve", machine.read(serverTalk) ?? "")
        }
        return (running, address)
    }

    /// Ends the own server; ``back()`` starts it again at the same address.
    func away() throws {
        guard let server else { return }
        self.server = nil
        kill(server.process, SIGTERM)
        _ = try machine.wait(for: server)
    }

    func back() throws {
        server = try Self.startServer(kind, machine, port: port ?? 0, options: []).running
    }

    private static func makeToken(_ machine: Machine) throws {
        let made = try machine.shell(
            """
            umask 077 && mkdir served && filesinki serve token make --create served tests >token &&
            printf 'export FILESINKI_TOKEN_FILE=%s/token FILESINKI_CA_FILE=%s\\n' "$PWD" \
                "$PWD/served/.serve/server.pem" >>\(environmentFile)
            """)
        guard made.code == 0 else { throw RemoteTrouble("serve token", made.talk) }
    }

    private static func bucket(_ machine: Machine) async throws -> RemotePlace {
        let endpoint = try await started(.ceph)
        let key = RemoteKind.cephKey
        try machine.write(
            """
            export AWS_ACCESS_KEY_ID='\(key.name)' AWS_SECRET_ACCESS_KEY='\(key.secret)'

            """, to: environmentFile)
        let made = try machine.shell(
            // Older ones of curl leave out the one field without which S3 takes no signature.
            "curl -sS --fail -X PUT -H x-amz-content-sha256:UNSIGNED-PAYLOAD "
                + "--aws-sigv4 aws:amz:us-east-1:s3 "
                + "--user '\(key.name):\(key.secret)' \(endpoint)/end-to-end")
        guard made.code == 0 || made.talk.contains("409") else {
            throw RemoteTrouble("bucket", made.talk)
        }
        let address = "s3://end-to-end/\(name())?endpoint=\(endpoint)&region=us-east-1"
        return RemotePlace(.ceph, address, machine)
    }

    private static func folderOverSSH(
        _ kind: RemoteKind, _ machine: Machine
    ) async throws -> RemotePlace {
        let address = try await started(kind)
        try machine.write(
            "export FILESINKI_SSH_COMMAND='\(RealServer.sshCommand(for: address))'\n",
            to: environmentFile)
        return RemotePlace(kind, address + "/" + name(), machine)
    }

    private static func folderOverRclone(_ machine: Machine) throws -> RemotePlace {
        try machine.write("[disk]\ntype = local\n", to: "rclone.conf")
        try machine.write(
            "export RCLONE_CONFIG='\(machine.folder)/rclone.conf'\n", to: environmentFile)
        return RemotePlace(.rclone, "rclone:disk:\(machine.folder)/store", machine)
    }

    private static func started(_ kind: RemoteKind) async throws -> String {
        guard let server = kind.realServer else { throw RemoteTrouble("\(kind)", "no server") }
        return try await server.sharedAddress()
    }

    private static func name() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }

    private static func port(in address: String) -> Int? {
        guard let host = address.firstRange(of: "127.0.0.1:") else { return nil }
        return Int(address[host.upperBound...].prefix { $0.isNumber })
    }
}

/// Why there is no place for a store.
struct RemoteTrouble: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ said: String) { description = "\(what): \(said)" }
}

extension Machine {
    /// The address that a server of ours says it has; nil when it ends without.
    fileprivate func address(saidBy server: Running) -> String? {
        // There is no other way to hear of a line in a file. 60 s is longer than any machine takes.
        for _ in 0..<6000 {
            let said = read(RemotePlace.serverTalk) ?? ""
            for word in said.split(whereSeparator: { " ,\n".contains($0) })
            where said.contains("\n") && word.firstRange(of: "://127.0.0.1:") != nil {
                return String(word.last == "." ? word.dropLast() : word)
            }
            if hasEnded(server) { return nil }
            usleep(10_000)
        }
        return nil
    }

    /// Not by its state: a process of several threads that becomes another program is a zombie for a
    /// moment.
    private func hasEnded(_ running: Running) -> Bool {
        var end = siginfo_t()
        let flags = WEXITED | WNOHANG | WNOWAIT
        return waitid(P_PID, id_t(running.process), &end, flags) != 0 || end.si_signo == SIGCHLD
    }

    /// Runs a line of shell in the environment of a ``RemotePlace``.
    @discardableResult
    func remotely(_ line: String) throws -> Finished {
        try shell(". ./\(RemotePlace.environmentFile); \(line)")
    }
}
