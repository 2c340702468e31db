import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// What a resolve says at its end: what it has resolved, and how much is left.
extension Session {
    /// - Parameters:
    ///   - paths: The paths that it was about. Those with a conflict that is still open are not said to be resolved.
    ///   - side: What was taken, if it was the same for all.
    func sayResolved(_ paths: [RelativePath], taking side: String? = nil) async throws {
        guard !console.outputOptions.isJSON, !paths.isEmpty else { return }
        let open = try await replica.conflicts()
        let ended = Set(paths.map { conflictOriginal(of: $0)?.path ?? $0 })
            .subtracting(open.map(\.path))
        var sentences: [String] = []
        if !ended.isEmpty {
            let name =
                ended.count == 1
                ? ended.first.map(\.description) : CountText.text(ended.count, "conflict")
            sentences.append(
                "Resolved \(name ?? "")\(side.map { ": took \($0)" } ?? "").")
        }
        sentences.append(
            open.isEmpty
                ? "No conflict is open."
                : CountText.text(open.count, "conflict")
                    + (open.count == 1 ? " is" : " are") + " open: see filesinki conflicts.")
        console.say(sentences.joined(separator: " "))
    }
}
