#!/usr/bin/env python3
"""Reads OME-Zarr images with zarr-python (needs zarr 3 and numcodecs); see peer.py."""
import numpy
import zarr

from peer import answer

# OME-Zarr 0.1 and 0.2 have no names of axes, 0.3 has bare ones.
UNNAMED = ("t", "c", "z", "y", "x")


def read_store(store):
    root = zarr.open_group(store, mode="r", use_consolidated=False)
    attributes = root.attrs.asdict()
    attributes = attributes["ome"] if isinstance(attributes.get("ome"), dict) else attributes
    if "multiscales" not in attributes and "bioformats2raw.layout" in attributes:
        root = root["0"]
        attributes = root.attrs.asdict()
        attributes = attributes["ome"] if isinstance(attributes.get("ome"), dict) else attributes
    multiscale = attributes["multiscales"][0]
    array = root[multiscale["datasets"][0]["path"]]
    if not isinstance(array, zarr.Array): raise ValueError("the dataset is not an array")
    if array.dtype.kind not in "biuf": raise ValueError(f"samples of {array.dtype}")
    axes = [axis["name"] if isinstance(axis, dict) else axis for axis in multiscale.get("axes", UNNAMED[-array.ndim:])]
    if len(axes) != array.ndim or len(set(axes)) != len(axes): raise ValueError(f"axes {axes} of {array.ndim}")
    if not {"y", "x"} <= set(axes): raise ValueError(f"axes {axes} without y and x")
    wanted = array[tuple(slice(None) if axis in ("c", "y", "x") else 0 for axis in axes)]
    left = [axis for axis in axes if axis in ("c", "y", "x")]
    wanted = numpy.transpose(wanted, [left.index(axis) for axis in ("c", "y", "x") if axis in left])
    planes = wanted if "c" in left else wanted[None]
    channels = attributes.get("omero", {}).get("channels", []) if isinstance(attributes.get("omero"), dict) else []
    names = [channel.get("label") if isinstance(channel, dict) else None for channel in channels]
    return [(names[i] if i < len(names) else None, plane) for i, plane in enumerate(planes)]


def read(path):
    return read_store(zarr.storage.LocalStore(path, read_only=True))


if __name__ == "__main__": answer(read)
