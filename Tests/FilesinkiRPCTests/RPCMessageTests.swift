import FilesinkiRPC
import Testing

@Suite("Messages of JSON-RPC")
struct RPCMessageTests {
    /// A line, and the code and the id that it is answered with.
    struct Hostile: CustomTestStringConvertible, Sendable {
        var line: String
        var code: Int
        var id = "null"

        var testDescription: String { String(line.prefix(60)) }
    }

    static let rows = [
        Hostile(line: "{", code: -32700),
        Hostile(line: "}", code: -32700),
        Hostile(line: "\u{1}", code: -32700),
        Hostile(line: #"{"jsonrpc":"2.0","id":1,"method":"echo"} x"#, code: -32700),
        Hostile(line: #"{"jsonrpc":"2.0","id":1,"method":"echo"#, code: -32700),
        Hostile(line: String(repeating: "[", count: 10_000), code: -32700),
        Hostile(line: "1", code: -32600),
        Hostile(line: "null", code: -32600),
        Hostile(line: #""text""#, code: -32600),
        Hostile(line: "[]", code: -32600),
        Hostile(line: "{}", code: -32600),
        Hostile(line: #"{"id":1,"method":"echo"}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":2.0,"id":1,"method":"echo"}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":"1.0","id":1,"method":"echo"}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":"2.0","id":1}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":"2.0","id":1,"method":7}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":"2.0","id":{},"method":"echo"}"#, code: -32600),
        Hostile(line: #"{"jsonrpc":"2.0","id":[1],"method":"echo"}"#, code: -32600),
        Hostile(line: #"{"jsonrpc":"2.0","id":true,"method":"echo"}"#, code: -32600),
        Hostile(line: #"{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}"#, code: -32600),
        Hostile(
            line: #"{"jsonrpc":"2.0","id":1,"method":"echo","method":"fail"}"#, code: -32600),
        Hostile(
            line: #"{"jsonrpc":"2.0","id":1,"method":"echo","params":7}"#, code: -32600, id: "1"),
        Hostile(
            line: #"{"jsonrpc":"2.0","id":1,"method":"echo","params":[7]}"#, code: -32602, id: "1"),
        Hostile(
            line: #"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1,"a":2}}"#,
            code: -32602, id: "1"),
        Hostile(line: #"{"jsonrpc":"2.0","id":1,"result":true}"#, code: -32600, id: "1"),
        Hostile(line: #"{"jsonrpc":"2.0","id":"a","method":"none"}"#, code: -32601, id: #""a""#),
        Hostile(
            line:
                #"{"jsonrpc":"2.0","id":"\#(String(repeating: "i", count: 2_000))","method":"echo"}"#,
            code: -32600),
    ]

    @Test("that are wrong get one error, and the connection lives", arguments: rows)
    func hostile(_ row: Hostile) async throws {
        let good = #"{"jsonrpc":"2.0","id":99,"method":"echo","params":{"value":1}}"#
        let found = try await answers(to: row.line + "\n" + good + "\n")
        try #require(found.count == 2, "\(found)")
        let start = #"{"jsonrpc":"2.0","id":\#(row.id),"error":{"code":\#(row.code),"message":""#
        #expect(found[0].hasPrefix(start), "\(found[0])")
        #expect(found[1] == #"{"jsonrpc":"2.0","id":99,"result":1}"#)
    }

    @Test func `bytes that are not UTF-8 are an error, and nothing else is lost`() async throws {
        let lines = RPCMessage([0x22, 0xFF, 0x22])
        guard case .single(.invalid(let error, nil)) = lines else {
            Issue.record("\(lines)")
            return
        }
        #expect(error.code == -32700)
    }

    @Test func `a message with more values than memory is kept for is an error`() async throws {
        let values = "[" + String(repeating: "0,", count: 1 << 20) + "0]"
        let found = try await answers(
            to: #"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"value":\#(values)}}"#)
        #expect(found.count == 1)
        #expect(found.first?.contains("-32700") == true, "\(found)")
    }

    @Test func `a line that is too long is an error, and the next one is answered`() async throws {
        var limits = RPCLimits()
        limits.line = 100
        let long = #"{"jsonrpc":"2.0","id":1,"method":"\#(String(repeating: "x", count: 100))"}"#
        let found = try await answers(
            to: long + "\n" + #"{"jsonrpc":"2.0","id":2,"method":"echo"}"#, limits: limits)
        try #require(found.count == 2, "\(found)")
        #expect(found[0].contains(#""id":null,"error":{"code":-32600"#))
        #expect(found[1] == #"{"jsonrpc":"2.0","id":2,"result":null}"#)
    }
}
