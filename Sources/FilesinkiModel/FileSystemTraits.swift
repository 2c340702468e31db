/// What a file system can do beyond what every one can.
package struct FileSystemTraits: Hashable, Sendable {
    /// Two names can be swapped in one step.
    package var exchanges: Bool
    /// `a` and `A` are one name.
    package var foldsCase: Bool
    /// Two spellings of `é` in Unicode are one name.
    package var foldsUnicode: Bool
    /// Permission bits stay as they were set.
    package var keepsModes: Bool

    package init(
        exchanges: Bool = true, foldsCase: Bool = false, foldsUnicode: Bool = false,
        keepsModes: Bool = true
    ) {
        self.exchanges = exchanges
        self.foldsCase = foldsCase
        self.foldsUnicode = foldsUnicode
        self.keepsModes = keepsModes
    }
}
