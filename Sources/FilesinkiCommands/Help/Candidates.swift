import ArgumentParser
import FilesinkiEngine
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// What a shell offers for an argument that names something in a replica: open conflicts, deleted paths, devices, keys.
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
    }

    private static let kinds: [String: Kind] = [
        "devices forget positional@0": .devices,
        "kv get positional@0": .keys,
        "kv log positional@0": .keys,
        "kv set positional@0": .keys,
        "kv unset positional@0": .keys,
        "kv watch positional@0": .keys,
        "resolve --take": .sides,
        "resolve positional@0": .conflicts,
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
            let kind = Self.kinds[
                (arguments[1..<cut] + [arguments[cut + 1]]).joined(separator: " ")]
        else { return nil }
        self.kind = kind
        words = Array(arguments[(cut + 4)...])
        let index = Int(arguments[cut + 2]) ?? -1
        typed = words.indices.contains(index) ? words[index] : ""
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
        if kind == .keys {
            let given = given(["--root", "--state", "--store", "--prefix", "--db"], console)
            let options = try KeyValueOptions.parse(given)
            let found = try await ValueReader(options, in: console)
                .list(prefix: options.prefixBytes)
            return found.map { options.name($0.key) }
        }
        let options = try RootOptions.parse(given(["--root", "--state"], console))
        let root = try RootChoice.find(options, in: console)
        // The default replica is not made for a question.
        guard root.origin != .standard || RootChoice.nearestReplica(at: root.path) != nil else {
            return []
        }
        let session = try await Session.open(
            options, writable: false, remote: kind == .devices, in: console)
        let replica = session.replica
        let paths = ArgumentPaths(session.root, currentFolder: console.currentFolder)
        switch kind {
        case .conflicts: return try await replica.conflicts().map { paths.bytes($0.path) }
        case .deleted: return try await replica.deleted([]).map { paths.bytes($0.path) }
        case .devices: return try await replica.devices().map { Array($0.device.name.utf8) }
        case .sides: return Self.sides(of: try await replica.conflicts())
        case .keys: return []
        }
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
