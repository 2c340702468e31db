/// Says what a scan leaves out. One value stands for one folder and all rules that hold in it.
package protocol ScanFilter: Sendable {
    /// Whether `name`, directly inside this folder, is left out.
    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool

    /// The filter for the folder `name` directly inside this one.
    ///
    /// - Parameter read: Gives the content of a file directly inside that folder, nil when there is
    ///   no such regular file. The scan calls this method once for each folder it enters.
    func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
}

/// Leaves nothing out.
package struct EverythingFilter: ScanFilter {
    package init() {}
    package func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool { false }
    package func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
    { self }
}
