import FilesinkiCommands
import Testing

/// Worlds of ``ReplicaTests/pair()`` in which the place is lost that has what `store` lacks.
extension World {
    /// The command that leads `a` to `store`.
    var commandBack: String { "filesinki remote set --root \(folder)/a \(folder)/store" }

    /// Refusals of `store` by `a` name the steps that go on there.
    ///
    /// - Returns: What is said without `--migrate`.
    @discardableResult
    func expectStepsBack(
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let steps =
            "If it is lost, run \(commandBack) --accept, then \(commandBack) --migrate, which goes on there, and then "
            + "filesinki sync --root \(folder)/a"
        let moving = try await expect(
            "remote set store --migrate --root a", .away, sourceLocation)
        #expect(
            moving.talk.contains(steps + "."), "\(moving.talk)", sourceLocation: sourceLocation)
        let setting = try await expect("remote set store --root a", .notAllowed, sourceLocation)
        #expect(
            setting.talk.contains(steps + ": both sides"), "\(setting.talk)",
            sourceLocation: sourceLocation)
        return setting.talk
    }
}
