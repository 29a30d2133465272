"""Microscope files in napari, where acq-server runs: `pip install acq-client` makes this its reader.

Without pip: python napari_acq.py FILE... (acq_client.py lies beside this file, dask is installed)."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

import acq_client as acq

UNITS = {"um": "um", "seconds": "s"}  # of the server, as napari calls them; whatever else is shown in pixels


def read(path: str) -> list[tuple[Any, dict[str, Any], str]]:
    """Layers of a file: its channels, whose planes are fetched when they are looked at, the reference image and the scan path."""
    with acq.open(path) as a:
        stack, header = a.dask(), a.info["header"]
        axes = [axis for axis in a.dims if axis != "C"]
        steps = {name: step for name, *step in zip(header["dims"], header["physicalUnits"], header["physicalUnitsLabels"])}
        # Milliseconds beside micrometres would make a strip of a line scan.
        hidden = "YX" if steps["Y"][1] != steps["X"][1] else ""
        shown = {name: (step, UNITS[unit]) if unit in UNITS and name not in hidden else (1, "pixel") for name, (step, unit) in steps.items()}
        layers = []
        for index, channel in enumerate(a.info["channels"]):
            data = stack[tuple(index if axis == "C" else slice(None) for axis in a.dims)]
            plane = np.asarray(data[tuple(size // 2 for size in data.shape[:-2])])  # the first one is often dark
            if np.isnan(plane).all():
                plane = a[index]
            layers.append(_image(data, channel, plane, axes, shown, {"axes": steps, "info": a.info}))
        if a.reference:
            # Beside the planes, at the left, in the same units.
            place = {axis.name: (1 if axis.name in hidden else axis.step, shown[axis.name][1]) for axis in a.reference.axes}
            beside = (0, -1.1 * a.reference.axes[1].size * place["X"][0])
            for index, channel in enumerate(a.info["reference"]["channels"]):
                plane = a.reference[index]
                data, show, kind = _image(plane, channel, plane, ["Y", "X"], place, {})
                layers.append((data, {**show, "name": f"reference {channel['name']}", "translate": beside}, kind))
            if a.reference.scan_path is not None:
                show = {"name": "scan path", "shape_type": "path", "edge_color": "cyan", "translate": beside}
                layers.append(([a.reference.scan_path[:, ::-1]], {**show, **_scale(["Y", "X"], place)}, "shapes"))
    return layers


def _scale(axes: list[str], shown: dict[str, tuple[float, str]]) -> dict[str, Any]:
    return {"axis_labels": axes, "scale": [shown[axis][0] for axis in axes], "units": [shown[axis][1] for axis in axes]}


def _image(
    data: Any, channel: dict, plane: np.ndarray, axes: list[str], shown: dict[str, tuple[float, str]], metadata: dict
) -> tuple[Any, dict[str, Any], str]:
    show = {
        "name": channel["name"],
        "colormap": channel["color"] or "gray",
        "blending": "additive",
        "contrast_limits": np.nanpercentile(plane, (1, 99.5)) + (0, 1e-6),
        "metadata": metadata,
    }
    return data, {**show, **_scale(axes, shown)}, "image"


def napari_get_reader(path: str | list[str]) -> Any:
    """What napari asks for a reader: `read` for one path."""
    return read if isinstance(path, str) else None


if __name__ == "__main__":
    try:
        import napari
    except ImportError:
        sys.exit('napari_acq.py needs napari: pip install "napari[all]" "dask[array]"')
    viewer = napari.Viewer()
    for file in sys.argv[1:]:
        for layer in read(file):
            viewer.add_layer(napari.layers.Layer.create(*layer))
    napari.run()
