import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// What a resolve says at its end: what it has resolved, and how much is left.
extension Session {
    /// - Parameters:
    ///   - targets: What it was about. A conflict that is still open is not said to be resolved.
    ///   - side: What was taken, if it was the same for all.
    func sayResolved(_ targets: [ResolveTarget], taking side: String? = nil) async throws {
        guard !console.outputOptions.isJSON, !targets.isEmpty else { return }
        let open = try await replica.conflicts()
        let left = Set(open.map { [$0.path, $0.copy ?? $0.path] })
        let ended = targets.flatMap(\.conflicts).filter {
            !left.contains([$0.path, $0.copy ?? $0.path])
        }
        var sentences: [String] = []
        if let path = ended.first?.path {
            let count = CountText.text(ended.count, "conflict")
            let isAll = !open.contains { $0.path == path }
            let name =
                Set(ended.map(\.path)).count > 1
                ? count : ended.count == 1 && isAll ? "\(path)" : "\(count) of \(path)"
            sentences.append("Resolved \(name)\(side.map { ": took \($0)" } ?? "").")
        }
        sentences.append(
            open.isEmpty
                ? "No conflict is open."
                : CountText.text(open.count, "conflict")
                    + (open.count == 1 ? " is" : " are") + " open: see filesinki conflicts.")
        console.say(sentences.joined(separator: " "))
    }
}
