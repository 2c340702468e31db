/// What a file is to its owner, for messages.
package struct FilePurpose: Sendable {
    /// Such as `manifest`.
    package var name: String
    /// What to do when the file is damaged.
    package var whenDamaged: String
    /// Called with the file's path whenever damage is met.
    package var noteDamage: @Sendable ([UInt8]) -> Void

    package init(
        name: String, whenDamaged: String,
        noteDamage: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
        self.name = name
        self.whenDamaged = whenDamaged
        self.noteDamage = noteDamage
    }
}
