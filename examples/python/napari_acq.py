"""Microscope files in napari: python napari_acq.py FILE... (acq-server runs, acq_client.py lies beside this file).

`napari_get_reader` is also the reader that a plugin's manifest names. Planes are fetched when they are looked at."""
import sys

import numpy as np

import acq_client as acq


class File:
    """An acquisition that is opened again where the server has forgotten it, as it does ten minutes after an open."""

    def __init__(self, path):
        self.path, self.acquisition = path, acq.open(path)

    def plane(self, channel, position):
        try:
            return self.acquisition.at(**position)[channel]
        except acq.AcqError as error:
            if error.code == "plane_not_found":  # it was never recorded
                return np.full(self.acquisition.info["plane"]["shape"], np.nan, "float32")
            if error.code != "session_not_found":
                raise
        self.acquisition = acq.open(self.path)
        return self.plane(channel, position)


class Stack:
    """All planes of a channel as an array that fetches them one by one: T, L, Z as far as there are, then Y, X."""

    dtype = np.dtype("float32")

    def __init__(self, file, channel):
        self.file, self.channel, acquisition = file, channel, file.acquisition
        self.axes = [name for name in "TLZ" if acquisition.sizes.get(name, 1) > 1]
        self.shape = (*(acquisition.sizes[name] for name in self.axes), *acquisition.info["plane"]["shape"])
        self.ndim = len(self.shape)

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        key += (slice(None),) * (self.ndim - len(key))
        for at, (part, size) in enumerate(zip(key[:-2], self.shape)):
            if isinstance(part, slice):  # several planes: one after the other
                return np.stack([self[(*key[:at], i, *key[at + 1:])] for i in range(*part.indices(size))])
        position = {name.lower(): int(i) for name, i in zip(self.axes, key)}
        return self.file.plane(self.channel, position)[key[-2:]]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self[()], dtype)


def read(path):
    """Layers of a file: a list of (data, how to show it, "image")."""
    file = File(path)
    info, layers = file.acquisition.info, []
    header = info["header"]
    steps = dict(zip(header["dims"], header["physicalUnits"]))
    for channel, about in enumerate(info["channels"]):
        stack = Stack(file, channel)
        scale = [steps[name] for name in (*stack.axes, "Y", "X")]
        plane = stack[tuple(size // 2 for size in stack.shape[:-2])]  # the first one is often dark
        if np.isnan(plane).all():
            plane = file.acquisition[channel]
        limits = np.nanpercentile(plane, (1, 99.5)) + (0, 1e-6)
        show = {"name": about["name"], "scale": scale, "contrast_limits": limits, "blending": "additive"}
        layers.append((stack, {**show, "colormap": about["color"] or "gray"}, "image"))
    return layers


def napari_get_reader(path):
    return read if isinstance(path, str) else None


if __name__ == "__main__":
    import napari

    viewer = napari.Viewer()
    for file in sys.argv[1:]:
        for layer in read(file):
            viewer.add_layer(napari.layers.Layer.create(*layer))
    napari.run()
