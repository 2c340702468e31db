extension Failure {
    /// The sentence that tells how a replica gets a remote. The command line tells more in its place where the user may
    /// mean another replica.
    package static let setRemote = "Set one with filesinki remote set URL."

    /// What needs the store failed, because the replica has none.
    ///
    /// - Parameter root: The replica's folder; empty if it is not known.
    package static func noRemote(of root: String = "") -> Failure {
        Failure(.notFound, path: root, "The replica has no remote.", remedy: setRemote)
    }
}
