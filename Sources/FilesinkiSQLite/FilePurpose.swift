/// What a file is to its owner, for messages.
package struct FilePurpose: Sendable {
    /// Such as `manifest`.
    package var name: String
    /// What to do when the file is damaged.
    package var whenDamaged: String

    package init(name: String, whenDamaged: String) {
        self.name = name
        self.whenDamaged = whenDamaged
    }
}
