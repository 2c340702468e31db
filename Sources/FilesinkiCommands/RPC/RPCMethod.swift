import ArgumentParser
import FilesinkiModel
import FilesinkiRPC
import FilesinkiText

/// A method of `filesinki rpc`: a command whose arguments are given by name.
struct RPCMethod: Sendable {
    /// What of the command's output is the result.
    enum Form: Sendable {
        /// The object in its last line.
        case object
        /// All objects.
        case list
        /// The object in its last line, and the content.
        case content
        /// The number of a watch; each line then comes in a notification of this name.
        case watch(String)
    }

    /// Runs the command.
    typealias Work = @Sendable (Console) async throws -> ExitCode
    /// Turns parameters into work, and what it reads in place of standard input.
    typealias Preparation = @Sendable (RPCParameters) throws -> (work: Work, input: [UInt8])

    let name: String
    let summary: String
    let parameters: [RPCParameter]
    let form: Form
    /// Whether it may tell how far it is.
    var tellsProgress: Bool { parameters.contains { $0.name == RPCParameter.progress.name } }
    /// The exit codes with which the command has a result: of others, or of a negative answer with a
    /// failure, the call fails.
    let answers: Set<ExitCode>
    /// Makes the preparation from the options that name the replica.
    let bind: @Sendable ([String]) throws -> Preparation

    /// A method that runs a command as it is.
    ///
    /// - Parameters:
    ///   - placeholders: Arguments without which the command is not parsed.
    ///   - codes: Exit codes beside 0 and 1 with which the command has a result.
    ///   - fill: Sets the command's properties to what the parameters say, and returns its input.
    init<Runs: Command>(
        _ name: String, _ summary: String, runs command: Runs.Type,
        parsing placeholders: [String] = [],
        _ parameters: [RPCParameter], returns form: Form = .object, also codes: [ExitCode] = [],
        fill: @escaping @Sendable (inout Runs, RPCParameters) throws -> [UInt8]
    ) {
        self.init(
            name, summary, prepares: command, parsing: placeholders, parameters, returns: form,
            also: codes
        ) { command, parameters in
            var command = command
            let input = try fill(&command, parameters)
            try command.validate()
            let filled = command
            return ({ try await filled.run(in: $0) }, input)
        }
    }

    /// A method that runs a command in its own way.
    init<Runs: Command>(
        _ name: String, _ summary: String, prepares command: Runs.Type,
        parsing placeholders: [String] = [], _ parameters: [RPCParameter],
        returns form: Form = .object,
        also codes: [ExitCode] = [],
        _ prepare: @escaping @Sendable (Runs, RPCParameters) throws -> (Work, [UInt8])
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.form = form
        answers = Set(codes + [.done, .negative])
        bind = { options in
            // Parsed once: a call costs no search for arguments, and its texts are never options.
            let parsed = try Runs.parse(options + ["--json"] + placeholders)
            return { parameters in
                let (work, input) = try prepare(parsed, parameters)
                return (work, input)
            }
        }
    }
}

/// A parameter of a method.
struct RPCParameter: Sendable {
    /// What a parameter may be.
    enum Kind: String, Sendable {
        case text, flag, number, texts, object, values
        /// A text, or NAME_bytes with its bytes in hexadecimal: a path or a key need not be UTF-8.
        case bytes
        /// Any JSON.
        case value
        /// Bytes in base 64.
        case base64
    }

    let name: String
    let kind: Kind
    let isRequired: Bool

    init(_ name: String, _ kind: Kind, isRequired: Bool = false) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
    }

    /// Whether the client wants to be told how far the call is.
    static let progress = RPCParameter("progress", .flag)

    static func required(_ name: String, _ kind: Kind) -> RPCParameter {
        RPCParameter(name, kind, isRequired: true)
    }

    /// The names by which it is given.
    var names: [String] { kind == .bytes ? [name, name + "_bytes"] : [name] }

    /// The parameter for `rpc.methods`.
    var json: JSONObject {
        ["name": .string(name), "kind": .string(kind.rawValue), "required": .bool(isRequired)]
    }
}

extension RPCMethod {
    /// Refuses parameters that the method does not have, and the absence of one that it needs.
    func check(_ given: RPCParameters) throws(RPCError) {
        let known = parameters.flatMap(\.names)
        for name in given.names.sorted() where !known.contains(name) {
            throw .invalidParameters(
                NearestWord.suggestion(for: name, among: known)
                    + "The method \(self.name) has no parameter \(JSONString.quoted(name)).")
        }
        for parameter in parameters where parameter.isRequired {
            guard parameter.names.contains(where: given.names.contains) else {
                throw .invalidParameters("The parameter \"\(parameter.name)\" is missing.")
            }
        }
    }

    /// The method for `rpc.methods`.
    var json: JSONObject {
        var object: JSONObject = ["type": "method", "method": .string(name)]
        object.add("summary", summary)
        object.add("params", .array(parameters.map { .object($0.json) }))
        if case .watch(let event) = form { object.add("notification", event) }
        return object
    }
}

extension RPCParameters {
    /// Bytes that are mostly text, as a command takes them; nil if they are not given.
    func argument(_ name: String) throws(RPCError) -> String? {
        // A text may have the scalars with which arguments keep bytes.
        if let text = try text(name) { return ArgumentText.encode(Array(text.utf8)) }
        guard let digits = try text(name + "_bytes") else { return nil }
        return try Self.argument(hexadecimal: digits, name)
    }

    /// The same for a parameter that is required.
    func requiredArgument(_ name: String) throws(RPCError) -> String {
        guard let argument = try argument(name) else {
            throw .invalidParameters("The parameter \"\(name)\" is null.")
        }
        return argument
    }

    /// The texts of a list; empty if it is not given.
    func arguments(_ name: String) throws(RPCError) -> [String] {
        (try texts(name) ?? []).map { ArgumentText.encode(Array($0.utf8)) }
    }

    func isSet(_ name: String) throws(RPCError) -> Bool { try flag(name) ?? false }

    private static func argument(
        hexadecimal digits: String, _ name: String
    ) throws(RPCError) -> String {
        guard let bytes = FilesinkiModel.bytes(hexadecimal: digits) else {
            throw .invalidParameters("The parameter \"\(name)_bytes\" must be hexadecimal.")
        }
        return ArgumentText.encode(bytes)
    }
}
