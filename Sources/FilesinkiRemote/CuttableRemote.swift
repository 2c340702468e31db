/// A remote that can be made to lose its connection in the middle of a ``Remote/put(_:to:)``, so that
/// ``SlotProbe`` sees what is left behind.
package protocol CuttableRemote {
    /// Begins to store an object, and cuts the connection after so many of its bytes.
    ///
    /// Whether that is noticed as a failure does not matter: returns in either case.
    ///
    /// - Parameter count: 0 up to the number of bytes.
    func putCut(_ bytes: [UInt8], to key: ObjectKey, after count: Int) async
}
