import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiNetwork

@Suite struct CredentialTests {
    let folder = try? TemporaryFolder()

    func write(_ text: String, _ name: String, mode: mode_t = 0o600) throws -> String {
        let path = try #require(folder).path + "/" + name
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = text.withCString { Glibc.write(file, $0, strlen($0)) }
        fchmod(file, mode)
        close(file)
        return path
    }

    func find(
        _ address: String, user: String? = nil, _ environment: [String: String]
    ) throws -> Credentials {
        try CredentialFinder { environment[$0] }.findCredentials(address, user: user)
            .credentials
    }

    @Test func `the environment has a token, or a name and a password`() throws {
        #expect(try find("https://h", ["FILESINKI_TOKEN": "t"]) == .bearer(Secret("t")))
        #expect(
            try find("https://h", ["FILESINKI_USER": "me", "FILESINKI_PASSWORD": "p"])
                == .password(user: "me", Secret("p")))
        #expect(
            try find("webdav://you@h", user: "you", ["FILESINKI_PASSWORD": "p"])
                == .password(user: "you", Secret("p")))
        #expect(try find("https://h", ["FILESINKI_PASSWORD": "p"]) == .none)
        #expect(try find("https://h", ["FILESINKI_TOKEN": ""]) == .none)
    }

    @Test(
        "where the secret of the environment was found is known",
        arguments: [
            (["FILESINKI_TOKEN_COMMAND": "echo t"], "FILESINKI_TOKEN_COMMAND"),
            (["FILESINKI_USER": "me", "FILESINKI_PASSWORD": "p"], "FILESINKI_PASSWORD"),
            (
                ["FILESINKI_USER": "me", "FILESINKI_PASSWORD_COMMAND": "echo p"],
                "FILESINKI_PASSWORD_COMMAND"
            ),
        ])
    func variables(_ environment: [String: String], _ name: String) throws {
        let found = try CredentialFinder { environment[$0] }
            .findCredentials("https://h", user: nil)
        #expect(found.origin == .environment(name))
    }

    @Test func `where credentials were found is known, and which file has no entry`() throws {
        let file = try write("[[credential]]\naddress = 'https://h'\ntoken = 't'", "c.toml")
        let finder = CredentialFinder { ["FILESINKI_CREDENTIALS": file][$0] }
        #expect(try finder.findCredentials("https://h", user: nil).origin == .credentialsFile(file))
        let none = try finder.findCredentials("https://other", user: nil)
        #expect(none.credentials == .none && none.origin == .none(file: file))
        let empty = CredentialFinder { ["FILESINKI_CREDENTIALS": file + "0"][$0] }
        #expect(try empty.findCredentials("https://h", user: nil).origin == .none(file: nil))
        var given = finder
        given.access.tokenFile = try write("x", "laptop.token")
        let option = try given.findCredentials("https://h", user: nil)
        #expect(option.credentials == .bearer(Secret("x")))
        #expect(option.origin == .option(given.access.tokenFile ?? ""))
    }

    @Test func `a secret is the first line of a private file, or of a command's output`() throws {
        let file = try write("from a file\r\nmore\n", "secret")
        #expect(
            try find("https://h", ["FILESINKI_TOKEN_FILE": file]) == .bearer(Secret("from a file")))
        #expect(
            try find("https://h", ["FILESINKI_TOKEN_COMMAND": "printf 'said\\nmore'"])
                == .bearer(Secret("said")))
    }

    @Test("a file of secrets that others can read is refused", arguments: [0o644, 0o640, 0o602])
    func openFile(_ mode: Int) throws {
        let file = try write("hunter2", "secret", mode: mode_t(mode))
        let failure = #expect(throws: Failure.self) {
            try find("https://h", ["FILESINKI_TOKEN_FILE": file])
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test(
        "a missing secret is reported",
        arguments: [
            ["FILESINKI_TOKEN_FILE": "/nowhere/token"], ["FILESINKI_TOKEN_COMMAND": "exit 3"],
            ["FILESINKI_TOKEN_COMMAND": "true"], ["FILESINKI_TOKEN_COMMAND": "printf '\\377'"],
        ])
    func missing(_ environment: [String: String]) {
        let failure = #expect(throws: Failure.self) { try find("https://h", environment) }
        #expect(failure?.code == .notAllowed)
    }

    @Test func `in the credentials file the most specific address is used`() throws {
        let file = try write(
            """
            # mine
            [[credential]]
            address = "https://example.org"
            token = "all"

            [[credential]]
            address = "https://example.org/team/"
            token = "team"

            [[credential]]
            address = "webdavs://example.org/"
            user = "me"
            password-command = "echo secret"
            """, "credentials.toml")
        let environment = ["FILESINKI_CREDENTIALS": file]
        let cases: [(String, String?, Credentials)] = [
            ("https://example.org/team/a", nil, .bearer(Secret("team"))),
            ("https://example.org/other", nil, .bearer(Secret("all"))),
            ("https://example.org", nil, .bearer(Secret("all"))),
            ("https://example.org.evil.example/", nil, .none),
            ("https://example.organic/", nil, .none),
            ("webdavs://example.org/x", nil, .password(user: "me", Secret("secret"))),
            ("webdavs://you@example.org/x", "you", .none),
            ("webdavs://example.org", nil, .password(user: "me", Secret("secret"))),
            ("davs://example.org/x", nil, .password(user: "me", Secret("secret"))),
            ("dav://example.org/x", nil, .none),
            ("https://example.org/team", nil, .bearer(Secret("team"))),
            ("https://example.org/teams", nil, .bearer(Secret("all"))),
            ("http://example.org/team/a", nil, .none),
        ]
        for (address, user, wanted) in cases {
            #expect(try find(address, user: user, environment) == wanted, "\(address)")
        }
        #expect(
            try find("https://example.org", environment.merging(["FILESINKI_TOKEN": "e"]) { $1 })
                == .bearer(Secret("e")))
    }

    @Test func `an entry for dav is one for webdav`() throws {
        let file = try write(
            "[[credential]]\naddress = 'dav://h:80/'\nuser = 'me'\npassword = 'p'", "dav.toml")
        for address in ["dav://h:80", "webdav://h:80/x"] {
            #expect(
                try find(address, ["FILESINKI_CREDENTIALS": file])
                    == .password(user: "me", Secret("p")), "\(address)")
        }
        #expect(try find("webdav://h:800/", ["FILESINKI_CREDENTIALS": file]) == .none)
        #expect(try find("webdavs://h:80/", ["FILESINKI_CREDENTIALS": file]) == .none)
    }

    @Test(
        "a malformed credentials file is reported with the line",
        arguments: [
            ("[[credential]]\naddress = 'a'\npasword = 'x'", "Line 3"),
            ("token = 'x'", "Line 1"), ("[credential]", "Line 1"),
            ("[[credential]]\naddress = 'a'\ntoken = 3", "Line 3"),
            ("[[credential]]\ntoken = 'x'", "no address"),
        ])
    func notUnderstood(_ text: String, _ words: String) throws {
        let file = try write(text, "credentials.toml")
        let failure = #expect(throws: Failure.self) {
            try find("https://h", ["FILESINKI_CREDENTIALS": file])
        }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains(words) == true)
    }

    @Test func `the file is in the user's configuration folder`() throws {
        let path = try #require(folder).path
        mkdir(path + "/filesinki", 0o700)
        _ = try write(
            "[[credential]]\naddress = 'https://h'\ntoken = 't'", "filesinki/credentials.toml")
        #expect(try find("https://h", ["XDG_CONFIG_HOME": path]) == .bearer(Secret("t")))
        #expect(try find("https://h", ["XDG_CONFIG_HOME": "relative"]) == .none)
    }
}
