import FilesinkiCommands
import FilesinkiTesting
import Testing

/// What has to hold whatever went wrong.
extension FaultWorld {
    /// Runs without faults end well, and then both replicas have the tree.
    func expectCompletion(
        _ wanted: TreeFixture, _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        for replica in ["a", "b"] {
            let outcome = await sync(replica)
            #expect(
                outcome.code == .done, "\(what), then \(replica): \(outcome)",
                sourceLocation: sourceLocation)
            #expect(
                (try? tree(replica)) == wanted, "\(what), then \(replica)",
                sourceLocation: sourceLocation)
        }
    }

    /// A run that was disturbed left at each path what was there before, or what is to be there.
    func expectNothingWrong(
        _ replica: String, _ before: TreeFixture, _ wanted: TreeFixture, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let paths = try tree(replica).flat
        let (before, wanted) = (before.flat, wanted.flat)
        for (path, node) in paths {
            let isKnown = node == before[path] || node == wanted[path]
            #expect(isKnown, "\(what): \(path)", sourceLocation: sourceLocation)
        }
        for (path, node) in wanted where before[path] == node {
            #expect(paths[path] == node, "\(what): \(path)", sourceLocation: sourceLocation)
        }
    }

    /// Every object of the store is what its hash says.
    func expectSoundStore(sourceLocation: SourceLocation = #_sourceLocation) async {
        proxy.begin()
        let outcome = await run(["check", "--read-data", "--root", path("b")])
        #expect(outcome.code == .done, "\(outcome)", sourceLocation: sourceLocation)
    }
}

extension TreeFixture {
    /// Every path below, folders without what is in them.
    fileprivate var flat: [String: Node] {
        var result: [String: Node] = [:]
        for (name, node) in nodes {
            let name = String(decoding: name.bytes, as: UTF8.self)
            guard case .folder(let tree, let mode) = node else {
                result[name] = node
                continue
            }
            result[name] = .folder([:], mode: mode)
            for (below, node) in tree.flat { result["\(name)/\(below)"] = node }
        }
        return result
    }
}
