import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

extension ManifestDatabase {
    /// The head of the commit that a token names; empty where it is not known.
    func head(of token: ChangeToken) throws -> [UInt8] {
        let name = token.tipName
        guard let tip = try value("tip"), tip.starts(with: name) else { return [] }
        return Array(tip.dropFirst(name.count))
    }
}

extension ManifestWriter {
    /// Notes how far the log has been seen.
    ///
    /// - Parameter head: See ``FilesinkiStore/Commit/head``; empty where it is not known.
    func setTip(_ token: ChangeToken, _ head: [UInt8]) throws {
        try setToken(token)
        if !head.isEmpty { try setValue("tip", token.tipName + head) }
    }
}

extension ChangeToken {
    /// What tells the head of this commit from one that was left behind by an earlier one.
    fileprivate var tipName: [UInt8] { Array("\(sequence) ".utf8) + hash.bytes }
}
