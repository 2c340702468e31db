import FilesinkiModel

extension Replica {
    /// Who a replica is, without opening it: for what works beside the files.
    ///
    /// - Throws: Code `not-found` when the folder is no replica.
    package static func config(_ options: ReplicaOptions) throws -> ReplicaConfig {
        let state = options.stateFolder
        guard let config = try readConfig(state) else {
            throw Failure(
                .notFound, path: options.root, "This folder is not a replica.",
                remedy: "Make it one with filesinki init.")
        }
        return config
    }
}
