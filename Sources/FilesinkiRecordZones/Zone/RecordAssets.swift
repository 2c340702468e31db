package import FilesinkiItems
package import FilesinkiModel
package import FilesinkiRecords

extension ItemAsset {
    /// An asset of a field.
    package init(_ asset: Asset, in field: FieldName, number: Int? = nil) {
        self.init(
            asset.content, size: Int64(clamping: asset.size),
            place: number.map { "\(field.text).\($0)" } ?? field.text)
    }
}

extension Record {
    /// All assets, each with its field, and with its number in a list.
    package var itemAssets: [ItemAsset] {
        fieldNames.flatMap { name -> [ItemAsset] in
            guard let value = self[name] else { return [] }
            guard case .list = value else { return value.assets.map { ItemAsset($0, in: name) } }
            return value.assets.enumerated().map {
                ItemAsset($0.element, in: name, number: $0.offset + 1)
            }
        }
    }

    /// The asset of a field, or of an element of a list: `pictures.2`.
    ///
    /// - Throws: `Failure` with code `not-found` when the record has none there, `usage` for a list without a number.
    package func asset(_ place: String) throws(Failure) -> ItemAsset {
        let assets = itemAssets
        if let asset = assets.first(where: { $0.place == place }) { return asset }
        guard let first = assets.first(where: { $0.place == place + ".1" }) else {
            throw Failure(
                .notFound, path: name.text, "The record has no asset '\(printable(place.utf8))'.",
                remedy: "Name a field of type asset; see filesinki rec get \(name).")
        }
        throw Failure(
            .usage, path: name.text, "The field '\(place)' is a list of assets.",
            remedy: "Name one of them, such as \(first.place).")
    }
}
