#!/usr/bin/env python3
"""Reads OME-Zarr images in ZIP files with zarr-python and zipfile; see peer.py."""
import re
import zipfile

import zarr

from peer import answer
from peer_zarr import read_store


class CheckedStore(zarr.storage.MemoryStore):
    """The entries of an archive, each as a whole, since zipfile checks the sum only at the end of an entry."""

    def __init__(self, archive, folder):
        super().__init__(read_only=True)
        self.archive, self.folder, self.names = archive, folder, set(archive.namelist())

    async def get(self, key, prototype=None, byte_range=None):
        if self.folder + key not in self.names: return None
        if key not in self._store_dict:
            self._store_dict[key] = zarr.core.buffer.cpu.Buffer.from_bytes(self.archive.read(self.folder + key))
        return await super().get(key, prototype, byte_range)

    async def exists(self, key): return self.folder + key in self.names


def read(path):
    with zipfile.ZipFile(path) as archive:
        marked = [re.fullmatch(r"(?:([^/]+/))?(?:zarr\.json|\.zgroup|\.zattrs)", name) for name in archive.namelist()]
        folders = {match[1] or "" for match in marked if match}
        if "" not in folders and len(folders) != 1: raise ValueError(f"{len(folders)} groups")
        return read_store(CheckedStore(archive, "" if "" in folders else folders.pop()))


if __name__ == "__main__": answer(read)
