import FilesinkiModel
import FilesinkiText

/// A request of JSON-RPC 2.0, or a notification.
package struct RPCRequest: Sendable {
    /// The id as the client wrote it; nil for a notification, which gets no answer.
    package let id: [UInt8]?
    package let method: String
    package let parameters: RPCParameters
    /// Whether it is one of several in a message.
    let isInBatch: Bool

    /// - Throws: ``RPCError`` for what is not a request.
    fileprivate init(
        _ members: [String: JSONTree], id: [UInt8]?, isInBatch: Bool
    ) throws(RPCError) {
        guard members["jsonrpc"].map({ $0.kind == .string && $0.text == Array("2.0".utf8) }) == true
        else { throw .invalidRequest("The member jsonrpc must be \"2.0\".") }
        guard let method = members["method"], method.kind == .string,
            let name = String(validating: method.text, as: UTF8.self)
        else { throw .invalidRequest("The member method must be a string.") }
        self.id = id
        self.method = name
        self.isInBatch = isInBatch
        parameters = try RPCParameters(members["params"])
    }
}

/// A call in a message: a request, or what stands in the place of one.
package enum RPCCall: Sendable {
    case request(RPCRequest)
    /// - Parameter id: The id as the client wrote it; nil if it cannot be known.
    case invalid(RPCError, id: [UInt8]?)
}

/// One line of a client.
package enum RPCMessage: Sendable {
    case single(RPCCall)
    case batch([RPCCall])

    /// The most values in a message: each takes about 50 bytes of memory.
    private static let mostValues = 1 << 20
    /// The longest id that is repeated in an answer, in bytes.
    private static let longestID = 1_024

    /// Reads a line. It never fails: what is wrong is an error to answer with.
    package init(_ line: [UInt8]) {
        do throws(Failure) {
            let root = try JSONTree(line, mostValues: Self.mostValues)
            guard root.kind == .array else {
                self = .single(Self.call(root, isInBatch: false))
                return
            }
            let calls = root.children.map { Self.call($0, isInBatch: true) }
            self =
                calls.isEmpty
                ? .single(.invalid(.invalidRequest("The batch is empty."), id: nil))
                : .batch(calls)
        } catch {
            self = .single(.invalid(.unparsable(error.message), id: nil))
        }
    }

    private static func call(_ tree: JSONTree, isInBatch: Bool) -> RPCCall {
        guard tree.kind == .object else {
            return .invalid(.invalidRequest("A request must be an object."), id: nil)
        }
        var id: [UInt8]?
        do throws(RPCError) {
            let members = try RPCParameters.members(of: tree) { .invalidRequest($0) }
            id = try members["id"].map(Self.id)
            return .request(try RPCRequest(members, id: id, isInBatch: isInBatch))
        } catch {
            return .invalid(error, id: id)
        }
    }

    private static func id(_ tree: JSONTree) throws(RPCError) -> [UInt8] {
        let isNull = tree.kind == .literal && tree.text == Array("null".utf8)
        guard tree.kind == .string || tree.kind == .number || isNull else {
            throw .invalidRequest("The member id must be a string, a number or null.")
        }
        guard tree.written.count <= longestID else {
            throw .invalidRequest("The member id has more than \(longestID) bytes.")
        }
        return Array(tree.written)
    }
}
