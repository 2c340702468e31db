import FilesinkiRemote
import FilesinkiTesting
import Synchronization

/// A remote that breaks one guarantee, as measured ones did.
final class LyingRemote: Remote {
    enum Lie: String, CaseIterable {
        /// Reports to every writer that it won; the last one's bytes stay.
        case overwrites
        /// Checks, and then writes: correct for sequential requests, several winners in a race.
        case checksThenWrites
        /// The bytes of a slot appear in two parts.
        case tears
        /// The answer names other bytes than the slot's.
        case invents
        case ignoresRanges, altersObjects, findsMissing, hidesFromLists, listsInDisorder
        case ignoresAfter, keepsDeleted, showsCutUploads, losesToCutUploads

        /// The check of the probe that has to find it.
        var check: String {
            switch self {
            case .overwrites, .checksThenWrites, .tears, .invents: "one-winner"
            case .ignoresRanges: "ranges"
            case .altersObjects: "objects"
            case .findsMissing: "absence"
            case .hidesFromLists, .listsInDisorder, .ignoresAfter: "listing"
            case .keepsDeleted: "deletion"
            case .showsCutUploads, .losesToCutUploads: "whole-or-nothing"
            }
        }
    }

    fileprivate let memory = MemoryRemote()
    fileprivate let lie: Lie
    let address = "liar"

    init(_ lie: Lie) { self.lie = lie }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        let found = try await memory.get(key, range: lie == .ignoresRanges ? nil : range)
        return lie == .findsMissing && !key.description.contains("/log/") ? found ?? [] : found
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        switch lie {
        case .overwrites:
            try await memory.put(bytes, to: slot)
            return .mine
        case .checksThenWrites:
            if let there = try await memory.get(slot, range: nil) { return .theirs(there) }
            for _ in 0..<20 { await Task.yield() }
            try await memory.put(bytes, to: slot)
            return .mine
        case .tears:
            if let there = try await memory.get(slot, range: nil) { return .theirs(there) }
            try await memory.put(Array(bytes.prefix(bytes.count / 2)), to: slot)
            for _ in 0..<20 { await Task.yield() }
            try await memory.put(bytes, to: slot)
            return .mine
        case .invents:
            let outcome = try await memory.publish(bytes, to: slot)
            return outcome == .mine ? .mine : .theirs([0])
        default: return try await memory.publish(bytes, to: slot)
        }
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await memory.put(lie == .altersObjects ? bytes + [0] : bytes, to: key)
    }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        let after = lie == .ignoresAfter ? nil : after
        var found = try await memory.list(prefix: prefix, after: after, limit: limit)
        if lie == .hidesFromLists { found.removeAll { $0.key.description.hasSuffix("packs/2") } }
        if lie == .listsInDisorder { found.reverse() }
        return found
    }

    func delete(_ key: ObjectKey) async throws {
        if lie != .keepsDeleted { try await memory.delete(key) }
    }

    func wait(prefix: String, timeout: Duration) async throws {}
}

extension LyingRemote: CuttableRemote {
    func putCut(_ upload: CutUpload) async {
        switch lie {
        case .showsCutUploads: try? await memory.put(Array(upload.sentBytes), to: upload.key)
        case .losesToCutUploads: try? await memory.delete(upload.key)
        default: break
        }
    }
}
