import FilesinkiModel

/// Reads records from bytes that anybody may have written: no length and no count is believed before the
/// bytes are there.
struct RecordReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func record() -> Record? {
        guard rest.popFirst() == RecordCoder.version, let created = stamp(), let modified = stamp(),
            let recordName = name().flatMap({ try? RecordName($0) }),
            let type = name().flatMap({ try? RecordType($0) }),
            let count = length(), count <= rest.count
        else { return nil }
        var record = Record(recordName, type, created: created, modified: modified)
        var last: FieldName?
        for _ in 0..<count {
            guard let (name, field) = field(), last.map({ $0 < name }) ?? true else { return nil }
            record.copy(name, field)
            last = name
        }
        return record
    }

    private mutating func field() -> (FieldName, Field)? {
        guard let fieldName = name().flatMap({ try? FieldName($0) }), let stamp = stamp(),
            let type = rest.popFirst().flatMap(FieldType.init(code:)), let value = value(of: type)
        else { return nil }
        return (fieldName, Field(value, stamp))
    }

    private mutating func stamp() -> Stamp? {
        guard let time = number(Int64.self), let device = content(of: Stamp.deviceLength) else {
            return nil
        }
        return Stamp(time: time, device: Array(device))
    }

    private mutating func value(of type: FieldType) -> FieldValue? {
        type.isList ? list(of: type.element) : element(type.element)
    }

    private mutating func list(of type: ElementType) -> FieldValue? {
        // Each element has a byte at least.
        guard let count = length(), count <= rest.count else { return nil }
        var elements: [FieldValue] = []
        for _ in 0..<count {
            guard let element = element(type) else { return nil }
            elements.append(element)
        }
        return (try? FieldList(elements, of: type)).map(FieldValue.list)
    }

    private mutating func element(_ type: ElementType) -> FieldValue? {
        switch type {
        case .string:
            content().flatMap { String(validating: $0, as: UTF8.self) }.map(FieldValue.string)
        case .integer: number(Int64.self).map(FieldValue.integer)
        case .double:
            number(UInt64.self).map(Double.init(bitPattern:))
                .flatMap { $0.isNaN ? nil : .double($0) }
        case .data: content().map { .data(Array($0)) }
        case .date: number(Int64.self).map { .date(milliseconds: $0) }
        case .location: location()
        case .reference: reference()
        case .asset: asset()
        }
    }

    private mutating func location() -> FieldValue? {
        guard let latitude = number(UInt64.self), let longitude = number(UInt64.self),
            let location = try? Location(
                latitude: Double(bitPattern: latitude), longitude: Double(bitPattern: longitude)),
            // −0.0 is not written.
            location.latitude.bitPattern == latitude, location.longitude.bitPattern == longitude
        else { return nil }
        return .location(location)
    }

    private mutating func reference() -> FieldValue? {
        guard let action = rest.popFirst().flatMap(Reference.Action.init),
            let target = name().flatMap({ try? RecordName($0) })
        else { return nil }
        return .reference(Reference(target, action: action))
    }

    private mutating func asset() -> FieldValue? {
        guard let content = content(of: ContentID.byteCount).flatMap({ ContentID(Array($0)) }),
            let size = number(UInt64.self)
        else { return nil }
        return .asset(Asset(content, size: size))
    }

    // MARK: - Bytes

    private mutating func name() -> String? {
        guard let count = rest.popFirst(), let bytes = content(of: Int(count)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private mutating func length() -> Int? { number(UInt32.self).map(Int.init) }

    private mutating func content() -> ArraySlice<UInt8>? { length().flatMap { content(of: $0) } }

    private mutating func content(of count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type
    ) -> Number? {
        guard let bytes = content(of: MemoryLayout<Number>.size) else { return nil }
        return Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: type) })
    }
}
