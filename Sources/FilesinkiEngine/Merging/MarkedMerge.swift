package import FilesinkiMerge
import FilesinkiReconcile

extension FileMerge {
    /// Both versions with markers where a merge cannot decide: of a format with names, only the values that both changed; what one
    /// side changed is merged. Where the format declines otherwise, and in other texts, by lines.
    ///
    /// - Parameters:
    ///   - limit: The largest version that is read, in bytes.
    ///   - outputs: Where merged contents are kept meanwhile.
    /// - Returns: Nil if a version is not text, or too large.
    package func marked(
        labels: TextMerge.Labels, limit: Int, keepingIn outputs: MergeOutputs
    ) async throws -> [UInt8]? {
        let files = try [base, ours, theirs].map { try MergeVersions.read($0, limit: limit) }
        guard let base = files[0], let ours = files[1], let theirs = files[2] else { return nil }
        // The one merge with all that both changed from here, and with all of it from there.
        if let here = try await merged(choosing: .ours, limit, outputs),
            let there = try await merged(choosing: .theirs, limit, outputs), here != there,
            let text = TextMerge.marked(here, against: there, labels: labels)
        {
            return text
        }
        return TextMerge.marked(
            MergeInput(base: base, ours: ours, theirs: theirs), labels: labels)
    }

    private func merged(
        choosing choice: FieldChoice, _ limit: Int, _ outputs: MergeOutputs
    ) async throws -> [UInt8]? {
        var merge = self
        merge.trace = nil
        merge.settings.fieldChoice = choice
        merge.settings.keepsMembers = false
        guard case .merged(let file, _, _) = try await merge.run(keepingIn: outputs) else {
            return nil
        }
        return try MergeVersions.read(file, limit: limit)
    }
}
