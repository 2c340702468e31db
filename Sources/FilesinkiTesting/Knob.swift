import Glibc

/// A number from the environment, for example for a longer test.
package func knob(_ name: String, otherwise standard: Int) -> Int { knob(name) ?? standard }

/// A number from the environment; nil if it is not set, or empty. What is no number ends the run: a test that went on
/// with another number than was meant would prove nothing.
package func knob(_ name: String) -> Int? {
    guard let text = getenv(name).map({ String(cString: $0) }), !text.isEmpty else { return nil }
    guard let number = Int(text) else {
        preconditionFailure("\(name) must be a number, not '\(text)'.")
    }
    return number
}
