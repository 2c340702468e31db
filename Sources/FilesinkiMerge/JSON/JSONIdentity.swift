/// By which member the objects of an array are known.
enum JSONIdentity {
    /// What programs call it, likeliest first.
    private static let names: [[UInt8]] = [
        "id", "uuid", "_id", "guid", "uid", "key", "name", "title", "slug", "code", "path", "url",
        "href", "file", "fileName", "filename", "label", "email", "ID", "Id", "Name", "Key",
        "Title",
    ].map { Array($0.utf8) }

    /// The things of three arrays of objects by identity; nil where there is none.
    /// - Parameter rule: the member that the user named, if any.
    static func match(
        _ documents: [JSONDocument?], _ layouts: [JSONLayout?], rule: String?
    ) -> JSONMatch? {
        let candidates = rule.map { [Array($0.utf8)] } ?? names
        for name in candidates {
            if let match = JSONMatch(.member(name), documents, layouts) { return match }
        }
        return nil
    }
}
