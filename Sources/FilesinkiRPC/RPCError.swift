package import FilesinkiText

/// Why a call has no result: the error object of JSON-RPC 2.0, section 5.1.
package struct RPCError: Error, Sendable {
    package let code: Int
    package let message: String
    /// More for a program, as JSON; nil for nothing.
    package let data: [UInt8]?

    package init(code: Int, _ message: String, data: [UInt8]? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The bytes are not JSON, or are too many.
    package static func unparsable(_ message: String) -> RPCError {
        RPCError(code: -32700, message)
    }

    /// The JSON is not a request.
    package static func invalidRequest(_ message: String) -> RPCError {
        RPCError(code: -32600, message)
    }

    package static func unknownMethod(_ message: String) -> RPCError {
        RPCError(code: -32601, message)
    }

    package static func invalidParameters(_ message: String) -> RPCError {
        RPCError(code: -32602, message)
    }

    package var json: JSONObject {
        var object: JSONObject = ["code": .integer(Int64(code)), "message": .string(message)]
        object.add("data", data.map(JSONValue.written))
        return object
    }
}
