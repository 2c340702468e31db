import FilesinkiModel
import Synchronization
import Testing

@testable import FilesinkiCommands

@Suite("serve") struct ServeTests {
    @Test(
        "a listen address is a host and a port",
        arguments: [
            ("127.0.0.1:80", "127.0.0.1", 80), ("localhost", "localhost", 8390),
            ("[::1]:0", "::1", 0), ("[::]", "::", 8390), ("::1", "::1", 8390),
            ("0.0.0.0:65535", "0.0.0.0", 65535), ("8393", "127.0.0.1", 8393), ("0", "127.0.0.1", 0),
        ])
    func place(_ text: String, _ host: String, _ port: Int) throws {
        let place = try ServeFolderCommand.place(text)
        #expect(place.host == host)
        #expect(place.port == port)
    }

    @Test(
        "an invalid listen address is refused",
        arguments: ["", ":80", "h:", "h:x", "h:65536", "h:-1", "65536"])
    func noPlace(_ text: String) {
        let failure = #expect(throws: Failure.self) { try ServeFolderCommand.place(text) }
        #expect(failure?.code == .usage)
    }

    @Test(
        "a size is a number with a unit",
        arguments: [
            ("0", 0), ("500", 500), ("500M", 500_000_000), ("1.5G", 1_500_000_000), ("4Ki", 4096),
            ("2 GiB", 2 << 30), ("7kB", 7000),
        ])
    func size(_ text: String, _ bytes: Int64) throws {
        #expect(try SizeText.bytes(of: text) == bytes)
    }

    @Test(
        "an invalid size is refused",
        arguments: ["", "G", "-1", "1X", "1e3", "99999999999P", "1.2.3"])
    func noSize(_ text: String) {
        let failure = #expect(throws: Failure.self) { try SizeText.bytes(of: text) }
        #expect(failure?.code == .usage)
    }

    @Test func `the options reach the server as absolute paths`() async throws {
        let world = try World()
        let asked = Asked()
        world.network.serve = { options, _ in asked.options.withLock { $0.append(options) } }
        let outcome = try await world.run(
            "serve", "store", "--listen", "[::1]:0", "--quota", "1G", "--self-signed")
        #expect(outcome.code == .done)
        let options = try #require(asked.options.withLock { $0 }.first)
        #expect(options.folder == world.currentFolder + "/store")
        #expect(options.quota == 1_000_000_000)
        #expect(options.port == 0)
        guard case .selfSigned = options.encryption else {
            Issue.record("The certificate is not the server's own.")
            return
        }
    }

    @Test(
        "a replica, and a new store inside one, are not served",
        arguments: [["serve"], ["serve", "token", "make"], ["serve", "token", "list"]])
    func replicas(_ command: [String]) async throws {
        let world = try await ReplicaTests.pair()
        let ends: [String: [String]] = [
            "make": ["name", "--create"], "serve": ["--create"], "list": [],
        ]
        let end = ends[command.last ?? ""] ?? []
        for (folder, part) in [("a", "serve \(world.folder)/store."), ("a/sub", "replica")] {
            let line = command + [folder] + end
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .usage && outcome.talk.contains(part), "\(outcome.talk)")
        }
    }

    @Test func `a token is written to no file that holds something`() async throws {
        let world = try World()
        try world.write("token\n", to: "t")
        let outcome = try await world.run("serve", "token", "make", "store", "me", "-o", "t")
        #expect(outcome.code == .negative, "\(outcome.talk)")
        #expect(outcome.talk.contains("serve token revoke store NAME"), "\(outcome.talk)")
        #expect(world.readText("t") == "token\n")
    }

    @Test func `a client of the standard streams has the rights that are given`() async throws {
        let world = try World()
        let asked = Asked()
        world.network.serve = { options, _ in asked.options.withLock { $0.append(options) } }
        let lines = [
            ["serve", "--stdio", "store"],
            [
                "serve", "store", "--stdio", "--rights", "read,append", "--zone", "files", "--zone",
                "kv", "--name", "my laptop",
            ],
            ["serve", "store"],
        ]
        for line in lines {
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .done)
            // Standard output is the protocol's.
            #expect(outcome.output == [] && outcome.talk == "")
        }
        let options = asked.options.withLock { $0 }
        #expect(options.map(\.folder) == lines.map { _ in world.currentFolder + "/store" })
        let clients = options.map(\.streamClient)
        #expect(clients[0]?.rights == ["read", "append", "prune"])
        #expect(clients[0]?.zones == [] && clients[0]?.name == nil)
        #expect(clients[1]?.rights == ["read", "append"])
        #expect(clients[1]?.zones == ["files", "kv"] && clients[1]?.name == "my laptop")
        #expect(clients[2] == nil)
    }

    @Test(
        "what is for a listening server is not for the standard streams, and the reverse",
        arguments: [
            ["--stdio", "--self-signed"], ["--stdio", "--insecure"], ["--stdio", "--public"],
            ["--stdio", "--quota", "1G"],
            ["--stdio", "--certificate", "c", "--key", "k"], ["--stdio", "--key", "k"],
            ["--stdio", "--ui"],
            ["--rights", "read"], ["--zone", "files"], ["--name", "laptop"],
        ])
    func streams(_ arguments: [String]) async throws {
        let world = try World()
        let line = ["serve", "store"] + arguments
        #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .usage)
    }

    @Test func `the line for another machine has the address and the fingerprint`() async throws {
        let world = try World()
        let ready = ServeNotice.Ready(
            address: "https://0.0.0.0:8390", outsideAddress: "https://desktop:8390",
            fingerprint: "5a5a", certificate: "/store/.serve/server.pem")
        world.network.serve = { _, tell in tell(.ready(ready)) }
        let outcome = try await world.run("serve", "store", "--self-signed")
        #expect(
            outcome.talk.hasSuffix(
                """
                On another machine, with the file of a token:
                  filesinki clone https://desktop:8390 DIR --token-file FILE
                If serve token make ran without --self-signed, add --fingerprint 5a5a

                """), "\(outcome.talk)")
        var open = ready
        open.isOpen = true
        world.network.serve = { [open] _, tell in tell(.ready(open)) }
        let other = try await world.run("serve", "store", "--self-signed")
        #expect(!other.talk.contains("clone"), "\(other.talk)")
    }

    @Test func `a server with a page says where it is`() async throws {
        let world = try World()
        let asked = Asked()
        let ready = ServeNotice.Ready(
            address: "http://127.0.0.1:8390", page: "http://127.0.0.1:8390/ui/")
        world.network.serve = { options, tell in
            asked.options.withLock { $0.append(options) }
            tell(.ready(ready))
        }
        let outcome = try await world.run("serve", "store", "--ui")
        #expect(outcome.talk.contains("with a token: http://127.0.0.1:8390/ui/\n"))
        #expect(asked.options.withLock { $0.map(\.servesPage) } == [true])
        let json = try await world.run("serve", "store", "--ui", "--json")
        #expect(json.text.contains(#""page":"http://127.0.0.1:8390/ui/""#), "\(json.text)")
    }

    @Test func `a second token of a name is reported`() async throws {
        let world = try World()
        world.network.tokens = { request in
            let (id, name) =
                if case .make(let made) = request.action { ("2", made.name) } else { ("1", "me") }
            return [
                TokenNotice(
                    id: id, name: name, rights: ["read"], zones: nil,
                    made: Timestamp(nanoseconds: 0), secret: id == "2" ? "fsk" : nil)
            ]
        }
        for (name, isSaid) in [("me", true), ("you", false)] {
            let outcome = try await world.run("serve", "token", "make", "store", name)
            #expect(outcome.text == "fsk\n")
            #expect(outcome.talk.contains("another token of this name (1)") == isSaid)
        }
    }

    @Test("a token that went to a file, and one that was revoked, are told in a sentence")
    func toldTokens() async throws {
        let world = try World()
        world.network.tokens = { _ in
            [
                TokenNotice(
                    id: "4f", name: "me", rights: ["read"], zones: nil,
                    made: Timestamp(nanoseconds: 0), secret: nil)
            ]
        }
        let made = try await world.run(
            "serve", "token", "make", "store", "you", "--self-signed", "-o", "t")
        let told = "Wrote the token 4f and the certificate's fingerprint to \(world.folder)/t.\n"
        #expect(made.text.isEmpty && made.talk == told, "\(made)")
        let gone = try await world.run("serve", "token", "revoke", "store", "me")
        #expect(gone.text.isEmpty && gone.talk == "Revoked the token 4f of me.\n", "\(gone)")
        #expect(try await world.run("serve", "token", "list", "store").text.hasPrefix("4f  read"))
    }

    @Test("revoke in a folder without a store says that, and of an unknown token names list")
    func revokedNowhere() async throws {
        let world = try World()
        world.network.tokens = { request in
            guard request.folder.hasSuffix("/store") else {
                throw Failure(
                    .notFound, path: request.folder, "The folder contains no store.",
                    remedy: "Give the store's folder.")
            }
            throw Failure(.notFound, path: "me", "No token has this id or name.", remedy: "")
        }
        let wrong = try await world.run("serve", "token", "revoke", "other", "me")
        #expect(wrong.code == .negative, "\(wrong)")
        #expect(wrong.talk.hasSuffix("no store. Give the store's folder.\n"), "\(wrong)")
        let unknown = try await world.run("serve", "token", "revoke", "store", "me")
        #expect(unknown.talk.contains("filesinki serve token list store"), "\(unknown)")
    }

    @Test func `a token with a fingerprint needs a file`() async throws {
        let world = try World()
        let line = ["serve", "token", "make", "store", "laptop", "--self-signed"]
        #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .usage)
    }

    @Test(
        "a fingerprint is for servers, and not beside certificates",
        arguments: [
            ["--fingerprint", "5a"], ["--fingerprint", fingerprint],
            ["--fingerprint", fingerprint, "--ca-file", "ca.pem"],
        ])
    func fingerprints(_ options: [String]) async throws {
        let world = try World()
        let line = ["clone", "store", "dir"] + options
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == .usage, "\(outcome.talk)")
    }

    private static let fingerprint = String(repeating: "5a", count: 32)

    @Test(
        "a certificate needs its own key",
        arguments: [
            ["--key", "k"], ["--certificate", "c"],
            ["--certificate", "c", "--key", "k", "--self-signed"],
        ])
    func certificates(_ arguments: [String]) async throws {
        let world = try World()
        let line = ["serve", "store"] + arguments
        #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .usage)
    }
}

/// What a server was asked for.
private final class Asked: Sendable {
    let options = Mutex<[ServeOptions]>([])
}
