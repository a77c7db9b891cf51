"""Is a file with DPA programs signed as its user wants? libdpkverify.so for Python (dpkverify(3)).

    import dpkverify
    trust = dpkverify.Trust(roots=["root.der"], policy="policy.yaml")
    result = trust.verify("hello")
    if not result:
        raise SystemExit(result.reason)
    use(result.content)             # the bytes that were verified
"""
import ctypes
import json
import os

__all__ = ["Error", "Result", "Trust"]

_WHY = 1024


def _load():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib")
    name = "libdpkverify.so.1"
    path = os.path.join(beside, name)
    lib = ctypes.CDLL(path if os.path.exists(path) else name)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    out = ctypes.POINTER(ctypes.c_void_p)
    for function, result, arguments in (
        ("trust_new", pointer, ()),
        ("trust_free", None, (pointer,)),
        ("add_roots", ctypes.c_int, (pointer, text, text)),
        ("add_device", ctypes.c_int, (pointer, text, text)),
        ("set_policy", ctypes.c_int, (pointer, text, text)),
        ("file", ctypes.c_int, (pointer, text, out, text)),
        ("bytes", ctypes.c_int, (pointer, text, ctypes.c_size_t, out, text)),
        ("result_free", None, (pointer,)),
        ("code", ctypes.c_int, (pointer,)),
        ("reason", text, (pointer,)),
        ("json", text, (pointer,)),
        ("content", pointer, (pointer, ctypes.POINTER(ctypes.c_size_t))),
    ):
        f = getattr(lib, "dpkverify_" + function)
        f.restype, f.argtypes = result, arguments
    return lib


_lib = _load()


class Error(Exception):
    """Something could not be done: a file is not there, a policy is none."""


def _call(function, *arguments):
    why = ctypes.create_string_buffer(_WHY)
    if function(*arguments, why) != 0:
        raise Error(why.value.decode("utf-8", "replace"))


class Result:
    """What was found. It is true if every program is signed and allowed."""

    def __init__(self, handle):
        size = ctypes.c_size_t()
        self.code = _lib.dpkverify_code(handle)  # 0, or why not: see dpkverify(3)
        self.reason = _lib.dpkverify_reason(handle).decode("utf-8", "replace")
        self.programs = json.loads(_lib.dpkverify_json(handle))["programs"]
        content = _lib.dpkverify_content(handle, ctypes.byref(size))
        self.content = ctypes.string_at(content, size.value) if size.value else b""

    def __bool__(self):
        return self.code == 0


class Trust:
    """Whom to trust: root certificates, those of emulated devices, a policy. Once it is made, any
    number of threads may verify by it."""

    def __init__(self, roots=(), devices=(), policy=None):
        self._handle = _lib.dpkverify_trust_new()
        if not self._handle:
            raise MemoryError
        for path in roots:
            _call(_lib.dpkverify_add_roots, self._handle, os.fsencode(path))
        for name in devices:
            _call(_lib.dpkverify_add_device, self._handle, os.fsencode(name))
        if policy is not None:
            _call(_lib.dpkverify_set_policy, self._handle, os.fsencode(policy))

    def __del__(self):
        if getattr(self, "_handle", None):
            _lib.dpkverify_trust_free(self._handle)

    def verify(self, what):
        """Verifies a file, by its path, or bytes."""
        handle = ctypes.c_void_p()
        if isinstance(what, (bytes, bytearray, memoryview)):
            copy = bytes(what)
            _call(_lib.dpkverify_bytes, self._handle, copy, len(copy), ctypes.byref(handle))
        else:
            _call(_lib.dpkverify_file, self._handle, os.fsencode(what), ctypes.byref(handle))
        try:
            return Result(handle)
        finally:
            _lib.dpkverify_result_free(handle)
