package import FilesinkiModel
import FilesinkiText

extension Failure {
    /// The store has a note that it was copied to another place.
    ///
    /// - Parameters:
    ///   - address: Where it was copied to.
    ///   - device: The name of the device that did so; empty if it is not known.
    ///   - options: What a device needs there, each after a space.
    package static func storeMoved(
        to address: String, by device: String, options: String = ""
    ) -> Failure {
        Failure(
            .wrongStore, storeMovedSentence(to: address, by: device),
            remedy: "If you know that address, run "
                + "\(commandFollowing(moveTo: address, options: options)).")
    }

    /// The command that follows a store to an address, with the option that a device may need there.
    ///
    /// - Parameter options: What every device needs there, each after a space.
    package static func commandFollowing(moveTo address: String, options: String) -> String {
        "filesinki remote set \(ShellWord.shown(address.utf8))\(options)\(tokenClause(at: address))"
    }

    /// How a device gives its token at an address, as it follows a command; empty where there is none.
    package static func tokenClause(at address: String) -> String {
        guard case .network(let text)? = try? RemoteAddress(absolute: address),
            NetworkKind(scheme: text.prefix { $0 != ":" }) == .server
        else { return "" }
        return ", with --token-file FILE if its server asks for a token"
    }

    /// `The store was moved to ADDRESS by DEVICE.` The path of a folder is that of another machine, which may have
    /// another store there, or none.
    ///
    /// - Parameters: As of ``storeMoved(to:by:options:)``.
    package static func storeMovedSentence(to address: String, by device: String) -> String {
        var sentence = "The store was moved to \(ShellWord.shown(address.utf8))"
        if !device.isEmpty { sentence += " by \(printable(device.utf8))" }
        if case .folder? = try? RemoteAddress(absolute: address) {
            sentence +=
                " (a path of \(device.isEmpty ? "the machine that moved it" : "that machine"))"
        }
        return sentence + "."
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
