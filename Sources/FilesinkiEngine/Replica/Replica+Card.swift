import FilesinkiModel

extension Replica {
    /// Who a replica is, without opening it: for what works beside the files.
    ///
    /// - Throws: Code `not-found` when the folder is no replica.
    package static func card(_ options: ReplicaOptions) throws -> ReplicaCard {
        let state = options.stateFolder
        guard let card = try readCard(state) else {
            throw Failure(
                .notFound, path: options.root, "This folder is not a replica.",
                remedy: "Make it one with filesinki init.")
        }
        return card
    }
}
