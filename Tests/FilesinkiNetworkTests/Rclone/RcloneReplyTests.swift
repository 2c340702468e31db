import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiNetwork

/// What rclone says, without an rclone.
@Suite struct RcloneReplyTests {
    @Test(
        "which replies are failures of the provider",
        arguments: [
            ("PROPFIND", 405, "", true), ("MKCOL", 405, "", true), ("DELETE", 405, "", true),
            ("PUT", 405, "", true), ("MOVE", 403, "", true),
            ("PROPFIND", 207, "<D:multistatus></D:multistatus>Internal Server Error", true),
            ("PROPFIND", 207, "<D:multistatus></D:multistatus>\n", false),
            ("PROPFIND", 207, "", true), ("PROPFIND", 404, "", false), ("MOVE", 412, "", false),
            ("MOVE", 423, "", false), ("PUT", 403, "", false), ("PUT", 404, "", false),
            ("DELETE", 404, "", false), ("GET", 404, "", false),
        ])
    func failures(_ method: String, _ status: Int, _ body: String, _ isFailure: Bool) {
        let reply = HTTPReply(status: status, body: Array(body.utf8))
        #expect(RcloneTransport.isFailure(reply, of: method) == isFailure)
    }

    /// Refuses requests as rclone does while another one changes the same name.
    private final class Busy: HTTPTransport {
        let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func send(_ request: HTTPRequest) async throws -> HTTPReply {
            let isRefused = left.withLock { count in
                count -= 1
                return count >= 0
            }
            return HTTPReply(status: isRefused ? 423 : 201, body: [])
        }

        func stream(
            _ request: HTTPRequest, _ receive: @Sendable (HTTPReply) async throws -> Bool
        ) async throws {
            _ = try await receive(try await send(request))
        }
    }

    @Test(
        "a change waits for another one of the same name, and not for ever",
        arguments: [(0, 201), (6, 201), (1000, 423)])
    func waits(_ refusals: Int, _ status: Int) async throws {
        let clock = ManualClock()
        let transport = RcloneTransport(wrapped: Busy(refusals), systemContext: clock.systemContext)
        let reply = try await transport.send(
            HTTPRequest("MKCOL", "http://127.0.0.1:1/x/", maximumReply: 1024))
        #expect(reply.status == status)
        #expect(clock.slept.reduce(.zero, +) <= .seconds(30))
    }

    @Test(
        "the port is in the log, in each version's words",
        arguments: [
            (
                "2026/11/26 08:03:49 NOTICE: x: WebDav Server started on http://127.0.0.1:38413/\n",
                38413
            ),
            ("NOTICE: x: WebDav Server started on [http://127.0.0.1:4711/]\n", 4711),
            ("NOTICE: x: WebDav Server started on http://127.0.0.1:384", nil),
            ("NOTICE: x: http://127.0.0.1:99999/\n", nil), ("NOTICE: http://127.0.0.1:/\n", nil),
            ("", nil), ("http://10.0.0.1:80/\n", nil),
        ] as [(String, Int?)])
    func port(_ line: String, _ port: Int?) {
        let log = RcloneLog()
        for byte in line.utf8 { log.add([byte]) }
        #expect(log.port == port)
    }

    @Test func `a log keeps its end, and only what is new is said of a request`() {
        let log = RcloneLog()
        log.add(Array("2026/11/26 08:03:49 ERROR : a/b: first\n".utf8))
        let count = log.count
        #expect(log.lastMessage(after: 0) == "a/b: first.")
        #expect(log.lastMessage(after: count) == nil)
        log.add([UInt8](repeating: UInt8(ascii: "x"), count: 10_000))
        #expect(log.end.count == 4096)
        log.add(Array("\n2026/11/26 08:03:50 ERROR : second\u{1B}[1m!\n\n".utf8))
        #expect(log.lastMessage(after: count)?.hasPrefix("second") == true)
        #expect(log.lastMessage(after: count)?.utf8.contains(0x1B) == false)
        log.add(Array("2026/11/26 08:03:50 http: superfluous response.WriteHeader call\n".utf8))
        #expect(log.lastMessage(after: count)?.hasPrefix("second") == true)
    }

    @Test(
        "how rclone ended",
        arguments: [
            (127, "", Failure.Code.usage, "rclone was not found."),
            (
                1, "Failed to create file system for \"x:\": didn't find section in config file\n",
                .usage, "no remote 'x'"
            ),
            (
                1, "Failed to load config file: unable to decrypt configuration\n", .notAllowed,
                "cannot read its configuration"
            ),
            (
                1, "2026/11/26 08:11:36 Failed: dial tcp: refused\n", .away,
                "Failed: dial tcp: refused."
            ),
            (137, "", .away, "It exited with 137."),
        ])
    func ends(_ code: Int32, _ said: String, _ expected: Failure.Code, _ words: String) throws {
        let address = try #require(try RcloneAddress("rclone:x:y"))
        let failure = RcloneEnd(code: code, messages: Array(said.utf8)).failure(address)
        #expect(failure.code == expected)
        #expect(failure.message.contains(words), "\(failure)")
    }

    @Test(
        "only an answer that says so is a folder of this machine",
        arguments: [
            (#"{"Features": {"IsLocal": true}}"#, true),
            (#"{"Features": {"IsLocal": false}}"#, false),
            (#"{"Features": {"IsLocal": "true"}}"#, false), (#"{"IsLocal": true}"#, false),
            (#"{"Features": [{"IsLocal": true}]}"#, false), ("[]", false), ("", false),
            ("{", false),
        ])
    func local(_ reply: String, _ isLocal: Bool) {
        #expect(RcloneBackend.isLocal(Array(reply.utf8)) == isLocal)
    }

    @Test func `what rclone answers is read as it is, and damaged answers are no promise`() {
        let reply = Array(#"{"Name": "disk", "Features": {"DirMove": true, "IsLocal": true}}"#.utf8)
        for index in reply.indices {
            var damaged = reply
            damaged[index] ^= 0x55
            _ = RcloneBackend.isLocal(damaged)
            #expect(!RcloneBackend.isLocal(Array(reply[..<index])))
        }
        let section = RcloneBackend.section(
            Array("[secret]\ntype = crypt\nremote = a:b = c\nx\n".utf8))
        #expect(section == ["type": "crypt", "remote": "a:b = c"])
    }
}
