import FilesinkiHTTP
import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiTesting
import Testing

/// The proxy does exactly what a test asks, to the byte: the tests of the remotes depend on it.
@Suite struct FaultProxyTests {
    static let body = Array("The quick brown fox".utf8)
    static let reply = ScriptedServer.reply("200 OK", [], body)

    /// A server that answers so many requests, a proxy before it, and a client of the proxy.
    struct Line {
        let server: ScriptedServer
        let proxy: FaultProxy
        let client: HTTPConnections

        init(
            _ replies: Int = 1, delay: Duration = .zero, silence: Duration = .seconds(600),
            _ plan: @escaping FaultProxy.Plan = { _ in [] }
        ) throws {
            server = try ScriptedServer(Array(repeating: .send(reply), count: replies))
            proxy = try FaultProxy(to: server.port, delay: delay, plan)
            client = try HTTPConnections(
                ConnectionSettings(
                    connectLimit: .seconds(600), silenceLimit: silence))
        }

        func ask(_ body: [UInt8] = FaultProxyTests.body) async throws -> HTTPReply {
            try await client.send(HTTPRequest("PUT", proxy.url + "/x", body: body))
        }

        /// The code of the failure that a request ends with; nil when it does not fail.
        func failure() async throws -> Failure.Code? {
            do {
                _ = try await ask()
                return nil
            } catch let failure as Failure {
                return failure.code
            }
        }
    }

    @Test func `the proxy passes bytes unchanged, and counts them`() async throws {
        let line = try Line(2)
        for _ in 1...2 { #expect(try await line.ask().body == Self.body) }
        let exchanges = line.proxy.exchanges
        #expect(exchanges.map(\.number) == [1, 2])
        #expect(exchanges.map(\.method) == ["PUT", "PUT"])
        #expect(exchanges.map(\.target) == ["/x", "/x"])
        #expect(exchanges.map(\.status) == [200, 200])
        #expect(exchanges.map(\.bytesDown) == [Self.reply.count, Self.reply.count])
        let head = try #require(line.server.requests.first?.head)
        #expect(exchanges.first?.bytesUp == head.utf8.count + 4 + Self.body.count)
        // The client may open another one when the machine is slow.
        #expect((1...2).contains(line.proxy.connections))
        #expect(!line.proxy.hasStruck)
        line.proxy.begin()
        #expect(line.proxy.exchanges.isEmpty)
    }

    @Test("a request is cut at the exact byte", arguments: FaultProxy.Ending.allCases)
    func cutUp(_ ending: FaultProxy.Ending) async throws {
        let whole = try Line()
        _ = try await whole.ask()
        let size = try #require(whole.proxy.exchanges.first?.bytesUp)
        for after in [0, 1, size - Self.body.count, size - 1] {
            let line = try Line(2, FaultProxy.at(1, .cut(.up, after: after, ending)))
            #expect(try await line.failure() == .away, "\(after)")
            #expect(line.server.requests.isEmpty, "\(after)")
            #expect(line.proxy.hasStruck)
            #expect(try await line.failure() == nil, "the next one passes")
        }
    }

    @Test("a reply is cut at the exact byte", arguments: FaultProxy.Ending.allCases)
    func cutDown(_ ending: FaultProxy.Ending) async throws {
        for after in [0, 1, Self.reply.count - Self.body.count, Self.reply.count - 1] {
            let line = try Line(2, FaultProxy.at(1, .cut(.down, after: after, ending)))
            #expect(try await line.failure() == .away, "\(after)")
            #expect(line.server.requests.count == 1, "\(after)")
            #expect(try await line.failure() == nil, "the next one passes")
        }
    }

    @Test func `one bit of one byte is flipped, in each direction`() async throws {
        let first = Self.reply.count - Self.body.count
        let line = try Line(1, FaultProxy.at(1, .flip(.down, at: first + 4)))
        var turned = Self.body
        turned[4] ^= 1
        #expect(try await line.ask().body == turned)
        let size = try #require(line.proxy.exchanges.first?.bytesUp)
        let other = try Line(1, FaultProxy.at(1, .flip(.up, at: size - 1)))
        _ = try await other.ask()
        turned = Self.body
        turned[Self.body.count - 1] ^= 1
        #expect(other.server.requests.first?.body == turned)
    }

    @Test("a stalled connection times out", arguments: [0, 20])
    func stall(_ after: Int) async throws {
        for way in [FaultProxy.Way.up, .down] {
            let line = try Line(
                2, silence: .milliseconds(50), FaultProxy.at(1, .stall(way, after: after)))
            #expect(try await line.failure() == .away)
            #expect(line.server.requests.count == (way == .up ? 0 : 1))
        }
    }

    @Test func `the fault applies only to the chosen request`() async throws {
        let line = try Line(4, FaultProxy.at(2, HTTPFault.refused(503).fault))
        var statuses: [Int] = []
        for _ in 1...3 { statuses.append(try await line.ask().status) }
        #expect(statuses == [200, 503, 200])
        #expect(line.server.requests.count == 2)
        line.proxy.begin(FaultProxy.from(1, HTTPFault.doneButTold(500).fault))
        #expect(try await line.ask().status == 500)
        #expect(line.server.requests.count == 3)
    }

    /// What a client sees of a fault: a status, a body, or the code of a failure.
    static let sights: [(HTTPFault, String)] = [
        (.refused(401), "401 <h1>401</h1>"), (.doneButTold(412), "412 <h1>412</h1>"),
        (.later(seconds: 3), "429 <h1>429</h1>"), (.tooLongLength, "away"),
        (.tooShortLength, "200 The quick brown fo"), (.emptyReply, "200 "), (.redirect, "302 "),
        (.noise, "away"), (.endless, "limit"),
    ]

    @Test("each wrong reply looks as intended", arguments: sights)
    func sight(_ fault: HTTPFault, _ wanted: String) async throws {
        let line = try Line(1, FaultProxy.at(1, fault.fault))
        do {
            let reply = try await line.ask()
            #expect("\(reply.status) " + String(decoding: reply.body, as: UTF8.self) == wanted)
            #expect(reply.fields["Retry-After"] == (fault == .later(seconds: 3) ? "3" : nil))
        } catch let failure as Failure {
            #expect(failure.code.description == wanted)
        }
        #expect(line.proxy.hasStruck)
    }

    @Test func `there are as many wrong bytes as right ones`() async throws {
        let line = try Line(1, FaultProxy.at(1, HTTPFault.wrongBytes.fault))
        #expect(try await line.ask().body == Self.body.map { ~$0 })
    }

    @Test func `a delayed link delays both directions, and the handshake`() async throws {
        let line = try Line(2, delay: .milliseconds(20))
        let clock = ContinuousClock()
        #expect(try await clock.measure { _ = try await line.ask() } >= .milliseconds(80))
        #expect(try await clock.measure { _ = try await line.ask() } >= .milliseconds(40))
    }
}
