package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension LiveDatabases {
    /// Gives the header of a private database the values that every snapshot has, so that equal
    /// contents are equal bytes (fileformat2.html, section 1.3):
    /// * 18 and 19, the journal mode: 1, no write-ahead log. It belongs to the device.
    /// * 24, the change counter, and 92, the counter's value for which the size is valid: 1. They count
    ///   transactions, also those that leave everything as it was.
    /// * 40, the schema cookie: 1. SQLite's backup sets it anew in any case.
    /// * 96, the version of SQLite that wrote last: 3.40.1.
    ///
    /// - Parameter path: A file of our own that nobody has open.
    package static func normalize(_ path: String) throws(Failure) {
        let file = try NamedFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK, of: .local)
        guard try isDatabase(file.read(from: 0, count: headerLength)) else { return }
        try file.write([1, 1], at: 18)
        try file.write([0, 0, 0, 1], at: 24)
        try file.write([0, 0, 0, 1], at: 40)
        try file.write([0, 0, 0, 1] + [0x00, 0x2E, 0x63, 0x01], at: 92)
    }
}
