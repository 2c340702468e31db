import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The name of this device where the user gave none.
enum DeviceName {
    /// `$FILESINKI_DEVICE`, else the host's name up to its first dot.
    static func standard(in console: Console) -> String {
        if let name = console.environment["FILESINKI_DEVICE"], isFit(name) { return name }
        let name = nameOfHost()
        return isFit(name) ? name : "device"
    }

    /// The name that the user gave, or the standard one.
    static func chosen(_ name: String?, in console: Console) throws(Failure) -> String {
        guard let name else { return standard(in: console) }
        return try checked(name)
    }

    /// - Throws: `Failure` with code `usage` for a name that could not be shown in a list or in the
    ///   name of a file.
    private static func checked(_ name: String) throws(Failure) -> String {
        guard isFit(name) else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: name), "This name does not do for a device.",
                remedy:
                    "Choose up to 64 characters, without a slash and without control characters.")
        }
        return name
    }

    private static func isFit(_ name: String) -> Bool {
        let isPlain = printable(name.utf8) == name && !name.contains("/")
        return !name.isEmpty && name.count <= 64 && isPlain && name.first != " " && name.last != " "
    }
}
