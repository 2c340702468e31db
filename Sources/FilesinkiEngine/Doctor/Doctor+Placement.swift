import FilesinkiManifest
import FilesinkiModel
import Glibc

extension Doctor {
    /// Whether the root and the store are apart, and whether the root and another replica are.
    func placement(_ config: ReplicaConfig) -> Diagnosis {
        let placement = RootPlacement(root: options.root)
        if let remote = config.remote {
            do throws(Failure) { try placement.check(against: remote) } catch {
                var finding = Diagnosis("placement", .trouble, error)
                finding.remedy = "Move the store, then run filesinki remote set with its new place."
                return finding
            }
        }
        if let outer = placement.surroundingReplica() {
            return Diagnosis(
                "placement", .warning,
                .nestedReplica(Array(options.root.utf8), in: outer))
        }
        if let inner = innerReplica() {
            return Diagnosis("placement", .warning, .innerReplica(inner))
        }
        return Diagnosis("placement", .ok, "The root and the store are separate folders.")
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
