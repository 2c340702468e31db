import FilesinkiCommands
import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiS3
import FilesinkiServer
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiNetwork

/// What a replica keeps of how it reaches its remote.
@Suite struct PinnedAccessTests {
    let folder: TemporaryFolder
    var path: String { folder.path("access.toml") }

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    private func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        let path = folder.path(name)
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        chmod(path, mode)
        return path
    }

    private func pin(
        _ address: String, _ environment: [String: String] = [:], tokenFile: String? = nil,
        certificateFile: String? = nil, fingerprint: CertificateFingerprint? = nil
    ) throws {
        let remotes = NetworkRemotes(systemContext: ManualClock().systemContext) { environment[$0] }
        try remotes.pin(
            address,
            RemoteAccess(
                pinned: path, tokenFile: tokenFile, certificateFile: certificateFile,
                fingerprint: fingerprint))
    }

    private func find(
        _ address: String, _ environment: [String: String] = [:]
    ) throws -> Credentials {
        try CredentialFinder(access: RemoteAccess(pinned: path)) { environment[$0] }
            .findCredentials(address, user: nil).credentials
    }

    @Test("E7.4 the token and certificates given to clone serve later runs")
    func kept() throws {
        let pem = "-----BEGIN CERTIFICATE-----\nabc\"\\\u{7F}=\n-----END CERTIFICATE-----\n"
        let token = try write("fsk_secret\n", to: "token")
        let certificate = try write(pem, to: "server.pem", mode: 0o644)
        try pin("https://h:1", tokenFile: token, certificateFile: certificate)
        unlink(token)
        unlink(certificate)
        #expect(try find("https://h:1") == .bearer(Secret("fsk_secret")))
        #expect(try PinnedAccess.read(path, for: "https://h:1")?.certificates == pem)
        #expect(try PrivateFile(path).readWithMode()?.mode == 0o600)
        // The environment comes first, and no other server gets the token.
        #expect(try find("https://h:1", ["FILESINKI_TOKEN": "e"]) == .bearer(Secret("e")))
        for other in ["https://h:2", "https://h", "http://h:1", "https://h:1/x"] {
            #expect(try find(other) == .none, "\(other)")
        }
        let other = try PinnedAccess.read(path, for: "https://h:2")
        #expect(other == nil)
    }

    @Test("E7.4 settings from the environment are kept as well; a command is kept as a command")
    func environment() throws {
        try pin("https://h", ["FILESINKI_TOKEN": "t"])
        #expect(try find("https://h") == .bearer(Secret("t")))
        let hush = try write("hush", to: "token")
        try pin("https://h", ["FILESINKI_TOKEN_FILE": hush])
        #expect(try find("https://h") == .bearer(Secret("hush")))
        try pin("https://h", ["FILESINKI_TOKEN_COMMAND": "echo said"])
        #expect(try find("https://h") == .bearer(Secret("said")))
        let command = try PinnedAccess.read(path, for: "https://h")?.credential.token
        #expect(command == .command("echo said"))
        try pin("webdavs://h", ["FILESINKI_USER": "me", "FILESINKI_PASSWORD": "p"])
        #expect(try find("webdavs://h") == .password(user: "me", Secret("p")))
        let found = try CredentialFinder(access: RemoteAccess(pinned: path)) { _ in nil }
            .findCredentials("webdavs://h", user: nil)
        #expect(found.origin == .replica)
    }

    private static let digits = String(repeating: "5a", count: 32)

    @Test func `the fingerprint below a token is kept, and serves later runs`() throws {
        let fingerprint = try CertificateFingerprint(parsing: Self.digits)
        let token = try write("fsk_secret\nfingerprint \(Self.digits)\n", to: "token")
        try pin("https://h", tokenFile: token)
        #expect(try find("https://h") == .bearer(Secret("fsk_secret")))
        #expect(try PinnedAccess.read(path, for: "https://h")?.fingerprint == fingerprint)
        // Given for another address, it is of no use for this one.
        let other = try PinnedAccess.read(path, for: "https://h2")
        #expect(other == nil)
        // A later run that gives nothing keeps it; one that names certificates means these.
        try pin("https://h")
        #expect(try PinnedAccess.read(path, for: "https://h")?.fingerprint == fingerprint)
        let pem = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"
        let file = try write(pem, to: "ca.pem", mode: 0o644)
        try pin("https://h", tokenFile: token, certificateFile: file)
        let kept = try #require(try PinnedAccess.read(path, for: "https://h"))
        #expect(kept.fingerprint == nil && kept.certificates == pem)
        // And the fingerprint instead of these again, which are no longer trusted then.
        try pin("https://h", fingerprint: fingerprint)
        let last = try #require(try PinnedAccess.read(path, for: "https://h"))
        #expect(last.fingerprint == fingerprint && last.certificates == nil)
    }

    @Test func `the certificate of a fingerprint is kept with it`() throws {
        var access = PinnedAccess(address: "https://h")
        access.fingerprint = try CertificateFingerprint(parsing: Self.digits)
        access.serverCertificate = [0, 1, 254, 255]
        try access.write(path)
        let read = try #require(try PinnedAccess.read(path, for: "https://h"))
        #expect(read.fingerprint == access.fingerprint)
        #expect(read.serverCertificate == [0, 1, 254, 255])
        for damaged in ["fingerprint = \"12\"\n", "server-certificate = \"*\"\n"] {
            unlink(path)
            _ = try write("address = \"https://h\"\n" + damaged, to: "access.toml")
            let failure = #expect(throws: Failure.self) {
                try PinnedAccess.read(path, for: "https://h")
            }
            #expect(failure?.code == .usage)
        }
    }

    @Test(
        arguments: [
            ("http://h", true, ExitCode.usage), ("http://h", false, nil),
            ("https://h", true, nil), ("https://h", false, nil),
        ] as [(String, Bool, ExitCode?)])
    func `a fingerprint needs encryption, a token file with one does not`(
        _ address: String, _ isOption: Bool, _ code: ExitCode?
    ) throws {
        let fingerprint = try CertificateFingerprint(parsing: Self.digits)
        let token = try write("t\nfingerprint \(Self.digits)\n", to: "token")
        let access =
            isOption
            ? RemoteAccess(tokenFile: token, fingerprint: fingerprint)
            : RemoteAccess(tokenFile: token)
        let environment = ["FILESINKI_INSECURE": "1"]
        let remotes = NetworkRemotes(systemContext: ManualClock().systemContext) { environment[$0] }
        if let code {
            let failure = #expect(throws: Failure.self) { try remotes.connect(address, access) }
            #expect(failure.map { ExitCode($0) } == code)
        } else {
            _ = try remotes.connect(address, access)
        }
    }

    @Test func `a fingerprint is not checked through a proxy`() throws {
        let environment = ["https_proxy": "http://127.0.0.1:9"]
        let remotes = NetworkRemotes(systemContext: ManualClock().systemContext) { environment[$0] }
        let fingerprint = try CertificateFingerprint(parsing: Self.digits)
        let failure = #expect(throws: Failure.self) {
            try remotes.connect("https://h", RemoteAccess(fingerprint: fingerprint))
        }
        #expect(failure?.code == .usage)
    }

    @Test("E7.4 nothing given writes nothing, and what was kept stays for its address")
    func nothingGiven() throws {
        try pin("https://h")
        #expect(access(path, F_OK) != 0)
        try pin("https://h", ["FILESINKI_TOKEN": "t"])
        try pin("https://h")
        #expect(try find("https://h") == .bearer(Secret("t")))
        try pin("https://other")
        #expect(access(path, F_OK) != 0, "a token for another server is of no use any more")
    }

    @Test(
        "E7.11 secret files that other users can read have the same exit code everywhere",
        .timeLimit(.minutes(10)))
    func oneCode() async throws {
        let toml = "[[credential]]\naddress = 'https://h'\ntoken = 't'\n"
        let keys = "[default]\naws_access_key_id = ID\naws_secret_access_key = HUSH\n"
        let readers: [(String, String, (String) async throws -> Void)] = [
            ("a token", "t\n", { _ = try find("https://h", ["FILESINKI_TOKEN_FILE": $0]) }),
            (
                "credentials.toml", toml,
                { _ = try find("https://h", ["FILESINKI_CREDENTIALS": $0]) }
            ),
            (
                "the replica's own", "address = 'https://h'\n",
                { _ = try PinnedAccess.read($0, for: "https://h") }
            ),
            ("the server's tokens", "", { _ = try TokenFile(path: $0).list() }),
            (
                "AWS's credentials", keys,
                { path in
                    let variables = ["AWS_SHARED_CREDENTIALS_FILE": path]
                    _ = try await AWSConfiguration { variables[$0] }.credentials()
                }
            ),
        ]
        for (name, text, read) in readers {
            for mode in [0o644, 0o620] as [mode_t] {
                let path = try write(text, to: "secret", mode: mode)
                #expect(await Self.code { try await read(path) } == .notAllowed, "\(name)")
                unlink(path)
            }
            mkfifo(folder.path("secret"), 0o600)
            let path = folder.path("secret")
            #expect(await Self.code { try await read(path) } == .notAllowed, "\(name), a FIFO")
            unlink(path)
        }
    }

    private static func code(_ body: () async throws -> Void) async -> ExitCode? {
        do {
            try await body()
            return nil
        } catch {
            return ExitCode(error)
        }
    }
}
