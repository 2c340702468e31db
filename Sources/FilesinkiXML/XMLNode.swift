/// An element of an XML document. Attributes are not kept: nothing that a store's server says is in
/// one.
package struct XMLNode: Hashable, Sendable {
    /// The local name, without a prefix.
    package var name: String
    /// The namespace's URI; empty for none.
    package var namespace: String
    /// The text directly inside, in order, with its white space and without that of the children.
    package var text: String
    package var children: [XMLNode]

    package init(
        _ name: String, namespace: String = "", text: String = "", children: [XMLNode] = []
    ) {
        self.name = name
        self.namespace = namespace
        self.text = text
        self.children = children
    }

    /// The first child with this local name.
    ///
    /// - Parameter namespace: The child's namespace; nil for any, for servers differ in it.
    package func first(_ name: String, namespace: String? = nil) -> XMLNode? {
        children.first { $0.isNamed(name, namespace) }
    }

    /// The children with this local name, in order.
    ///
    /// - Parameter namespace: Their namespace; nil for any.
    package func all(_ name: String, namespace: String? = nil) -> [XMLNode] {
        children.filter { $0.isNamed(name, namespace) }
    }

    /// The text of the first child with this local name; nil when there is no such child.
    package func text(of name: String) -> String? { first(name)?.text }

    private func isNamed(_ name: String, _ namespace: String?) -> Bool {
        self.name == name && namespace.map { $0 == self.namespace } ?? true
    }
}
