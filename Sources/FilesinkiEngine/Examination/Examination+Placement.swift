import FilesinkiManifest
import FilesinkiModel
import Glibc

extension Examination {
    /// Whether the root and the store are apart, and whether the root and another replica are.
    func placement(_ card: ReplicaCard) -> Finding {
        let placement = RootPlacement(root: options.root)
        if let remote = card.remote {
            do throws(Failure) { try placement.check(against: remote) } catch {
                var finding = Finding("placement", .trouble, error)
                finding.remedy = "Move the store, then run filesinki remote set with its new place."
                return finding
            }
        }
        if let outer = placement.surroundingReplica() {
            return Finding(
                "placement", .warning,
                .nestedReplica(Array(options.root.utf8), in: outer))
        }
        if let inner = innerReplica() {
            return Finding("placement", .warning, .innerReplica(inner))
        }
        return Finding("placement", .ok, "The root and the store are separate folders.")
    }

    /// The first known folder that is another replica; nil for none.
    private func innerReplica() -> RelativePath? {
        guard let manifest = try? ManifestDatabase.openReadOnly(at: state.manifest),
            let rows = try? manifest.loadBase()
        else { return nil }
        let end = "/\(RelativePath.stateFolder)/root".utf8
        return rows.first { row in
            guard row.entry.kind == .directory else { return false }
            let marker = Array("\(options.root)/".utf8) + row.path.bytes + Array(end)
            return (marker + [0]).withUnsafeBytes { bytes in
                bytes.assumingMemoryBound(to: CChar.self).baseAddress.map { access($0, F_OK) == 0 }
            } ?? false
        }?.path
    }
}
