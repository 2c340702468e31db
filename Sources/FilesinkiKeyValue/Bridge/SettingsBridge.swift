package import FilesinkiModel
import FilesinkiText

/// What a run of a bridge did.
package struct BridgeReport: Sendable {
    /// Keys that the store took from the file.
    package var toStore: [ValueKey] = []
    /// Keys that the file took from the store.
    package var toFile: [ValueKey] = []
    /// Keys whose value the file has no way to say; both sides stay as they are.
    package var unfit: [ValueKey] = []
    /// What the file is to hold now; nil when it holds that already.
    package var content: [UInt8]?
    /// What is to be remembered once the file holds it.
    package var agreed: [UInt8] = []
}

/// Keeps a settings file and a store in step, key by key, three ways: what both last agreed on is
/// remembered for each file, so that a deletion is one.
package struct SettingsBridge: Sendable {
    /// Names the file for ``KeyValues``: its absolute path.
    package var name: String
    /// Which keys take part; nil for all that the file or the store has.
    package var keys: Set<ValueKey>?
    /// Put before every name of the file.
    package var prefix: [UInt8]
    /// When the file was changed last, for keys that both sides have changed.
    package var time: Timestamp

    package init(name: String, keys: Set<ValueKey>?, prefix: [UInt8], time: Timestamp) {
        self.name = name
        self.keys = keys
        self.prefix = prefix
        self.time = time
    }
}

extension KeyValues {
    /// Takes what the file has changed into the store, in one write, and says what the file is to hold.
    ///
    /// - Throws: `Failure` with code `usage` when the file is not of its format, and what
    ///   ``apply(_:)`` throws; then nothing was changed.
    package func bridge(
        _ file: SettingsFile, _ bridge: SettingsBridge
    ) throws -> BridgeReport {
        let there = try file.values()
        // A file that is gone, or was cut to nothing, is no deletion of everything.
        let former = file.bytes.isEmpty ? [:] : try agreed(bridge)
        var report = BridgeReport()
        var changes: [ValueChange] = []
        var edits: [[UInt8]: TypedValue?] = [:]
        var agreed: [(String, TypedValue)] = []
        for key in try bridgedKeys(there, former, bridge) {
            let name = Array(key.bytes.dropFirst(bridge.prefix.count))
            let step = BridgeStep(
                file: file, name: name, base: former[key],
                here: try database.item(key)?.here ?? .absent,
                there: there[name], time: bridge.time.nanoseconds)
            switch step.outcome {
            case .equal: break
            case .unfit:
                report.unfit.append(key)
                continue
            case .store(let value):
                changes.append(ValueChange(key, value))
                report.toStore.append(key)
            case .file(let value):
                edits.updateValue(value, forKey: name)
                report.toFile.append(key)
            }
            if let value = step.agreed { agreed.append((hexadecimal(key.bytes), value)) }
        }
        try apply(changes)
        if !edits.isEmpty {
            var changed = file
            try changed.change(edits)
            report.content = changed.bytes
        }
        report.agreed = ValueCoder.encode(.dictionary(ValueMembers(agreed)))
        return report
    }

    /// Remembers what a file and the store agree on.
    package func remember(_ report: BridgeReport, _ bridge: SettingsBridge) throws {
        try database.write { try database.set("bridge " + bridge.name, report.agreed) }
    }

    private func agreed(_ bridge: SettingsBridge) throws -> [ValueKey: TypedValue] {
        guard let bytes = try database.setting("bridge " + bridge.name),
            case .dictionary(let members)? = ValueCoder.decode(bytes)
        else { return [:] }
        var result: [ValueKey: TypedValue] = [:]
        for member in members {
            guard let key = bytesOf(member.name) else { continue }
            result[ValueKey(unchecked: key)] = member.value
        }
        return result
    }

    private func bytesOf(_ text: String) -> [UInt8]? { bytes(hexadecimal: text) }

    private func bridgedKeys(
        _ file: [[UInt8]: TypedValue], _ former: [ValueKey: TypedValue], _ bridge: SettingsBridge
    ) throws -> [ValueKey] {
        if let keys = bridge.keys { return keys.sorted() }
        var keys = Set(former.keys)
        for name in file.keys { keys.insert(try ValueKey(bridge.prefix + name)) }
        for item in try database.list(prefix: bridge.prefix) where item.key.bytes != bridge.prefix {
            keys.insert(item.key)
        }
        return keys.sorted()
    }
}

/// One key of a bridge.
private struct BridgeStep {
    enum Outcome {
        case equal, unfit
        case store(TypedValue?)
        case file(TypedValue?)
    }

    let file: SettingsFile
    /// The key's name in the file.
    let name: [UInt8]
    /// What both said last, as the file says it.
    let base: TypedValue?
    let here: Register
    let there: TypedValue?
    let time: Int64

    /// The store's value as the file says it.
    private var form: TypedValue? { here.value.flatMap { file.form(of: $0, at: name) } }

    var outcome: Outcome {
        if here.value != nil, form == nil { return .unfit }
        if form == there { return .equal }
        if there == base { return .file(here.value) }
        if form == base { return .store(typed) }
        // Both have changed it. At the first meeting the store's stays.
        if base == nil, here.value != nil { return .file(here.value) }
        let merge = ValueMerge(
            base: Register(base, time: 0, device: []), here: here,
            there: Register(
                there, time: time, device: Array(repeating: 0, count: 16), policy: here.policy))
        if case .there = merge.outcome { return .store(typed) }
        return .file(here.value)
    }

    /// What both say from now on, as the file says it.
    var agreed: TypedValue? {
        switch outcome {
        case .equal, .store, .unfit: there
        case .file: form
        }
    }

    /// The file's value in the type that the key has.
    private var typed: TypedValue? {
        guard case .string(let text)? = there, let former = here.value else { return there }
        let value: TypedValue? =
            switch former {
            case .integer: Int64(text).map(TypedValue.integer)
            case .double: Double(text).flatMap { $0.isNaN ? nil : .double($0) }
            case .bool: ["true": true, "false": false][text].map(TypedValue.bool)
            case .date: DateText.milliseconds(text).map { .date(milliseconds: $0) }
            case .data: Base64.decode(text).map(TypedValue.data)
            case .url: .url(text)
            case .array, .dictionary: try? JSONText.decode(text.utf8)
            case .string, .null: nil
            }
        return value ?? there
    }
}
