"""A walk through acq_client.py, cell by cell: python walk_through.py [FILE] [PICTURE.png]"""
# %% Open a file: the line scan beside this folder, or one of yours
import pathlib
import sys

import numpy as np

import acq_client as acq

here = pathlib.Path(__file__)
given = sys.argv[1:] if pathlib.Path(sys.argv[0]).name == here.name else []  # in a notebook they are the kernel's
path = given[0] if given else here.parent.parent / "line_scan.oir"
picture = given[1] if len(given) > 1 else "walk_through.png"
a = acq.open(path)
print(a)

# %% Axes: a line scan has time along its rows and space along its columns
for axis in a.axes:
    print(f"{axis.name}: {axis.size} samples, {axis.step:g} {axis.unit} each")

# %% Planes: float32 arrays with the values of the file
for name in a.names:
    plane = a[name]
    print(f"{name}: {plane.shape}, {np.nanmin(plane):g} to {np.nanmax(plane):g}")

# %% Other time points and focus planes
last = {axis.lower(): a.sizes.get(axis, 1) - 1 for axis in "TZL"}
print("last of", last, "has the mean", a.at(**last)[0].mean())

# %% What happens when something is wrong
try:
    acq.open("no_such_file.tif")
except acq.AcqError as error:
    print(error.code, "-", error.message)

# %% A picture: all channels, and the reference image with the path of the laser
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

panels = [(name, a[name], a.axes) for name in a.names]
if a.reference:
    panels += [(f"reference {name}", a.reference[name], a.reference.axes) for name in a.reference.names]
figure, axes = plt.subplots(1, len(panels), figsize=(3.5 * len(panels), 4), squeeze=False, layout="constrained")
for ax, (title, plane, (y, x)) in zip(axes[0], panels):
    low, high = np.nanpercentile(plane, (1, 99.5))
    ax.imshow(
        plane, cmap="gray", vmin=low, vmax=high, aspect="equal" if x.unit == y.unit else "auto",
        extent=(-x.step / 2, (x.size - 0.5) * x.step, (y.size - 0.5) * y.step, -y.step / 2),
    )
    ax.set(title=title, xlabel=f"{x.name} ({x.unit})", ylabel=f"{y.name} ({y.unit})")
    if title.startswith("reference") and a.reference.scan_path is not None:
        ax.plot(*(a.reference.scan_path * (x.step, y.step)).T, "-", color="cyan", linewidth=1)
figure.savefig(picture, dpi=120)
print("the picture is in", picture)

# %% The server forgets the file
a.close()
