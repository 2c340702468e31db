import FilesinkiRecords

extension RecordZone {
    /// Saves a value as a record: each property is a field of its name, see ``Record/encode(_:)``. Fields of the record
    /// that the value does not have stay.
    ///
    /// ```swift
    /// struct Note: Codable { var title: String; var count = 0; var due: Date? }
    /// try await zone.save(Note(title: "Hello"), as: "n1")
    /// let note = try await zone.load(Note.self, "n1")
    /// ```
    ///
    /// - Parameters:
    ///   - name: The record's name.
    ///   - type: The record's type; the name of the value's type if it is omitted.
    /// - Throws: ``RecordError``, and `EncodingError` for a property that is no field.
    @discardableResult
    public func save<Value: Encodable>(
        _ value: Value, as name: String, type: String = "\(Value.self)",
        policy: SavePolicy = .merge
    ) async throws -> Record {
        var record = try await record(name) ?? Record(type: type, name: name)
        try record.encode(value)
        return try await save(record, policy: policy)
    }

    /// The value that a record on this device holds; nil if there is no such record.
    ///
    /// - Throws: ``RecordError``, and `DecodingError` for a field that is missing or of another type.
    public func load<Value: Decodable>(
        _ type: Value.Type = Value.self, _ name: String
    ) async throws -> Value? {
        try await record(name)?.decode(type)
    }

    /// The values that the records on this device hold for which a predicate is true, by the records' names.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records; the name of the value's type if it is omitted.
    ///   - predicate: See ``Query``.
    /// - Throws: As ``load(_:_:)``.
    public func loadAll<Value: Decodable>(
        _ type: Value.Type = Value.self, recordType: String = "\(Value.self)",
        where predicate: String = "TRUEPREDICATE"
    ) async throws -> [String: Value] {
        let page = try await records(matching: Query(recordType, where: predicate))
        let values = try page.records.map { ($0.name, try $0.decode(type)) }
        return Dictionary(values) { first, _ in first }
    }
}
