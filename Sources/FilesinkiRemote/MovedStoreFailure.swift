package import FilesinkiModel
import FilesinkiText

extension Failure {
    /// The store has a note that it was copied to another place.
    ///
    /// - Parameters:
    ///   - address: Where it was copied to.
    ///   - device: The name of the device that did so; empty if it is not known.
    package static func storeMoved(to address: String, by device: String) -> Failure {
        let address = ShellWord.shown(address.utf8)
        let device = device.isEmpty ? "" : " by \(printable(device.utf8))"
        return Failure(
            .wrongStore, "The store was moved to \(address)\(device).",
            remedy: "If you know that address, run filesinki remote set \(address).")
    }

    /// The same, where something was to be published: also how to go on where the store was.
    ///
    /// - Parameter source: The address that the replica has.
    package func stoppingPublication(at source: String?) -> Failure {
        guard let source else { return self }
        var failure = self
        failure.remedy +=
            " If it is gone, filesinki remote set \(ShellWord.shown(source.utf8)) --migrate goes on here."
        return failure
    }
}
