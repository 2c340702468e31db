"""Two devices in a Python script, by ctypes: LIBRARY ROOT-A ROOT-B STORE."""

import ctypes
import sys

Bytes = ctypes.POINTER(ctypes.c_uint8)
Merge = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, Bytes, ctypes.c_size_t, Bytes, ctypes.c_size_t, Bytes,
    ctypes.c_size_t, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t))


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("name", ctypes.c_char_p), ("path", ctypes.c_char_p),
                ("message", ctypes.c_char_p), ("remedy", ctypes.c_char_p)]


library = ctypes.CDLL(sys.argv[1])
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
library.filesinki_open.restype = ctypes.c_void_p
library.filesinki_open.argtypes = [ctypes.c_char_p] * 3 + [ctypes.POINTER(Error)]
library.filesinki_close.argtypes = [ctypes.c_void_p]
library.filesinki_free.argtypes = [ctypes.c_void_p]
library.filesinki_save.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, Merge, ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int), ctypes.POINTER(Bytes), ctypes.POINTER(ctypes.c_size_t),
    ctypes.POINTER(Error)]
library.filesinki_load.argtypes = [
    ctypes.c_void_p, ctypes.c_char_p, Merge, ctypes.c_void_p, ctypes.POINTER(Bytes),
    ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(Error)]
library.filesinki_delete.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Error)]

error = Error()
none = ctypes.cast(None, Merge)
merges = []


@Merge
def add(context, here, here_count, there, there_count, base, base_count, result, count):
    both = sorted(bytes(here[:here_count]).split() + bytes(there[:there_count]).split())
    merges.append(both)
    text = b" ".join(both)
    count[0] = len(text)
    result[0] = libc.malloc(len(text))
    ctypes.memmove(result[0], text, len(text))
    return 0


def save(sinki, path, content, merge=none):
    outcome = ctypes.c_int(-1)
    code = library.filesinki_save(
        sinki, path, content, len(content), merge, None, ctypes.byref(outcome), None, None,
        ctypes.byref(error))
    assert code == 0, (code, error.name, error.message)
    return outcome.value


def load(sinki, path):
    found, count = Bytes(), ctypes.c_size_t()
    code = library.filesinki_load(
        sinki, path, none, None, ctypes.byref(found), ctypes.byref(count), ctypes.byref(error))
    if code != 0:
        return code
    content = bytes(found[:count.value])
    library.filesinki_free(found)
    return content


store = sys.argv[4].encode()
a = library.filesinki_open(sys.argv[2].encode(), store, b"a", ctypes.byref(error))
b = library.filesinki_open(sys.argv[3].encode(), store, b"b", ctypes.byref(error))
assert a and b, error.message
assert save(a, b"f", b"cup") == 2
assert save(b, b"f", b"bow", add) == 3
assert len(merges) == 1
assert load(a, b"f") == b"bow cup"
assert library.filesinki_delete(a, b"f", ctypes.byref(error)) == 0
assert load(b, b"f") == 1
assert load(b, b"../up") == 2 and error.name == b"bad-path" and error.remedy
library.filesinki_close(a)
library.filesinki_close(b)
print("all is well")
