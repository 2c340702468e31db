"""Files, keys and values, and records of a filesinki replica, for Python 3.9 or later.

    from filesinki import Filesinki

    with Filesinki("~/notes") as fs:
        fs.kv.set("theme", "dark")
        fs.files.save("notes/a", b"hello")
        fs.rec.save("Note", "n1", {"title": "Hello"})
        with fs.kv.watch(values=True) as changes:
            for change in changes:
                print(change["keys"])

A client runs `filesinki rpc` as its child, or connects to the socket of a running
`filesinki rpc --socket`. It has no dependencies. Use one client in each thread.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import IO, Any, BinaryIO, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Union

JSON = Any
PathText = Union[str, bytes]
Progress = Callable[[Dict[str, JSON]], object]

__all__ = ["Filesinki", "FilesinkiError", "Changes"]


class FilesinkiError(Exception):
    """A call that failed, in the words of the command.

    Attributes:
        code: The error code of JSON-RPC; -32000 unless the call itself was wrong.
        exit_code: What the command would exit with: 1 not found, 2 usage, 3 conflict, 4 local I/O, 5 partial,
            6 limit, 7 not allowed, 8 corrupt, 9 token expired, 75 remote unavailable; None if the call
            itself was wrong.
        path: The path, key or name that it is about; may be empty.
        cause: What went wrong.
        remedy: What to do.
        printed: The objects that the command printed before it failed.
    """

    def __init__(self, error: Dict[str, JSON]) -> None:
        super().__init__(error["message"])
        data = error.get("data") or {}
        self.code: int = error["code"]
        self.exit_code: Optional[int] = data.get("exitCode")
        self.path: str = data.get("path", "")
        self.cause: str = data.get("cause", error["message"])
        self.remedy: str = data.get("remedy", "")
        self.printed: List[JSON] = data.get("printed", [])

    @property
    def is_absent(self) -> bool:
        """Whether the answer is that there is no such key, path or record."""
        return self.exit_code == 1


class Messages:
    """Passes on what filesinki writes to standard error, and keeps the last line."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._last = ""
        self._thread = threading.Thread(target=self._copy, args=(stream,), daemon=True)
        self._thread.start()

    def _copy(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                text = line.decode(errors="replace")
                self._last = text.strip().removeprefix("filesinki: ") or self._last
                if sys.stderr is not None:
                    sys.stderr.write(text)

    def last(self) -> str:
        """The last line once filesinki has ended; empty if there is none."""
        # A command that filesinki started may have the stream open for longer.
        self._thread.join(timeout=1)
        return self._last


class Filesinki:
    """A connection to `filesinki rpc`. Close it, or use it in a with statement.

    Args:
        root: The replica's folder; None for the one that filesinki finds.
        socket_path: The socket that `filesinki rpc --socket` prints, in place of a child.
        program: The program to run.
    """

    def __init__(
        self,
        root: Union[str, "os.PathLike[str]", None] = None,
        *,
        socket_path: Optional[str] = None,
        program: str = "filesinki",
    ) -> None:
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._messages: Optional[Messages] = None
        self._socket: Optional[socket.socket] = None
        self._input: BinaryIO
        self._output: BinaryIO
        if socket_path is not None:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(socket_path)
            self._input = self._socket.makefile("wb")  # type: ignore[assignment]
            self._output = self._socket.makefile("rb")  # type: ignore[assignment]
        else:
            place = [] if root is None else ["--root", str(Path(root).expanduser())]
            self._process = subprocess.Popen(
                [program, "rpc", *place],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            assert self._process.stdin is not None and self._process.stdout is not None
            assert self._process.stderr is not None
            self._messages = Messages(self._process.stderr)
            self._input = self._process.stdin  # type: ignore[assignment]
            self._output = self._process.stdout  # type: ignore[assignment]
        self._last_id = 0
        self._on_progress: Optional[Progress] = None
        self._events: Dict[int, Deque[JSON]] = {}
        self.kv = KeyValues(self)
        self.files = Files(self)
        self.rec = Records(self)

    def __enter__(self) -> "Filesinki":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. What was called is done."""
        try:
            self._input.close()
        except BrokenPipeError:
            pass
        if self._socket is not None:
            self._socket.close()
        self._output.close()
        if self._process is not None:
            self._process.wait()

    def call(self, method: str, **params: JSON) -> JSON:
        """Calls a method, and returns its result. Parameters that are None are not sent.

        Raises:
            FilesinkiError: The call failed.
            ValueError: A parameter is no JSON, such as NaN.
            ConnectionError: filesinki has ended; with its last message, if it had one.
        """
        given = {name: value for name, value in params.items() if value is not None}
        return self.request(method, given)

    def request(
        self, method: str, params: Dict[str, JSON], on_progress: Optional[Progress] = None
    ) -> JSON:
        """As `call`, with parameters that may be None, which is JSON's null.

        Args:
            on_progress: Called now and then with how far the call is: phase, files, total_files, bytes,
                total_bytes. For methods that have the parameter progress.
        """
        self._last_id += 1
        self._on_progress = on_progress
        if on_progress is not None:
            params = {**params, "progress": True}
        number = self._last_id
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        # JSON has no NaN and no infinity.
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
        try:
            self._input.write(line)
            self._input.flush()
        except BrokenPipeError:
            raise self._ended() from None
        while True:
            answer = self._read()
            if answer is None:
                continue
            # A line that could not be read has an answer without an id; calls are answered one by one.
            if "error" in answer and answer.get("id") in (number, None):
                raise FilesinkiError(answer["error"])
            if answer.get("id") != number:
                continue
            return answer["result"]

    def sync(
        self, *paths: str, dry_run: bool = False, on_progress: Optional[Progress] = None
    ) -> List[JSON]:
        """Syncs the replica, or some paths, with the remote."""
        return self.request("sync", {"paths": list(paths), "dry_run": dry_run}, on_progress)

    def _ended(self) -> ConnectionError:
        reason = self._messages.last() if self._messages is not None else ""
        return ConnectionError("filesinki has ended" + (f": {reason}" if reason else ""))

    def _read(self) -> Optional[Dict[str, JSON]]:
        """Reads one line: an answer, or a notification; that of a watch is kept for it."""
        line = self._output.readline()
        if not line:
            raise self._ended()
        message = json.loads(line)
        if isinstance(message, dict) and "method" in message:
            params = message["params"]
            if message["method"] == "rpc.progress":
                if self._on_progress is not None and params["id"] == self._last_id:
                    self._on_progress(params["progress"])
                return None
            self._events.setdefault(params["watch"], deque()).append(params)
            return None
        return message


class Changes(Iterator[JSON]):
    """What a watch reports, as it happens. Close it, or use it in a with statement.

    The `token` of the last change is where a later watch goes on with `since`.
    """

    def __init__(self, client: Filesinki, method: str, params: Dict[str, JSON]) -> None:
        self._client = client
        self._number: int = client.call(method, **params)["watch"]
        self._is_open = True
        self.token: Optional[str] = params.get("since")

    def __enter__(self) -> "Changes":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> "Changes":
        return self

    def __next__(self) -> JSON:
        events = self._client._events.setdefault(self._number, deque())
        while not events:
            if not self._is_open:
                raise StopIteration
            self._client._read()
        params = events.popleft()
        if "error" in params:
            self._is_open = False
            raise FilesinkiError(params["error"])
        event = params["event"]
        self.token = event.get("token", self.token)
        return event

    def close(self) -> None:
        """Ends the watch."""
        if self._is_open:
            self._is_open = False
            self._client.call("rpc.cancel", watch=self._number)
        self._client._events.pop(self._number, None)


class KeyValues:
    """Key-value stores. A value is what JSON has: text, number, truth value, list or dict."""

    def __init__(self, client: Filesinki) -> None:
        self._client = client

    def get(self, key: str, default: JSON = None, *, store: Optional[str] = None) -> JSON:
        """The value of a key on this device; `default` if it has none."""
        try:
            return self._client.call("kv.get", key=key, store=store)["value"]
        except FilesinkiError as error:
            if error.is_absent:
                return default
            raise

    def set(self, key: str, value: JSON, *, store: Optional[str] = None, **options: JSON) -> JSON:
        """Sets a key durably and publishes it; None removes it. Options: type, merge, add, wait."""
        params = {"key": key, "value": value, **options}
        if store is not None:
            params["store"] = store
        return self._client.request("kv.set", params)

    def update(self, values: Dict[str, JSON], **options: JSON) -> JSON:
        """Sets several keys, all or none."""
        return self._client.call("kv.set", values=values, **options)

    def delete(self, *keys: str, store: Optional[str] = None) -> JSON:
        """Removes keys on all devices."""
        return self._client.call("kv.delete", keys=list(keys), store=store)

    def list(self, prefix: Optional[str] = None, *, store: Optional[str] = None) -> Dict[str, JSON]:
        """All keys and values."""
        items = self._client.call("kv.list", prefix=prefix, store=store)
        return {item["key"]: item["value"] for item in items}

    def export(self, format: str = "json", **options: JSON) -> str:
        """All values as one document, json or plist, which `kv import` reads. Options: store, prefix."""
        return self._client.call("kv.export", format=format, **options)["text"]

    def log(self, key: str, *, store: Optional[str] = None) -> List[JSON]:
        """Values of a key set here that others superseded, newest first."""
        return self._client.call("kv.log", key=key, store=store)

    def quota(self, *, store: Optional[str] = None) -> Dict[str, JSON]:
        """How much the store holds on this device, and its limits."""
        return self._client.call("kv.quota", store=store)

    def sync(self, **options: JSON) -> JSON:
        """Sends and receives values now."""
        return self._client.call("kv.sync", **options)

    def watch(self, *keys: str, **options: JSON) -> Changes:
        """The changes by other devices. Options: since, own, values, store, prefix."""
        return Changes(self._client, "kv.watch", {"keys": list(keys), **options})


class Files:
    """Files of the replica. A path is text, or bytes if it is not UTF-8."""

    def __init__(self, client: Filesinki) -> None:
        self._client = client

    def save(self, path: PathText, content: Union[bytes, str], **options: JSON) -> JSON:
        """Writes a file durably and publishes it. Options: if_version, wait."""
        data = content.encode() if isinstance(content, str) else content
        encoded = base64.b64encode(data).decode()
        return self._client.call(
            "files.save", content_base64=encoded, **_path(path), **options
        )

    def load(self, path: PathText, **options: JSON) -> bytes:
        """The current content, after checking the remote. Options: version, commit, offline."""
        found = self._client.call("files.load", **_path(path), **options)
        if "text" in found:
            return found["text"].encode()
        return base64.b64decode(found["base64"])

    def delete(self, *paths: str, recursive: bool = False) -> List[JSON]:
        """Deletes paths here and everywhere."""
        return self._client.call("files.delete", paths=list(paths), recursive=recursive)

    def list(self, *paths: str, deleted: bool = False) -> List[JSON]:
        """Files, folders and symlinks as of the last sync."""
        return self._client.call("files.list", paths=list(paths), deleted=deleted)

    def status(self) -> JSON:
        """The last sync, pending changes and open conflicts."""
        return self._client.call("files.status")

    def watch(self, *paths: str, **options: JSON) -> Changes:
        """The changes by other devices, each after it was synced. Options: since, own, no_sync, resync."""
        return Changes(self._client, "files.watch", {"paths": list(paths), **options})


class Records:
    """Zones of records."""

    def __init__(self, client: Filesinki) -> None:
        self._client = client

    def save(
        self, type: str, name: Optional[str] = None, fields: Optional[Dict[str, JSON]] = None,
        **options: JSON,
    ) -> JSON:
        """Saves fields of a record; None removes one. Options: replace, policy, if_tag, wait, zone."""
        return self._client.call("rec.save", type=type, name=name, fields=fields or {}, **options)

    def get(self, name: str, **options: JSON) -> Optional[JSON]:
        """A record; None if it does not exist. Options: fields, fresh, zone."""
        try:
            return self._client.call("rec.get", names=[name], **options)[0]
        except FilesinkiError as error:
            if error.is_absent:
                return None
            raise

    def query(self, type: str, where: Optional[str] = None, **options: JSON) -> Iterator[JSON]:
        """The records of a type that match a predicate, page by page. Options: sort, limit, fields, zone."""
        cursor = None
        while True:
            page = self._client.call(
                "rec.query", type=type, where=where, cursor=cursor, **options
            )
            cursor = page.pop()["cursor"] if page and "cursor" in page[-1] else None
            yield from page
            if cursor is None:
                return

    def delete(self, *names: str, **options: JSON) -> List[JSON]:
        """Deletes records on all devices. Options: strict, policy, if_tag, wait, zone."""
        return self._client.call("rec.delete", names=list(names), **options)

    def export(self, name: str, field: str, to: PathText, **options: JSON) -> JSON:
        """Writes an asset of a record to a file. Options: fresh, zone."""
        place = {"to_bytes": to.hex()} if isinstance(to, bytes) else {"to": to}
        return self._client.call("rec.export", name=name, field=field, **place, **options)

    def changes(self, since: Optional[str] = None, **options: JSON) -> Iterator[JSON]:
        """The records that changed since a token, page by page; the last object has the next `token`.

        Options: limit, resync, reverse, fields, fresh, zone.
        """
        while True:
            page = self._client.call("rec.changes", since=since, **options)
            end = page[-1]
            if not end["more"]:
                yield from page
                return
            yield from page[:-1]
            since = end["token"]

    def batch(self, operations: Iterable[JSON], **options: JSON) -> List[JSON]:
        """Applies operations, and says of each what came of it. Options: atomic, wait, zone."""
        return self._client.call("rec.batch", operations=list(operations), **options)

    def log(self, name: str, **options: JSON) -> List[JSON]:
        """Versions of a record saved here that others superseded, newest first. Options: zone."""
        return self._client.call("rec.log", name=name, **options)

    def subscribe(
        self, subscription: str, type: str, where: Optional[str] = None, **options: JSON
    ) -> Dict[str, JSON]:
        """Adds a subscription, which `watch` tells of. Options: on (a list of create, update, delete), once, zone."""
        return self._client.call(
            "rec.subscribe.add", subscription=subscription, query=type, where=where, **options
        )

    def subscriptions(self, **options: JSON) -> List[JSON]:
        """The subscriptions of this device. Options: zone."""
        return self._client.call("rec.subscribe.list", **options)

    def unsubscribe(self, subscription: str, **options: JSON) -> None:
        """Removes a subscription. Options: zone."""
        self._client.call("rec.subscribe.rm", subscription=subscription, **options)

    def sync(self, **options: JSON) -> JSON:
        """Sends and receives records now."""
        return self._client.call("rec.sync", **options)

    def watch(self, **options: JSON) -> Changes:
        """The changes by other devices. Options: since, own, subscription, zone."""
        return Changes(self._client, "rec.watch", options)


def _path(path: PathText) -> Dict[str, str]:
    return {"path_bytes": path.hex()} if isinstance(path, bytes) else {"path": path}
