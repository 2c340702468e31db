/// A remote that can be asked whether it is set up in a way that no store can live with. What it does
/// not know of itself, ``SlotProbe`` finds out by trying.
package protocol FitnessReporting {
    /// Why no store can live at the remote, and what to change, as sentences; nil when nothing that
    /// it can be asked speaks against it.
    ///
    /// - Throws: `Failure` when the remote cannot be asked.
    func unfitness() async throws -> String?
}
