public import CFileSinki

/// `rec.zones.list` of `filesinki rpc`.
@_cdecl("filesinki_rec_zones_list")
public func recZonesList(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.zones.list", sinki, parameters, result, error) }

/// `rec.zones.create` of `filesinki rpc`.
@_cdecl("filesinki_rec_zones_create")
public func recZonesCreate(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.zones.create", sinki, parameters, result, error) }

/// `rec.zones.delete` of `filesinki rpc`.
@_cdecl("filesinki_rec_zones_delete")
public func recZonesDelete(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.zones.delete", sinki, parameters, result, error) }

/// `rec.zones.purge` of `filesinki rpc`.
@_cdecl("filesinki_rec_zones_purge")
public func recZonesPurge(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.zones.purge", sinki, parameters, result, error) }

/// `rec.zones.reset` of `filesinki rpc`.
@_cdecl("filesinki_rec_zones_reset")
public func recZonesReset(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.zones.reset", sinki, parameters, result, error) }

/// `rec.zones.changes` of `filesinki rpc`.
@_cdecl("filesinki_rec_zones_changes")
public func recZonesChanges(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.zones.changes", sinki, parameters, result, error) }

/// `rec.schema.show` of `filesinki rpc`.
@_cdecl("filesinki_rec_schema_show")
public func recSchemaShow(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.schema.show", sinki, parameters, result, error) }

/// `rec.schema.import` of `filesinki rpc`.
@_cdecl("filesinki_rec_schema_import")
public func recSchemaImport(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.schema.import", sinki, parameters, result, error) }

/// `rec.schema.diff` of `filesinki rpc`.
@_cdecl("filesinki_rec_schema_diff")
public func recSchemaDiff(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.schema.diff", sinki, parameters, result, error) }

/// `rec.schema.set` of `filesinki rpc`.
@_cdecl("filesinki_rec_schema_set")
public func recSchemaSet(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.schema.set", sinki, parameters, result, error) }

/// `rec.schema.lock` of `filesinki rpc`.
@_cdecl("filesinki_rec_schema_lock")
public func recSchemaLock(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.schema.lock", sinki, parameters, result, error) }

/// `rec.schema.unlock` of `filesinki rpc`.
@_cdecl("filesinki_rec_schema_unlock")
public func recSchemaUnlock(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.schema.unlock", sinki, parameters, result, error) }

/// `rec.conflicts` of `filesinki rpc`.
@_cdecl("filesinki_rec_conflicts")
public func recConflicts(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.conflicts", sinki, parameters, result, error) }

/// `rec.subscribe.add` of `filesinki rpc`.
@_cdecl("filesinki_rec_subscribe_add")
public func recSubscribeAdd(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.subscribe.add", sinki, parameters, result, error) }

/// `rec.subscribe.list` of `filesinki rpc`.
@_cdecl("filesinki_rec_subscribe_list")
public func recSubscribeList(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.subscribe.list", sinki, parameters, result, error) }

/// `rec.subscribe.rm` of `filesinki rpc`.
@_cdecl("filesinki_rec_subscribe_rm")
public func recSubscribeRemove(
    _ sinki: OpaquePointer?, _ parameters: UnsafePointer<CChar>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
    _ error: UnsafeMutablePointer<filesinki_error>?
) -> Int32 { call("rec.subscribe.rm", sinki, parameters, result, error) }
