import FilesinkiModel

extension Plan {
    /// The plan as bytes: equal for equal plans, different for different ones. Its hash is the
    /// plan's id, by which a person approves it.
    ///
    /// Numbers are 8 bytes, little endian; a text or path is its length and its bytes; what may be
    /// missing is led by a byte, 0 or 1.
    package var canonicalBytes: [UInt8] {
        var bytes = CanonicalBytes()
        bytes.add(UInt64(steps.count))
        for step in steps { bytes.add(step) }
        return bytes.bytes
    }
}

private struct CanonicalBytes {
    var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ text: some Collection<UInt8>) {
        add(UInt64(text.count))
        bytes.append(contentsOf: text)
    }

    mutating func add(_ entry: Entry) {
        bytes.append(entry.kind.rawValue)
        add(UInt64(entry.mode))
        add(UInt64(bitPattern: entry.kind == .directory ? 0 : entry.modified.nanoseconds))
        add(UInt64(bitPattern: entry.size))
        entry.content.withBytes { bytes.append(contentsOf: $0) }
        add(entry.target)
    }

    mutating func add<Value>(_ value: Value?, _ body: (inout CanonicalBytes, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    mutating func add(_ step: Step) {
        add(step.path.bytes)
        add(step.action.word.utf8)
        add(step.action.entry) { $0.add($1) }
        add(step.reason.word.utf8)
        add(step.base) { $0.add($1.entry) }
        add(step.ours) { $0.add($1) }
        add(step.theirs) { bytes, theirs in
            bytes.add(theirs.version)
            bytes.add(theirs.entry)
        }
        add(step.origin) { $0.add($1.bytes) }
        if case .undecided(let links) = step.action {
            add(Strategy(links).description.utf8)
        }
    }
}
