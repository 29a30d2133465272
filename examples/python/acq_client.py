"""Opens microscope files through acq-server. One file, which needs NumPy: `pip install acq-client`, or copy it.

    import acq_client as acq

    with acq.open("scan.oir") as a:
        print(a)                    # what it is
        plane = a["CH1"]            # float32, rows x columns; a[0] is the same
        later = a.at(t=3, z=2)      # planes at another time point and focus plane
        plane = later["CH1"]
        movie = a.stack("CH1", t=slice(0, 100))  # many planes in one request: 100 x rows x columns
        print(a.axes)               # step and unit of rows and columns
        print(a.reference)          # overview image of a line scan, or None
        array = a.xarray()          # all positions with coordinates and units; needs xarray, and dask to be lazy

The server must run: start acq-server. `SERVER` is its address.
"""
from __future__ import annotations

import datetime
import http.client
import importlib
import json
import os
import secrets
import shutil
import socket
import threading
import time
import urllib.parse
import warnings
from builtins import list as builtins_list, open as builtins_open
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple, Sequence

import numpy as np

if TYPE_CHECKING:
    from dask.array import Array as DaskArray
    from xarray import DataArray

__version__ = "0.1.0"  # of acq-server
__all__ = [
    "SERVER", "TIMEOUT", "TRIES", "LONGEST_WAIT",
    "open", "pick", "list", "export",
    "Acquisition", "Planes", "Reference", "Axis", "Entry", "AcqError", "AcqWarning",
]

SERVER = "http://127.0.0.1:8767"
TRIES = 10  # of a request that the server asks to repeat later
LONGEST_WAIT = 10.0  # seconds before such a repetition; a server that wants more gets none
TIMEOUT = 300.0  # seconds without a byte from the server; a file may take two minutes to open. Dialogs wait for the user


class AcqError(Exception):
    """What went wrong. Branch on `code`, such as "path_not_found"; `message` is for people. `missing`: positions without planes."""

    def __init__(self, code: str, message: str, details: Any = None, missing: Sequence[dict[str, int]] = ()):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.details, self.missing = code, message, details, [*missing]


class AcqWarning(UserWarning):
    """What the user should know although the file could be opened. `code` is for programs, such as "file_missing"."""

    def __init__(self, text: str, code: str = ""):
        super().__init__(text)
        self.code = code


class Axis(NamedTuple):
    """One axis: sample i lies at i * step, in `unit` ("um", "seconds", "Pixels" without calibration)."""

    name: str
    size: int
    step: float
    unit: str

    @property
    def values(self) -> np.ndarray:
        return np.arange(self.size) * self.step


def open(path: str | os.PathLike, scene: int | None = None, server: str | None = None) -> Acquisition:
    """Opens a file. Close it with `with` or `close()`; the server forgets it after ten minutes in any case."""
    return _opened(server or SERVER, "/api/v2/open", {"path": _absolute(path), "scene": _index(scene)})


class Entry(NamedTuple):
    """What lies in a folder: open the `path` of an "image" or "collection", list that of a "folder"."""

    name: str
    path: str
    kind: str
    format: str | None  # None for a folder
    bytes: int | None  # of all its files; None for whatever is a folder
    modified: datetime.datetime


def list(
    folder: str | os.PathLike, server: str | None = None, contains: str | None = None
) -> builtins_list[Entry]:
    """Acquisitions, collections and folders in a folder, sorted by name. The server opens none of them.

    `contains`: only those with this text in their name, whatever its case."""
    server = server or SERVER
    body = {"path": _absolute(folder), **({} if contains is None else {"contains": contains})}
    with _request(server, "POST", "/api/v2/list", body) as answer:
        listing = _json(server, answer.status, _text(answer))
    if "entries" not in listing:
        raise _failure(server, answer.status, listing)
    if listing["truncated"]:
        warnings.warn(AcqWarning(f"{folder} holds more than these {len(listing['entries'])} entries"), stacklevel=2)
    return [
        Entry(*(entry[field] for field in Entry._fields[:-1]), _moment(entry["modified"]))
        for entry in listing["entries"]
    ]


def export(
    members: str | os.PathLike | Acquisition | dict | Sequence,
    to: str | os.PathLike,
    name: str | None = None,
    images: str | None = None,
    server: str | None = None,
) -> None:
    """Writes recordings as one archive, a ZIP file of OME-Zarr images with their documents, to the path `to`.

    A member is a path, an open acquisition, or a dict as `POST /api/v2/export` takes it, with regions and analyses. `images`:
    "all" (by default), "opened" (one time point and focus plane) or "none". The file appears when it is complete.
    """
    given = members if isinstance(members, (builtins_list, tuple)) else [members]
    order = {"members": [_member(member) for member in given], "name": name, "images": images}
    server = server or next((member._server for member in given if isinstance(member, Acquisition)), SERVER)
    session = next((member["sessionId"] for member in order["members"] if "sessionId" in member), None)
    headers = {"X-Acq-Session": session} if session else {}
    body = {key: value for key, value in order.items() if value is not None}
    with _request(server, "POST", "/api/v2/export", body, headers) as answer:
        link = _json(server, answer.status, _text(answer))
    for text in link["warnings"]:
        warnings.warn(AcqWarning(text), stacklevel=2)
    # A new name, so that no link that somebody put there is followed; replacing `to` replaces a link itself.
    part = f"{os.fspath(to)}.{secrets.token_hex(4)}.part"
    with builtins_open(part, "xb") as file:
        try:
            with _request(server, "GET", link["downloadUrl"]) as answer:
                shutil.copyfileobj(answer, file, 1 << 20)
            file.close()
            os.replace(part, to)
        except (ConnectionError, TimeoutError, socket.timeout, http.client.HTTPException) as error:
            raise AcqError("connection_lost", f"the archive is incomplete ({error}); the server's log says why") from error
        finally:
            if os.path.lexists(part):
                file.close()
                os.remove(part)


def _member(member: Any) -> dict:
    if isinstance(member, Acquisition):
        return {"sessionId": member.info["sessionId"]}
    return {**member} if isinstance(member, dict) else {"path": _absolute(member)}


def pick(server: str | None = None) -> Acquisition:
    """Lets the user choose a file in a dialog. AcqError with the code "cancelled" when none is chosen."""
    return _opened(server or SERVER, "/api/v2/pick-and-open", {})


class Planes:
    """The planes of all channels at one position; each is fetched when it is asked for."""

    def __init__(self, server: str, plane: dict, channels: builtins_list[dict], position: dict[str, int]):
        self._server, self._plane, self._channels, self._position = server, plane, channels, position
        self.axes = [Axis(a["name"], a["size"], a["step"], a["unit"]) for a in plane["axes"]]
        self.names: builtins_list[str] = [channel["name"] for channel in channels]

    def __getitem__(self, channel: str | int) -> np.ndarray:
        """The plane of a channel by its name or index: float32, rows x columns, as the file has it."""
        samples = np.empty(self._plane["shape"], "<f4")
        with self._answer(channel, self._position, samples.nbytes) as answer:
            _fill(memoryview(samples).cast("B"), answer)
        return samples

    def _answer(self, channel: str | int, position: dict[str, Any], size: int) -> http.client.HTTPResponse:
        if isinstance(channel, str):
            if channel not in self.names:
                raise KeyError(f"there is no channel {channel!r}; there are {self.names}")
            channel = self.names.index(channel)
        elif not -len(self) <= channel < len(self):
            raise IndexError(f"there is no channel {channel}; there are 0 to {len(self) - 1}: {self.names}")
        url = self._channels[channel]["dataUrl"]
        if position:
            url += "?" + urllib.parse.urlencode(position)
        answer = _request(self._server, "GET", url)
        if answer.length == size:
            return answer
        answer.close()
        raise AcqError("wrong_size", f"{answer.length} bytes came, not {size}")

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        rows, columns = self._plane["shape"]
        return f"<{type(self).__name__.lower()}: {rows} x {columns}, channels {self.names}>"

    def array(self) -> np.ndarray:
        """All channels as one array: channels x rows x columns."""
        return np.stack([*self])

    def xarray(self) -> DataArray:
        """The same as an xarray.DataArray: names of the channels, coordinates with the units of the file."""
        xarray = _extra("xarray", "xarray")
        return xarray.DataArray(self.array(), dims=("C", "Y", "X"), coords=self._coordinates())

    def _coordinates(self) -> dict[str, Any]:
        return {"C": self.names, **{a.name: (a.name, a.values, {"units": a.unit}) for a in self.axes}}


class Reference(Planes):
    """The overview image of a line scan. `scan_path`: points x 2, (x, y) in its pixels, where the laser went, or None."""

    def __init__(self, server: str, reference: dict):
        super().__init__(server, reference["plane"], reference["channels"], {})
        scan, line = reference.get("scanPath"), reference.get("lineRoi")
        self.scan_path: np.ndarray | None
        if scan and scan["x"] and len(scan["x"]) == len(scan["y"]):
            self.scan_path = np.column_stack([scan["x"], scan["y"]])
        else:
            self.scan_path = np.reshape(line, (2, 2)) if line else None


class Acquisition(Planes):
    """An opened file; its own planes are those at `position`, the first of every axis. `info` is all that the server said."""

    def __init__(self, server: str, info: dict):
        super().__init__(server, info["plane"], info["channels"], {})
        self.info = info
        self.sizes: dict[str, int] = info["header"]["sizes"]  # such as {"T": 12, "C": 2, "Y": 512, "X": 512}
        self.times = None if info["times"] is None else np.array(info["times"])  # seconds, one for each T
        self.scenes: builtins_list[str] = [scene["name"] for scene in info["scenes"]]
        self.reference = Reference(server, info["reference"]) if info["reference"] else None
        self.position: dict[str, int] = info.get("position", {"t": 0, "z": 0, "l": 0})
        self.line_scan: dict | None = info.get("lineScan")  # secondsPerLine, secondsPerPixel, bidirectional
        self.collection: dict | None = info.get("collection")  # id, name, member: {id, name, accepted}
        self.warning_codes: builtins_list[str] = info.get("warningCodes", [""] * len(info["warnings"]))
        for text, code in zip(info["warnings"], self.warning_codes):
            warnings.warn(AcqWarning(text, code), stacklevel=4)

    def at(self, t: int | None = None, z: int | None = None, l: int | None = None) -> Planes:
        """The planes at a time point, focus plane and wavelength, from 0, by default as in `position`; `sizes` has their numbers."""
        wanted = {name: i for name, i in {"t": t, "z": z, "l": l}.items() if i is not None}
        return Planes(self._server, self._plane, self._channels, wanted)

    def stack(
        self, channel: str | int, t: int | slice | None = None, z: int | slice | None = None, l: int | slice | None = None
    ) -> np.ndarray:
        """Many planes of a channel in one request, several times as fast as one by one: planes x rows x columns.

        One of `t`, `z` and `l` is a slice, such as `slice(0, 100)` or `slice(None)`; the others are indices, by default as in
        `position`. A plane that was never recorded is NaN."""
        given = {name: i for name, i in {"t": t, "z": z, "l": l}.items() if i is not None}
        along = [name for name, i in given.items() if isinstance(i, slice)]
        if len(along) != 1:
            raise ValueError("one of t, z and l must be a slice, such as t=slice(0, 100)")
        [axis] = along
        first, end, step = given.pop(axis).indices(self.sizes.get(axis.upper(), 1))
        if step != 1:
            raise ValueError("the slice must have a step of 1; take every nth plane of the array that it gives")
        samples = np.empty((max(0, end - first), *self._plane["shape"]), "<f4")
        missing: set[int] = set()
        index = first
        while index < end:
            if index in missing:
                samples[index - first] = np.nan
                index += 1
                continue
            to = min([one for one in missing if one > index], default=end)
            part = samples[index - first : to - first]
            try:
                with self._answer(channel, {**given, axis: f"{index}-{to - 1}"}, part.nbytes) as answer:
                    _fill(memoryview(part).cast("B"), answer)
                index = to
            except AcqError as error:
                if error.code == "connection_lost":  # a plane alone tells why the planes ended there
                    for index in range(index, to):
                        samples[index - first] = self._plane_or_nan(channel, {**given, axis: index})
                    index = to
                elif error.code == "plane_not_found":
                    missing.update([place[axis] for place in error.missing] or [index])
                else:
                    raise
        return samples

    def _plane_or_nan(self, channel: str | int, position: dict[str, Any]) -> np.ndarray | float:
        """The plane at a position; NaN if it was never recorded, which some files only tell when the plane is read."""
        try:
            return self.at(**position)[channel]
        except AcqError as error:
            if error.code != "plane_not_found":
                raise
            return np.nan

    @property
    def dims(self) -> tuple[str, ...]:
        """The axes of `dask()` and `xarray()`: those of T, L and Z that the file has, and C, Y, X, in the order TLCZYX."""
        return tuple(axis for axis in "TLCZYX" if axis in self.sizes or axis in "CYX")

    def dask(self) -> DaskArray:
        """All positions as one lazy dask array with the axes `dims`. A block is up to 16 MiB of planes along the longest of the axes
        T, L and Z, fetched in one request by the path of the file when it is needed: workers on this machine need the server and
        no open acquisition. A plane that was never recorded is NaN."""
        array = _extra("dask.array", "dask[array]")
        shape, lengths = self._shape, self._block_lengths
        chunks = tuple(
            (length,) * (size // length) + ((size % length,) if size % length else ())
            for size, length in zip(shape, lengths)
        )
        meta = np.empty((0,) * len(shape), np.float32)
        return array.map_blocks(
            _block, dtype=np.float32, chunks=chunks, meta=meta, lengths=lengths, **self._block_source
        )

    @property
    def _block_lengths(self) -> tuple[int, ...]:
        shape = self._shape
        along = [i for i, axis in enumerate(self.dims) if axis in "TLZ"]
        lengths = [size if axis in "YX" else 1 for size, axis in zip(shape, self.dims)]
        if along:
            longest = max(along, key=lambda i: shape[i])
            lengths[longest] = min(shape[longest], max(1, _BLOCK_BYTES // (4 * shape[-2] * shape[-1])))
        return tuple(lengths)

    def xarray(self) -> DataArray:
        """All positions as an xarray.DataArray with the axes `dims`: lazy where dask is installed, else fetched at once.

        Coordinates are names (C), the times of the file (T, seconds) and steps, with their unit as `units`. `attrs` says which
        file and scene it is, and the times per line and pixel of a line scan. `a.at().xarray()` is one position."""
        xarray = _extra("xarray", "xarray")
        try:
            data: Any = self.dask()
        except ImportError:
            data, lengths = np.empty(self._shape, np.float32), self._block_lengths
            for at in np.ndindex(*(-(-size // length) for size, length in zip(data.shape, lengths))):
                block = _block(**self._block_source, lengths=lengths, block_id=at)
                data[tuple(slice(i * length, i * length + size) for i, length, size in zip(at, lengths, block.shape))] = block
        attributes = {key: self.info["source"][key] for key in ("path", "format", "fingerprint")}
        attributes["scene"] = self.scenes[self.info["scene"]] if self.info["scene"] < len(self.scenes) else ""
        attributes.update({key: value for key in ("date", "time") if (value := self.info["header"][key])})
        attributes.update({key: value for key, value in (self.line_scan or {}).items() if value is not None})
        return xarray.DataArray(
            data, dims=self.dims, coords=self._coordinates(), name=self.info["source"]["name"], attrs=attributes
        )

    def _coordinates(self) -> dict[str, Any]:
        header, coordinates = self.info["header"], super()._coordinates()
        for axis, step, unit in zip(header["dims"], header["physicalUnits"], header["physicalUnitsLabels"]):
            if axis in "TLZ":
                coordinates[axis] = (axis, np.arange(self.sizes[axis]) * step, {"units": unit})
        along = "T" if "T" in self.sizes else "Y"  # the rows of a line scan can have times
        if self.times is not None and len(self.times) == self.sizes[along]:
            coordinates[along] = (along, self.times, {"units": "seconds"})
        return coordinates

    @property
    def _shape(self) -> tuple[int, ...]:
        sizes = {**self.sizes, "C": len(self.names), **{axis.name: axis.size for axis in self.axes}}
        return tuple(sizes[axis] for axis in self.dims)

    @property
    def _block_source(self) -> dict[str, Any]:
        return {
            "server": self._server, "path": self.info["source"]["path"], "scene_index": self.info["scene"],
            "axes": "".join(self.dims), "channels": [channel["index"] for channel in self._channels],
        }

    def scene(self, scene: int | str) -> Acquisition:
        """Another scene (series, position, image) of the file by its index or name, to be closed by itself."""
        if isinstance(scene, str):
            if scene not in self.scenes:
                raise KeyError(f"there is no scene {scene!r}; there are {self.scenes}")
            scene = self.scenes.index(scene)
        return _opened(self._server, self._session + "/open", {"scene": _index(scene)})

    def metadata(self) -> dict[str, str]:
        """The metadata of the file as they are (XML, JSON, text), by their names."""
        with _request(self._server, "GET", self._session + "/metadata") as answer:
            return {document["name"]: document["text"] for document in json.loads(_text(answer))}

    def close(self) -> None:
        """Frees the memory that the server keeps for it."""
        try:
            _request(self._server, "DELETE", self._session).close()
        except AcqError as error:
            if error.code not in ("session_not_found", "server_unreachable"):
                raise

    @property
    def _session(self) -> str:
        return "/api/v2/sessions/" + self.info["sessionId"]

    def __enter__(self) -> Acquisition:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        source = self.info["source"]
        return f"<{source['name']}: {source['format']}, {self.sizes}, channels {self.names}>"


_held: dict = {}  # acquisitions that this process opened for blocks
_BLOCK_BYTES = 16 << 20
_RUNS = threading.BoundedSemaphore(2)  # the server sends two runs of an acquisition at the same time


def _block(
    server: str, path: str, scene_index: int, axes: str, channels: builtins_list, lengths: tuple, block_id: tuple = ()
) -> np.ndarray:
    """Planes of a dask array along one axis. A session that has ended is opened again."""
    starts = {axis: i * length for axis, i, length in zip(axes, block_id, lengths)}
    along = next((axis for axis, length in zip(axes, lengths) if axis in "TLZ" and length > 1), None)
    key = server, path, scene_index
    for again in (False, True):
        if again or key not in _held:
            _held[key] = open(path, scene_index, server)
        a = _held[key]
        channel = [c["index"] for c in a._channels].index(channels[starts["C"]])
        at = {axis.lower(): starts[axis] for axis in "TZL" if axis in starts}
        try:
            if along is None:
                planes = a.at(**at)[channel]
            else:
                end = min(starts[along] + lengths[axes.index(along)], a.sizes[along])
                with _RUNS:
                    planes = a.stack(channel, **{**at, along.lower(): slice(starts[along], end)})
        except AcqError as error:
            if error.code == "plane_not_found":
                planes = np.full(a._plane["shape"], np.nan, "<f4")
            elif again or error.code != "session_not_found":
                raise
            else:
                continue
        shape = [1] * (len(axes) - 2) + a._plane["shape"]
        if along is not None:
            shape[axes.index(along)] = -1
        return planes.reshape(shape)
    raise AssertionError


def _moment(text: str) -> datetime.datetime:
    """A time of RFC 3339, whose Z Python reads from 3.11 on only."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _extra(module: str, package: str) -> Any:
    """A module that only some methods need. ImportError with words where it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f'this needs {package.split("[")[0]}: pip install "{package}"', name=error.name) from error


def _absolute(path: str | os.PathLike) -> str:
    """A relative path as absolute; one that begins with / is the server's, maybe another machine behind a tunnel."""
    path = os.fspath(path)
    return path if path.startswith("/") else os.path.abspath(path)


def _index(index: Any) -> Any:
    """An index of NumPy as one of Python, which JSON takes."""
    return int(index) if isinstance(index, np.integer) else index


def _opened(server: str, url: str, body: dict) -> Acquisition:
    with _request(server, "POST", url, {key: value for key, value in body.items() if value is not None}) as answer:
        info = _json(server, answer.status, _text(answer))
    if "sessionId" not in info:  # a dialog that was closed is not a failure of HTTP
        raise _failure(server, answer.status, info)
    return Acquisition(server, info)


def _text(answer: http.client.HTTPResponse) -> bytes:
    try:
        return answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise AcqError("connection_lost", f"the connection ended within an answer ({error})") from error


def _wait(answer: http.client.HTTPResponse) -> float | None:
    """Seconds after which the server wants to be asked again; None where it says nothing usable, or wants too long a wait."""
    try:
        wait = float(answer.headers.get("Retry-After", ""))
    except ValueError:  # absent, or a date
        return None
    return wait if 0 <= wait <= LONGEST_WAIT else None


def _json(server: str, status: int, text: bytes) -> dict:
    """The object that an answer is. Another program may listen there, which answers whatever it likes."""
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise _failure(server, status, {})
    return answer


def _failure(server: str, status: int, said: dict) -> AcqError:
    if isinstance(said.get("error"), str) and isinstance(said.get("message"), str):
        return AcqError(said["error"], said["message"], said.get("details"), said.get("missing") or ())
    return AcqError("no_acq_server", f"{server} answered {status} and is not an acq-server")


def _fill(rest: memoryview, answer: http.client.HTTPResponse) -> None:
    """Reads right into the memory of the plane."""
    while rest:
        try:
            count = answer.readinto(rest)
        except (OSError, http.client.HTTPException):
            count = 0
        if not count:
            raise AcqError("connection_lost", f"the connection ended {len(rest)} bytes before the plane")
        rest = rest[count:]


def _request(
    server: str, method: str, url: str, body: dict | None = None, headers: dict = {}
) -> http.client.HTTPResponse:
    """Asks the server itself, past any proxy of the environment. Where it says when to try again, that is done."""
    for tries in range(TRIES):
        address = urllib.parse.urlsplit(server)
        if address.scheme != "http":
            raise AcqError("server_unreachable", f'the address "{server}" does not begin with http://')
        data = None if body is None else json.dumps(body)
        try:
            waits_for_user = url.endswith("/pick-and-open")
            connection = http.client.HTTPConnection(address.netloc, timeout=None if waits_for_user else TIMEOUT)
            connection.request(method, address.path.rstrip("/") + url, data, {"Content-Type": "application/json", "Connection": "close", **headers})
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise AcqError("server_unreachable", f"no acq-server answers at {server} ({error})") from error
        if answer.status < 300:
            return answer
        with answer:
            text = _text(answer)
        wait = _wait(answer)
        if wait is None or tries == TRIES - 1:
            break
        time.sleep(wait)
    raise _failure(server, answer.status, _json(server, answer.status, text))
