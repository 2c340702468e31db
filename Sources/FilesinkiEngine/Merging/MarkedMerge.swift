package import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile

extension FileMerge {
    /// Both versions with markers where the first merge of the chain cannot decide: see ``MarkedMerge``. What else the format
    /// merges is merged.
    ///
    /// - Parameter limit: The largest version that is read, in bytes.
    /// - Returns: Nil if a version is not text, or too large.
    package func marked(
        labels: TextMerge.Labels, markerSize: Int = TextMerge.markerSize, limit: Int
    ) throws -> [UInt8]? {
        try markedMerge(labels, markerSize, limit)?.bytes
    }

    /// What a person begins with who decides the conflict: see ``MarkedMerge/proposal``.
    ///
    /// - Returns: As ``marked(labels:markerSize:limit:)``.
    package func proposal(labels: TextMerge.Labels, limit: Int) throws -> [UInt8]? {
        try markedMerge(labels, TextMerge.markerSize, limit)?.proposal
    }

    private func markedMerge(
        _ labels: TextMerge.Labels, _ markerSize: Int, _ limit: Int
    ) throws -> MarkedMerge? {
        let files = try [base, ours, theirs].map { try MergeVersions.read($0, limit: limit) }
        guard let base = files[0], let ours = files[1], let theirs = files[2] else { return nil }
        var input = MergeInput(
            base: base.isEmpty ? nil : base, ours: ours, theirs: theirs,
            oursModified: try Self.entry(self.ours).modified,
            theirsModified: try Self.entry(self.theirs).modified, settings: settings)
        input.settings.keepsMembers = false
        let format = format(of: [base, ours, theirs].filter { !$0.isEmpty }) ?? .text
        return MarkedMerge(input, format, labels: labels, markerSize: markerSize)
    }

    /// The format by which the chain merges first; nil for databases, and if it has none.
    private func format(of versions: [[UInt8]]) -> DocumentFormat? {
        for case .merge(let link) in strategy.links {
            switch link {
            case .exec: continue
            case .format(let format): return DocumentFormat(format, fileName: path.name)
            case .auto:
                if let format = settings.format {
                    return DocumentFormat(format, fileName: path.name)
                }
                let named = DocumentFormat(fileName: path.name)
                let isJSON = versions.allSatisfy { JSONMerge.isDocument($0) }
                return isJSON && named?.format != .ipynb ? .json : named
            }
        }
        return nil
    }
}
