import FilesinkiModel
import Glibc

extension Location {
    /// The mean radius of the earth in metres: https://doi.org/10.1007/s001900050278
    private static let radius = 6_371_008.8

    /// The distance on a sphere, in metres: within 0.6 % of that on the ellipsoid. By the haversine formula, which
    /// is exact for small distances, too.
    package func distance(to other: Location) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let (north, south) = (radians(latitude), radians(other.latitude))
        let vertical = sin((south - north) / 2)
        let horizontal = sin(radians(other.longitude - longitude) / 2)
        let square = vertical * vertical + cos(north) * cos(south) * horizontal * horizontal
        return 2 * Self.radius * asin(min(1, square.squareRoot()))
    }
}

extension QueryDistance {
    /// The distance of a record's field in metres; nil for one that is missing or not a location.
    package func metres(_ record: Record) -> Double? {
        guard case .location(let location) = record.value(of: key) else { return nil }
        return location.distance(to: place)
    }
}

extension Stamp {
    /// The time in whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        let time = Timestamp(nanoseconds: time)
        return time.seconds * 1_000 + time.remainder / 1_000_000
    }

    /// The id of the device, in hexadecimal digits.
    package var deviceText: String { hexadecimal(device) }
}
