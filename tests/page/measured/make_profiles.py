"""Writes profiles.json: lines over an image, and the samples along them by skimage.measure.profile_line.

usage: python make_profiles.py    (needs numpy and scikit-image)
"""

import json
import pathlib

import numpy as np
import skimage
from skimage.measure import profile_line

RANDOM = np.random.default_rng(3)
image = RANDOM.integers(0, 1000, (30, 40)).astype(np.float64)
lines = [
    # x, y of start and end, width
    ((3, 4), (33, 4), 1),
    ((5, 25), (5, 3), 1),
    ((3, 4), (30, 24), 1),
    ((30, 24), (3, 4), 1),
    ((10, 6), (30, 16), 3),
    ((12, 20), (25, 8), 4),
    ((20.25, 8.5), (11.75, 21.25), 5),
    ((1, 1), (38, 28), 1),
]
cases = []
for start, end, width in lines:
    values = profile_line(image, start[::-1], end[::-1], linewidth=width, order=1, mode="constant", cval=np.nan)
    cases.append({"start": start, "end": end, "width": width, "values": np.round(values, 6).tolist()})
made = {
    "by": f"scikit-image {skimage.__version__}",
    "shape": image.shape,
    "samples": image.astype(int).ravel().tolist(),
    "cases": cases,
}
pathlib.Path(__file__).with_name("profiles.json").write_text(json.dumps(made) + "\n")
print([len(c["values"]) for c in cases], sum(np.isnan(c["values"]).sum() for c in cases))
