import ArgumentParser
import FilesinkiEngine
import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiText

/// What a shell offers for an argument that names something in a replica or a store: open conflicts, deleted paths,
/// devices, keys, zones, records and their types, tokens.
///
/// The scripts of `completions` ask with `---completion COMMAND… -- ARGUMENT INDEX CURSOR WORD…`, as the parser
/// writes them. It is answered here: the parser's closures have no console, and its answer is not quoted. Bash expands
/// what it is offered, and would run the command in the name of a file.
struct Candidates {
    /// Marks an argument for which the script asks.
    static let asked = CompletionKind.custom(nothing)

    private static let nothing: @Sendable ([String], Int, String) -> [String] = { _, _, _ in [] }

    /// What an argument names.
    private enum Kind {
        case conflicts, deleted, devices, keys, sides
        case records, recordTypes, recordZones
        case tokens
    }

    private static let kinds: [String: Kind] = [
        "devices forget positional@0": .devices,
        "kv get positional@0": .keys,
        "kv log positional@0": .keys,
        "kv set positional@0": .keys,
        "kv unset positional@0": .keys,
        "kv watch positional@0": .keys,
        "log --device": .devices,
        "rec conflicts --forget": .records,
        "rec delete positional@0": .records,
        "rec get positional@0": .records,
        "rec log positional@0": .records,
        "rec query positional@0": .recordTypes,
        "rec save positional@0": .recordTypes,
        "rec save positional@1": .records,
        "rec subscribe add --query": .recordTypes,
        "rec zones delete positional@0": .recordZones,
        "rec zones purge positional@0": .recordZones,
        "rec zones reset positional@0": .recordZones,
        "resolve --take": .sides,
        "resolve positional@0": .conflicts,
        "serve token revoke positional@1": .tokens,
        "undelete positional@0": .deleted,
    ]

    /// The most that are offered; a person reads them.
    private static let limit = 1_000

    /// How long a person waits for the shell.
    private static let patience = Duration.seconds(2)

    private let kind: Kind
    /// The words of the command line, as they were typed.
    private let words: [String]
    /// What was typed of the word that is to be completed.
    private let typed: String

    /// - Returns: Nil for arguments that do not ask for these candidates.
    init?(_ arguments: [String]) {
        guard arguments.first == "---completion", let cut = arguments.firstIndex(of: "--"),
            arguments.count > cut + 3,
            let kind = Self.kind(of: arguments[cut + 1], command: arguments[1..<cut])
        else { return nil }
        self.kind = kind
        words = Array(arguments[(cut + 4)...])
        let index = Int(arguments[cut + 2]) ?? -1
        typed = words.indices.contains(index) ? words[index] : ""
    }

    private static func kind(of argument: String, command: ArraySlice<String>) -> Kind? {
        // All commands of records have it.
        if command.first == "rec", argument == "--zone" { return .recordZones }
        return kinds[(command + [argument]).joined(separator: " ")]
    }

    /// Prints the candidates for the shell, one on a line. Nothing is printed when they cannot be read in time: a
    /// message would stand in the line that is being typed.
    func show(in console: Console) async throws {
        console.outputOptions.verbosity = .quiet
        _ = try? await Deadline.enforce(Self.patience, timer: console.timer) {
            let typed = ArgumentText.bytes(of: Self.plain(typed, console))
            var names = try await names(in: console).filter { $0.starts(with: typed) }
            names.removeAll { !printable($0).utf8.elementsEqual($0) }
            let shell = Shell(console.environment["SAP_SHELL"])
            for name in names.prefix(Self.limit) { try console.output.line(shell.quoted(name)) }
            if shell == .zsh { try console.output.line(" ") }
            return .done
        }
        try console.output.flush()
    }

    private func names(in console: Console) async throws -> [[UInt8]] {
        switch kind {
        case .keys:
            let given = given(["--root", "--state", "--store", "--prefix", "--db"], console)
            let options = try KeyValueOptions.parse(given)
            let found = try await ValueReader(options, in: console)
                .list(prefix: options.prefixBytes)
            return found.map { options.name($0.key) }
        case .records, .recordTypes, .recordZones: return try recordNames(in: console)
        case .tokens: return try await tokens(in: console)
        case .conflicts, .deleted, .devices, .sides: return try await replicaNames(in: console)
        }
    }

    /// The replica's root; nil for the default replica if it is not there: none is made for a question.
    private func root(_ options: RootOptions, in console: Console) throws -> RootChoice? {
        let root = try RootChoice.find(options, in: console)
        let isThere = root.origin != .standard || RootChoice.nearestReplica(at: root.path) != nil
        return isThere ? root : nil
    }

    private func replicaNames(in console: Console) async throws -> [[UInt8]] {
        let options = try RootOptions.parse(given(["--root", "--state"], console))
        guard try root(options, in: console) != nil else { return [] }
        let session = try await Session.open(
            options, writable: false, remote: kind == .devices, in: console)
        let replica = session.replica
        let paths = ArgumentPaths(session.root, currentFolder: console.currentFolder)
        switch kind {
        case .conflicts:
            let open = try await session.openConflicts()
            return open.all.map { paths.bytes(open.name(of: $0)) }
        case .deleted:
            return try await session.deleted([], all: false).found.map { paths.bytes($0.path) }
        case .devices: return try await replica.devices().map { Array($0.device.name.utf8) }
        case .sides: return Self.sides(of: try await replica.conflicts())
        case .keys, .records, .recordTypes, .recordZones, .tokens: return []
        }
    }

    /// The zones, types or names of records that are here.
    private func recordNames(in console: Console) throws -> [[UInt8]] {
        let options = try RecordOptions.parse(
            given(["--root", "--state", "--zone", "--db"], console))
        guard let root = try root(options.replica, in: console) else { return [] }
        let state = try options.replica.replicaOptions(root: root.path, in: console).stateFolder
            .path
        let scope = try options.database.scope()
        if kind == .recordZones {
            return try LocalZones<RecordKind>.names(state: state, scope).map { Array($0.utf8) }
        }
        let records = try LocalRecords(of: options.zone, in: state, scope)
        let names =
            kind == .recordTypes
            ? try records.types().map(\.text) : try records.names().map(\.text)
        return names.map { Array($0.utf8) }
    }

    /// The names and ids of the tokens of a store, whose folder is the first argument of `revoke`.
    private func tokens(in console: Console) async throws -> [[UInt8]] {
        guard let command = words.firstIndex(of: "revoke"),
            let folder = words[(command + 1)...].first(where: { !$0.hasPrefix("-") })
        else { return [] }
        let place = try FilePlace.absoluteText(
            Self.plain(folder, console), in: console.currentFolder)
        let tokens = try await console.network.tokens(TokenRequest(folder: place, action: .list))
        return tokens.flatMap { [Array($0.name.utf8), Array($0.id.utf8)] }
    }

    private static func sides(of conflicts: [OpenConflict]) -> [[UInt8]] {
        let labels = conflicts.flatMap { conflict in
            conflict.sides.inOrder.map { conflict.sides.label($0) }
        }
        return (["base"] + Set(labels).sorted()).map { Array($0.utf8) }
    }

    /// The options of these names among the words, each with its value.
    private func given(_ names: Set<String>, _ console: Console) -> [String] {
        words.indices.flatMap { index -> [String] in
            let parts = words[index].split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = parts.first, names.contains(name) else { return [] }
            if parts.count == 2 { return [name, Self.plain(parts[1], console)] }
            // Bash makes three words of --root=DIR.
            guard let value = words[(index + 1)...].first(where: { $0 != "=" }) else { return [] }
            return [name, Self.plain(value, console)]
        }
    }

    /// A word as the command would get it, as far as it has a tilde, quotes and backslashes only.
    private static func plain(_ word: String, _ console: Console) -> String {
        let text = word.filter { !"'\"\\".contains($0) }
        guard word.hasPrefix("~/"), let home = console.environment["HOME"] else { return text }
        return home + text.dropFirst()
    }
}

/// How a shell reads a candidate.
private enum Shell {
    case bash, fish, zsh

    init(_ name: String?) {
        self = name == "zsh" ? .zsh : name == "fish" ? .fish : .bash
    }

    func quoted(_ name: [UInt8]) -> String {
        let text = String(decoding: name, as: UTF8.self)
        switch self {
        case .bash: return ShellWord.quoted(text)
        case .fish: return text
        // What stands behind a colon is a description.
        case .zsh:
            return text.split(separator: ":", omittingEmptySubsequences: false)
                .joined(separator: #"\:"#)
        }
    }
}
