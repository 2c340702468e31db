import Glibc
import Testing

/// What a power cut leaves of a machine's folder, from what `killat -s` kept: see `Tests/Faults/killat.c`.
struct KeptDisk {
    /// How much more than what was synced is on the disk.
    enum Cut: CaseIterable {
        /// Nothing: neither entries of folders nor contents.
        case all
        /// Every entry of a folder, but no content: the file is as it was synced last, or empty.
        case contents
    }

    private struct Entry {
        let kind: Character
        let id: String
        let mode: String
        let name: String
        let target: String
    }

    private static let folder = "kept"
    private let machine: Machine
    /// The files that hold an id, in the order in which they were kept.
    private var contents: [String: [(number: Int, file: String)]] = [:]
    private var entries: [String: [(number: Int, file: String)]] = [:]
    private var lastEntries: [String: String] = [:]
    private var root = ""

    /// How many syncs there were.
    private(set) var syncCount = 0

    /// Runs a command, and keeps what it syncs.
    ///
    /// - Parameter point: The call before which it is killed; nil to let it end.
    init(
        _ injector: Injector, _ machine: Machine, killedAt point: Int? = nil,
        _ arguments: [String]
    ) throws {
        self.machine = machine
        let aim = point.map { "-n \($0)" } ?? ""
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        let run = try machine.shell(
            """
            rm -rf \(Self.folder); mkdir \(Self.folder)
            '\(injector.path)' \(aim) -s \(Self.folder) '\(Machine.binary)' \(words)
            """)
        try #require((point == nil ? [0, 3] : [137]).contains(run.code), "\(run.talk)")
        for file in try machine.shell("ls \(Self.folder)").output.split(separator: "\n") {
            let parts = file.split(separator: ".").map(String.init)
            let number = try #require(Int(parts[0]))
            syncCount = max(syncCount, number)
            switch parts[1] {
            case "f": contents[parts[2], default: []].append((number, String(file)))
            case "d": entries[parts[2], default: []].append((number, String(file)))
            default: lastEntries[parts[2]] = String(file)
            }
        }
        root = try rootID()
    }

    /// The folder that is in no other one.
    private func rootID() throws -> String {
        var ids = Set(lastEntries.keys)
        for file in lastEntries.values {
            for entry in try read(file) { ids.remove(entry.id) }
        }
        return try #require(ids.count == 1 ? ids.first : nil)
    }

    private func read(_ file: String) throws -> [Entry] {
        let text = try #require(machine.read("\(Self.folder)/\(file)"))
        let parts = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        return try stride(from: 0, to: parts.count - 1, by: 3).map { start in
            let words = parts[start].split(separator: " ").map(String.init)
            return Entry(
                kind: try #require(words[0].first), id: words[1], mode: words[2],
                name: parts[start + 1], target: parts[start + 2])
        }
    }

    /// Puts what is left into the place of the given names below the machine's folder.
    ///
    /// - Parameter number: After how many syncs the power was cut.
    func restore(_ names: [String], after number: Int, losing cut: Cut) throws {
        var lines = ["set -e"]
        for name in names { lines.append("rm -rf '\(name)'") }
        for entry in try list(root, number, cut) where names.contains(entry.name) {
            try restore(entry, at: entry.name, number, cut, &lines)
        }
        let made = try machine.wait(
            for: machine.start(["/bin/sh"], input: lines.joined(separator: "\n") + "\n"))
        try #require(made.code == 0, "\(made.talk)")
    }

    private func list(_ id: String, _ number: Int, _ cut: Cut) throws -> [Entry] {
        let file = cut == .contents ? lastEntries[id] : newest(entries[id], number)
        return try file.map(read) ?? []
    }

    private func newest(_ files: [(number: Int, file: String)]?, _ number: Int) -> String? {
        files?.filter { $0.number <= number }.max { $0.number < $1.number }?.file
    }

    private func restore(
        _ entry: Entry, at path: String, _ number: Int, _ cut: Cut, _ lines: inout [String]
    ) throws {
        switch entry.kind {
        case "l": lines.append("ln -s -- '\(entry.target)' '\(path)'")
        case "f":
            let kept = newest(contents[entry.id], number)
            lines.append(
                kept.map { "cp -p '\(Self.folder)/\($0)' '\(path)'" }
                    ?? ": >'\(path)'; chmod \(entry.mode) '\(path)'")
        default:
            lines.append("mkdir -m \(entry.mode) '\(path)'")
            for child in try list(entry.id, number, cut) {
                try restore(child, at: "\(path)/\(child.name)", number, cut, &lines)
            }
        }
    }
}
