package import FilesinkiRemote
import Glibc

extension RemoteAddress {
    /// Makes the store's folder if it is one and the folder above it is there.
    ///
    /// Only for a replica that has not met its store yet: an absent folder of one that has is most
    /// likely a disk that is not mounted.
    package func makeFolder() {
        // What cannot be made is found absent by who opens it, and said there.
        if case .folder(let path) = self { mkdir(path, 0o777) }
    }
}
