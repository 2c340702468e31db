import FilesinkiModel

/// The watched folders as a tree, so that a renamed folder moves with everything below it in one
/// step.
struct WatchedFolders {
    private struct Node {
        /// The watch of the parent folder; nil for the root and for detached folders.
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

    /// The watch of a subfolder by name.
    func child(_ name: [UInt8], of parent: Int32) -> Int32? { nodes[parent]?.children[name] }

    /// The watch of a path; nil is the root.
    func watch(at path: RelativePath?) -> Int32? {
        guard let path else { return root }
        var place = root
        for name in path.names { place = place.flatMap { child(Array(name), of: $0) } }
        return place
    }

    /// Adds a watch, or moves an existing one.
    ///
    /// - Returns: The former watch at this path, now detached; nil for none.
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

    /// Detaches a folder with everything below it.
    mutating func detach(_ watch: Int32) {
        guard let node = nodes[watch], let parent = node.parent else { return }
        if nodes[parent]?.children[node.name] == watch {
            nodes[parent]?.children[node.name] = nil
        }
        nodes[watch]?.parent = nil
    }

    /// Removes a folder and everything below it.
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

    /// The path of a name in a watched folder, or of the folder itself; nil for the root and for
    /// detached folders.
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
