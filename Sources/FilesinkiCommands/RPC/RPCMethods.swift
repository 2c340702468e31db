import FilesinkiText

/// All methods of `filesinki rpc`.
enum RPCMethods {
    static let all =
        KeyValueMethods.all + RecordMethods.all + SubscriptionMethods.all + SchemaMethods.all
        + ZoneMethods.all
        + FileMethods.all
        + ConflictMethods.all

    /// The method that lists them.
    static let list = "rpc.methods"

    /// The result of ``list``.
    static var json: [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.array(all.map { .object($0.json) }).append(to: &bytes)
        return bytes
    }
}
