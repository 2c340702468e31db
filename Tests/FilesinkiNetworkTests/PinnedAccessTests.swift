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
        certificateFile: String? = nil
    ) throws {
        let remotes = NetworkRemotes(systemContext: ManualClock().systemContext) { environment[$0] }
        try remotes.pin(
            address,
            RemoteAccess(pinned: path, tokenFile: tokenFile, certificateFile: certificateFile))
    }

    private func find(
        _ address: String, _ environment: [String: String] = [:]
    ) throws -> Credentials {
        try CredentialFinder(access: RemoteAccess(pinned: path)) { environment[$0] }
            .findCredentials(address, user: nil)
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
