import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

extension ManifestDatabase {
    /// The stored header of the commit that a token names; empty where it is not known.
    func storedHeader(of token: ChangeToken) throws -> [UInt8] {
        let name = token.tipName
        guard let tip = try value("tip"), tip.starts(with: name) else { return [] }
        return Array(tip.dropFirst(name.count))
    }
}

extension ManifestWriter {
    /// Notes how far the log has been seen.
    ///
    /// - Parameter storedHeader: See ``FilesinkiStore/Commit/storedHeader``; empty where it is not known.
    func setTip(_ token: ChangeToken, _ storedHeader: [UInt8]) throws {
        try setToken(token)
        if !storedHeader.isEmpty { try setValue("tip", token.tipName + storedHeader) }
    }
}

extension ChangeToken {
    /// What tells the stored header of this commit from one that was left behind by an earlier one.
    fileprivate var tipName: [UInt8] { Array("\(sequence) ".utf8) + hash.bytes }
}
