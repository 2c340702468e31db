/// A command by git's convention of a merge driver.
///
/// In its text `%O`, `%A`, `%B` and `%P` stand for the files with base, here and there, and for the path.
/// It leaves its result in the place of here and exits with 0; 1 declines. Where there is no base its file
/// is empty. See gitattributes(5), "Defining a custom merge driver".
package struct MergeDriver: Sendable {
    /// The command as the user wrote it.
    package var command: String

    package init(_ command: String) { self.command = command }

    /// The files are variables of the shell, so that no name needs quoting.
    package var expanded: String {
        var text = ""
        var isPercent = false
        for character in command {
            guard isPercent else {
                if character == "%" { isPercent = true } else { text.append(character) }
                continue
            }
            isPercent = false
            switch character {
            case "O": text += "\"$FILESINKI_BASE\""
            case "A": text += "\"$FILESINKI_HERE\""
            case "B": text += "\"$FILESINKI_THERE\""
            case "P": text += "\"$FILESINKI_PATH\""
            case "L": text += "7"
            case "%": text += "%"
            default: text += "%\(character)"
            }
        }
        return isPercent ? text + "%" : text
    }

    /// What the command is told about the versions.
    package static func variables(
        base: String, here: String, there: String, path: [UInt8]
    ) -> [(name: String, value: [UInt8])] {
        [
            ("FILESINKI_BASE", Array(base.utf8)), ("FILESINKI_HERE", Array(here.utf8)),
            ("FILESINKI_THERE", Array(there.utf8)), ("FILESINKI_PATH", path),
        ]
    }
}
