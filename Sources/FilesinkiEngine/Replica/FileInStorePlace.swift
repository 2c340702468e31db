package import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

extension RootPlacement {
    /// What is said of an address at which no store can be, because a file is in its place, or in that of a folder
    /// above it; nil where none is.
    ///
    /// - Parameter folder: The absolute path of the store's folder; it need not exist.
    /// - Returns: A failure with code `usage`.
    package static func fileInPlace(ofStoreAt folder: String) -> Failure? {
        let names = folder.split(separator: "/")
        var place = ""
        for (number, name) in names.enumerated() {
            place += "/" + name
            var status = stat()
            guard stat(place, &status) == 0 else { return nil }
            if status.isFolder { continue }
            return Failure(
                .usage, path: folder,
                number < names.count - 1
                    ? "No folder can be there: \(printable(place.utf8)) is a file."
                    : "This is a file, not the folder of a store.",
                remedy:
                    "Give the address of a folder; for a new store, one that is empty or not there yet."
            )
        }
        return nil
    }
}
