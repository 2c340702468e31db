import FilesinkiModel
import FilesinkiText
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import FilesinkiServer

/// What runs of filesinki the calls of the page become.
@Suite struct PageCallTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The ID of a content that the page has shown.
    private static let shown = String(repeating: "0f", count: 32)
    private static let seenCopy = String(repeating: "1e", count: 32)

    @Test(
        "each call is one command",
        arguments: [
            ("status", "", PageCommand(["status"], options: ["--json"])),
            ("log", #"{"limit":12}"#, PageCommand(["log"], options: ["--json", "--limit", "12"])),
            (
                "versions", #"{"path":"p","limit":200}"#,
                PageCommand(["log"], options: ["--json", "--limit", "200"], paths: [bytes("p")])
            ),
            (
                "usage", #"{"path":"-x"}"#,
                PageCommand(
                    ["du"], options: ["--json", "--depth", "1", "--sort", "size", "--history"],
                    paths: [bytes("-x")])
            ),
            ("moved", "", PageCommand(["remote", "show"], options: ["--json", "--moved"])),
            (
                "undeletable", #"{"paths":["a","b"]}"#,
                PageCommand(
                    ["undelete"], options: ["--json", "--dry-run"], paths: [bytes("a"), bytes("b")])
            ),
            ("devices", "{}", PageCommand(["devices", "list"], options: ["--json"])),
            (
                "prunable", #"{"days":30}"#,
                PageCommand(["prune"], options: ["--json", "--dry-run", "--keep-within", "30d"])
            ),
            ("prunable", "{}", PageCommand(["prune"], options: ["--json", "--dry-run"])),
            (
                "content", #"{"path":"a b","version":3}"#,
                PageCommand(["show"], paths: [bytes("a b@3")], printsContent: true)
            ),
            (
                "diff", #"{"path":"-x","older":1,"version":2}"#,
                PageCommand(
                    ["diff"], options: ["--json"], paths: [bytes("-x"), bytes("1"), bytes("2")])
            ),
            (
                "side", #"{"path":"p","side":"merge"}"#,
                PageCommand(
                    ["show"], options: ["--conflict", "merge"], paths: [bytes("p")],
                    printsContent: true)
            ),
            (
                "explanation", #"{"path":"p"}"#,
                PageCommand(
                    ["diff"], options: ["--json", "--conflict", "--explain"], paths: [bytes("p")])
            ),
            (
                "take", #"{"path":"p","side":"there"}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--take", "there"], paths: [bytes("p")])
            ),
            (
                "take", #"{"path":"p","side":"committed"}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--take", "committed"], paths: [bytes("p")])
            ),
            (
                "side", #"{"path":"p","side":"copy"}"#,
                PageCommand(
                    ["show"], options: ["--conflict", "copy"], paths: [bytes("p")],
                    printsContent: true)
            ),
            (
                "take", #"{"paths":["p","q"],"side":"here"}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--take", "here"],
                    paths: [bytes("p"), bytes("q")])
            ),
            (
                "use", #"{"path":"p","text":"a\u0001\n"}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--with", "-"], paths: [bytes("p")],
                    input: bytes("a\u{1}\n"))
            ),
            (
                "use", #"{"path":"p","text":""}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--with", "/dev/null"], paths: [bytes("p")])
            ),
            (
                "use", #"{"path":"p","text":"{","unchecked":true}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--with", "-", "--unchecked"],
                    paths: [bytes("p")], input: bytes("{"))
            ),
            (
                "side", #"{"path":"p","side":"proposal"}"#,
                PageCommand(
                    ["show"], options: ["--conflict", "proposal"], paths: [bytes("p")],
                    printsContent: true)
            ),
            (
                "use", #"{"path":"p","text":"a","shown":"\#(shown)"}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--with", "-", "--if-content", shown],
                    paths: [bytes("p")], input: bytes("a"))
            ),
            (
                "take", #"{"path":"p","side":"base","shown":"\#(shown)"}"#,
                PageCommand(
                    ["resolve"], options: ["--json", "--take", "base", "--if-content", shown],
                    paths: [bytes("p")])
            ),
            (
                "take", #"{"path":"p","side":"there","shown":"\#(shown)","copy":"\#(seenCopy)"}"#,
                PageCommand(
                    ["resolve"],
                    options: [
                        "--json", "--take", "there", "--if-content", shown, "--if-copy", seenCopy,
                    ], paths: [bytes("p")])
            ),
            (
                "undeletable", #"{"path":"-x"}"#,
                PageCommand(
                    ["undelete"], options: ["--json", "--dry-run"], paths: [bytes("-x")])
            ),
            (
                "undelete", #"{"paths":["a",{"path":"\\xff","path_bytes":"ff"}]}"#,
                PageCommand(["undelete"], options: ["--json"], paths: [bytes("a"), [0xFF]])
            ),
        ])
    func command(_ name: String, _ body: String, _ expected: PageCommand) throws {
        let call = try #require(PageCall(rawValue: name))
        #expect(try call.command(CallArguments(Self.bytes(body))) == expected)
    }

    @Test(
        "invalid arguments are named",
        arguments: [
            ("log", "{}", "limit"), ("log", #"{"limit":-1}"#, "limit"),
            ("prunable", #"{"days":"7"}"#, "days"),
            ("log", #"{"limit":"1"}"#, "limit"), ("log", #"{"limit":1.5}"#, "limit"),
            ("versions", #"{"path":""}"#, "path"), ("versions", #"{"path":"a\u0000b"}"#, "path"),
            ("versions", #"{"path":7}"#, "path"), ("versions", #"{"path_bytes":"xy"}"#, "path"),
            ("take", #"{"path":"p","side":"merge"}"#, "side"),
            ("take", #"{"path":"p","side":"--all"}"#, "side"),
            ("use", #"{"path":"p"}"#, "text"),
            ("use", #"{"path":"p","text":"a","unchecked":"true"}"#, "unchecked"),
            ("use", #"{"path":"p","text":"a","shown":"--all"}"#, "shown"),
            ("undelete", #"{"paths":[]}"#, "paths"),
            ("undelete", #"{"paths":"a"}"#, "paths"), ("undelete", #"{"paths":[1]}"#, "path"),
            ("status", "[]", "The arguments"),
        ])
    func invalid(_ name: String, _ body: String, _ member: String) throws {
        let call = try #require(PageCall(rawValue: name))
        let failure = #expect(throws: Failure.self) {
            _ = try call.command(CallArguments(Self.bytes(body)))
        }
        #expect(failure?.code == .usage)
        #expect(failure.map { "\($0)".contains(member) } == true)
    }

    @Test func `no call runs a command with an option that the page chose`() throws {
        let body = #"""
            {"path":"--force","paths":["--force"],"limit":1,"days":1,"older":1,"version":1,
             "side":"here","text":"--force"}
            """#
        for call in PageCall.allCases {
            let command = try call.command(CallArguments(Self.bytes(body)))
            #expect(!command.options.contains("--force") && !command.name.contains("--force"))
        }
    }

    /// What a client is told of a result.
    @Test(
        "results are told as they are",
        arguments: [
            (
                "status", 3, "{\"a\":1}\n{\"b\":2}\n", 200,
                #"{"exit":3,"lines":[{"a":1},{"b":2}],"messages":"told\n"}"#
            ),
            ("content", 0, "a\nb", 200, "a\nb"),
            ("content", 1, "part", 404, #"{"exit":1,"lines":[],"messages":"told\n"}"#),
            ("status", 0, nil, 413, nil),
        ] as [(String, Int32, String?, Int, String?)])
    func result(
        _ name: String, _ exit: Int32, _ output: String?, _ status: Int, _ body: String?
    ) async throws {
        let settings = PageSettings(
            host: "127.0.0.1", port: 0,
            run: { _ in
                PageResult(
                    exit: exit, output: output.map(Self.bytes), messages: Self.bytes("told\n"))
            }, stamp: { [] })
        let server = try PageServer(settings, TestClock().systemContext)
        let (addresses, addressFound) = AsyncStream<String>.makeStream()
        try await server.application { addressFound.yield($0) }.test(.live) { client in
            let address = await addresses.first { _ in true }
            let token = address?.split(separator: "#").last.map(String.init) ?? ""
            let secret = try await client.execute(
                uri: "/session", method: .post, body: ByteBuffer(string: token))
            let reply = try await client.execute(
                uri: "/call/\(name)", method: .post,
                headers: [.authorization: "Bearer \(String(buffer: secret.body))"],
                body: ByteBuffer(string: #"{"path":"p","version":1}"#))
            #expect(reply.status.code == status)
            if let body { #expect(String(buffer: reply.body) == body) }
        }
    }
}
