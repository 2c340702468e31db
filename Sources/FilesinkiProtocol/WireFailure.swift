package import FilesinkiModel

/// The failures that a reply itself can be.
package enum WireFailure {
    /// What came is not what the protocol says.
    package static var corruptReply: Failure {
        Failure(
            .corrupt, "The server's reply is malformed.",
            remedy: "Check that the address is that of a filesinki server.")
    }

    /// The connection ended inside a reply.
    package static var cutReply: Failure {
        Failure(
            .away, "The server's reply ended too early.", remedy: "Run again when it answers.")
    }
}
