import FilesinkiModel

/// Which watch stands for which folder, as a tree: a renamed folder takes everything below it along
/// by one change.
struct WatchedFolders {
    private struct Node {
        /// The watch of the folder above; nil of the root, and of what was taken out of the tree.
        var parent: Int32?
        var name: [UInt8]
        var children: [[UInt8]: Int32] = [:]
    }

    private var nodes: [Int32: Node] = [:]
    private(set) var root: Int32?

    var count: Int { nodes.count }

    var watches: some Collection<Int32> { nodes.keys }

    func contains(_ watch: Int32) -> Bool { nodes[watch] != nil }

    mutating func setRoot(_ watch: Int32) {
        root = watch
        if nodes[watch] == nil { nodes[watch] = Node(parent: nil, name: []) }
    }

    /// The watch of the folder of this name inside another one.
    func child(_ name: [UInt8], of parent: Int32) -> Int32? { nodes[parent]?.children[name] }

    /// The watch of a path; nil is the root.
    func watch(at path: RelativePath?) -> Int32? {
        guard let path else { return root }
        var place = root
        for name in path.names { place = place.flatMap { child(Array(name), of: $0) } }
        return place
    }

    /// Puts a watch, new or not, in its place.
    ///
    /// - Returns: The watch that was there before, which is out of the tree now; nil for none.
    mutating func attach(_ watch: Int32, name: [UInt8], in parent: Int32) -> Int32? {
        let former = child(name, of: parent)
        if former == watch { return nil }
        if let former { detach(former) }
        detach(watch)
        nodes[watch, default: Node(parent: nil, name: name)].parent = parent
        nodes[watch]?.name = name
        nodes[parent]?.children[name] = watch
        return former
    }

    /// Takes a folder, and with it what is below, out of the tree.
    mutating func detach(_ watch: Int32) {
        guard let node = nodes[watch], let parent = node.parent else { return }
        if nodes[parent]?.children[node.name] == watch {
            nodes[parent]?.children[node.name] = nil
        }
        nodes[watch]?.parent = nil
    }

    /// Forgets a folder and all below it.
    ///
    /// - Returns: Their watches.
    mutating func remove(_ watch: Int32) -> [Int32] {
        detach(watch)
        var gone: [Int32] = []
        var open = [watch]
        while let next = open.popLast() {
            guard let node = nodes.removeValue(forKey: next) else { continue }
            gone.append(next)
            open += node.children.values
        }
        return gone
    }

    /// The path of a name in a watched folder, or of the folder itself; nil for the root, and for what
    /// is not in the tree.
    func path(of watch: Int32, _ name: [UInt8] = []) -> RelativePath? {
        var names = name.isEmpty ? [] : [name]
        var next = watch
        // No path is deeper than it has bytes.
        for _ in 0...RelativePath.maximumLength {
            guard let node = nodes[next] else { return nil }
            guard let parent = node.parent else { break }
            names.append(node.name)
            next = parent
        }
        guard next == root, !names.isEmpty else { return nil }
        return RelativePath(
            unchecked: Array(names.reversed().joined(separator: [UInt8(ascii: "/")])))
    }
}
