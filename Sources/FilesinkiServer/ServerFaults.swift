package import FilesinkiModel
import Synchronization

/// Rules for injecting faults into a server, to test clients.
///
/// Rules are separated by `;`, each `WHICH:WHAT`. WHICH is a method or `*`, then `/N` for every Nth request
/// or `%P` for about P of a hundred, then optionally `@TEXT` for paths that contain TEXT. WHAT is `STATUS`
/// (replied with `Retry-After: 1`), `cut=N` (the reply ends after N bytes), `drop` (the request is executed,
/// its reply never sent), or `deaf` (the connection is closed before the request is executed).
package struct ServerFaults: Sendable {
    /// A fault.
    enum Fault: Hashable, Sendable {
        case status(Int)
        case cut(Int)
        case drop
        case deaf
    }

    struct Rule: Sendable {
        var method: String?
        var every: Int?
        var percent: Int?
        var part: String?
        var fault: Fault
    }

    var rules: [Rule] = []

    /// No faults.
    package init() {}

    /// - Throws: `Failure` with code `usage` for an invalid rule.
    package init(_ text: String) throws(Failure) {
        for rule in text.split(separator: ";") {
            guard let colon = rule.firstIndex(of: ":"),
                let fault = Self.fault(rule[rule.index(after: colon)...]),
                var parsed = Self.which(rule[..<colon], fault)
            else {
                throw Failure(
                    .usage, path: String(rule), "Invalid fault rule.",
                    remedy: "Write it as PUT/3:503 or GET%10:cut=1000.")
            }
            parsed.method = parsed.method == "*" ? nil : parsed.method
            rules.append(parsed)
        }
    }

    private static func fault(_ text: Substring) -> Fault? {
        switch text {
        case "drop": return .drop
        case "deaf": return .deaf
        default: break
        }
        if text.hasPrefix("cut=") { return Int(text.dropFirst(4)).map { .cut(max(0, $0)) } }
        guard let status = Int(text), (400...599).contains(status) else { return nil }
        return .status(status)
    }

    private static func which(_ text: Substring, _ fault: Fault) -> Rule? {
        var rule = Rule(fault: fault)
        var rest = text
        if let at = rest.firstIndex(of: "@") {
            rule.part = String(rest[rest.index(after: at)...])
            rest = rest[..<at]
        }
        if let slash = rest.firstIndex(of: "/") {
            guard let every = Int(rest[rest.index(after: slash)...]), every > 0 else { return nil }
            rule.every = every
            rest = rest[..<slash]
        } else if let sign = rest.firstIndex(of: "%") {
            guard let percent = Int(rest[rest.index(after: sign)...]) else { return nil }
            rule.percent = percent
            rest = rest[..<sign]
        }
        guard !rest.isEmpty else { return nil }
        rule.method = String(rest)
        return rule
    }
}

/// Selects the fault of each request.
final class FaultInjector: Sendable {
    private let rules: [ServerFaults.Rule]
    private let counts: Mutex<[Int]>
    private let systemContext: SystemContext

    init(_ faults: ServerFaults, _ systemContext: SystemContext) {
        rules = faults.rules
        counts = Mutex([Int](repeating: 0, count: faults.rules.count))
        self.systemContext = systemContext
    }

    /// The fault of the first rule that matches this request.
    func next(method: String, path: String) -> ServerFaults.Fault? {
        for (index, rule) in rules.enumerated() {
            guard rule.method ?? method == method, rule.part.map(path.contains) ?? true else {
                continue
            }
            if let every = rule.every {
                let count = counts.withLock { counts in
                    counts[index] += 1
                    return counts[index]
                }
                guard count.isMultiple(of: every) else { continue }
            }
            if let percent = rule.percent {
                let chance = Int(systemContext.randomBytes(1).first ?? 0) * 100 / 256
                guard chance < percent else { continue }
            }
            return rule.fault
        }
        return nil
    }
}
