import FilesinkiText
import Testing

/// `Docs/rpc.schema.json` says what `filesinki rpc` does.
@Suite("The schema of rpc")
struct RPCSchemaTests {
    /// The package's folder.
    private static let package =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private static func schema() throws -> JSONTree {
        try JSONTree(try #require(GoldenFile.read(package + "/Docs/rpc.schema.json")))
    }

    /// The methods of the schema by their names.
    private static func methods(_ schema: JSONTree) -> [String: JSONTree] {
        let methods = schema["methods"]?.children ?? []
        return Dictionary(methods.map { ($0.string("name"), $0) }) { first, _ in first }
    }

    /// The answers in a golden file of `rpc`.
    private static func answers(_ name: String) throws -> [JSONTree] {
        let path = package + "/Tests/FilesinkiCommandsTests/Golden/\(name).jsonl"
        let bytes = try #require(GoldenFile.read(path))
        return try bytes.split(separator: UInt8(ascii: "\n")).flatMap { line -> [JSONTree] in
            // The masked numbers of golden files.
            let text = String(decoding: line, as: UTF8.self).split(separator: "\":N")
            let tree = try JSONTree(Array(text.joined(separator: "\":0").utf8))
            return tree.kind == .array ? tree.children : [tree]
        }
    }

    /// What the schema calls each kind of parameter.
    private static let types = [
        "text": "string", "flag": "boolean", "number": "integer", "texts": "array",
        "object": "object", "values": "array", "bytes": "string", "base64": "string",
    ]

    @Test func `every method and parameter is in the schema, and no other`() throws {
        let table = try Self.answers("rpc-methods").first?["result"]?.children ?? []
        let methods = Self.methods(try Self.schema())
        let names = table.map { $0.string("method") }
        #expect(Set(names + ["rpc.methods", "rpc.cancel"]) == Set(methods.keys))
        for method in table {
            let name = method.string("method")
            let expected = (method["params"]?.children ?? []).flatMap(Self.described)
            let found = (methods[name]?["params"]?.children ?? []).map { parameter in
                let type = parameter["schema"]?.string("type") ?? ""
                return parameter.string("name") + " " + type + " " + parameter.string("required")
            }
            #expect(found == expected, "\(name)")
            let notification = methods[name]?.string("x-notification")
            #expect(notification == method.string("notification"))
        }
    }

    @Test func `every method of keys and records is a function of the C header`() throws {
        let path = Self.package + "/Sources/CFileSinki/include/filesinki.h"
        let header = String(decoding: try #require(GoldenFile.read(path)), as: UTF8.self)
        let names = Self.methods(try Self.schema()).keys.filter {
            $0.hasPrefix("kv.") || $0.hasPrefix("rec.")
        }
        #expect(names.count > 30)
        let missing = names.filter { name in
            let words = name.split(separator: ".").joined(separator: "_")
            return !header.contains("filesinki_\(words)(")
        }
        #expect(missing == [])
    }

    /// A parameter of the table as the schema has it.
    private static func described(_ parameter: JSONTree) -> [String] {
        let (name, kind) = (parameter.string("name"), parameter.string("kind"))
        let line = name + " " + (types[kind] ?? "")
        guard kind == "bytes" else { return [line + " " + parameter.string("required")] }
        return [line + " false", name + "_bytes string false"]
    }

    @Test(
        "Real answers are as the schema says",
        arguments: [
            "rpc-methods", "rpc-kv", "rpc-rec", "rpc-schema", "rpc-zones", "rpc-conflicts",
            "rpc-files",
            "rpc-errors",
        ])
    func answers(name: String) throws {
        let schema = try Self.schema()
        let validator = SchemaValidator(root: schema)
        let methods = Self.methods(schema)
        let error = try #require(schema["components"]?["schemas"]?["Error"])
        for answer in try Self.answers(name) {
            #expect(answer.string("jsonrpc") == "2.0")
            let method = answer.string("id")
            if let found = answer["error"] {
                #expect(validator.problems(of: found, error, method) == [])
                continue
            }
            let type = try #require(methods[method]?["result"]?["schema"], "\(method)")
            let result = try #require(answer["result"])
            #expect(validator.problems(of: result, type, method) == [])
        }
    }

    @Test(
        "An answer that is otherwise is noticed",
        arguments: [
            #"{"type":"watch"}"#, #"{"type":"other","watch":1}"#,
            #"{"type":"watch","watch":"1"}"#, #"{"type":"watch","watch":1,"more":1}"#, "[]",
        ])
    func wrong(text: String) throws {
        let schema = try Self.schema()
        let type = try #require(schema["components"]?["schemas"]?["Watch"])
        let validator = SchemaValidator(root: schema)
        let good = try JSONTree(Array(#"{"type":"watch","watch":1}"#.utf8))
        #expect(validator.problems(of: good, type, "w") == [])
        #expect(validator.problems(of: try JSONTree(Array(text.utf8)), type, "w") != [])
    }
}

/// The part of JSON Schema that the document uses. A member that is not described is a problem, unless
/// the schema describes none or says that there are others.
private struct SchemaValidator {
    let root: JSONTree

    /// What is wrong with a value, a line for each place.
    func problems(of value: JSONTree, _ schema: JSONTree, _ place: String) -> [String] {
        if let reference = schema["$ref"]?.string {
            return problems(of: value, resolve(reference), place)
        }
        if let choices = schema["oneOf"]?.children {
            let isFitting = choices.contains { problems(of: value, $0, place).isEmpty }
            return isFitting ? [] : ["\(place): none of the choices"]
        }
        if let const = schema["const"]?.string, value.string != const {
            return ["\(place): not \(const)"]
        }
        if let words = schema["enum"]?.children,
            !words.contains(where: { $0.string == value.string })
        {
            return ["\(place): none of the words"]
        }
        switch schema.string("type") {
        case "string": return value.kind == .string ? [] : ["\(place): not a string"]
        case "boolean": return value.kind == .literal ? [] : ["\(place): not a truth value"]
        case "integer": return value.kind == .number ? [] : ["\(place): not a number"]
        case "array":
            guard value.kind == .array else { return ["\(place): not a list"] }
            guard let items = schema["items"] else { return [] }
            return value.children.flatMap { problems(of: $0, items, place + "[]") }
        case "object": return members(value, schema, place)
        default: return []
        }
    }

    private func members(_ value: JSONTree, _ schema: JSONTree, _ place: String) -> [String] {
        guard value.kind == .object else { return ["\(place): not an object"] }
        let missing = (schema["required"]?.children ?? []).filter { value[$0.string] == nil }
            .map { "\(place).\($0.string): missing" }
        guard let properties = schema["properties"] else { return missing }
        let isOpen = schema.string("additionalProperties") == "true"
        return missing
            + value.children.flatMap { member -> [String] in
                let name = String(decoding: member.name, as: UTF8.self)
                guard let described = properties[name] else {
                    return isOpen ? [] : ["\(place).\(name): not described"]
                }
                return problems(of: member, described, "\(place).\(name)")
            }
    }

    private func resolve(_ reference: String) -> JSONTree {
        reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? $0 }
    }
}

extension JSONTree {
    /// The member of a name; nil if there is none.
    fileprivate subscript(name: String) -> JSONTree? {
        kind == .object ? children.first { $0.name == Array(name.utf8) } : nil
    }

    /// A scalar as text.
    fileprivate var string: String { String(decoding: text, as: UTF8.self) }

    /// A member as text; empty if there is none.
    fileprivate func string(_ name: String) -> String { self[name]?.string ?? "" }
}
