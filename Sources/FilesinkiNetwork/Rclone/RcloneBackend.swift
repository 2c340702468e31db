import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// What rclone knows of the place behind an address.
struct RcloneBackend: Sendable {
    let command: RcloneCommand

    /// The longest chain of remotes that wrap others.
    private static let maximumDepth = 4

    /// Whether of several rclones that move a folder to the same place exactly one wins.
    ///
    /// That is so where a move is rename(2), which cannot replace a folder that is not empty: in a folder of
    /// this machine, also through remotes of the type `alias`, and through `crypt`, for which one name always
    /// becomes the same other one. Of every other type rclone promises nothing: it looks whether the place is
    /// free, and then moves or copies.
    func movesExclusively() async throws -> Bool {
        try await movesExclusively(command.address.target, depth: 0)
    }

    private func movesExclusively(_ target: String, depth: Int) async throws -> Bool {
        guard depth < Self.maximumDepth else { return false }
        if Self.isLocal(try await command.ask(["backend", "features", "--", target])) {
            return true
        }
        guard let name = target.split(separator: ":", omittingEmptySubsequences: false).first,
            target.contains(":"), !name.isEmpty
        else { return false }
        // What the environment says of a remote comes before its configuration.
        guard !command.overrides(remote: String(name)) else { return false }
        let section = Self.section(try await command.ask(["config", "show", "--", String(name)]))
        guard section["type"] == "crypt", let inner = section["remote"], !inner.isEmpty else {
            return false
        }
        return try await movesExclusively(inner, depth: depth + 1)
    }

    /// Whether the reply of `rclone backend features` is that of a folder of this machine.
    static func isLocal(_ reply: [UInt8]) -> Bool {
        guard let tree = try? JSONTree(reply, mostValues: 4096), tree.kind == .object,
            let features = tree.children.first(where: { $0.name.elementsEqual("Features".utf8) }),
            features.kind == .object
        else { return false }
        return features.children.contains {
            $0.name.elementsEqual("IsLocal".utf8) && $0.written.elementsEqual("true".utf8)
        }
    }

    /// The settings in the reply of `rclone config show`: lines of `name = value`.
    static func section(_ reply: [UInt8]) -> [String: String] {
        let lines = String(decoding: reply, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.reduce(into: [:]) { settings, line in
            guard let sign = line.firstRange(of: " = ") else { return }
            settings[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...])
        }
    }
}
