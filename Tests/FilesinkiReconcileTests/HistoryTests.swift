import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Random histories of three replicas: when the edits stop, all are equal, and every content that
/// somebody wrote is in the history.
@Suite struct HistoryTests {
    @Test("converges and loses nothing", arguments: 0..<60)
    func converges(_ seed: UInt64) {
        var chance = Chance(state: seed)
        var store = Store()
        var replicas = ["one", "two", "three"].map { Replica(device: Device(id: [], name: $0)) }
        var written: Set<ContentID> = []
        for _ in 0..<40 {
            let index = chance.below(replicas.count)
            if chance.below(3) == 0 {
                replicas[index].sync(&store)
            } else {
                let before = Set(replicas[index].local.values.map(\.content))
                replicas[index].edit(&chance, &written)
                // What its own user destroyed before anybody else could see it.
                let after = replicas[index].local.values.map(\.content)
                written.subtract(before.subtracting(after).subtracting(store.history))
            }
        }
        for _ in 0..<3 {
            for index in replicas.indices { replicas[index].sync(&store) }
        }
        for replica in replicas {
            #expect(
                agree(replica.local, store.tree), "\(text(replica.local)) | \(text(store.tree))")
            #expect(replica.violations.isEmpty)
        }
        let version = store.version
        for index in replicas.indices {
            let plan = replicas[index].sync(&store)
            #expect(plan.isEmpty, "\(plan)")
        }
        #expect(store.version == version)
        #expect(written.subtracting(store.history).isEmpty)
    }
}

/// Chance that a seed repeats: SplitMix64, https://prng.di.unimi.it/splitmix64.c.
struct Chance {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func pick<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[below(values.count)]
    }
}

extension Replica {
    private static let names = ["a", "b", "c"]

    /// One random thing that a user does.
    mutating func edit(_ chance: inout Chance, _ written: inout Set<ContentID>) {
        let all = local.keys.sorted()
        let folders = all.filter { local[$0]?.kind == .directory }
        let parent = chance.below(3) == 0 ? nil : chance.pick(folders)
        guard let name = chance.pick(Self.names) else { return }
        let target = parent.map { $0.appending(Array(name.utf8)) } ?? path(name)
        switch chance.below(10) {
        case 0, 1, 2, 3: write(target, &chance, &written)
        case 4: if local[target] == nil { local[target] = folder }
        case 5: if let victim = chance.pick(all) { remove(victim) }
        case 6, 7: if let source = chance.pick(all) { move(source, to: target) }
        case 8: if let other = chance.pick(all) { swap(other, target) }
        default:
            if let found = chance.pick(all), local[found]?.kind == .file {
                local[found]?.mode = chance.below(2) == 0 ? 0o755 : 0o600
            }
        }
    }

    private mutating func write(
        _ path: RelativePath, _ chance: inout Chance, _ written: inout Set<ContentID>
    ) {
        guard local[path]?.kind != .directory else { return }
        let words = (0..<4).map { _ in chance.next() }
        let content = words.withUnsafeBytes { ContentID($0) } ?? .none
        written.insert(content)
        local[path] = .file(
            content, size: 1 + Int64(chance.below(9)), mode: 0o644,
            modified: Timestamp(nanoseconds: Int64(chance.below(1000))))
    }

    private mutating func remove(_ path: RelativePath) {
        for found in local.keys where found == path || found.isInside(path) {
            local[found] = nil
            moves[found] = nil
        }
    }

    private mutating func move(_ source: RelativePath, to target: RelativePath) {
        guard source != target, !target.isInside(source), local[target] == nil else { return }
        for found in local.keys.sorted() {
            guard let new = found.moved(from: source, to: target) else { continue }
            local[new] = local.removeValue(forKey: found)
            moves[new] = moves.removeValue(forKey: found) ?? found
        }
    }

    private mutating func swap(_ one: RelativePath, _ two: RelativePath) {
        guard one != two, local[one]?.kind == .file, local[two]?.kind == .file else { return }
        let (first, second) = (moves[one] ?? one, moves[two] ?? two)
        local.swapAt(one, two)
        (moves[one], moves[two]) = (second, first)
    }
}

extension Dictionary {
    fileprivate mutating func swapAt(_ one: Key, _ two: Key) {
        let value = self[one]
        self[one] = self[two]
        self[two] = value
    }
}
