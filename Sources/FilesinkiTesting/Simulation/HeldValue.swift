import FilesinkiHashing
import FilesinkiModel

/// What a user can lose: the bytes of a file, or the target of a link.
enum HeldValue: Hashable, Sendable {
    case bytes(ContentID)
    case target([UInt8])

    init?(_ entry: Entry) {
        switch entry.kind {
        case .file: self = .bytes(entry.content)
        case .symlink: self = .target(entry.target)
        case .directory, .tombstone: return nil
        }
    }

    init?(_ node: TreeFixture.Node) {
        switch node {
        case .bytes(let bytes, _, _): self = .bytes(ContentHasher.hash(bytes))
        case .link(let target): self = .target(target)
        case .folder, .special: return nil
        }
    }
}

/// A value at a path.
struct Placement: Hashable, Sendable {
    var path: String
    var value: HeldValue
}

extension TreeFixture {
    /// What is at each path, folders included but not what is in them.
    var flat: [String: Node] {
        var all: [String: Node] = [:]
        for (name, node) in nodes {
            let name = String(decoding: name.bytes, as: UTF8.self)
            guard case .folder(let tree, let mode) = node else {
                all[name] = node
                continue
            }
            all[name] = .folder([:], mode: mode)
            for (path, inner) in tree.flat { all[name + "/" + path] = inner }
        }
        return all
    }

    var placements: Set<Placement> {
        Set(
            flat.compactMap { path, node in
                HeldValue(node).map { Placement(path: path, value: $0) }
            })
    }

    var values: Set<HeldValue> { Set(placements.map(\.value)) }
}
