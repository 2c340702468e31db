import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

extension SyncEngine {
    /// What a run leaves behind once its work is done: a checkpoint and an acknowledgement, each when it
    /// is due.
    ///
    /// A run for some paths looks after checkpoints too, for a store may be filled by such runs alone.
    func conclude(_ run: inout SyncRun) async throws {
        guard let token = try manifest.token else { return }
        run.report.sequence = token.sequence
        // It is about the store, so it has an empty path.
        run.report.notices += try await zone.conclude(at: token, isPartial: run.isPartial).map {
            Problem(RelativePath(unchecked: []), $0)
        }
    }
}

extension PackReference {
    init(row: PackRow) {
        self.init(id: row.id, size: row.size, indexHash: row.indexHash)
    }

    /// The row that the manifest keeps of the pack, with the commit that named it.
    func manifestRow(_ sequence: UInt64) -> PackRow {
        PackRow(id: id, size: size, indexHash: indexHash, sequence: sequence)
    }
}

extension ManifestDatabase {
    /// A number that is kept under a name; 0 before it was first set.
    func counter(_ name: String) throws -> UInt64 {
        guard let bytes = try value(name) else { return 0 }
        return UInt64(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
}

extension ManifestWriter {
    func setCounter(_ name: String, _ number: UInt64) throws {
        try setValue(name, Array(String(number).utf8))
    }
}
