package import FilesinkiModel

extension Connection {
    /// Lets a write go on only inside a transaction.
    ///
    /// - Throws: `Failure` when there is none: the writer outlived it, or SQLite took it back.
    package func needTransaction() throws(Failure) {
        guard isInTransaction else { throw transactionEnded }
    }

    /// The failure of work that goes on after its transaction was taken back.
    var transactionEnded: Failure {
        Failure(
            .io, path: path, "The \(purpose.name)'s transaction has ended before its work.",
            remedy: "Run again; nothing of it was written.")
    }

    /// Calls `body` with one state of the file before its eyes.
    package func snapshot<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard !isInTransaction else { return try body() }
        try run("BEGIN")
        defer { takeBack() }
        return try body()
    }

    /// Ends a transaction without its changes. That it may have ended already is no failure.
    package func takeBack() { try? run("ROLLBACK") }
}
