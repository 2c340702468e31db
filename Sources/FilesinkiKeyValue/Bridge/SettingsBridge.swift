import FilesinkiItems
package import FilesinkiModel
import FilesinkiText

/// The result of a bridge run.
package struct BridgeReport: Sendable {
    /// Keys that changed in the store.
    package var toStore: [ValueKey] = []
    /// Keys that changed in the file.
    package var toFile: [ValueKey] = []
    /// Keys whose value the file's format cannot hold; both sides stay as they are.
    package var unfit: [ValueKey] = []
    /// The file's new content; nil when it is unchanged.
    package var content: [UInt8]?
    /// The new base, to be remembered after the file was written.
    package var agreed: [UInt8] = []
}

/// Syncs a settings file with a store, key by key, three ways: the last agreed values are remembered
/// for each file, so that deletions are recognized.
package struct SettingsBridge: Sendable {
    /// Names the file for ``KeyValues``: its absolute path.
    package var name: String
    /// The keys to sync; nil for all keys of the file and the store.
    package var keys: Set<ValueKey>?
    /// The prefix of the keys, before the file's names.
    package var prefix: [UInt8]
    /// When the file was modified, for keys that both sides changed.
    package var time: Timestamp

    package init(name: String, keys: Set<ValueKey>?, prefix: [UInt8], time: Timestamp) {
        self.name = name
        self.keys = keys
        self.prefix = prefix
        self.time = time
    }
}

extension KeyValues {
    /// Applies the file's changes to the store in one transaction, and computes the file's new content.
    ///
    /// - Throws: `Failure` with code `usage` when the file is not of its format, and what
    ///   ``apply(_:)`` throws; then nothing was changed.
    package func bridge(
        _ file: SettingsFile, _ bridge: SettingsBridge
    ) throws -> BridgeReport {
        let theirs = try file.values()
        // A file that is gone, or was cut to nothing, is no deletion of everything.
        let former = file.bytes.isEmpty ? [:] : try agreed(bridge)
        var report = BridgeReport()
        var changes: [ValueChange] = []
        var edits: [[UInt8]: TypedValue?] = [:]
        var agreed: [(String, TypedValue)] = []
        for key in try bridgedKeys(theirs, former, bridge) {
            let name = Array(key.bytes.dropFirst(bridge.prefix.count))
            let step = BridgeStep(
                file: file, name: name, base: former[key],
                ours: try database.item(key)?.ours ?? .absent,
                theirs: theirs[name], time: bridge.time.nanoseconds)
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

    /// Records the values on which the file and the store agree.
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
    /// The last agreed value, as the file writes it.
    let base: TypedValue?
    let ours: Register
    let theirs: TypedValue?
    let time: Int64

    /// The store's value as the file writes it.
    private var form: TypedValue? { ours.value.flatMap { file.form(of: $0, at: name) } }

    var outcome: Outcome {
        if ours.value != nil, form == nil { return .unfit }
        if form == theirs { return .equal }
        if theirs == base { return .file(ours.value) }
        if form == base { return .store(typed) }
        // Both have changed it. Without a base the store's value stays.
        if base == nil, ours.value != nil { return .file(ours.value) }
        let merge = ValueMerge(
            base: Register(base, time: 0, device: []), ours: ours,
            theirs: Register(
                theirs, time: time, device: Array(repeating: 0, count: 16), policy: ours.policy))
        if case .theirs = merge.outcome { return .store(typed) }
        return .file(ours.value)
    }

    /// The agreed value from now on, as the file writes it.
    var agreed: TypedValue? {
        switch outcome {
        case .equal, .store, .unfit: theirs
        case .file: form
        }
    }

    /// The file's value, converted to the type of the key.
    private var typed: TypedValue? {
        guard case .string(let text)? = theirs, let former = ours.value else { return theirs }
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
        return value ?? theirs
    }
}
